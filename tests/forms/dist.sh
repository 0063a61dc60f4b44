#!/bin/sh
# dist.sh - build/ndgather-VERSION.tar.gz: the headers and README.md, for those
# who vendor, and its SHA-256 beside it. Then tries the archive as they would:
# checks the sum, unpacks it in an empty folder and, with nothing but what came
# out of it, builds and runs the program that README.md begins with, as C and
# as C++. From the project's root. Last line: dist: N passed, N failed.
# (Lists of words, and paths without blanks, stand without quotes.)
# shellcheck disable=SC2086
set -u
. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
: "${CC:=cc}" "${CXX:=c++}"
files='ndgather.h README.md'
[ ! -f ndgather_cuda.cuh ] || files="$files ndgather_cuda.cuh"
version=$(sed -n '1s/.* - v\([0-9.]*\) - .*/\1/p' ndgather.h)
name=ndgather-$version
B=build/dist
rm -rf $B build/$name.tar.gz build/$name.tar.gz.sha256
mkdir -p $B/$name $B/tried || exit 1
root=$PWD
about='FAILED: dist: '; log_by='tail -n 12'; log=$B/log

# The sum of a file in the form that `sha256sum -c` and `shasum -c` take.
sum() {
    if have sha256sum; then sha256sum "$1"
    elif have shasum; then shasum -a 256 "$1"
    else openssl dgst -sha256 -r "$1" | sed 's/ \*/  /'
    fi
}

# The archive. Where tar can, with the date of the last change and no owner, so
# that whoever packs the same files gets the same bytes.
pack() {
    when=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null)}
    set -- -cf -
    if tar --version 2>/dev/null | grep -q GNU; then
        set -- --sort=name --owner=0 --group=0 --numeric-owner \
            --mode=u=rwX,go=rX --format=ustar --mtime="@${when:-0}" "$@"
    fi
    (cd $B && tar "$@" "$name") | gzip -9n
}

cp $files $B/$name
pack >build/$name.tar.gz
(cd build && sum $name.tar.gz >$name.tar.gz.sha256)
pack >$B/again.tar.gz
if tar --version 2>/dev/null | grep -q GNU; then
    check "packing twice gives the same bytes" \
        cmp $B/again.tar.gz build/$name.tar.gz
fi

verify() {
    (cd build && [ "$(sum $name.tar.gz)" = "$(cat $name.tar.gz.sha256)" ])
}
check "the sum" verify
check "unpacks" sh -c "cd $B/tried && gzip -dc ../../$name.tar.gz | tar -xf -"
cd $B/tried/$name || exit 1
B=..; log=$B/log

# What came out: these files, whole, and nothing else.
contents() { [ "$(ls)" = "$(printf '%s\n' $files | sort)" ]; }
check "the files" contents
for file in $files; do check "$file" cmp "$file" "$root/$file"; done

awk '/^```c$/ { inside = 1; next } /^```/ && inside { exit }
     inside { print }' README.md >hello.c
# What README.md says that hello prints.
awk '/^\$ .*hello/ { inside = 1; next } /^```/ && inside { exit }
     inside { print }' README.md >expected
prints() { ./hello >printed && diff expected printed; }
check "README.md has a first program" grep -q 'int main' hello.c
check "and what it prints" [ -s expected ]
check "as C" $CC -std=c99 -Wall -Wextra -Wpedantic -Werror -I. hello.c \
    -o hello && check "as C, run" prints
if have "${CXX%% *}"; then
    check "as C++" $CXX -std=c++11 -Wall -Wextra -Wpedantic -Werror -I. \
        -x c++ hello.c -o hello && check "as C++, run" prints
else
    skip dist "as C++: no $CXX"
fi

cd "$root" || exit 1
rm -rf build/dist
[ $failed != 0 ] || cat build/$name.tar.gz.sha256
tally dist
