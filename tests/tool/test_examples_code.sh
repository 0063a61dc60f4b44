#!/bin/sh
# test_examples_code.sh - the examples vertices, route, jobs, strings and views
#
#     sh tests/tool/test_examples_code.sh          from the project's root
#
# Compiles them with ${CC:-cc}, runs them and looks at what they print. Needs a
# C compiler with POSIX threads, POSIX sh and coreutils. Works in a folder of
# its own under build/ and removes it.

. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
umask 022
. tests/tool/programs.sh

same() {    # same LABEL FILE FILE
    if cmp -s "$2" "$3"; then ok; else no "$1" "the files differ"; fi
}

# refused LABEL WHY ARGS: route says so in one line, with status 1
refused() {
    label=$1 why=$2
    shift 2
    run route "$@"
    is "$label: status" 1 "$rc"
    is "$label: stdout" '' "$so"
    is "$label: stderr" "route: $why" "$se"
}

# ---- they compile (by the line in its first comment: test_readme.sh) ---------

for name in vertices route jobs strings; do
    flags=-lpthread
    [ $name = jobs ] || flags=
    # shellcheck disable=SC2086
    if ${CC:-cc} -std=c99 -O2 -Wall -Wextra -Wpedantic -I. examples/$name.c \
        -o "$T/$name" $flags 2>"$T/log"; then ok
    else no $name 'it does not compile'; cat "$T/log"; continue; fi
    is "$name: warnings" '' "$(cat "$T/log")"
    is "$name: long lines" '' "$(grep -n '.\{81\}' examples/$name.c 2>&1)"
    is "$name: only ASCII" '' "$(grep -n '[^ -~]' examples/$name.c 2>&1)"
done

# ---- views: C++17 -----------------------------------------------------------

if ! have "${CXX:-c++}"; then skip views "no C++ compiler"; else
    log=$T/log
    check 'views compiles' "${CXX:-c++}" -std=c++17 -O2 -Wall -Wextra \
        -Wpedantic -Werror -I. examples/views.cpp -o "$T/views" -lpthread
fi

# ---- what they print is on their page: test_readme.sh compares it ------------

for name in vertices strings jobs; do
    run $name
    is "$name: status" 0 "$rc"
    is "$name: stderr" '' "$se"
done
is 'jobs: one checksum' 1 "$(printf '%s\n' "$so" |
    sed -n 's/.*  \([0-9a-f]\{16\}\)$/\1/p' | sort -u | wc -l | tr -d ' ')"

# ---- route: its own tone ----------------------------------------------------

run route
is 'route: status' 0 "$rc"
is 'route: stderr' '' "$se"
cp "$T/build/run/tone.wav" "$T/t.wav"
is 'route: size of the tone' 88244 "$(wc -c <"$T/t.wav" | tr -d ' ')"
is 'route: size of the result' 132344 \
    "$(wc -c <"$T/build/run/routed.wav" | tr -d ' ')"

run route t.wav once.wav 1 0
is 'swap: status' 0 "$rc"
run route once.wav twice.wav 1 0
is 'swap twice: status' 0 "$rc"
same 'swap twice' "$T/t.wav" "$T/twice.wav"
if cmp -s "$T/t.wav" "$T/once.wav"; then no swap 'nothing changed'; else ok; fi
run route t.wav copy.wav 0 1
same 'straight through' "$T/t.wav" "$T/copy.wav"
run route build/run/routed.wav back.wav 1 0
same 'from three channels back to two' "$T/t.wav" "$T/back.wav"

# ---- route: files made here -------------------------------------------------

# shellcheck disable=SC2059
b1() { printf "\\$(printf %03o "$(($1 & 255))")"; }
b2() { b1 "$1"; b1 $(($1 >> 8)); }
b4() { b2 "$1"; b2 $(($1 >> 16)); }
# head44 TAG CHANNELS BITS FRAMEBYTES DATABYTES: 44 bytes
head44() {
    printf RIFF; b4 $(($5 + 36)); printf 'WAVEfmt '; b4 16; b2 "$1"; b2 "$2"
    b4 8000; b4 $((8000 * $4)); b2 "$4"; b2 "$3"; printf data; b4 "$5"
}

# 24 bits, an odd number of bytes, a chunk to skip before the data
{
    head44 1 1 24 3 9 | dd bs=1 count=36 2>/dev/null
    printf 'LIST'; b4 3; printf 'odd.data'; b4 9; printf 'abcdefghi'; b1 0
} >"$T/mono24.wav"
run route mono24.wav out.wav 0
is '24 bits: status' 0 "$rc"
{ head44 1 1 24 3 9; printf 'abcdefghi'; b1 0; } >"$T/want.wav"
# its RIFF size counts the byte behind the odd data
{ printf RIFF; b4 46; dd if="$T/want.wav" bs=1 skip=8 2>/dev/null; } >"$T/w.wav"
same '24 bits' "$T/w.wav" "$T/out.wav"
run route mono24.wav out.wav 0 -1 0
{ head44 1 3 24 9 27; printf 'abc\0\0\0abcdef\0\0\0defghi\0\0\0ghi'; b1 0; } \
    >"$T/want.wav"
{ printf RIFF; b4 64; dd if="$T/want.wav" bs=1 skip=8 2>/dev/null; } >"$T/w.wav"
same '24 bits, copied around a silence' "$T/w.wav" "$T/out.wav"

