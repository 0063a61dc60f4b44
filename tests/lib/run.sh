#!/bin/sh
# run.sh PROGRAM|SCRIPT.sh ... - runs each from the project's root and adds up
# their last lines, `name: N passed, N failed`. Shows what failed and what was
# skipped; the rest stays quiet. Exit status 1 if anything failed.
. tests/lib/lib.sh
log=build/test.log
for t in "$@"; do
    case $t in
    *.sh) sh "$t" >$log 2>&1; status=$? ;;
    *)    "$t" >$log 2>&1; status=$? ;;
    esac
    name=$(basename "$t"); name=${name%.sh}
    # one group per program: its numbers stand on the last line
    sum=$(counted $log)
    if [ -z "$sum" ]; then
        echo "$name: ended with status $status and without a count;" \
            "its last lines:"
        tail -n 20 $log
        failed=$((failed + 1))
        continue
    fi
    p=${sum% *}; f=${sum#* }
    if [ "$f" = 0 ] && [ $status != 0 ]; then
        echo "$name: counts no failure but exits $status"
        f=1
    fi
    if [ "$f" != 0 ]; then sed '$d' $log | grep -v '^skip: ' | head -n 40; fi
    grep '^skip: ' $log
    echo "$name: $p passed, $f failed"
    passed=$((passed + p)); failed=$((failed + f))
done
echo
echo "$passed passed, $failed failed"
[ $failed = 0 ] && [ $passed != 0 ]
