#!/bin/sh
# size.sh - the code and the stack that ndgather.h takes at -Os, as
# Markdown tables; the code of either engine at other levels (NDG_SMALL); and
# whether they are within the limits below. From the root.
#
#   code     code and constants of the library alone: a link in which memcpy,
#            memset, the compiler's helpers and the caller lie in sections of
#            their own. Padding between functions counts. NDG_NO_STRINGS.
#   stack    the deepest path through the calls, by GCC's own frame sizes and
#            call graph (-fcallgraph-info=su). A frame that a tail call has
#            left still counts. memcpy, memset and the helpers do not: painting
#            the stack under QEMU found the same bytes, and up to 64 more for a
#            64-bit division on Cortex-M0+.
#   helpers  what libgcc adds where the processor lacks an instruction. Other
#            code of a program shares them.
#
# The library is measured in two forms: static, where the one file that uses it
# defines NDG_STATIC, so that the compiler drops and inlines; and linked, where
# a file of its own has all of it and the linker drops functions
# (-ffunction-sections, --gc-sections). The limits on code are for the first.
#
# Exit status 1: a limit is broken, or something could not be measured. A
# compiler that is missing is named and skipped. ARM_CC and CC choose them.
set -u
. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
: "${ARM_CC:=arm-none-eabi-gcc}" "${CC:=cc}"
B=build/size
mkdir -p $B || exit 1

limit_gather_rows=1024         # bytes of code on Cortex-M0+
limit_gather=5529             # 300 for index_mask and _add, 850 for speed
limit_small_rows=1741          # the same at -O2 and -Og, NDG_SMALL: 1.7 KiB,
                               # on Cortex-M0+ and Cortex-M4
limit_stack_gathers=11264      # bytes of stack on 64 bits, at any level: the
limit_stack_all=11264          # header says "under", under >>guarantees

broken=0
# within WHAT BYTES MOST: says whether that limit is kept.
within() {
    verdict=BROKEN
    case $2 in
    *[!0-9]* | '') verdict="NOT MEASURED" ;;
    *) [ "$2" -gt "$3" ] || verdict=kept ;;
    esac
    [ "$verdict" = kept ] || broken=1
    echo "limit: $1: $2, at most $3 bytes: $verdict"
}

# ---- what is measured --------------------------------------------------------

# ROOTS are the functions that a program calls. OWN_FILE: they are elsewhere.
# Without strings, and without <string.h>, which small targets may not have.
cat >$B/unit.c <<'END'
#ifndef OWN_FILE
#define NDGATHER_IMPLEMENTATION
#ifdef ROOTS
#define NDG_STATIC
#endif
#endif
#define NDG_NO_STRINGS
#define NDG_MEMCPY(d, s, n) __builtin_memcpy(d, s, n)
#include "ndgather.h"
#ifdef ROOTS
#define F(f) (void (*)(void))f,
extern void (*const roots[])(void);
__attribute__((section(".outside.roots"))) void (*const roots[])(void) = {
    ROOTS
};
#endif
END

cat >$B/outside.c <<'END'
#include <stddef.h>
#define OUTSIDE __attribute__((section(".outside.code")))
void *memcpy(void *d, const void *s, size_t n);
void *memset(void *d, int c, size_t n);
void *memmove(void *d, const void *s, size_t n);
OUTSIDE void *memcpy(void *d, const void *s, size_t n)
{ (void)s; (void)n; return d; }
OUTSIDE void *memmove(void *d, const void *s, size_t n)
{ (void)s; (void)n; return d; }
OUTSIDE void *memset(void *d, int c, size_t n) { (void)c; (void)n; return d; }
END

cat >$B/size.ld <<'END'
SECTIONS {
    /DISCARD/ : { *(.ARM.* .eh_frame* .comment .note* .gnu*) }
    .helpers  : { *libgcc.a:*(.text .text.* .rodata .rodata.* .data .bss) }
    .outside  : { *(.outside.*) }
    .library  : { first = .; *(.text .text.* .rodata .rodata.* .data.rel.ro*)
                  last = .; }
    .writable : { *(.data .data.* .bss .bss.* COMMON) }
}
END