# 32 bits in an extensible format
{
    printf RIFF; b4 76; printf 'WAVEfmt '; b4 40; b2 65534; b2 2; b4 8000
    b4 64000; b2 8; b2 32; b2 22; b2 32; b4 3; b2 1
    printf '\0\0\0\0\020\0\200\0\0\252\0\070\233\161'
    printf data; b4 16; printf 'aaaabbbbccccdddd'
} >"$T/wide.wav"
run route wide.wav out.wav 1 0
is '32 bits: status' 0 "$rc"
{ head44 1 2 32 8 16; printf 'bbbbaaaaddddcccc'; } >"$T/want.wav"
same '32 bits' "$T/want.wav" "$T/out.wav"

# no frames at all
head44 1 2 16 4 0 >"$T/empty.wav"
run route empty.wav out.wav 1 0
is 'no frames: status' 0 "$rc"
same 'no frames' "$T/empty.wav" "$T/out.wav"

# ---- route: what it refuses; out.wav is not made ------------------------------

rm "$T/out.wav"
cut_at() { dd if="$T/t.wav" bs=1 count="$1" 2>/dev/null >"$T/h.wav"; }
not_wav='h.wav: it is not a WAV file'
short='h.wav: it is truncated, or a size in it is wrong'
pcm='h.wav: it is not integer PCM of 16, 24 or 32 bits'
frames='h.wav: it has no channels, over 32, or frames of another size'
for n in 0 1 11; do
    cut_at $n
    refused "cut at $n" "$not_wav" h.wav out.wav 0
done
for n in 12 19 36 43; do
    cut_at $n
    refused "cut at $n" 'h.wav: it has no data' h.wav out.wav 0
done
for n in 20 30 35 44 45 1000; do
    cut_at $n
    refused "cut at $n" "$short" h.wav out.wav 0
done
h=$T/h.wav
bad() { refused "$1" "$2" h.wav out.wav 0; }      # bad LABEL WHY
# A head of these numbers, and so many zeros behind it.
while IFS='|' read -r label numbers zeros why; do
    # shellcheck disable=SC2086
    { head44 $numbers; head -c "$zeros" /dev/zero; } >"$h"
    bad "$label" "$why"
done <<END
no channels|1 0 16 0 4|4|$frames
33 channels|1 33 16 66 66|4|$frames
many channels|1 65535 32 65532 4|4|$frames
a wrong frame|1 2 16 3 4|4|$frames
half a frame|1 2 16 4 6|6|h.wav: its data end inside a frame
8 bits|1 2 8 2 4|4|$pcm
20 bits|1 2 20 4 4|4|$pcm
64 bits|1 1 64 8 8|8|$pcm
65535 bits|1 1 65535 1 4|4|$pcm
floats|3 2 32 8 8|8|$pcm
extensible, but short|65534 2 16 4 4|4|$pcm
endless data|1 2 16 4 4294967295|4|$short
very long data|1 2 16 4 2147483644|4|$short
END
{ printf 'RIFF....WAVEjunk'; b4 4294967295; b4 0; } >"$h"
bad 'a long chunk' "$short"
{ printf 'RIFF....WAVEdata'; b4 4; b4 0; } >"$h"
bad 'no format' 'h.wav: its data come before their format'
{ printf 'RIFF....WAVEfmt '; b4 8; b4 0; b4 0; } >"$h"
bad 'a small format' 'h.wav: its format is too short'
{ printf 'RIFX'; head44 1 2 16 4 4; } >"$h"
bad 'another magic' "$not_wav"

refused 'a missing file' 'none.wav: No such file or directory' \
    none.wav out.wav 0
refused 'a channel too many' 't.wav: it has no such channel; -1 is silence' \
    t.wav out.wav 0 2
refused 'onto itself' 't.wav: it is in.wav and out.wav' t.wav ./t.wav 1 0
same 'onto itself: untouched' "$T/t.wav" "$T/copy.wav"
refused 'no channel' 'usage: route in.wav out.wav CHANNEL ... (-1: silence)' \
    t.wav out.wav
for c in x 1x '' -2 32 99999999999999999999; do
    refused "channel <$c>" "$c: not a channel" t.wav out.wav 0 "$c"
done
if [ -e "$T/out.wav" ]; then no refusals 'out.wav was made'; else ok; fi
refused 'no folder' 'none/out.wav: No such file or directory' \
    t.wav none/out.wav 0
if [ -c /dev/full ]; then
    run route t.wav /dev/full 1 0
    is 'a full disk: status' 1 "$rc"
    is 'a full disk: stderr' 'route: /dev/full: it cannot be written' "$se"
else skip 'a full disk' 'there is no /dev/full'; fi

tally examples_code
