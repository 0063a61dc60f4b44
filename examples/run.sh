#!/bin/sh
# run.sh - what `make run` shows: 1797 handwritten digits, split by the class
# they belong to, sorted out, and woven into one picture; pi, scattered; a level
# drawn from tiles and a word set from a font.
#
#     make run          or, after make examples,
#     sh examples/run.sh
#
# Every line after a $ can be pasted into a shell. All results: build/run/.
# shellcheck disable=SC2016,SC2154    # commands are printed, then evaluated
set -u
cd "$(dirname "$0")/.." || exit 1
for program in ndgather picture tilemap text; do
    [ -x build/$program ] && continue
    echo "run.sh: there is no build/$program: run make examples first" >&2
    exit 1
done
rm -rf build/run && mkdir -p build/run || exit 1

say() { printf '\n# %s\n' "$@"; }

# Prints a command and runs it; the demonstration ends where one fails.
run() {
    printf '$ %s\n' "$1"
    eval "$1" || { echo "run.sh: this failed" >&2; exit 1; }
}

# The shape in the header of a .npy file: (3, 8, 8) becomes [3,8,8].
shape() {
    dd if="$1" bs=256 count=1 2>/dev/null | LC_ALL=C tr -cd ' -~' |
        sed "s/.*'shape': (\([^)]*\)).*/[\1]/; s/ //g; s/,]/]/"
}

# shapes NAME: the shapes of NAME.0.npy ... NAME.9.npy, which differ in rows.
shapes() {
    rest=$(shape "$o/$1.0.npy" | sed 's/^[^],]*/[n/')
    printf '  %s.0 ... %s.9: %s with n =' "$1" "$1" "$rest"
    for k in 0 1 2 3 4 5 6 7 8 9; do
        printf ' %s' "$(shape "$o/$1.$k.npy" | sed 's/[],].*//; s/.//')"
    done
    printf '\n'
}

run 'd=examples/data o=build/run; p=$o/part w=$o/where s=$o/six to=$o/to'
echo "  digits: $(shape "$d/digits.npy")   labels: $(shape "$d/labels.npy")"

say 'Split the digits by label, and their numbers 0, 1, 2 ... likewise.'
run 'build/ndgather dynamic_partition $d/digits.npy $d/labels.npy -n 10 -o $p'
run 'build/ndgather dynamic_partition $d/order.npy $d/labels.npy -n 10 -o $w'
shapes part

say 'Weave the ten parts together again: nothing is lost or out of place.'
run 'build/ndgather dynamic_stitch -o $o/again.npy \
      $w.0.npy $p.0.npy $w.1.npy $p.1.npy $w.2.npy $p.2.npy $w.3.npy $p.3.npy \
      $w.4.npy $p.4.npy $w.5.npy $p.5.npy $w.6.npy $p.6.npy $w.7.npy $p.7.npy \
      $w.8.npy $p.8.npy $w.9.npy $p.9.npy'
run 'cmp $o/again.npy $d/digits.npy'
echo '  byte for byte the same'

say 'Pick six of each class, from the most typical to the strangest.'
run 'build/ndgather dynamic_partition $d/pick.npy $d/pick_class.npy \
      -n 10 -o $o/pick'
run 'for k in 0 1 2 3 4 5 6 7 8 9; do
      build/ndgather gather $p.$k.npy $o/pick.$k.npy -o $s.$k.npy
  done'
shapes six

say 'Weave them into a sheet on which every line reads 0 1 2 3 4 5 6 7 8 9.'
run 'build/ndgather dynamic_partition $d/pick_place.npy $d/pick_class.npy \
      -n 10 -o $to'
run 'build/ndgather dynamic_stitch -o $o/sheet.npy $to.0.npy $s.0.npy \
      $to.1.npy $s.1.npy $to.2.npy $s.2.npy $to.3.npy $s.3.npy \
      $to.4.npy $s.4.npy $to.5.npy $s.5.npy $to.6.npy $s.6.npy \
      $to.7.npy $s.7.npy $to.8.npy $s.8.npy $to.9.npy $s.9.npy'

say 'The same sheet in one step, from the places of the digits in the whole.'
run 'build/ndgather gather_nd $d/digits.npy $d/pick_nd.npy -o $o/direct.npy'
run 'cmp $o/direct.npy $o/sheet.npy'
echo '  byte for byte the same'

say 'A mistake (ten classes, nine parts) is named, and nothing is written.'
bad='build/ndgather dynamic_partition $d/digits.npy $d/labels.npy -n 9 -o $o/9'
printf '$ %s\n' "$bad"
if message=$(eval "$bad" 2>&1); then
    echo "run.sh: the mistake was not noticed" >&2
    exit 1
fi
printf '  %s\n' "$message"
for file in "$o"/9*; do
    [ -e "$file" ] || continue
    echo "run.sh: $file was written" >&2
    exit 1
done

case "${LC_ALL:-${LC_CTYPE:-${LANG:-}}}" in
*[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) mode=half ;;
*) mode=ascii ;;
esac
if [ $mode = half ] && [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
    case "${TERM:-}" in *256color*) mode=grey ;; esac
fi
say 'Print it, and write it as a PNG.'
run "build/picture \$o/sheet.npy \$o/sheet.png 10 $mode"

say 'Scatter: pi, each digit to the place that a (row, column) names.'
run 'build/ndgather gather $o/sheet.npy $d/pi.npy -o $o/pi.npy'
run 'build/ndgather scatter_nd $d/blank.npy $d/ring.npy $o/pi.npy -o $o/ring.npy'
run "build/picture \$o/ring.npy \$o/ring.png 9 $mode"

say 'A level of tiles: here a letter for each, three frames of it as a PNG.'
run 'build/tilemap $o/level.png'

say 'A word in a bitmap font: codes to glyphs, pairs of pixels to characters.'
run 'build/text $o/banner.png ndgather'

count=$(find build/run -type f | wc -l)
echo
echo "build/run/sheet.png    the digits; line 1 typical, line 6 the strangest"
echo "build/run/sheet.npy    the same as an array, u1 $(shape "$o/sheet.npy")"
echo "build/run/ring.png     pi, clockwise from the upper left"
echo "build/run/level.png    the level by day, at dusk and at night"
echo "build/run/banner.png   the word in colour"
echo "build/run/             $((count)) files, made from examples/data/"
