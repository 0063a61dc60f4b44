#!/bin/sh
# test_abi.sh [write] - ndgather.h declares what tests/abi.txt says, no more and
# no less: macros, hooks, enum values, functions with the types they take, the
# fields of structs, and where a compiler puts these. With `write` it makes
# tests/abi.txt anew: a change of that file is a change of the interface.
#
#     sh tests/forms/test_abi.sh          from the project's root
#
# Needs a C compiler; nothing that is built is run, so cross compilers will do.
# Layouts are of three kinds: LP64 (64-bit machines, Windows too), ILP32 where
# int64_t is aligned to 4 bytes (x86), ILP32-8 where to 8 (Arm, most others).
# One that no compiler here makes is skipped by name.
. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
CC=${CC:-cc}
B=build/abi
F=tests/abi.txt
mkdir -p $B

# ---- what a header declares --------------------------------------------------

# macros HEADER: those of the declarations, and the hooks that it looks at. Of
# the version only the names.
macros() {
    sed '/the declarations end here/q' "$1" | awk '
        /^#define NDG_[A-Z]/ {
            name = $2; sub(/^#define /, ""); sub(/[ \t]*\/\*.*/, "")
            args = ""
            if (name ~ /\(/) {
                sub(/\(.*/, "", name)
                args = substr($0, index($0, "("))
                args = substr(args, 1, index(args, ")"))
            } else if (name !~ /VERSION/ && $NF ~ /^[0-9]+$/) args = $NF
            if (!seen[name]++) print "macro " name " = " args
        }' | sed 's/ $//'
    grep -E '^# *(el)?if' "$1" | tr -c 'A-Z_\n' ' ' | tr ' ' '\n' |
        grep -E '^NDG(_|ATHER_IMPLEMENTATION$)' | grep -v '^NDG_VERSION$' |
        sort -u | sed 's/^/hook /; s/$/ =/'
}

# declared: of preprocessed declarations on stdin. Writes one line for each to
# stdout, and to $B/probe the lines of C that have the compiler say its numbers.
declared() {
    awk -v probe=$B/probe '
        function trim(s) { gsub(/^ +| +$/, "", s); return s }
        function number(text, x, y) {
            printf "%s(%d, \"%s\", %s%s)\n", y == "" ? "ONE" : "TWO", ++n,
                   text, x, y == "" ? "" : ", " y >probe
        }
        # what a function is given, without the names
        function types(s,   part, m, i, t, all) {
            m = split(s, part, ",")
            for (i = 1; i <= m; i++) {
                t = trim(part[i])
                if (t ~ /[ *]/) sub(/[a-zA-Z_0-9]+$/, "", t)
                all = all (i > 1 ? ", " : "") trim(t)
            }
            return all
        }
        function func(kind, s,   at, name, args) {
            match(s, /ndg_[a-z0-9_]+ *\(/)
            at = RSTART
            name = substr(s, at, RLENGTH - 1)
            args = substr(s, at + RLENGTH)
            args = substr(args, 1, index(args, ")") - 1)
            print kind " " trim(name) " = " trim(substr(s, 1, at - 1)) \
                  " (" types(args) ")"
        }
        function fields(s,   name, member, word, m, k, i, j, type, field, t) {
            sub(/^typedef struct [a-z_]+ *\{/, "", s)
            match(s, /\} *ndg_[a-z_]+ *;/)
            name = trim(substr(s, RSTART + 1, RLENGTH - 2))
            number("size " name, "sizeof(" name ")")
            m = split(substr(s, 1, RSTART - 1), member, ";")
            for (i = 1; i < m; i++) {
                k = split(trim(member[i]), word, ",")
                for (j = 1; j <= k; j++) {
                    t = trim(word[j])
                    if (j == 1) {
                        type = t
                        sub(/ *[* ][*]*[a-z_0-9]+(\[.*\])*$/, "", type)
                        t = trim(substr(t, length(type) + 1))
                    }
                    field = t
                    gsub(/^[* ]+|\[.*$/, "", field)
                    sub(field, "", t)
                    print "field " name "." field " = " trim(type " " t)
                    number("place " name "." field, \
                           "offsetof(" name ", " field ")", \
                           "sizeof(((" name " *)0)->" field ")")
                }
            }
        }
        function enums(s,   part, m, i, e) {
            if (match(s, /^enum ndg_[a-z_]+/))
                print "names " substr(s, 6, RLENGTH - 5) " ="
            gsub(/.*\{|\}.*/, "", s)
            m = split(s, part, ",")
            for (i = 1; i <= m; i++) {
                e = trim(part[i])
                sub(/ *=.*/, "", e)
                if (e != "") number("enum " e, e)
            }
        }
        !begun { begun = /ndg_begin;/; next }
        /^#/ { next }
        {
            line = $0
            depth += gsub(/\{/, "{", line) - gsub(/\}/, "}", line)
            text = text " " line
            if (depth > 0 || line !~ /[;}] *$/) next
            gsub(/[ \t]+/, " ", text)
            text = trim(text)
            if (text ~ /^enum *[a-z_]* *\{/) enums(text)
            else if (text ~ /^typedef struct [a-z_]* *\{/) fields(text)
            else if (sub(/^extern /, "", text)) func("function", text)
            else if (sub(/^static inline /, "", text)) func("inline", text)
            else print "other " text " ="
            text = ""
        }'
}

# What puts numbers, as digits between words, into an object file.
head='#include <stddef.h>
#include "ndgather.h"
#define D(x, k) (char)(48 + (unsigned long)(x) / k % 10)
#define N(x) { D(x,100000ul), D(x,10000ul), D(x,1000ul), D(x,100ul), \
               D(x,10ul), D(x,1ul) }
#define ONE(n, text, x)                                                 \
    extern const struct abi_##n { char a[8 + sizeof text], p[6], z; }   \
        abi_##n;                                                        \
    const struct abi_##n abi_##n = { "\nabi of " text, N(x), 10 };
#define TWO(n, text, x, y)                                              \
    extern const struct abi_##n { char a[8 + sizeof text], p[6], s, q[6], z; }\
        abi_##n;                                                        \
    const struct abi_##n abi_##n = { "\nabi of " text, N(x), 32, N(y), 10 };
struct abi_align { char c; int64_t v; };
TWO(0, "model", sizeof(void *), offsetof(struct abi_align, v))'

# numbers FOLDER COMPILER FLAG...: what that compiler makes of the header there:
# its enum values, and its layout as lines of its kind. Sets model.
numbers() {
    folder=$1
    shift
    { printf '%s\n' "$head"; cat $B/probe; } >$B/numbers.c
    model=
    "$@" -I"$folder" -c $B/numbers.c -o $B/numbers.o >$B/log 2>&1 || return 1
    tr '\000' ' ' <$B/numbers.o | tr -c ' -~\n' '\n' |
        sed -n 's/^abi of *//p' >$B/said
    case $(awk '$1 == "model" { print $2 + 0, $3 + 0 }' $B/said) in
    '8 8') model=LP64 ;;
    '4 4') model=ILP32 ;;
    '4 8') model=ILP32-8 ;;
    *) return 1 ;;
    esac
    awk -v m=$model '
        $1 == "size"  { print m " " $2 " = " $3 + 0 " bytes" }
        $1 == "place" { print m " " $2 " = " $4 + 0 " bytes at " $3 + 0 }
        $1 == "enum"  { print "enum " $2 " = " $3 + 0 }' $B/said
}

