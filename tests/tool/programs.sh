# programs.sh - sourced after lib.sh, from the root, by the tests of examples.
# Makes a folder of its own under build/, T, which is removed at the end.
# shellcheck shell=sh disable=SC2034,SC2154

root=$(pwd)
mkdir -p build
T=$(mktemp -d "$root/build/examples.XXXXXX" 2>/dev/null || mktemp -d) || exit 1
trap 'rm -rf "$T"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# run NAME ARGS: in $T; sets rc, so (stdout) and se (stderr)
run() {
    name=$1
    shift
    so=$(cd "$T" && "./$name" "$@" 2>se </dev/null); rc=$?
    se=$(cat "$T/se")
}

has() {     # has LABEL LINE: the last program printed this line
    if printf '%s\n' "$so" | grep -qxF -e "$2"; then ok
    else no "$1" "no line <$2>"; fi
}
