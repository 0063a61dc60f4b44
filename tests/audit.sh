#!/bin/sh
# audit.sh [SECONDS] - the hours-long tier, after `make check`: each fuzz
# target for SECONDS (3600), all proofs, every mutant, the stack, the forms and
# the sanitizers by every compiler, indices that change, other libraries' own
# tests. A line for each, with what it took and its own last line; the whole is
# in build/audit. What a tool is missing for is said there. From the root, after
# `make test` has built build/. Last line: audit: N passed, N failed, in steps.
. tests/lib/lib.sh
B=build/audit
seconds=${1:-3600}
mkdir -p $B

# part NAME COMMAND...: it must succeed; says what its last line is. One that
# has counted nothing is skipped.
part() {
    name=$1; shift
    start=$(date +%s)
    if ! "$@" >"$B/$name.log" 2>&1
    then failed=$((failed + 1)); word=FAILED
    elif [ -z "$(counted "$B/$name.log")" ]
    then failed=$((failed + 1)); word='FAILED, without a count'
    elif [ "$(counted "$B/$name.log")" = '0 0' ]; then word=skip
    else passed=$((passed + 1)); word=ok; fi
    echo "$word: $name, $((($(date +%s) - start) / 60)) min:" \
        "$(tail -n 1 "$B/$name.log")"
    sed -n 's/^skip: /    skip: /p' "$B/$name.log"
}

part fuzz     sh tests/fuzz/fuzz.sh "$seconds"
part prove    sh tests/proof/prove.sh
part faults   sh tests/proof/faults.sh exhaustive z3
part stack    sh tests/forms/stack.sh long
part levels   env WHOLE=1 sh tests/forms/platforms.sh
part whole    env WHOLE=1 sh tests/check.sh forms sanitize
part cuda     "${PYTHON:-python3}" tests/mutation/mutate.py cuda faults
part peers    sh tests/peers/peers.sh $((seconds / 6))
for t in test_moving_memory test_moving_memory_far test_moving_memory_small; do
    part $t   env NDG_MOVING=$((seconds / 60 + 1)) build/$t
done
for t in game lv2 mpi python bindings; do part $t sh tests/uses/$t.sh long; done
part mutation "${PYTHON:-python3}" tests/mutation/mutate.py 0
part mutation-cuda "${PYTHON:-python3}" tests/mutation/mutate.py cuda 0
tally audit && [ $passed != 0 ]