cat >$B/structs.c <<'END'
#include "ndgather.h"
#define S(name) extern char size_of_##name[sizeof(name)]; \
    char size_of_##name[sizeof(name)]
S(ndg_gather_desc); S(ndg_gather_plan); S(ndg_stitch_plan);
S(ndg_partition_plan); S(ndg_report);
END

rows='rows gather run gathers stitch partition all'
title() {
    case $1 in
    rows)      echo "\`ndg_gather_rows\`" ;;
    gather)    echo "\`ndg_gather\`: any policy, index type, shape" ;;
    run)       echo "\`ndg_gather_run\` of a plan made elsewhere" ;;
    gathers)   echo 'rows, the three gathers, plans, ranges, check' ;;
    stitch)    echo "\`ndg_plan_stitch\`, \`ndg_stitch_run\`" ;;
    partition) echo "\`ndg_plan_partition\`, count, run" ;;
    all)       echo 'everything' ;;
    esac
}
functions_of() {
    case $1 in
    rows)      echo ndg_gather_rows ;;
    gather)    echo ndg_gather ;;
    run)       echo ndg_gather_run ;;
    gathers)   echo ndg_gather_rows ndg_gather_nd ndg_gather ndg_batch_gather \
                    ndg_plan_gather_nd ndg_plan_gather ndg_plan_batch_gather \
                    ndg_gather_run ndg_gather_run_range ndg_gather_check ;;
    stitch)    echo ndg_plan_stitch ndg_stitch_run ;;
    partition) echo ndg_plan_partition ndg_partition_count ndg_partition_run ;;
    tensors)   echo ndg_dynamic_stitch ;;
    all)       echo "$everything" ;;
    esac
}

# ---- measuring ---------------------------------------------------------------

# use TARGET [LEVEL [SMALL]]: its compiler, and whether that tells its call
# graph; a level other than -Os, and what NDG_SMALL is defined as, if it is.
use() {
    target=$1; level=${2:--Os}; small=${3:+-DNDG_SMALL=$3}
    case $1 in
    m0)  t_name='Cortex-M0+'; t_cc="$ARM_CC -mcpu=cortex-m0plus -mthumb" ;;
    m4)  t_name='Cortex-M4'; t_cc="$ARM_CC -mcpu=cortex-m4 -mthumb" ;;
    *)   t_name=$host; t_cc="$CC -fno-stack-protector" ;;
    esac
    graph=-fcallgraph-info=su
    echo 'int x;' >$B/probe.c
    $t_cc $graph -c $B/probe.c -o $B/probe.o >/dev/null 2>&1 || graph=
}

tool() { $t_cc -print-prog-name="$1"; }

# shellcheck disable=SC2086
compile() { $t_cc -std=c99 $level $small $graph -I. "$@" >$B/log 2>&1; }

