#!/bin/sh
# test_newcomer.sh - follows the map at >>impl: adds a made-up index type of 24
# bits and a made-up policy that sends bad indices to the last row, in as many
# places as the map says, and runs newcomer.c with both engines. Run from the
# root.
. tests/lib/lib.sh
CC=${CC:-cc}
B=build/newcomer
log=$B/log
rm -rf $B
mkdir -p $B

# The type: ndg_index_type, ndgi_widths, ndgi_word, ndgi_store.
sed -e '/^enum ndg_index_type/,/;/s/NDG_U64 }/NDG_U64, NDG_U24 }/' \
    -e '/ndgi_widths\[\] =/s/ }/, 3 }/' \
    -e '/if (width == 2) { NDG_MEMCPY(&z, p, 2)/s/$/\
    if (width == 3) return (uint32_t)(p[0] | p[1] << 8 | p[2] << 16);/' \
    -e 's/else if (width == 2) NDG_MEMCPY(to, &z, 2);/&\
    else if (width == 3) NDG_MEMCPY(to, \&y, 3);/' ndgather.h >$B/type.h
# The policy: ndg_policy, ndg_index_place, NDGI_POLICIES.
sed -e '/^enum ndg_policy/,/;/s/ASSUME_VALID,/ASSUME_VALID, NDG_LAST,/' \
    -e '/^    if (policy == NDG_WRAP) return/s/$/\
    if (policy == NDG_LAST) return extent - 1;/' \
    -e '/NDGI_POLICIES = /s/NDG_ASSUME_VALID/NDG_LAST/' $B/type.h >$B/ndgather.h

# places FROM TO: how many lines were added or changed.
places() { diff "$1" "$2" | grep -c '^>'; }
# said TEXT: how many places the map says, where it says TEXT.
said() {
    sed -n '/>>impl ---/,/\*\//p' ndgather.h | tr '\n*' '  ' | tr -s ' ' |
        sed -n "s/.*$1 \([0-9]*\).*/\1/p"
}
check "a type: places" [ "$(places ndgather.h $B/type.h)" = \
    "$(said 'of 24 bits took these')" ]
check "a policy: places" [ "$(places $B/type.h $B/ndgather.h)" = \
    "$(said 'to the last row took these')" ]
for small in 0 1; do
    check "small $small: compiled" "$CC" -O1 -DNDG_SMALL=$small -I$B \
        -Itests/library tests/library/newcomer.c -o $B/newcomer || continue
    check "small $small" $B/newcomer
done
tally newcomer
