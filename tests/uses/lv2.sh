#!/bin/sh
# lv2.sh - the plugin patchwork: its samples, its manners, its hosts
#
#     sh tests/uses/lv2.sh                         from the project's root
#
# The plugin is run by a host of our own (lv2_host.c), by lv2apply and by jalv
# under JACK's dummy driver, and compared with lv2_reference.c, sample for
# sample. Debian: gcc lv2-dev lilv-utils sordi sox alsa-utils jalv jackd2
# libjack-jackd2-dev imagemagick valgrind; what is missing is named and skipped.
# Works in build/lv2.

# shellcheck disable=SC2086      # $strict_c and patches are lists of words

. tests/lib/lib.sh
LC_ALL=C; export LC_ALL

root=$(pwd)
mkdir -p build/lv2
T=$(mktemp -d "$root/build/lv2/test.XXXXXX") || exit 1
JACK_DEFAULT_SERVER=ndg_lv2_$$; export JACK_DEFAULT_SERVER
started=''              # the processes that are to be ended, the client first
end_all() {
    exec 3>&-
    for p in $started; do
        kill "$p" 2>/dev/null
        wait "$p" 2>/dev/null
    done
    started=''
    rm -f /dev/shm/jack_sem.*_"${JACK_DEFAULT_SERVER}"_*    # JACK leaves them
}
trap 'end_all; rm -rf "$T"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

SOURCE=examples/lv2/patchwork.c
URI=urn:ndgather:patchwork
PLUGIN=$T/plugins/patchwork.lv2/patchwork.so
LV2_PATH=$T/plugins; export LV2_PATH

# compile OUT FLAG...
compile() {
    compile_out=$1; shift
    ${CC:-cc} -O2 -I. "$@" -o "$compile_out" $late 2>"$T/log"
}
late=''
plugin() { compile "$1" $strict_c -fPIC -shared -fvisibility=hidden "$2"; }

printf '#include <lv2/worker/worker.h>\n#include <lv2/log/logger.h>\n' >"$T/a.c"
if ! have "${CC:-cc}" || ! compile "$T/a.o" -c "$T/a.c"; then
    skip lv2 'no C compiler with the headers of lv2-dev'
    tally lv2
    exit
fi
mkdir -p "${PLUGIN%/*}"
cp examples/lv2/*.ttl "${PLUGIN%/*}"
if plugin "$PLUGIN" $SOURCE; then ok
else no patchwork 'it does not compile'; cat "$T/log"; tally lv2; exit 1; fi
late='-ldl -lpthread'
compile "$T/host" $strict_c -rdynamic tests/uses/lv2_host.c || {
    no host 'it does not compile'; cat "$T/log"; }
late=''
compile "$T/reference" $strict_c tests/uses/lv2_reference.c || {
    no reference 'it does not compile'; cat "$T/log"; }

tidy examples/lv2/*.*

if have nm; then    # of all that the library has, a host sees nothing
    is 'exported' lv2_descriptor "$(nm -D --defined-only "$PLUGIN" |
        awk '{ print $3 }')"
fi

# ---- the turtle --------------------------------------------------------------

# What the C file calls GRAINS is port 12, and so on; defaults are the same.
want='in_1 0|in_2 1|in_3 2|in_4 3|out_1 4|out_2 5|out_3 6|out_4 7|from_1 8|'
want="${want}from_2 9|from_3 10|from_4 11|grains 12|order 13|seed 14|spread 15|"
want="${want}latency 16|state 17|"
is 'ports' "$want" "$(sed -n '/^<urn:ndgather:patchwork>/,/ \.$/p' \
    examples/lv2/patchwork.ttl | awk '$1 == "lv2:index" { n = $2 }
    $1 == "lv2:symbol" { gsub(/"/, "", $2); printf "%s %s|", $2, n }')"
is 'symbols that presets set and no port has' '' "$(sed -n \
    '/pset:Preset/,$s/.*lv2:symbol "\(.*\)".*/\1/p' \
    examples/lv2/patchwork.ttl | sort -u |
    grep -vxE 'from_[1-4]|grains|order|seed|spread')"
