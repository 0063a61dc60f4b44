#!/bin/sh
# prove.sh [HEADER [PART...]]: proves the arithmetic of ndgather.h, of the text
# that ships. Parts: exhaustive (a compiler alone), z3 (clang, python's z3).
# Prints one table: function, result, time, prover, claim, what is given; then
# what is not proved, and what stands in for it. Results: proved, of all values;
# held, of each case that was tried; same, a term and C; FAILED.
#
#     CLANG, CC, PYTHON         the compilers; a python that has z3-solver
#     Z3_PARTS                  only these (see prove_bv.py)
#     PROOF_SECONDS             limit for a claim, 60
#     PROOF_BUILD               the folder for what is made, build/proof
. tests/lib/lib.sh
set -u
header=${1:-ndgather.h}
[ $# -gt 0 ] && shift
# shellcheck disable=SC2034  # wanted reads it
parts=$*
here=tests/proof
B=${PROOF_BUILD:-build/proof}
rm -rf "$B/ndgather.h" "$B"/*.said
mkdir -p "$B"
cp "$header" "$B/ndgather.h" || exit 1
log=$B/log
: >"$B/all.said"
: "${CC:=cc}" "${PYTHON:=python3}"

# ---- small input and edges ---------------------------------------------------

# shipped WAY FLAG...: runs shipped.c, which prints lines of the table. It has
# FAILED if it ends before its last case, at an overflow, or with a status that
# none of its lines explains; but not if it could not be run.
shipped() {
    way="small input and edges, $1"; shift
    "$CC" -std=c99 -O2 -w "$@" -DWAY="\"$way\"" -I"$B" $here/shipped.c \
        -o "$B/shipped" || return 1
    "$B/shipped" >"$B/shipped.said" 2>"$log"
    status=$?
    grep -v '^exhaustive: ' "$B/shipped.said" >>"$B/all.said"
    if grep '^exhaustive: ' "$B/shipped.said" && { [ $status = 0 ] ||
        grep -q '^FAILED' "$B/shipped.said"; }
    then return; fi
    cat "$log"
    case $status in 126|127) return 1 ;; esac
    printf 'FAILED\tshipped.c\tends with status %s\t%s\t0\t\n' $status "$way" \
        >>"$B/all.said"
    return 1
}

ubsan='-fsanitize=undefined -fno-sanitize-recover=undefined'

exhaustive() {
    shipped 'as shipped' || return 1
    # One lane, in plain C: an overflow ends it, where the compiler can tell.
    trap=
    echo 'int main(void) { return 0; }' >"$B/trap.c"
    "$CC" $ubsan "$B/trap.c" -o "$B/trap" 2>"$log" && trap=$ubsan
    # shellcheck disable=SC2086  # flags
    shipped 'one lane' -DNDGI_SIMD=0 $trap
}

# ---- z3, from the text as clang parses it -----------------------------------

z3_part() {
    for clang in ${CLANG:-clang-19 clang}; do have "$clang" && break; done
    if ! have "$clang"; then skip z3 'no clang'; return 0; fi
    if ! "$PYTHON" -c 'import z3' 2>/dev/null; then
        skip z3 "no module z3 (pip: z3-solver) for $PYTHON"; return 0
    fi
    # shellcheck disable=SC2086  # a list of parts
    "$PYTHON" $here/prove_bv.py "$B/ndgather.h" "$B" "$clang" "$CC" \
        ${Z3_PARTS:-} >"$B/z3.said" 2>"$log" || {
        grep -q 'FAILED\|DIFFERS' "$B/z3.said" || { cat "$log"; return 1; }; }
    grep '^skip: ' "$log"
    cat "$B/z3.said" >>"$B/all.said"
}

for part in exhaustive z3; do
    wanted $part || continue
    began=$(date +%s)
    name=$part; [ $part = z3 ] && name=z3_part
    $name || bad "$part"
    echo "$part: $(($(date +%s) - began)) s"
done
awk -f $here/table.awk "$B/all.said"
of() { grep -c "^$1	" "$B/all.said"; }
echo "$(of proved) proved, $(of held) held, $(of same) terms the same"
good=$(($(of proved) + $(of held) + $(of same)))
passed=$((passed + good))
failed=$((failed + $(wc -l <"$B/all.said") - good))
echo 'Not proved:'
sed 's/^/  /' $here/unproved.txt
tally proof
