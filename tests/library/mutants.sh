#!/bin/sh
# mutants.sh [NAME ...] - whether test_loops and test_loops_far notice what goes
# wrong in a loop of ndgather.h: each mutant of tests/library/mutants.list, or
# those named, changes one place of a copy, on which one of the two has to fail,
# crash or hang. Two at a time, in build/mutants; build/mutants/report says who
# has noticed which. Where tcc is found it has the first look: it compiles in no
# time. Run from the root: sh tests/library/mutants.sh packed-one, or without a
# name. Last line: mutants: N passed, N failed.
. tests/lib/lib.sh
CC=${CC:-cc}
B=build/mutants
LIST=tests/library/mutants.list
names=$*
rm -rf $B
mkdir -p $B

quick='tcc -DNDG_SMALL=0'
have tcc || quick=
slow="$CC -O1"

# builds COMMAND TEST FLAG...: a test on the header at hand, as $W/x.
builds() {
    b_command=$1; b_test=$2; shift 2
    # shellcheck disable=SC2086
    $b_command -std=c99 -w "$@" "$W/tests/library/$b_test.c" \
        -o $W/x >$W/log 2>&1
}

# copy_tests FOLDER: which takes the place of the root.
copy_tests() {
    mkdir -p "$1/tests"
    cp -R tests/lib tests/library "$1/tests"
}

# notices COMMAND TEST FLAG...: whether the test fails, crashes or hangs.
notices() {
    builds "$@" || { broken=1; return 1; }
    limit 20 $W/x >$W/log 2>&1
    n_status=$?
    case $n_status in
    0|126|127) return 1 ;;
    124) how=hangs ;;
    1) how=fails ;;
    *) how=crashes ;;
    esac
}

# change FUNCTION OLD NEW: makes the mutant. In the function named, or anywhere
# for -, OLD has to be found once; any white space counts as one space.
change() {
    FUNCTION=$1 OLD=$2 NEW=$3 awk '
        function pattern(s,   i, c, p) {
            for (i = 1; i <= length(s); i++) {
                c = substr(s, i, 1)
                if (c == " ") p = p "[ \n\\\\]+"
                else if (c ~ /[A-Za-z0-9_]/) p = p c
                else if (c == "^" || c == "\\") p = p "\\" c
                else p = p "[" c "]"
            }
            return p
        }
        function flush() {
            while (inside && match(text, re)) {
                printf "%s%s", substr(text, 1, RSTART - 1), ENVIRON["NEW"]
                text = substr(text, RSTART + RLENGTH)
                found++
            }
            printf "%s", text
            text = ""
        }
        BEGIN {
            re = pattern(ENVIRON["OLD"])
            all = ENVIRON["FUNCTION"] == "-"
            inside = all
            start = "^[A-Za-z].*[ *]" ENVIRON["FUNCTION"] "[(]"
        }
        !all && !inside && $0 ~ start && !/;$/ { flush(); inside = 1 }
        { text = text $0 "\n" }
        !all && inside && /^}/ { flush(); inside = 0 }
        END { flush(); exit found == 1 ? 0 : found ? 2 : 3 }
    ' ndgather.h >$W/ndgather.h
    case $? in
    0) ;;
    2) echo "$1 has '$2' more than once"; return 1 ;;
    *) echo "$1 does not have '$2'"; return 1 ;;
    esac
}

others='test_engine_gather test_engine_gather_far test_engine_stitch
test_engine_stitch_far test_engine_partition test_engine_partition_far
test_oracle'

# judge FIRST: says who notices the mutant at hand; FIRST is asked first.
judge() {
    broken=0
    other=test_loops_far
    [ "$1" = test_loops ] || other=test_loops
    for j_command in "$quick" "$slow"; do
        [ -n "$j_command" ] || continue
        for j_test in "$1" $other; do
            notices "$j_command" "$j_test" && {
                echo "$j_test, ${j_command%% *}, $how"; return; }
            [ $broken = 0 ] || { echo "it does not compile"; return 1; }
        done
    done
    for j_test in $others; do
        notices "$slow" "$j_test" -DORACLE_CASES=20000 && {
            echo "only $j_test notices it"; return 1; }
    done
    echo "no test notices it"
    return 1
}

# mutant LINE: NAME | near or far FUNCTION | OLD => NEW
mutant() {
    m_name=${1%% | *}; m_rest=${1#* | }
    m_where=${m_rest%% | *}; m_change=${m_rest#* | }
    m_new=${m_change#* => }
    [ "$m_new" != "$m_change" ] || m_new=${m_change#* =>}
    case $m_where in near\ *) m_first=test_loops ;; *) m_first=test_loops_far ;;
    esac
    if m_said=$(change "${m_where#* }" "${m_change%% =>*}" "$m_new") &&
        m_said=$(judge $m_first); then
        echo "ok: $m_name: $m_said"
    else
        echo "FAILED: $m_name: $m_said"
    fi
}

# worker NUMBER: every second mutant, from this one on.
worker() {
    W=$B/$1
    copy_tests $W
    awk -v w="$1" 'NR % 2 == w % 2' $B/list | while IFS= read -r line; do
        mutant "$line" </dev/null
    done >$B/said.$1
}

# Each has to pass on the header as it is.
W=$B
copy_tests $B
cp ndgather.h $B
for t in test_loops test_loops_far; do
    for c in "$quick" "$slow"; do
        if [ -n "$c" ] && { ! builds "$c" $t || ! limit 60 $W/x >$W/log; }; then
            tail -n 5 $W/log
            echo "FAILED: $t fails without a mutant, $c"
            echo "mutants: 0 passed, 1 failed"
            exit 1
        fi
    done
done

grep '^[a-z]' $LIST | while IFS= read -r line; do
    [ -z "$names" ] || case " $names " in *" ${line%% *} "*) ;; *) continue ;;
    esac
    printf '%s\n' "$line"
done >$B/list
worker 1 &
worker 2
wait
cat $B/said.1 $B/said.2 >$B/report
grep '^FAILED' $B/report
far=$(grep -c '^ok: .*: test_loops_far,' $B/report)
passed=$(grep -c '^ok: ' $B/report)
failed=$(($(grep -c . $B/list) - passed))
echo "$passed noticed, $far of them by test_loops_far"
echo "mutants: $passed passed, $failed failed"
[ $failed = 0 ] && [ "$passed" != 0 ]