if have lv2_validate; then
    lv2_validate examples/lv2/*.ttl >"$T/log" 2>&1
    has_errors=$(sed -n 's/^Found \([0-9]*\) errors.*/\1/p' "$T/log")
    is 'lv2_validate' 0 "$has_errors"
    [ "$has_errors" = 0 ] || cat "$T/log"
    sed 's/doap:name "P.*" ;//' examples/lv2/patchwork.ttl >"$T/bad.ttl"
    lv2_validate examples/lv2/manifest.ttl "$T/bad.ttl" >"$T/log" 2>&1
    is 'lv2_validate, no name' '' \
        "$(sed -n 's/^Found 0 errors.*/&/p' "$T/log")"
else skip 'the turtle' 'no lv2_validate'; fi
if have lv2info; then
    lv2info $URI >"$T/log" 2>/dev/null
    is 'lv2info: ports' 18 "$(grep -c '^[[:blank:]]*Port [0-9]*:' "$T/log")"
    is 'lv2info: latency' 1 "$(grep -c 'latency: *yes.*port 16' "$T/log")"
    is 'lv2info: presets' 3 \
        "$(grep -cE '^[[:blank:]]+(Scattered|Backwards by|Turned)' "$T/log")"
else skip 'the bundle' 'no lv2info'; fi

# ---- sample for sample -------------------------------------------------------

# Two seconds: a recording if there is one, else noise made by awk. Floats of
# four channels.
if have sox && [ -r /usr/share/sounds/alsa/Rear_Right.wav ]; then
    set -- ; for v in Front_Left Front_Right Rear_Left Rear_Right; do
        set -- "$@" /usr/share/sounds/alsa/$v.wav
    done
    sox -V1 -M "$@" -e floating-point -b 32 "$T/in.wav" pad 0 20000s
    sox -V1 "$T/in.wav" -t raw -e floating-point -b 32 "$T/in.raw"
else
    skip 'a recording' 'no sox, or none of alsa-utils; noise instead'
    head -c 1400000 /dev/urandom | tr '\200-\377' '?' >"$T/in.raw"
fi
is 'there is something to hear' 1 "$(( $(wc -c <"$T/in.raw") > 1300000 ))"

# Of a patch: the inputs of the four outputs, grains, order, seed, spread.
FIRST='4 0 3 1 16 2 77 1'
SECOND='4 0 3 1 64 4 77 1'
THIRD='4 2 3 1 64 3 77 0'
CHANGES='0=8=4 0=9=0 0=11=1 0=12=16 0=13=2 0=14=77 0=15=1
    25600=12=64 25600=13=4 51200=9=2 51200=13=3 51200=15=0'

# starts BLOCK FRAME: a control turned at FRAME is read by the next block, and
# heard from the next tick of 32 frames on.
starts() {
    s=$(( ($2 + $1 - 1) / $1 * $1 ))
    echo $(( (s + 31) / 32 * 32 ))
}

# rendered PLUGIN BLOCK WORKER: whether it plays what the reference does.
rendered() {
    limit 30 "$T/host" "$1" render "$2" "$3" $CHANGES <"$T/in.raw" \
        >"$T/got.raw" 2>"$T/log" || return 1
    case $3 in
    thread)     # when a worker of its own answered is what the host says
        # shellcheck disable=SC2046
        set -- $(sed -n 's/^a patch //p' "$T/log")
        [ $# = 3 ] || return 1
        b=$(starts 1 "$2") c=$(starts 1 "$3") ;;
    *)  b=$(starts "$2" 25600) c=$(starts "$2" 51200) ;;
    esac
    "$T/reference" make 0 $FIRST "$b" $SECOND "$c" $THIRD <"$T/in.raw" \
        >"$T/want.raw"
    cmp "$T/got.raw" "$T/want.raw" >>"$T/log" 2>&1
}

for block in 1 16 64 100 256 1000 8192; do
    for worker in none now inplace; do
        if rendered "$PLUGIN" $block $worker; then ok
        else no "blocks of $block, worker $worker" "$(tail -n 2 "$T/log")"; fi
    done
done
for block in 64 256; do
    if rendered "$PLUGIN" $block thread; then ok
    else no "blocks of $block, worker's thread" "$(tail -n 2 "$T/log")"; fi
