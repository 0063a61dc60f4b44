#!/bin/sh
# run.sh - what `make run` shows: 1797 handwritten digits, split by the class
# they belong to, sorted out, and woven into one picture.
#
#     make run          or, with build/ndgather and build/picture made,
#     sh examples/run.sh
#
# Every line after a $ can be pasted into a shell. All results: build/run/.
set -u
cd "$(dirname "$0")/.." || exit 1
for program in build/ndgather build/picture; do
    [ -x $program ] && continue
    echo "run.sh: there is no $program: run make first" >&2
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

run 'd=examples/data o=build/run'
echo "  digits: $(shape $d/digits.npy)   labels: $(shape $d/labels.npy)"

say 'Split the digits by label, and their numbers 0, 1, 2 ... likewise.'
run 'build/ndgather dynamic_partition $d/digits.npy $d/labels.npy \
      -n 10 -o $o/part'
shapes part
run 'build/ndgather dynamic_partition $d/order.npy $d/labels.npy \
      -n 10 -o $o/where'
shapes where

say 'Weave the ten parts together again: nothing is lost or out of place.'
run 'build/ndgather dynamic_stitch -o $o/again.npy \
      $o/where.0.npy $o/part.0.npy $o/where.1.npy $o/part.1.npy \
      $o/where.2.npy $o/part.2.npy $o/where.3.npy $o/part.3.npy \
      $o/where.4.npy $o/part.4.npy $o/where.5.npy $o/part.5.npy \
      $o/where.6.npy $o/part.6.npy $o/where.7.npy $o/part.7.npy \
      $o/where.8.npy $o/part.8.npy $o/where.9.npy $o/part.9.npy'
echo "  again: $(shape $o/again.npy)"
run 'cmp $o/again.npy $d/digits.npy'
echo '  byte for byte the same'

say 'Pick six of each class, from the most typical to the strangest.'
run 'build/ndgather dynamic_partition $d/pick.npy $d/pick_class.npy \
      -n 10 -o $o/pick'
run 'build/ndgather dynamic_partition $d/pick_place.npy $d/pick_class.npy \
      -n 10 -o $o/place'
run 'for k in 0 1 2 3 4 5 6 7 8 9; do
      build/ndgather gather $o/part.$k.npy $o/pick.$k.npy -o $o/six.$k.npy
  done'
shapes six

say 'Weave them into a sheet on which every line reads 0 1 2 3 4 5 6 7 8 9.'
run 'build/ndgather dynamic_stitch -o $o/sheet.npy \
      $o/place.0.npy $o/six.0.npy $o/place.1.npy $o/six.1.npy \
      $o/place.2.npy $o/six.2.npy $o/place.3.npy $o/six.3.npy \
      $o/place.4.npy $o/six.4.npy $o/place.5.npy $o/six.5.npy \
      $o/place.6.npy $o/six.6.npy $o/place.7.npy $o/six.7.npy \
      $o/place.8.npy $o/six.8.npy $o/place.9.npy $o/six.9.npy'
echo "  sheet: $(shape $o/sheet.npy)"

say 'The same sheet in one step, from the places of the digits in the whole.'
run 'build/ndgather gather_nd $d/digits.npy $d/pick_nd.npy -o $o/direct.npy'
run 'cmp $o/direct.npy $o/sheet.npy'
echo '  byte for byte the same'

say 'A mistake (ten classes, nine parts) is named, and nothing is written.'
bad='build/ndgather dynamic_partition $d/digits.npy $d/labels.npy \
      -n 9 -o $o/nine'
printf '$ %s\n' "$bad"
if message=$(eval "$bad" 2>&1); then
    echo "run.sh: the mistake was not noticed" >&2
    exit 1
fi
printf '  %s\n' "$message"
for file in $o/nine*; do
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

count=$(ls build/run | wc -l)
echo
echo "build/run/sheet.png   the picture; line 1 typical, line 6 the strangest"
echo "build/run/sheet.npy   the same as an array, u1 $(shape $o/sheet.npy)"
echo "build/run/            $((count)) files, made from examples/data/"
