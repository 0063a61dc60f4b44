#!/bin/sh
# faults.sh [TOOL...]: puts each fault of faults.list into a copy of the header,
# and proves that. Every fault must be noticed; says by which of the tools
# (exhaustive, z3; those named, or both). Noticed is what is found
# wrong: not what a tool has no answer to in time, and not that it cannot run.
# First each must pass on the header as it is, within the same limits.
. tests/lib/lib.sh
set -u
tools=${*:-exhaustive z3}
B=${PROOF_BUILD:-build/proof}/faults
mkdir -p "$B"
grep -v '^#' tests/proof/faults.list >"$B/list"

# proves HEADER TOOL: whether it does, of what the fault is in; $B/said is why.
proves() {
    PROOF_BUILD=$B PROOF_SECONDS=20 Z3_PARTS=$part \
        sh tests/proof/prove.sh "$1" "$2" >"$B/said" 2>&1
}

# control TOOL: the header without a fault, once for whatever is asked of it.
controls=' '
control() {
    case $1 in
    z3) asked="z3 $part" ;;
    *) asked=$1 ;;
    esac
    case $controls in *", $asked, "*) return ;; esac
    controls="$controls, $asked, "
    if ! proves ndgather.h "$1"; then
        no "control, $asked" 'fails without a fault'
        grep '^  [a-zF]* .* s  \|^FAILED' "$B/said" |
            grep -v '^  proved\|^  held'
    elif [ "$(counted "$B/said")" != '0 0' ]; then ok; fi
}

while read -r part fault; do
    sed "$fault" ndgather.h >"$B/header.h"
    if cmp -s "$B/header.h" ndgather.h; then
        no "$fault" 'is not in the header any more'; continue
    fi
    by=
    for tool in $tools; do
        control "$tool"
        proves "$B/header.h" "$tool"
        grep '^  \(FAILED\|DIFFERS\) ' "$B/said" |
            grep -qv ': cannot be read: ' && by="$by $tool"
        grep '^skip:' "$B/said"
    done
    if [ -n "$by" ]; then ok; echo "noticed by$by: $fault"
    else no "$fault" 'NOT NOTICED'; fi
done <"$B/list"
tally proof_faults