done
# changing sizes, 0 among them; one patch throughout
for worker in none now inplace thread; do
    "$T/host" "$PLUGIN" render 0 $worker 0=8=2 0=10=0 0=13=1 \
        <"$T/in.raw" >"$T/got.raw" 2>/dev/null
    "$T/reference" make 0 2 2 0 4 8 1 0 0 <"$T/in.raw" >"$T/want.raw"
    is "blocks of all sizes, $worker" 0 \
        "$(cmp "$T/got.raw" "$T/want.raw" >/dev/null 2>&1; echo $?)"
done

# copy_of EDIT: the plugin with an edit, $T/edited.so.
copy_of() {
    edited $SOURCE "$T/edited.c" "$1"
    compile "$T/edited.so" -O0 -w -fPIC -shared -include pthread.h \
        -include unistd.h "$T/edited.c" || {
        no "$1" 'it does not compile'; cat "$T/log"; }
}

# Mistakes, each of which must be heard.
for edit in 's/= NDG_ZERO;/= NDG_CLIP;/' \
    's/self->position % p->grain_frames,/self->position % TICK,/' \
    's/seed >> 16/seed >> 15/' 's/i & ~1/i | 1/' 's/(i & 1) ? -1/i ? -1/' \
    's/o \* grains/grains/' \
    's/self->position == GROUP/self->position == 8192/' \
    's/(from\[o\] - 1)/(from[o] % CHANNELS)/' \
    's/^    take(self);//'
do
    copy_of "$edit"
    if rendered "$T/edited.so" 64 now; then no "$edit" 'nobody hears it'
    else ok; fi
done

# ---- nothing allocated, locked, or asked of the kernel -----------------------

quiet='at least 20 patches; 0 allocations, 0 locks'
is 'quiet' "$quiet" "$(limit 30 "$T/host" "$PLUGIN" quiet 2000 2>&1)"
answer=$(limit 30 "$T/host" "$PLUGIN" quiet 2000 seccomp 2>&1)
case $answer in
*'no seccomp') skip 'system calls' 'no seccomp' ;;
*)  is 'quiet, seccomp' "$quiet, no system call" "$answer" ;;
esac
# loud EDIT MODE: a line added to play_tick(), which every tick goes through
loud() {
    copy_of "s/^    const ptrdiff_t grain = .*/&\\
    $1/"
    limit 30 "$T/host" "$T/edited.so" quiet 2000 $2 >"$T/log" 2>&1
    is "$1: it is noticed" 1 "$(( $? != 0 ))"
    is "$1: no such answer" 0 "$(grep -cxF "$quiet$3" "$T/log")"
}
loud 'void *volatile m = malloc((size_t)grain + 9); free(m);'
loud 'static pthread_mutex_t m; pthread_mutex_lock(\&m); \
    pthread_mutex_unlock(\&m);'
case $answer in *'no seccomp') ;; *)
    loud 'getppid();' seccomp ', no system call'
    loud 'fputc(0, stderr);' seccomp ', no system call' ;;
esac

# ---- what goes wrong, a line each --------------------------------------------

"$T/host" "$PLUGIN" rude >"$T/out" 2>"$T/rude"; rc=$?
is 'rude: status' 0 $rc
is 'rude: stdout' '' "$(cat "$T/out")"
{
    none='patchwork: the host has no worker; the audio thread makes the patches'
    echo "$none"
    p=8
    for name in 1 2 3 4 grains order seed spread; do
        for v in nan inf -inf 1e+30 -1 65 0.4; do
            state=2 line="$name cannot be $v; the patch stays as it was"
            case $name,$v in
            [1-4],0.4 | order,0.4 | seed,65 | seed,0.4 | spread,0.4)
                state=0 line='' ;;
            [1-4],*)
                state=3 line="output $name is silent: there is no channel $v" ;;
            esac
            [ -z "$line" ] || echo "patchwork: $line"
            echo "port $p, $v: state $state"
        done
        p=$((p + 1))
    done
    cat <<'END'
patchwork: grains cannot be 3; the patch stays as it was
3 grains: state 2
no room for a request: state 1
room again: state 0
END
    echo "patchwork: the host's worker has no room for a patch of N bytes"
    cat <<'END'
