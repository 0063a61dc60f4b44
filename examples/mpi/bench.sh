#!/bin/sh
# bench.sh - what examples/mpi/lookup.c takes for an id as ranks grow
#
#     sh examples/mpi/bench.sh BUILD >BUILD/mpi.txt      from the project's root
#
# BUILD has lookup, lookup_data and lookup_costs (`make mpi`). A table of 256 MB
# in rows of 256 bytes, 2^19 ids. Each line says what was run, then what
# lookup -t prints; ROUNDS (3) rounds, one after the other, of which plot.py
# takes the best. The first lines are what messages cost. On a machine that has
# other things to do, BEFORE='chrt -r 1' keeps these out, as root.
set -e
B=$1
D=$B/mpi_data
mkdir -p "$D"
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
on() {
    n=$1
    shift
    ${BEFORE:-} mpirun -q --oversubscribe --bind-to none -np "$n" "$@"
}

[ -f "$D/table.npy" ] || "$B/lookup_data" table "$D/table.npy" 1000000 64
for ids in uniform skewed; do
    [ -f "$D/$ids.npy" ] ||
        "$B/lookup_data" ids "$D/$ids.npy" 524288 1000000 $ids
done

echo "cores $(getconf _NPROCESSORS_ONLN)"
echo "memory $(on 2 "$B/lookup_costs")"
echo "tcp $(on 2 --mca btl tcp,self "$B/lookup_costs")"
echo "memory8 $(on 8 "$B/lookup_costs")"
round=0
while [ $round -lt "${ROUNDS:-3}" ]; do
    for n in 1 2 4 8; do
        sleep "${PAUSE:-0}"
        for run in uniform:-a uniform: skewed:-a skewed: uniform:-s; do
            ids=${run%:*}
            # shellcheck disable=SC2086
            echo "$run $(on $n "$B/lookup" -t "${TIMES:-12}" ${run#*:} \
                "$D/table.npy" "$D/$ids.npy")"
        done
    done
    round=$((round + 1))
done
