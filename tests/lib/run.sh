#!/bin/sh
# run.sh NAME - runs a test from the project's root, the program build/NAME or
# the script tests/*/NAME. Shows its last line, `name: N passed, N failed`,
# what failed and what was skipped; the rest stays quiet. Always succeeds.
# run.sh sum NAME... - adds up what these counted. Exit status 1 if anything
# failed.
. tests/lib/lib.sh
B=build/ran
mkdir -p $B

# one NAME: its count goes to $B/NAME, what it shows to standard output.
one() {
    log=$B/$1.log
    rm -f "$B/$1"
    case $1 in
    *.sh) sh tests/*/"$1" >"$log" 2>&1; status=$? ;;
    *)    "build/$1" >"$log" 2>&1; status=$? ;;
    esac
    name=${1%.sh}
    # one group per program: its numbers stand on the last line
    sum=$(counted "$log")
    if [ -z "$sum" ]; then
        echo "$name: ended with status $status and without a count;" \
            "its last lines:"
        tail -n 20 "$log"
        sum='0 1'
    else
        p=${sum% *}; f=${sum#* }
        if [ "$f" = 0 ] && [ $status != 0 ]; then
            echo "$name: counts no failure but exits $status"
            f=1
        fi
        if [ "$f" != 0 ]; then
            sed '$d' "$log" | grep -v '^skip: ' | head -n 40
        fi
        grep '^skip: ' "$log"
        echo "$name: $p passed, $f failed"
        sum="$p $f"
    fi
    echo "$sum" >"$B/$1"
}

if [ "$1" != sum ]; then
    one "$1" >"$B/$1.said"          # tests run at once: each speaks in one go
    cat "$B/$1.said"
    exit 0
fi
shift
for name in "$@"; do
    p=0; f=1
    if [ -f "$B/$name" ]; then read -r p f <"$B/$name"
    else echo "$name: did not run"; fi
    passed=$((passed + p)); failed=$((failed + f))
done
echo
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed != 0 ]