# interface FOLDER: all of the header there; sets models. Compilers that differ
# in a flag are asked in turn, the first of each kind is heard.
interface() {
    macros "$1/ndgather.h"
    printf '%s\n' '#include <stddef.h>' '#include <stdint.h>' \
        'extern int ndg_begin;' '#include "ndgather.h"' >$B/begin.c
    $CC -I"$1" -E $B/begin.c 2>$B/log | declared
    models=
    # shellcheck disable=SC2086
    numbers "$1" $CC >$B/part || { cp $B/log $B/why; return; }
    for c in "$CC" "$CC -m32" "$CC -m32 -ffreestanding" \
        "arm-none-eabi-gcc -ffreestanding" "$CC -m32 -malign-double" \
        "$CC -m32 -malign-double -ffreestanding"; do
        # shellcheck disable=SC2086
        numbers "$1" $c >$B/part || continue
        case " $models " in *" $model "*) continue ;; esac
        if [ -n "$models" ]; then grep -v '^enum' $B/part
        else cat $B/part; fi
        models="$models $model"
    done
}

# ---- comparing ---------------------------------------------------------------

# differ WANT GOT: a line for each that differs; the layouts only of $models.
differ() {
    awk -v models="$models" '
        function key(s) { sub(/ = ?.*/, "", s); return s }
        function value(s) { return substr(s, index(s, " =") + 3) }
        function ours() {
            return $1 !~ /^I?LP/ || index(models " ", " " $1 " ")
        }
        FNR == NR { if (!/^#/ && NF) want[key($0)] = value($0); next }
        !ours() { next }
        {
            k = key($0)
            had[k] = 1
            if (!(k in want)) print "new: " $0
            else if (want[k] != value($0))
                print "changed: " k ": " value($0) ", was " want[k]
        }
        END {
            for (k in want) {
                $0 = k
                if (!(k in had) && ours()) print "gone: " k
            }
        }' "$1" "$2" | sort
}

interface . >$B/now
if [ -z "$models" ]; then
    bad "$CC makes no object file of the header: $(head -n 1 $B/why)"
    tally abi
    exit 1
fi
if [ "${1:-}" = write ]; then
    for m in LP64 ILP32 ILP32-8; do
        case " $models " in *" $m "*) continue ;; esac
        echo "write: no compiler here for $m; its lines stay as they are"
        grep "^$m " $F >>$B/now
    done
    {
        echo '# What programs built on ndgather.h rely on. To write it anew: sh'
        echo '# tests/forms/test_abi.sh write. hook: a macro of yours. names: the'
        echo '# name of an enum. LP64, ILP32, ILP32-8: the bytes of structs, and'
        echo '# of fields with their places, where pointers have 64 bits, 32'
        echo '# bits, and 32 bits with int64_t aligned to 8.'
        cat $B/now
    } >$F
    exit
fi
[ $# = 0 ] || { echo 'usage: test_abi.sh [write]' >&2; exit 2; }
for m in LP64 ILP32 ILP32-8; do
    case " $models " in
    *" $m "*) ;;
    *) skip "abi $m" "no compiler here makes it" ;;
    esac