no room for an answer: state 1
for two seconds: state 1
asked again: state 0
an answer after a restart: state 1
then: state 0
END
    echo "$none"
    cat <<'END'
no worker: state 2
patchwork: order cannot be 77; the patch stays as it was
END
} >"$T/want"
sed 's/ of [0-9]* bytes/ of N bytes/' "$T/rude" >"$T/got"
if cmp -s "$T/want" "$T/got"; then ok
else no rude 'other lines'; diff "$T/want" "$T/got" | head -n 10; fi
is 'a patch fits the queue of any host' 1 "$(sed -n \
    's/.*a patch of \([0-9]*\) bytes/\1/p' "$T/rude" |
    awk '{ print $1 < 2040 }')"

"$T/host" "$PLUGIN" starve >"$T/out" 2>"$T/log"
is 'no memory: status' 0 $?
is 'no memory' 'patchwork: no memory for N bytes' \
    "$(sed 's/[0-9][0-9]*/N/' "$T/log")"

if have valgrind; then
    limit 60 valgrind -q --error-exitcode=9 --soname-synonyms=somalloc=NONE \
        --leak-check=no "$T/host" "$PLUGIN" rude >"$T/out" 2>"$T/log"
    is 'rude, under valgrind' 0 $?

    # Instructions in each block, patches and all: no clock, no other process.
    mkdir "$T/steps"
    (cd "$T/steps" && limit 60 valgrind --tool=callgrind \
        --toggle-collect=one_block --dump-after=one_block "$T/host" "$PLUGIN" \
        blocks 400) >"$T/log" 2>&1
    sed -n 's/^totals: \([1-9][0-9]*\)$/\1/p' "$T"/steps/callgrind.out.* |
        sort -n >"$T/blocks"
    is 'instructions: blocks' 400 "$(wc -l <"$T/blocks" | tr -d ' ')"
    is 'instructions: the worst is within 2 x of the median' 1 \
        "$(awk '{ v[NR] = $1 } END { print v[NR] <= 2 * v[int(NR / 2)] }' \
        "$T/blocks")"
else skip 'memory, and instructions of a block' 'no valgrind'; fi

# ---- lv2apply ----------------------------------------------------------------

