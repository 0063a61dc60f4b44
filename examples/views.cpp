/* views.cpp - typed views in C++17, negative indices, two threads
 *
 *     c++ -std=c++17 -O2 -I. examples/views.cpp -o build/views -lpthread
 *
 * A view is a pointer, a number of bytes and a shape: what std::mdspan and the
 * array classes of engines come down to. take() gathers by it: element size,
 * index type and out's bytes follow from the types, so none can be forgotten.
 * What is refused is thrown, in the library's words. */
#include <cstdint>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

template <class T> struct view {
    T        *data;
    ptrdiff_t bytes;
    ndg_shape shape;

    operator view<const T>() const { return { data, bytes, shape }; }
};

/* A vector as [n], or as [rows, columns]. */
template <class T> view<T> as_line(std::vector<T> &v) {
    const ptrdiff_t n = static_cast<ptrdiff_t>(v.size());
    return { v.data(), n * static_cast<ptrdiff_t>(sizeof(T)), ndg_dims1(n) };
}

template <class T> view<T> as_table(std::vector<T> &v, ptrdiff_t columns) {
    view<T> all = as_line(v);
    all.shape = ndg_dims2(static_cast<ptrdiff_t>(v.size()) / columns, columns);
    return all;
}

static std::string in_words(const ndg_report &r, const ndg_shape &indices) {
    const ptrdiff_t length = ndg_report_text(nullptr, 0, &r, &indices);
    std::string     line(static_cast<std::size_t>(length), ' ');
    ndg_report_text(line.data(), length + 1, &r, &indices);
    return line;
}

/* out[i, ...] = table[ids[i], ...]; -1 is the last row. Two threads take half
 * of the ids each; the bytes are those of one. */
template <class T, class I>
ndg_report take(view<T> out, view<const T> table, view<const I> ids,
                int policy = NDG_ERROR) {
    static_assert(std::is_trivially_copyable<T>::value,
                  "elements are moved as bytes");
    ndg_gather_desc d = NDG_ZERO_INIT;
    ndg_gather_plan plan;
    ndg_report      part[2] = {}, all = NDG_ZERO_INIT;
    d.params     = table.shape;
    d.indices    = ids.shape;
    d.out        = out.shape;
    d.elem_size  = sizeof(T);
    d.index_type = NDG_TYPE_OF(ids.data);
    d.negative   = NDG_NEGATIVE_FROM_END;
    d.policy     = policy;
    if (ndg_plan_gather(&plan, &d, &all) != NDG_OK)
        throw std::invalid_argument(in_words(all, d.indices));
    const auto half = [&](ptrdiff_t first, ptrdiff_t last, ndg_report *r) {
        ndg_gather_run_range(&plan, out.data, out.bytes, table.data, ids.data,
                             first, last, r);
    };
    std::thread other(half, plan.rows / 2, plan.rows, &part[1]);
    half(0, plan.rows / 2, &part[0]);
    other.join();
    for (const ndg_report &r : part) ndg_report_merge(&all, &r);
    if (all.status != NDG_OK)
        throw std::out_of_range(in_words(all, d.indices));
    return all;
}

template <class T, class I>
static void show(const char *what, std::vector<T> &out, std::vector<T> &table,
                 std::vector<I> &ids, ptrdiff_t columns,
                 int policy = NDG_ERROR) {
    std::printf("%-16s", what);
    try {
        const ndg_report r = take<T, I>(as_table(out, columns),
                                        as_table(table, columns),
                                        as_line(ids), policy);
        for (const T &x : out) std::printf(" %g", static_cast<double>(x));
        if (r.bad.count > 0)
            std::printf("   (%s)", in_words(r, as_line(ids).shape).c_str());
        std::printf("\n");
    } catch (const std::exception &e) {
        std::printf(" %s\n", e.what());
    }
}

int main() {
    /* a week of lowest and highest temperatures */
    std::vector<float> week = { 3, 9,  4, 11,  2, 8,  -1, 5,  0, 7,  5, 12,
                                6, 14 };
    std::vector<float>   out(6);
    std::vector<int8_t>  newest = { -1, -2, -3 };
    std::vector<int64_t> wrong = { 0, -8, 7 };
    std::vector<float>   small(4);
    show("newest first:", out, week, newest, 2);
    show("out of range:", out, week, wrong, 2);
    show("the nearest:", out, week, wrong, 2, NDG_CLIP);
    show("out too small:", small, week, newest, 2);
    return 0;
}