done
is 'lines of a kind unknown' '' "$(grep '^other' $B/now)"
differ $F $B/now >$B/differ
while read -r line; do bad "$line"; done <$B/differ
[ ! -s $B/differ ] ||
    echo 'if that is meant: sh tests/forms/test_abi.sh write'
passed=$((passed + $(grep -c = $B/now) - $(grep -vc '^gone' $B/differ)))

# ---- what is declared is there -----------------------------------------------

if ! have nm; then skip 'abi symbols' 'no nm'
else
    printf '%s\n' '#define NDGATHER_IMPLEMENTATION' '#include "ndgather.h"' \
        >$B/all.c
    $CC -I. -c $B/all.c -o $B/all.o >$B/log 2>&1 ||
        no all.c "$(head -n 1 $B/log)"
    nm -P $B/all.o | sed -n 's/^_*\(ndg_[a-z_]*\) T.*/\1/p' | sort >$B/there
    sed -n 's/^function \([a-z_]*\) =.*/\1/p' $F | sort >$B/promised
    is 'functions in an object file' '' "$(diff $B/promised $B/there)"
fi

# ---- it can fail: a change in a copy is told ---------------------------------

mkdir -p $B/copy
kept=$models
# told SED LINE: that edit of the header gives that line.
told() {
    sed "$1" ndgather.h >$B/copy/ndgather.h
    interface $B/copy >$B/changed
    models=$kept
    if cmp -s ndgather.h $B/copy/ndgather.h; then
        no "$2" 'the edit changes nothing'
    elif differ $B/now $B/changed | grep -qxF -e "$2"; then ok
    else no "$2" "told: $(differ $B/now $B/changed | head -n 3)"; fi
}
told '/^NDG_API int ndg_version/d' 'gone: function ndg_version'
told 's/^NDG_API int ndg_version(void);.*/&\
NDG_API int ndg_other(int x);/' 'new: function ndg_other = int (int)'
told 's/^\(NDG_API int ndg_version\)(void)/\1(int v)/' \
    'changed: function ndg_version: int (int), was int (void)'
told 's/ndg_index_clip(int64_t v, int/ndg_index_clip(int64_t v, unsigned/' \
    'changed: inline ndg_index_clip: ptrdiff_t (int64_t, unsigned, ptrdiff_t)'\
', was ptrdiff_t (int64_t, int, ptrdiff_t)'
told 's/NDG_FILL, NDG_CLIP,/NDG_CLIP, NDG_FILL,/' \
    'changed: enum NDG_CLIP: 3, was 4'
told 's/X(NDG_E_GAP,         1,/X(NDG_E_GAP,         2,/' \
    'changed: enum NDG_E_GAP: 2, was 1'
told 's/^enum ndg_gaps {/enum {/' 'gone: names ndg_gaps'
told 's/^#define NDG_MAX_DEPTH  16/#define NDG_MAX_DEPTH  17/' \
    'changed: macro NDG_MAX_DEPTH: 17, was 16'
told 's/^#define NDG_INDEX_GOOD(v, extent)/#define NDG_INDEX_GOOD(v, n)/' \
    'changed: macro NDG_INDEX_GOOD: (v, n), was (v, extent)'
told 's/defined(NDG_SMALL)/defined(NDG_TINY)/' 'gone: hook NDG_SMALL'
told 's/^    int64_t   value;  /    uint64_t  value;  /' \
    'changed: field ndg_bad.value: uint64_t, was int64_t'
case " $models " in
*' LP64 '*)
    told 's/^    int       is_u64; .*/    int is_u64; int64_t more;/' \
        'changed: LP64 ndg_bad.value: 8 bytes at 40, was 8 bytes at 32'
    told 's/^    ptrdiff_t first_hole, holes, duplicates;/    int holes;/' \
        'changed: LP64 ndg_row_counts.holes: 4 bytes at 0, was 8 bytes at 8'
    told 's/unsigned char fill\[16\];/unsigned char fill[24];/' \
        'changed: LP64 ndg_gather_desc: 344 bytes, was 336 bytes' ;;
*) skip 'abi copies' 'their layouts are of LP64' ;;
esac

tally abi
