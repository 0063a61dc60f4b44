#!/bin/sh
# test_examples.sh - the examples: what they print, the files that they write,
# and what they do where they cannot
#
#     sh tests/tool/test_examples.sh          from the project's root
#
# Compiles tilemap, text, vertices, route, jobs, strings, views, quant and
# gpt/step with ${CC:-cc} and ${CXX:-c++} and runs them. What they print is on
# their page, which test_readme.sh compares, as it does the line in their first
# comments. That quant and step can fail is seen on copies with a mistake in
# them. Times are asked for, but only their form is looked at. Needs a C compiler
# with POSIX threads, POSIX sh and coreutils. Works in a folder of its own under
# build/ and removes it.

. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
umask 022
. tests/tool/programs.sh
log=$T/log

# build FILE FLAG...: into $T, without a warning.
build() {
    file=$1 name=${1##*/}
    name=${name%.c}
    shift
    tidy "$file"
    check "$name compiles" "${CC:-cc}" -std=c99 -O2 $small_engine -Wall -Wextra \
        -Wpedantic -Werror -I. "$file" -o "$T/$name" "$@"
}

# silent NAME: it ends with 0 and says nothing of what is wrong.
silent() {
    run "$1"
    is "$1: status" 0 "$rc"
    is "$1: stderr" '' "$se"
}

same() {    # same LABEL FILE FILE
    if cmp -s "$2" "$3"; then ok; else no "$1" "the files differ"; fi
}

# ---- tilemap and text: drawn -------------------------------------------------

# says WHAT STATUS COMMAND...: the command ends with this status and prints
# standard input, but for blanks at the ends of lines.
says() {
    what=$1 status=$2; shift 2
    cat >"$T/want"
    "$@" >"$T/said" 2>&1
    got=$?
    sed 's/ *$//' "$T/said" >"$T/said.cut"
    check "$what: exit status $got" [ $got = "$status" ]
    check "$what" diff "$T/want" "$T/said.cut"
}

bytes() { od -An -v -tu1 -j "$2" -N "$3" "$1" | tr -s ' \n' ' '; }

# png FILE WIDE HIGH SUM: a PNG of 8-bit colours, stored without compression,
# so that its size is known; SUM is that of cksum.
png() {
    raw=$(($3 * ($2 * 3 + 1)))
    blocks=$(((raw + 65534) / 65535))
    size=$((8 + 25 + 12 + 6 + 5 * blocks + raw + 12))
    is "$1: signature, IHDR" \
        " 137 80 78 71 13 10 26 10 0 0 0 13 73 72 68 82 " "$(bytes "$1" 0 16)"
    is "$1: size, 8 bits, colour" \
        " 0 0 $(($2 / 256)) $(($2 % 256)) 0 0 $(($3 / 256)) $(($3 % 256)) 8 2 0 0 0 " \
        "$(bytes "$1" 16 13)"
    is "$1: bytes" $size "$(wc -c <"$1" | tr -d ' ')"
    is "$1: IEND" " 0 0 0 0 73 69 78 68 174 66 96 130 " \
        "$(bytes "$1" $((size - 12)) 12)"
    is "$1: the picture it was; else look at it" "$4" \
        "$(cksum <"$1" | cut -d ' ' -f 1)"
}

build examples/tilemap.c
build examples/text.c

# drawn WHAT SUM ARGUMENT...: text prints this, blanks at the ends of lines left
# out; SUM is that of cksum.
drawn() {
    what=$1 sum=$2
    shift 2
    "$T/text" "$@" >"$T/said" 2>&1
    is "$what: status" 0 $?
    is "$what: the text it was; else look at it" "$sum" \
        "$(sed 's/ *$//' "$T/said" | cksum | cut -d ' ' -f 1)"
}

# The whole font: rows of 24 characters, and one that it lacks.
drawn "the font" 1019136320 "$T/font.png" ' !"#$%&'"'"'()*+,-./01234567' \
    '89:;<=>?@ABCDEFGHIJKLMNO' 'PQRSTUVWXYZ[\]^_`abcdefg' \
    "$(printf 'hijklmnopqrstuvwxyz{|}~\351')"
png "$T/font.png" 1584 352 496602109

says "codes that the font lacks" 0 "$T/text" "$T"/box.png \
    "$(printf 'a\001\200\377\177')" <<'END'
3 not in the font, the first is code 1
        88"""88 88"""88 88"""88 88"""88
 """8.  8 "." 8 8 "." 8 8 "." 8 8 "." 8
.8""88  8." ".8 8." ".8 8." ".8 8." ".8
 """ "" """"""" """"""" """"""" """""""
END

drawn "more than fits is cut" 1751755043 "$T/cut.png" \
    1234567890123456789012345 '' '' '' '' . 7

for name in tilemap text; do
    says "$name: a folder that is not there" 1 \
        sh -c "'$T/$name' '$T/none/x.png' 2>&1 >/dev/null" <<END
$name: $T/none/x.png: cannot be written
END
done
says "tilemap without its tiles" 1 sh -c "cd '$T' && ./tilemap" <<'END'
tilemap: examples/data/tiles.txt: cannot be read
END
says "text without its font" 1 sh -c "cd '$T' && ./text" <<'END'
text: examples/data/font8x8.txt: cannot be read
END

# A level with a line too few, tiles with a row too few.
mkdir -p "$T/bad/examples/data"
for file in level tiles; do
    cp examples/data/*.txt "$T/bad/examples/data"
    sed '$d' examples/data/$file.txt >"$T/bad/examples/data/$file.txt"
    says "$file.txt, cut" 1 sh -c "cd '$T/bad' && ../tilemap" <<END
tilemap: examples/data/$file.txt: cannot be read
END
done

# ---- vertices, strings, jobs, views ------------------------------------------

for name in vertices strings; do
    build examples/$name.c
    silent $name
done
build examples/jobs.c -lpthread
silent jobs
is 'jobs: one checksum' 1 "$(printf '%s\n' "$so" |
    sed -n 's/.*  \([0-9a-f]\{16\}\)$/\1/p' | sort -u | wc -l | tr -d ' ')"
if ! have "${CXX:-c++}"; then skip views "no C++ compiler"; else
    check 'views compiles' "${CXX:-c++}" -std=c++17 -O2 $small_engine -Wall \
        -Wextra -Wpedantic -Werror -I. examples/views.cpp -o "$T/views" -lpthread
fi

# ---- route: its own tone ----------------------------------------------------

# refused LABEL WHY ARGS: route says so in one line, with status 1
refused() {
    label=$1 why=$2
    shift 2
    run route "$@"
    is "$label: status" 1 "$rc"
    is "$label: stdout" '' "$so"
    is "$label: stderr" "route: $why" "$se"
}

build examples/route.c
silent route
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

# broken NAME FOLDER FILE EDIT FLAG...: a copy of the program with that edit.
broken() {
    name=$1 folder=$2 file=$3 edit=$4
    shift 4
    rm -rf "$T/copy"
    mkdir -p "$T/copy"
    cp "$folder"/*.[ch] "$T/copy"
    edited "$folder/$file" "$T/copy/$file" "$edit"
    ${CC:-cc} -std=c99 -O0 -w -I. "$T/copy/$name.c" -o "$T/broken" "$@" \
        2>"$T/log" || { no "$name" "<$edit> does not compile"; cat "$T/log"; }
    run broken
}

# takes_time NAME: `time` is the one argument that the program takes.
takes_time() {
    for a in now '' 'time time'; do
        # shellcheck disable=SC2086
        if [ -n "$a" ]; then run "$1" $a; else run "$1" ''; fi
        is "$1 <$a>: status" 2 "$rc"
        is "$1 <$a>: stdout" '' "$so"
        is "$1 <$a>: stderr" "usage: $1 [time]" "$se"
    done
}

# ---- quant ------------------------------------------------------------------

tidy examples/quant.h examples/gpt/model.h
if build examples/quant.c; then
    silent quant
    takes_time quant
    # shellcheck disable=SC3045
    so=$( (ulimit -v 100000 && "$T/quant" time) 2>"$T/se"); rc=$?
    case $(cat "$T/se") in
    *ulimit*) skip 'quant without memory' 'no ulimit -v' ;;
    *)  is 'quant without memory: status' 1 "$rc"
        is 'quant without memory: stderr' \
            'quant: no memory for a table of 256 MiB' "$(cat "$T/se")" ;;
    esac

    # a wrong row, a wrong byte, a coarser scale, a bad id that is not zero
    for e in 'quant.c s/table + ids\[i\] \* bytes/table/' \
        'quant.c s/id\[i\] \* bytes : zeros/id[i] * bytes + 1 : zeros/' \
        'quant.h s/-8\.0f : -127/-2.0f : -127/' \
        'quant.c s/NDG_ZERO/NDG_CLIP/'; do
        broken quant examples "${e%% *}" "${e#* }"
        is "quant, ${e#* }: status" 1 "$rc"
        has "quant, ${e#* }" 'rows differ'
    done
fi

# ---- gpt/step ---------------------------------------------------------------

if build examples/gpt/step.c -lm; then
    silent step
    # an idle place has no next token; the tokens are arithmetic, not ours
    is 'step: next tokens' 1 "$(printf '%s\n' "$so" | tail -n 1 |
        grep -cE '^next token:( [0-9]+){11} -1( [0-9]+){4}$')"

    run step time
    is 'step time: status' 0 "$rc"
    for p in embed rotary 'kv write' 'kv read' split permute weave; do
        is "step time: $p" 1 "$(printf '%s\n' "$so" |
            grep -cE "^$p +[0-9.]+ us +[0-9.]+ us$")"
    done
    takes_time step

    # differs PART FILE EDIT: that part is told, and ends the step.
    differs() {
        broken step examples/gpt "$2" "$3" -lm
        is "step, $3: status" 1 "$rc"
        is "step, $3" "$1: the loop's bytes differ" \
            "$(printf '%s\n' "$so" | tail -n 1)"
    }
    differs embed step.c 's/embedding\[token\[i\]\]/embedding[token[i] ^ 1]/'
    differs 'kv write' step.c 's/slot\[k\]\[i\] < POOL/slot[k][i] < BLOCK/'
    differs 'kv read' step.c 's/KV \* HEAD \* sizeof/HEAD * sizeof/'
    differs split step.c 's/= p \/ TOP;/= p;/'
    differs weave step.c 's/memset(s->woven, 0/memset(s->woven, 1/'

    # a damaged block table; an expert that is none; a plan that is refused
    broken step examples/gpt model.h \
        's/^    fill(s->cache.*/&\
    block_table[0][0] = 999;/' -lm
    is 'step, a block too large: status' 1 "$rc"
    is 'step, a block too large' \
        'kv read: gather: indices[0] = 999 is not in [0, 256); 151 bad' \
        "$(printf '%s\n' "$so" | tail -n 1)"
    broken step examples/gpt step.c 's/p\.policy  *= NDG_DROP;//' -lm
    is 'step, an idle expert: status' 1 "$rc"
    is 'step, an idle expert' "split: dynamic_partition: partitions[22] = 255 \
is not in [0, 8); at least 2 bad" "$(printf '%s\n' "$so" | tail -n 1)"
    broken step examples/gpt step.c 's/g\.axis  *= 1;/g.axis = 7;/' -lm
    is 'step, a refused plan: status' 1 "$rc"
    is 'step, a refused plan' 'plans: gather: no axis 7: params has rank 4' \
        "$so"
fi

# Those with libraries of their own belong to make check.
for p in game lv2 mpi python; do
    skip "examples/$p" "sh tests/uses/$p.sh, which make check runs"
done
tally examples
