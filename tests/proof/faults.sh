#!/bin/sh
# faults.sh [TOOL...]: puts each fault of faults.list into a copy of the header,
# and proves that. Every fault must be noticed; says by which of the tools
# (exhaustive, z3, wp; those named, or the first two).
. tests/lib/lib.sh
set -u
tools=${*:-exhaustive z3}
B=${PROOF_BUILD:-build/proof}/faults
mkdir -p "$B"
grep -v '^#' tests/proof/faults.list >"$B/list"
while read -r part function fault; do
    sed "$fault" ndgather.h >"$B/header.h"
    if cmp -s "$B/header.h" ndgather.h; then
        no "$fault" 'is not in the header any more'; continue
    fi
    by=
    for tool in $tools; do
        [ "$tool$function" = wp- ] && continue
        PROOF_BUILD=$B PROOF_SECONDS=5 WP_SECONDS=5 Z3_PARTS=$part \
            WP_FUNCTIONS=$function \
            sh tests/proof/prove.sh "$B/header.h" "$tool" >"$B/said" 2>&1 ||
            by="$by $tool"
        grep '^skip:' "$B/said"
    done
    if [ -n "$by" ]; then ok; echo "noticed by$by: $fault"
    else no "$fault" 'NOT NOTICED'; fi
done <"$B/list"
tally proof_faults