# The most stack below the functions named, from a graph of nodes with their
# frames and edges. No answer (exit 1) where the sum would not be the truth: a
# loop of calls, a call through a pointer, a frame that grows, a function without
# a frame that is not outside.
deepest() {
    deepest_graph=$1; shift
    awk -v roots="$*" '
        function name(s)  { sub(/^.*:/, "", s); return s }
        function down(f,    i, list, n, most, d) {
            if (f in depth) return depth[f]
            if (busy[f]++) { print "a loop of calls through " f; exit bad = 1 }
            if (f == "__indirect_call" ||
                (!(f in frame) && f !~ /^(__|mem(cpy|set|move)$)/)) {
                print "no frame is known of " f; exit bad = 1
            }
            n = split(calls[f], list, " ")
            for (i = 1; i <= n; i++)
                if ((d = down(list[i])) > most) most = d
            busy[f] = 0
            return depth[f] = frame[f] + most
        }
        {
            split($0, part, "\"")
        }
        /^node:/ && / bytes \(/ {
            f = name(part[2])
            match($0, /[0-9]+ bytes \([a-z,]*\)/)
            text = substr($0, RSTART, RLENGTH)
            frame[f] = text + 0        # pushed arguments: "dynamic,bounded"
            if (text !~ /static|bounded/) {
                print "the frame of " f " has no bound"; exit bad = 1
            }
        }
        /^edge:/ {
            f = name(part[2])
            calls[f] = calls[f] " " name(part[4])
        }
        END {
            if (bad) exit 1
            n = split(roots, root, " ")
            for (i = 1; i <= n; i++) {
                if (!(root[i] in frame)) { print "no " root[i]; exit 1 }
                if ((d = down(root[i])) > most) most = d
            }
            if (bad) exit 1
            print most
        }' "$deepest_graph"
}

bytes_of() {
    awk -v s=".$1" '$1 == s { n = $2 } END { print n + 0 }' $B/sections
}

# measure ROW FORM: sets code, stack, writable, helpers and helper_names.
measure() {
    code='' stack=- helpers='' helper_names='' writable=0
    out=$B/$target$level$small.$1.$2
    list=; for f in $(functions_of "$1"); do list="$list F($f)"; done
    if [ "$2" = static ]; then
        compile -DROOTS="$list" -c $B/unit.c -o "$out.o" || return 1
        set -- "$1" "$2" "$out.ci" "$out.o"
    else
        compile -DOWN_FILE -DROOTS="$list" -c $B/unit.c -o "$out.o" || return 1
        set -- "$1" "$2" "$B/$target.lib.ci" "$out.o" "$B/$target.lib.o"
    fi
    [ -z "$graph" ] || stack=$(deepest "$3" "$(functions_of "$1")")
    shift 3
    $t_cc -nostdlib -static -T $B/size.ld -Wl,--gc-sections,-u,roots,-e,roots \
        "$@" "$B/$target.outside.o" -lgcc -o "$out.elf" >$B/log 2>&1 ||
        return 1
    "$(tool size)" -A "$out.elf" >$B/sections
    code=$(bytes_of library) helpers=$(bytes_of helpers)
    writable=$(bytes_of writable)
    helper_names=$("$(tool nm)" -u "$out.o" | awk '
        $2 !~ /^mem(cpy|set|move)$/ && $2 !~ /^ndg_/ { printf " `%s`", $2 }')
}

# raise_most ROW...: most is the most stack so far, these included.
raise_most() {
    for row in "$@"; do
        measure "$row" static
        case $stack in *[!0-9]*) most=$stack; return ;; esac
        [ "$stack" -le "$most" ] || most=$stack
    done
}

# ---- the tables --------------------------------------------------------------

targets=
if have "${ARM_CC%% *}"; then targets='m0 m4'
else skip size "$ARM_CC not installed (gcc-arm-none-eabi)"; fi
if have "${CC%% *}"; then
    host=$($CC -dumpmachine 2>/dev/null)
    host=$(echo "${host%%-*}" | tr _ -)
    targets="$targets host"
else
    skip size "$CC not installed"
fi
[ -n "$targets" ] || exit 0

# All functions with a name of their own, by the first compiler there is.
for target in $targets; do
    use "$target"
    if ! compile -ffunction-sections -fdata-sections -c $B/unit.c \
            -o "$B/$target.lib.o" ||
            ! compile -ffreestanding -c $B/outside.c -o "$B/$target.outside.o"
    then
        echo "size.sh: $t_name: it does not compile"; cat $B/log; exit 1
    fi
    everything=$("$(tool nm)" "$B/$target.lib.o" |
        awk '$2 == "T" && $3 ~ /^ndg_/ { print $3 }')
done

head='| what a program calls |' rule='|---|'
for target in $targets; do
    use "$target"
    head="$head $t_name code | stack |" rule="$rule---:|---:|"
done

# What NDG_SMALL chooses, NDG_STATIC: a table, and the limits of $small_rows.
choices() {
    set --
    case $targets in m0*)
        set -- m0,-O2,1 m0,-Og,1 m4,-O2,1 m4,-Og,1 m4,-O2,0 ;;
    esac
    case $targets in *host) set -- "$@" host,-O2,0 ;; esac
    line="| code with \`NDG_SMALL\` |" rule='|---|'
    for choice in "$@"; do
        choose "$choice"
        line="$line $t_name $level, ${small#*=} |" rule="$rule---:|"
    done
    echo
    echo "NDG_SMALL 1, small code, or 0, fast code, at other levels than -Os:"
    echo
    echo "$line"
    echo "$rule"
    for row in rows gather stitch partition all; do
        line="| $(title "$row") |"
        for choice in "$@"; do
            choose "$choice"
            measure "$row" static || { broken=1; tail -n 3 $B/log >&2; }
            line="$line $code |"
            case $row.$small in rows.*=1)
                small_rows="$small_rows $t_name,$level,$code" ;;
            esac
        done
        echo "$line"
    done
}
# choose TARGET,LEVEL,SMALL: uses them.
choose() {
    IFS=,
    # shellcheck disable=SC2086
    set -- $1
    unset IFS
    use "$@"
}

