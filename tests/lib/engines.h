/* engines.h - the functions of ndgather.h in a table, so that several builds of
 * it can stand side by side: see tests/fuzz/engine.c. */
#ifndef NDG_TEST_ENGINES_H
#define NDG_TEST_ENGINES_H

#define ENGINE_FUNCTIONS(X)                                                   \
    X(report_merge) X(status_text) X(arg_text) X(version) X(unravel)          \
    X(report_text) X(gather_rows) X(scatter_rows)                             \
    X(plan_gather_nd) X(plan_gather)                                          \
    X(plan_batch_gather) X(gather_nd_out_dims) X(gather_out_dims)             \
    X(batch_gather_out_dims) X(gather_run) X(gather_run_range)                \
    X(gather_out_bytes) X(gather_fits) X(gather_check) X(gather_nd)           \
    X(gather) X(batch_gather) X(plan_scatter_nd) X(scatter_run)               \
    X(scatter_run_range) X(scatter_fits) X(scatter_check) X(scatter_nd)       \
    X(plan_stitch) X(list_from) X(stitch_total)                               \
    X(stitch_out_bytes) X(stitch_scratch_bytes) X(stitch_run)                 \
    X(stitch_run_range) X(dynamic_stitch) X(parallel_dynamic_stitch)          \
    X(plan_partition) X(partition_count) X(partition_out_bytes)               \
    X(partition_run) X(partition_starts) X(partition_run_range)               \
    X(dynamic_partition)

typedef struct engine {
#define ENTRY(name) __typeof__(ndg_##name) *name;
    ENGINE_FUNCTIONS(ENTRY)
#undef ENTRY
} engine;

/* Here, where ndgather.h has been compiled or is linked to. */
#define ENGINE_ENTRY(name) ndg_##name,
#define ENGINE_HERE { ENGINE_FUNCTIONS(ENGINE_ENTRY) }

#endif