# by_lv2apply WANTED_PATCH SYMBOL VALUE...: $T/log has what is said
by_lv2apply() {
    patch=$1; shift
    # shellcheck disable=SC2046
    set -- $(while [ $# -gt 1 ]; do echo "-c $1 $2"; shift 2; done)
    rm -f "$T/out.wav"
    limit 60 lv2apply -i "$T/in.wav" -o "$T/out.wav" "$@" $URI \
        >"$T/out" 2>"$T/log"
    is "lv2apply $*: status" 0 $?
    sox -V1 "$T/out.wav" -t raw -e floating-point -b 32 "$T/got.raw"
    "$T/reference" make 0 $patch <"$T/in.raw" >"$T/want.raw"
    is "lv2apply $*: samples" 0 \
        "$(cmp "$T/got.raw" "$T/want.raw" >/dev/null 2>&1; echo $?)"
}
if have lv2apply && [ -f "$T/in.wav" ]; then
    by_lv2apply '1 2 3 4 8 0 0 0'
    is 'lv2apply: a line' "$none" "$(cat "$T/log")"
    by_lv2apply '4 0 3 1 16 2 77 1' from_1 4 from_2 0 from_4 1 grains 16 \
        order 2 seed 77 spread 1
    by_lv2apply '1 9 3 4 64 3 0 1' from_2 9 grains 64 order 3 spread 1
    is 'lv2apply, no such channel' \
        'patchwork: output 2 is silent: there is no channel 9' \
        "$(sed 1d "$T/log")"
    by_lv2apply '1 2 3 4 8 0 0 0' order 1 grains 3
    is 'lv2apply, 3 grains' \
        'patchwork: grains cannot be 3; the patch stays as it was' \
        "$(sed 1d "$T/log")"
else skip lv2apply 'no lv2apply, or no recording'; fi

# ---- jalv, under JACK --------------------------------------------------------

# until_true COMMAND...: waits for it, ten seconds
until_true() {
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 100 ] || return 1
        sleep 0.1
    done
}
port_is_there() { limit 2 jack_lsp 2>/dev/null | grep -qx patch:out_4; }

by_jalv() {
    JACK_NO_AUDIO_RESERVATION=1; export JACK_NO_AUDIO_RESERVATION
    jackd -r -S -n $JACK_DEFAULT_SERVER -d dummy -r 48000 -p 256 -P 0 -C 0 \
        >"$T/jackd" 2>&1 &
    started="$! $started"
    until_true limit 2 jack_lsp || { skip jalv 'jackd does not start'; return; }
    mkfifo "$T/fifo"
    jalv -n patch -c from_1=4 -c order=2 -c spread=1 $URI <"$T/fifo" \
        >"$T/jalv" 2>&1 &
    started="$! $started"
    exec 3>"$T/fifo"
    until_true port_is_there || { skip jalv 'it does not start'; return; }
    limit 60 "$T/jack" patch "$T/in.raw" "$T/got.raw" "$T/fifo" \
        'set from_2 0' >"$T/log" 2>&1
    is 'jalv: played' 0 $?
    is 'jalv: samples' 'every sample is right, before and after the change' \
        "$("$T/reference" match "$T/in.raw" "$T/got.raw" 256 \
        0 4 2 3 4 8 2 0 1 0 4 0 3 4 8 2 0 1 2>&1)"
    is 'jalv: another patch would be noticed' \
        "reference: $T/got.raw: some samples are wrong" \
        "$("$T/reference" match "$T/in.raw" "$T/got.raw" 256 \
        0 4 2 3 4 8 2 0 1 0 4 3 3 4 8 2 0 1 2>&1)"
    echo 'set grains 3' >&3
    until_true grep -q 'patchwork: grains' "$T/jalv"
    is 'jalv: 3 grains' 1 "$(grep -c \
        'patchwork: grains cannot be 3; the patch stays as it was' "$T/jalv")"
    printf 'set from_3 7\nset grains 8\n' >&3
    until_true grep -q 'patchwork: output' "$T/jalv"
    is 'jalv: no channel 7' 1 "$(grep -c \
        'patchwork: output 3 is silent: there is no channel 7' "$T/jalv")"
    is 'jalv: it has a worker' 0 "$(grep -c 'no worker' "$T/jalv")"
}
late=-ljack
if ! have jackd || ! have jalv || ! have jack_lsp; then
    skip jalv 'no jalv or no jackd2'
elif ! [ -f "$T/in.wav" ]; then skip jalv 'no recording'
elif ! compile "$T/jack" $strict_c tests/uses/lv2_jack.c; then
    skip jalv 'no headers of JACK'
else by_jalv; end_all; fi
late=''

# ---- the picture -------------------------------------------------------------

# In a folder of its own, as it writes to build/lv2.
mkdir -p "$T/root/build/lv2"
cp -r "$T/plugins" "$T/root/build/lv2"
picture() { (cd "$T/root" && sh "$root/examples/lv2/picture.sh"); }
if have sox && have lv2apply && have convert && [ -f "$T/in.wav" ]; then
    picture >"$T/out" 2>"$T/log"
    is 'picture: status' 0 $?
    is 'picture: a line' "$none" "$(cat "$T/log")"
    if have compare; then
        compare -metric RMSE "$T/root/build/lv2/spectrogram.png" \
            examples/gallery/lv2.png "$T/diff.png" >"$T/log" 2>&1
        is 'picture: as in the gallery' 1 "$(sed 's/.*(\(.*\)).*/\1/' \
            "$T/log" | awk '{ print $1 < 0.05 }')"
    fi
    rm "$T/root/build/lv2/plugins/patchwork.lv2/patchwork.so"
    picture >"$T/out" 2>"$T/log"
    is 'picture, no plugin: status' 1 $?
    is 'picture, no plugin' 'picture: the plugin is not built: make lv2' \
        "$(cat "$T/log")"
else skip picture 'no sox, lv2apply, convert or recording'; fi
is 'picture: of the gallery' 1 \
    "$(( $(wc -c <examples/gallery/lv2.png) <= 122880 ))"

tally lv2
