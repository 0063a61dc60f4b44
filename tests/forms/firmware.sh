#!/bin/sh
# firmware.sh [readme] - examples/firmware on the two boards that QEMU has, and
# the size of the library (size.sh). From the project's root.
#
# Builds it with every warning at four levels, runs it, compares what it prints
# and its exit status; then that a wrong table and a fault do not go unseen, and
# which engine is in it (NDG_SMALL). What is missing is named and skipped. Last
# line: N passed, N failed.
#
# With `readme`: nothing of that, but tests/forms/README.md gets the sizes of
# now.
set -u
. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
: "${ARM_CC:=arm-none-eabi-gcc}" "${QEMU:=qemu-system-arm}" "${CC:=cc}"
B=build/firmware
F=examples/firmware
mkdir -p $B || exit 1
log=$B/log

# on BOARD: what the checks are about.
on() { board=$1; about="FAILED: $board: "; }

# ---- the sizes, and those of the page ----------------------------------------

page=tests/forms/README.md
sizes() { sh tests/forms/size.sh >$B/sizes; }

# fresh: $B/README.md, which is the page with $B/sizes: both tables, the bytes
# of the helpers and of a plan. Fails if it lacks a figure or one of the places.
fresh() {
    awk -v sizes=$B/sizes '
        function cell(row, n,    part) {
            split(row, part, / *\| */)
            return part[n]
        }
        BEGIN {
            while ((getline row <sizes) > 0) {
                if (row ~ /\|  \|/) exit      # not measured
                if (row !~ /^\|/) head = ""
                else if (head == "" && !(row in table) &&
                    row ~ /^\| (what a program|code with)/) head = row
                if (head != "") table[head] = table[head] row "\n"
                if (row ~ /^\| Cortex-M0\+ \| `ndg_gather_rows` /)
                    helpers = cell(row, 4)
                if (row ~ /^\| `ndg_gather_plan` /) {
                    narrow = cell(row, 3)
                    wide = cell(row, 5)
                }
            }
        }
        inside { if (/^\|/) next; inside = 0 }
        $0 in table { printf "%s", table[$0]; inside = 1; n++; next }
        helpers { n += sub(/shifts, [0-9]+ bytes/,
                           "shifts, " helpers " bytes") }
        wide { n += sub(/plan is [0-9]+ bytes on 32 bits, [0-9]+ on/,
                        "plan is " narrow " bytes on 32 bits, " wide " on") }
        { print }
        END { exit n != 4 }' $page >$B/README.md
}
same_sizes() { fresh && diff $page $B/README.md; }

# other: why the sizes are not those of the page
case $($ARM_CC -dumpfullversion 2>/dev/null) in
12.2.*)
    case $($CC -dumpfullversion 2>/dev/null),$(uname -m) in
    12.2.*,x86_64) other= ;;
    *) other="$CC is not gcc 12.2 for x86-64" ;;
    esac ;;
*) other="$ARM_CC is not gcc 12.2" ;;
esac

if [ "${1-}" = readme ]; then
    [ -z "$other" ] || { echo "firmware.sh: $other"; exit 1; }
    sizes                               # a broken limit is told by make size
    fresh || { echo "firmware.sh: $page or a size lacks a figure"; exit 1; }
    cat $B/README.md >$page
    exit
fi

# ---- the boards --------------------------------------------------------------

# build MAIN.C LEVEL: $B/$board.elf
build() {
    # shellcheck disable=SC2086
    $ARM_CC -std=c99 $2 -mthumb -mcpu=$cpu $W -I. -I$F "$1" $F/startup.c \
        -nostdlib -L$F -T $board.ld -lgcc -o $B/$board.elf
}

# engine: which one is in $B/$board.elf: a loop of the fast one has this name.
engine() {
    "$($ARM_CC -print-prog-name=nm)" "$B/$board.elf" | awk '
        $3 ~ /^ndgi_run_packed/ { fast = 1 } $3 == "main" { any = 1 }
        END { print any ? fast ? "fast" : "small" : "none" }'
}
has() { found=$(engine); echo "the $found engine"; [ "$found" = "$1" ]; }

# run STATUS: the exit status, and what was printed in $B/printed. RAM begins
# as it does after power on, with anything in it. A program that hangs or locks
# up is ended after 20 seconds.
head -c 4096 /dev/zero | tr '\0' '\252' >$B/ram
run() {
    timeout 20 "$QEMU" -machine "$board" -nographic -kernel "$B/$board.elf" \
        -device loader,file=$B/ram,addr=0x20000000,force-raw=on \
        -semihosting-config enable=on,target=native </dev/null >$B/printed 2>&1
    status=$?
    [ $status = "$1" ] || { echo "exit status $status"; cat $B/printed; false; }
}