small_rows=
for form in static linked; do
    : >$B/helpers
    case $form in
    static) echo "NDG_STATIC in the file that uses it, -Os, in bytes:" ;;
    linked) echo
        echo "A file of its own, -Os -ffunction-sections, --gc-sections:" ;;
    esac
    echo
    echo "$head"
    echo "$rule"
    for row in $rows; do
        line="| $(title "$row") |"
        for target in $targets; do
            use "$target"
            measure "$row" $form || { broken=1; tail -n 3 $B/log >&2; }
            line="$line $code | $stack |"
            case $stack in *[!0-9-]*) broken=1 ;; esac
            [ "$target" = host ] ||
                echo "| $t_name | $(title "$row") | $helpers |$helper_names |" \
                    >>$B/helpers
            case $form.$target.$row in
            static.m0.rows)   m0_rows=$code ;;
            static.m0.gather) m0_gather=$code ;;
            esac
            [ "$writable" = 0 ] || {
                broken=1
                echo "size.sh: $t_name: $writable bytes of writable data"
            }
        done
        echo "$line"
    done
    [ $form = linked ] || {
        sort -s -t '|' -k 2,2 $B/helpers >$B/helpers.static
        choices
    }
done

case $targets in m0*)
    echo
    echo "Helpers that libgcc adds to the first table:"
    echo
    echo "| | what a program calls | bytes | helpers called |"
    echo "|---|---|---:|---|"
    cat $B/helpers.static ;;
esac

echo
echo "sizeof:"
echo
line='| |' rule='|---|'
for target in $targets; do
    use "$target"
    compile -c $B/structs.c -o "$B/$target.structs.o" || exit 1
    "$(tool nm)" -S "$B/$target.structs.o" >"$B/$target.structs"
    line="$line $t_name |" rule="$rule---:|"
done
echo "$line"
echo "$rule"
for s in ndg_gather_desc ndg_gather_plan ndg_stitch_plan ndg_partition_plan \
         ndg_report; do
    line="| \`$s\` |"
    for target in $targets; do
        hex=$(awk -v s=size_of_$s '$4 == s { print $2 }' "$B/$target.structs")
        line="$line $((0x$hex)) |"
    done
    echo "$line"
done

# ---- the limits --------------------------------------------------------------

echo
case $targets in m0*)
    within "code of ndg_gather_rows alone, Cortex-M0+" "$m0_rows" \
        $limit_gather_rows
    within "code of ndg_gather alone, Cortex-M0+" "$m0_gather" $limit_gather
    for choice in $small_rows; do
        at=${choice%,*}
        within "code of ndg_gather_rows alone, NDG_SMALL, ${at%,*} ${at#*,}" \
            "${choice##*,}" $limit_small_rows
    done ;;
esac
case $targets in *host)
    use host
    wide=$($CC -dM -E - </dev/null 2>/dev/null | grep -c '_SIZEOF_POINTER__ 8')
    if [ -z "$graph" ] || [ "$wide" = 0 ]; then
        skip size "the limits on stack: $CC is not GCC for 64 bits"
    else
        # The deepest may be one operation by itself: more of it is inlined.
        for level in -Os -O1 -O2 -O3; do
            most=0
            raise_most gather gathers
            within "stack of the gathers, $host $level" "$most" \
                $((limit_stack_gathers - 1))
            raise_most all tensors
            within "stack of everything, $host $level" "$most" \
                $((limit_stack_all - 1))
        done
    fi ;;
esac
exit $broken
