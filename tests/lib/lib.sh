# lib.sh - what the scripts of the tests share. Each is run from the project's
# root and begins with
#
#     . tests/lib/lib.sh
#
# One that has its own way of saying a thing defines that again, below.
# shellcheck shell=sh disable=SC2034,SC2154

# What a test builds is small, as that takes a second and results are the same;
# FULL=1, as in make check: with the fast engine.
small_engine=-DNDG_SMALL; [ -z "${FULL-}" ] || small_engine=

# Nothing has to be inlined: sanitizers compile that in a tenth of the time. For
# C only: in C++ two builds of a function in one program would become one.
loose=-DNDGI_INLINE=NDG_INLINE

# have COMMAND: whether it can be run.
have() { command -v "$1" >/dev/null 2>&1; }

# limit SECONDS COMMAND...: ends it after so long, where there is `timeout`.
limit() { if have timeout; then timeout "$@"; else shift; "$@"; fi; }

# found FAMILY LEAST: FAMILY and each FAMILY-N in PATH with N >= LEAST, but
# every version once.
found() {
    found_seen=' '
    for found_c in "$1" $(IFS=:; for d in $PATH; do ls "$d/$1"-[0-9]*; done \
            2>/dev/null | sed 's|.*/||' | sort -u); do
        found_n=${found_c#"$1"}; found_n=${found_n#-}
        case $found_n in *[!0-9]*) continue ;; esac
        have "$found_c" || continue
        found_n=$("$found_c" -dumpversion)
        case $found_seen in *" $found_n "*) continue ;; esac
        [ "${found_n%%.*}" -ge "$2" ] || continue
        found_seen="$found_seen$found_n "
        echo "$found_c"
    done
}

# skip WHAT WHY: says what is not done. Never counted as passed.
skip() { echo "skip: $1: $2"; }

# skips LOG TOLD: what a program said that it skips; each once, by way of TOLD.
skips() { grep '^skip: ' "$1" | sort -u | grep -vxF -f "$2" | tee -a "$2"; }

# wanted PART: whether it is one of $parts, or none is named there.
wanted() {
    [ -z "$parts" ] || case " $parts " in *" $1 "*) ;; *) false ;; esac
}

# The functions of most C tests are compiled once, from functions.c, to near.o
# and, where all arrays are taken to be larger than the caches, far.o.
# linkage TEST FOLDER: what its compiler is told besides, of those objects there;
# nothing for a test that defines more before it includes the functions itself.
far_flags="-DNDGI_FAR_BYTES=0 -DNDGI_HUGE_BYTES=512 -DNDGI_STREAM_BYTES=0"
linkage() {
    case $1 in
    *_far) echo "-DTEST_LINKED $2/far.o" ;;
    *_small|test_hooks|test_moving|test_cover_stream|test_counts) ;;
    *) echo "-DTEST_LINKED $2/near.o" ;;
    esac
}

# ---- counting ----------------------------------------------------------------

passed=0; failed=0

# check WHAT COMMAND...: one check, passed if the command succeeds. What it
# prints goes to $log. If it fails, $about and WHAT are told, and $log_by prints
# the log. One that counts for itself and has counted nothing, or only says what
# it skips, is none. step: the same, and tells the command, too.
about=''; log_by='tail -n 15'
check() {
    check_what=$1; shift
    if "$@" >"$log" 2>&1; then
        if [ -s "$log" ] && tail -n 1 "$log" |
            grep -qE '^skip: |: 0 passed, 0 failed$'
        then skip "$check_what" 'it has checked nothing'
        else passed=$((passed + 1)); fi
        return 0
    fi
    failed=$((failed + 1))
    echo "$about$check_what"
    $log_by "$log"
    return 1
}
step() { step_what=$1; shift; check "$step_what: $*" "$@"; }

# indented LINES FILE: the first of its lines, for $log_by.
indented() { sed "s/^/    /; $1q" "$2"; }

# ok, no WHAT WHY: one check whose answer is known; no prints 60 at most.
# is WHAT WANT GOT: one of two texts. bad WHAT: one that FAILED.
ok() { passed=$((passed + 1)); }
no() {
    failed=$((failed + 1))
    if [ $failed -le 60 ]; then printf '%s: %s\n' "$1" "$2"; fi
}
is() { if [ "$2" = "$3" ]; then ok; else no "$1" "want <$2> got <$3>"; fi; }
bad() { failed=$((failed + 1)); echo "FAILED: $1"; }

# tidy FILE...: lines of 80 columns at most, but for links of pages, of ASCII
# without tabs, with no blanks at their ends.
tidy() {
    for tidy_file; do
        is "$tidy_file: long lines" '' \
            "$(grep -n '.\{81\}' "$tidy_file" 2>&1 | grep -v '](')"
        is "$tidy_file: only ASCII" '' "$(grep -n '[^ -~]' "$tidy_file" 2>&1)"
        is "$tidy_file: blanks at ends" '' "$(grep -n ' $' "$tidy_file" 2>&1)"
    done
}

# edited FROM TO EDIT: TO becomes FROM with this edit, which has to change it.
edited() {
    sed "$3" "$1" >"$2"
    ! cmp -s "$1" "$2" || no "$3" 'the edit changes nothing'
}

# What examples that are written strictly are compiled with.
strict_c='-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion
    -Wshadow -Wundef -Wcast-qual -Wdouble-promotion -Wstrict-prototypes
    -Wmissing-prototypes -Werror'

# tally NAME: the last line of a script, and its exit status.
tally() {
    echo "$1: $passed passed, $failed failed"
    [ "$failed" = 0 ]
}

# counted FILE: both numbers of such a last line; nothing if it is none.
counted() {
    tail -n 1 "$1" | sed -n \
        's/^[a-z_0-9]*: \([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed$/\1 \2/p'
}