# differs FROM TO: a copy of main.c, $B/broken.c, with that difference
differs() {
    sed "s/$1/$2/" $F/main.c >$B/broken.c
    ! cmp -s $F/main.c $B/broken.c
}

prints() { diff $B/expected $B/printed; }
says() { grep -q "$1" $B/printed || { cat $B/printed; false; }; }

W="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef
   -Wcast-qual -Wstrict-prototypes -Wmissing-prototypes -Werror"

cat >$B/expected <<'END'
12 letters; not in the font: 2, the first at 5

#####.#......###...####.#...#.......#####..###........#.....#####.####.
#.....#.....#...#.#.....#...#.........#...#...#.......#.....#.....#...#
####..#.....#####..###..#####.........#...#...#.......#.....####..#...#
#.....#.....#...#.....#.#...#.........#...#...#.......#.....#.....#...#
#.....#####.#...#.####..#...#.........#....###........#####.#####.####.

the third letter, and how its LEDs are driven:
.###.    .#.#...##
#...#    #####....
#####    .###...##
#...#
#...#

68 frames, LEDs that are wrong: 0
END

# one_board NAME CPU
one_board() {
    on "$1"; cpu=$2
    before=$failed
    # -Os is the last: its size is told.
    for level in '-Os -DNDG_SMALL=0' '-O2 -DNDG_SMALL=0' -O3 -Og \
            '-O2 -DNDG_SMALL' -O2 -Os; do
        cp "$B/$board.elf" $B/before.elf 2>/dev/null
        check "build $level" build $F/main.c "$level" || continue
        case $level in *=0) has=fast ;; *) has=small ;; esac
        check "the $has engine $level" has $has
        [ "$level" != -O2 ] || check "-O2 is -O2 -DNDG_SMALL" \
            cmp "$B/$board.elf" $B/before.elf
        have "$QEMU" || continue
        check "run $level" run 0 && check "its output $level" prints
    done
    if ! have "$QEMU"; then
        skip firmware "$board: $QEMU not installed: built, not run"
        return
    fi
    size=$("$($ARM_CC -print-prog-name=size)" "$B/$board.elf" |
        awk 'NR == 2 { print $1 + $2 " bytes of flash, " $2 + $3 " of RAM" }')

    # Two LEDs on one wire, then an instruction that no processor has.
    check "two LEDs become one" differs '{4,2}' '{4,3}'
    check "build with wrong wiring" build $B/broken.c -Os &&
        check "wrong wiring exits with 1" run 1 &&
        check "wrong wiring is told" says 'wrong: [1-9]'
    check "a trap is set" differs 'draw(&' '__builtin_trap(), draw(\&'
    check "build with a trap" build $B/broken.c -Os &&
        check "a fault exits with 2" run 2 &&
        check "a fault is told" says '^fault$'
    [ "$failed" = "$before" ] &&
        echo "$board, $cpu: $size and the stack; every frame is right"
}

# The command lines in main.c, as they stand there.
as_told() {
    awk '/^ \*     (arm-none|qemu)/ || more {
             sub(/^ \* */, ""); print; more = /\\$/ }' $F/main.c >$B/told.sh
    timeout 60 sh -e $B/told.sh </dev/null >$B/printed 2>&1 &&
        cat $B/expected $B/expected | diff - $B/printed
}

if have "${ARM_CC%% *}"; then
    one_board microbit cortex-m0plus
    one_board netduinoplus2 cortex-m4
    on 'both boards'
    if have arm-none-eabi-gcc && have qemu-system-arm; then
        check "the command lines in main.c" as_told
    fi
else
    skip firmware "$ARM_CC not installed (gcc-arm-none-eabi)"
fi

on size
sizes
sized=$?
if [ $sized = 0 ] && ! grep -q '^limit: ' $B/sizes; then
    grep '^skip:' $B/sizes
    skip firmware "no limit on a size could be judged"
elif check "the limits" [ $sized = 0 ]; then
    grep '^skip:' $B/sizes || echo "size: every limit is kept (make size)"
else
    grep '^limit: .*[A-Z]$\|^size.sh: ' $B/sizes     # BROKEN, NOT MEASURED
fi
if [ -z "$other" ]; then
    check "the sizes in $page (sh tests/forms/firmware.sh readme)" \
        same_sizes
else
    skip firmware "the sizes in $page: $other"
fi

tally firmware && [ $passed != 0 ]
