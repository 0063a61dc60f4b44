#!/bin/sh
# game.sh - the example game: its pictures, its window, what it refuses
#
#     sh tests/uses/game.sh [long]                 from the project's root
#
# Compiles examples/game/game.c with ${CC:-cc} and SDL2, without warnings under
# a strict set, plays its film with SDL's dummy driver and under Xvfb, and
# compares frames pixel by pixel with game_reference.c, which shares no code
# with it. game_inside.c tests keys, mouse, dirty rows and the screen itself.
# That the comparison can fail is seen on copies with a mistake in them. Needs
# a C compiler, SDL2; for parts of it Xvfb and python3, without which they are
# skipped. `long` compares hundreds of frames, feeds a thousand broken files
# and looks at the frame rate. Works in a folder of its own under build/ and
# removes it.

. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
: "${CC:=cc}"
SDL2=${SDL2_CONFIG:-sdl2-config}
if ! have "$SDL2"; then
    skip game 'no sdl2-config (Debian: libsdl2-dev)'
    tally game
    exit
fi
if ! have "${CC%% *}"; then
    skip game "no $CC"
    tally game
    exit
fi
. tests/tool/programs.sh
long=${1:-}
sdl_cflags=$("$SDL2" --cflags | sed 's/-I/-isystem /g')
sdl_libs=$("$SDL2" --libs)
ASAN_OPTIONS=detect_leaks=0; export ASAN_OPTIONS    # SDL's and X11's own

# Nothing of the desktop this may run on: no display, no sound, no D-Bus.
unset DISPLAY WAYLAND_DISPLAY SDL_VIDEODRIVER SDL_FRAMEBUFFER_ACCELERATION \
    DBUS_SESSION_BUS_ADDRESS XDG_RUNTIME_DIR
dummy='env SDL_VIDEODRIVER=dummy'

mkdir -p "$T/examples/data"
fresh() { cp examples/data/tiles.txt examples/data/level.txt \
    examples/data/font8x8.txt "$T/examples/data"; }
fresh

# build NAME SOURCE FLAG...: into $T; one check.
build() {
    name=$1 source=$2
    shift 2
    # shellcheck disable=SC2086
    if $CC $strict_c -I. "$@" $sdl_cflags "$source" -o "$T/$name" $sdl_libs \
        >"$T/log" 2>&1; then ok
    else no "$name" 'it does not compile'; sed 20q "$T/log"; return 1; fi
}

# play DRIVER ARGS...: the game, in $T; sets rc, so and se.
play() {
    driver=$1
    shift
    # shellcheck disable=SC2086
    so=$(cd "$T" && limit 60 $driver ./game "$@" 2>se </dev/null); rc=$?
    se=$(cat "$T/se")
}

# same WHAT FRAME FILE: the reference says that this is the frame.
same() { is "$1" same "$("$T/reference" "$2" "$3" 2>&1)"; }

# shown WHAT DRIVER FRAMES: the film's last frame is what it has to be.
shown() {
    rm -f "$T/shot.png"
    play "$2" --frames "$3" --shot shot.png
    is "$1, $3 frames: status" 0 "$rc"
    is "$1, $3 frames: stderr" '' "$se"
    (cd "$T" && limit 60 ./reference $(($3 - 1)) shot.png) >"$T/said" 2>&1
    is "$1, $3 frames" same "$(cat "$T/said")"
}

# refuses WHAT STATUS STDERR: of the last play, which printed nothing else.
refuses() {
    is "$1: status" "$2" "$rc"
    is "$1: stderr" "$3" "$se"
    is "$1: stdout" '' "$so"
    is "$1: no picture" '' "$(ls "$T"/*.png* 2>/dev/null)"
}

tidy examples/game/*.* tests/uses/game*.c
is 'the compile line' 1 "$(grep -c \
    '^ \*     cc -O2 -I\. examples/game/game\.c -o build/game/game ' \
    examples/game/game.c)"

build game examples/game/game.c -O2
build inside tests/uses/game_inside.c -O0 -Iexamples/game \
    -Wno-missing-prototypes
# shellcheck disable=SC2086
if $CC $strict_c -O2 tests/uses/game_reference.c -o "$T/reference" \
    >"$T/log" 2>&1; then ok
else no reference 'it does not compile'; sed 20q "$T/log"; fi
if [ ! -x "$T/game" ] || [ ! -x "$T/reference" ] || [ ! -x "$T/inside" ]; then
    tally game
    exit 1
fi

# ---- the film ----------------------------------------------------------------

# The first; two that stand still, drawn by dirty rows; moving; the corners of
# the world; each light; a frame after the light changed.
for n in 1 2 60 61 150 240 241 400 700 1400; do
    shown dummy "$dummy" $n
done
play "$dummy" --frames 300 --shot two.png
want='frame 299, camera 358,54, at dusk
far : 472 of 984 cells are transparent
near: 561 of 984 cells are transparent
sprites: 15 behind, 21 before, 27 out of sight
since frame 0: 36774 of 53820 rows changed'
is 'what it prints' "$want" "$so"
two=$so
play "$dummy" --frames 300 --shot one.png --workers 1
is 'one worker prints the same' "$two" "$so"
check_same() { if cmp -s "$T/$2" "$T/$3"; then ok; else no "$1" differ; fi; }
check_same 'one worker and two' one.png two.png
play "$dummy" --frames 300 --shot two.png
check_same 'again, over the first' one.png two.png
play "$dummy" --frames 1
is 'no shot asked for, none made: status' 0 "$rc"
is 'no shot asked for, none made' 'one.png shot.png two.png' \
    "$(cd "$T" && echo *.png*)"
play "$dummy" --frames 3 --time
is 'time' 1 "$(printf '%s\n' "$so" | grep -cE '^gathers [0-9.]+ ms, frame '\
'[0-9.]+ ms, slowest [0-9.]+ ms, [0-9]+ frames a second, [0-9]+ of 3 over '\
'16\.7 ms$')"

# The gallery's picture, unpacked, is the frame that the page says.
gallery=examples/gallery/game.png
if ! have python3; then skip 'game: the gallery' 'no python3'
elif [ ! -f $gallery ]; then no gallery "no $gallery"
else
    python3 tests/lib/png.py stored $gallery "$T/gallery.png" ||
        no gallery 'not a PNG'
    same 'the gallery' 299 "$T/gallery.png"
    is 'the gallery: not too large' 1 \
        $(($(wc -c <$gallery) <= 120 * 1024))
fi
rm -f "$T"/*.png

# ---- from the inside ---------------------------------------------------------

run inside
is 'inside: keys, mouse, time, dirty rows' '' "$so"
is 'inside: status' 0 "$rc"
is 'inside: what cannot be drawn' "game: sprites: gather: indices[19] = 60000 \
is not in [0, 512)" "$se"
so=$(cd "$T" && $dummy ./inside small 100 small.png 2>&1); rc=$?
is 'a smaller window: status' 0 "$rc"
same 'a smaller window' 99 "$T/small.png"
rm -f "$T"/*.png

# ---- under Xvfb --------------------------------------------------------------

# server DEPTH: starts one in the background, for $x, and waits for its number.
server() {
    rm -rf "$T/fb" "$T/display"
    mkdir "$T/fb"
    Xvfb -displayfd 3 -screen 0 "$1" -fbdir "$T/fb" -nolisten tcp \
        3>"$T/display" >"$T/log" 2>&1 &
    server_pid=$!
    tries=0
    while [ ! -s "$T/display" ] && [ $tries -lt 100 ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
    x="env SDL_VIDEODRIVER=x11 DISPLAY=:$(cat "$T/display")"
    [ -s "$T/display" ]
}
stop_server() { kill "$server_pid" 2>/dev/null; wait "$server_pid"; }

if ! have Xvfb; then skip 'game: under X11' 'no Xvfb (Debian: xvfb)'
elif ! server 1280x720x24; then
    skip 'game: under X11' 'Xvfb does not start'
    stop_server
else
    trap 'stop_server; rm -rf "$T"' EXIT
    for n in 1 60 250; do shown Xvfb "$x" $n; done
    rm -f "$T"/*.png
    # what the server shows is what was drawn, also where only some rows were
    for n in 1 60 130; do
        # shellcheck disable=SC2086
        so=$(cd "$T" && limit 60 $x ./inside screen $n fb/Xvfb_screen0 2>&1)
        is "the screen, $n frames" 'the screen is the same' \
            "$(printf '%s\n' "$so" | tail -n 1)"
    done
    so=$(cd "$T" && limit 60 $x ./inside small 100 small.png 2>&1); rc=$?
    is 'Xvfb, a smaller window: status' 0 "$rc"
    same 'Xvfb, a smaller window' 99 "$T/small.png"
    rm -f "$T"/*.png

    # a film is long; the server goes away meanwhile: Xlib tells and exits
    (cd "$T" && limit 60 $x ./game --frames 1000000 --shot gone.png \
        >so 2>se) & game_pid=$!
    sleep 1
    stop_server
    wait "$game_pid"
    is 'the server is gone: status' 1 $?
    is 'the server is gone: stderr' 1 "$(grep -ciE \
        'connection to .*broken|fatal IO error|^game: ' "$T/se")"
    is 'the server is gone: no picture' '' "$(ls "$T"/*.png* 2>/dev/null)"
    is 'the server is gone: stdout' '' "$(cat "$T/so")"

    # 16 bits a pixel: drawn in a surface of its own, and converted
    if server 640x480x16; then
        shown 'Xvfb, 16 bits' "$x" 60
        shown 'Xvfb, 16 bits' "$x" 150
    else no 'Xvfb, 16 bits' 'does not start'; fi
    rm -f "$T"/*.png
    stop_server
    trap 'rm -rf "$T"' EXIT
fi

# ---- what it refuses ---------------------------------------------------------

usage='usage: game [--frames N [--shot FILE.png] [--time]] [--workers 1|2]'
for a in x -x --help --frames '--frames 0' '--frames -1' '--frames 1x' \
    '--frames +1' '--frames 1e3' '--frames 1000001' \
    '--frames 99999999999999999999' '--frames 1 --shot' \
    '--shot a.png' --time '--workers 0 --frames 1' '--workers 3' --workers \
    '--frames 1 --workers' '--frames 1 x' '--workers 2 --time'; do
    # shellcheck disable=SC2086
    play "$dummy" $a
    refuses "game $a" 2 "$usage"
done
for a in '' ' 1'; do
    play "$dummy" --frames "$a"
    refuses "game --frames <$a>" 2 "$usage"
done
play "$dummy" --frames 1 --shot ''
refuses 'game --shot <>' 2 "$usage"

one_line() {
    is "$1: status" 1 "$rc"
    case $se in "$2"*) ok ;; *) no "$1" "stderr is <$se>" ;; esac
    is "$1: lines" 1 "$(printf '%s\n' "$se" | wc -l | tr -d ' ')"
    is "$1: stdout" '' "$so"
    is "$1: no picture" '' "$(ls "$T"/*.png* 2>/dev/null)"
}
play 'env SDL_VIDEODRIVER=x11 DISPLAY=:4095' --frames 1 --shot a.png
one_line 'no display' 'game: no display: '
play 'env SDL_VIDEODRIVER=x11'
one_line 'no DISPLAY' 'game: no display: '
if [ -e /dev/dri ]; then skip 'game: no driver named' 'there is a screen'
else    # libwayland may add a line of its own
    play env --frames 1
    is 'no driver named: status' 1 "$rc"
    is 'no driver named' 1 "$(printf '%s\n' "$se" |
        grep -c '^game: no display: ')"
    is 'no driver named: stdout' '' "$so"
fi
play 'env SDL_VIDEODRIVER=nonsense' --frames 1
one_line 'no such driver' 'game: no display: '

play "$dummy" --frames 1 --shot none/a.png
refuses 'a folder that is not there' 1 'game: none/a.png: cannot be written'
play "$dummy" --frames 1 --shot examples
refuses 'a folder' 1 'game: examples: is no file that can be replaced'
play "$dummy" --frames 1 --shot /dev/null
refuses 'a device' 1 'game: /dev/null: is no file that can be replaced'
is 'the device is still there' 1 "$([ -c /dev/null ] && echo 1)"
is 'nothing beside it' '' "$(ls /dev/null.part 2>/dev/null)"
play "$dummy" --frames 1 --shot "$(printf '%5000s' x | tr ' ' x)"
is 'a name that is too long: status' 1 "$rc"
is 'a name that is too long' 1 \
    "$(printf '%s\n' "$se" | grep -c '^game: x*: cannot be written$')"
if [ "$(id -u)" != 0 ]; then
    mkdir "$T/closed"
    chmod 555 "$T/closed"
    play "$dummy" --frames 1 --shot closed/a.png
    refuses 'a closed folder' 1 'game: closed/a.png: cannot be written'
else skip 'game: a closed folder' 'root may write there'; fi

# a full disk; what was there stays
echo old >"$T/old"
so=$(cd "$T" && trap '' XFSZ && ulimit -f 100 && \
    $dummy ./game --frames 1 --shot old 2>se); rc=$?
se=$(cat "$T/se")
is 'a full disk: status' 1 "$rc"
is 'a full disk: stderr' 'game: old: cannot be written' "$se"
is 'a full disk: the old file' old "$(cat "$T/old")"
is 'a full disk: nothing beside it' old "$(cd "$T" && echo old*)"
if [ -c /dev/full ]; then
    (cd "$T" && $dummy ./game --frames 1 2>se >/dev/full); rc=$?
    is 'stdout is full: status' 1 "$rc"
    is 'stdout is full: stderr' 'game: standard output: cannot be written' \
        "$(cat "$T/se")"
else skip 'game: stdout is full' 'no /dev/full'; fi

# asked to end: a film is not done then, a game is
(cd "$T" && exec $dummy ./game --frames 1000000 --shot a.png >so 2>se) & pid=$!
sleep 1
kill -TERM $pid
wait $pid; rc=$?
so=$(cat "$T/so") se=$(cat "$T/se")
refuses 'a film that is stopped' 1 'game: the film: was stopped'
(cd "$T" && exec $dummy ./game >so 2>se) & pid=$!
sleep 1
kill -TERM $pid
wait $pid; rc=$?
is 'a game that is ended: status' 0 "$rc"
is 'a game that is ended: stderr' '' "$(cat "$T/se")"

# little memory: it plays, or says in a line why not, or is not even loaded
for kb in 20000 60000 80000 100000 120000; do
    # shellcheck disable=SC3045
    so=$(cd "$T" && (ulimit -v $kb && limit 60 $dummy ./game --frames 2) \
        2>se); rc=$?
    case $rc in
    0 | 127 | 126) ok ;;
    1)  is "$kb KB of memory: lines" 1 "$(wc -l <"$T/se" | tr -d ' ')" ;;
    *)  case $(cat "$T/se") in
        *ulimit* | *timeout* | *'cannot allocate'* | *'annot fork'*) ok ;;
        *) no "$kb KB of memory" "status $rc, $(cat "$T/se")" ;;
        esac ;;
    esac
done

# ---- broken art --------------------------------------------------------------

# art WHAT FILE SED MESSAGE: with this edit of a file this is said.
art() {
    fresh
    edited "examples/data/$2" "$T/examples/data/$2" "$3"
    play "$dummy" --frames 1 --shot a.png
    refuses "$1" 1 "game: examples/data/$2: $4"
}
for f in tiles level font8x8; do
    fresh
    rm "$T/examples/data/$f.txt"
    play "$dummy" --frames 1 --shot a.png
    refuses "no $f.txt" 1 "game: examples/data/$f.txt: cannot be read"
    mkdir "$T/examples/data/$f.txt"
    play "$dummy" --frames 1 --shot a.png
    refuses "$f.txt is a folder" 1 "game: examples/data/$f.txt: cannot be read"
    rmdir "$T/examples/data/$f.txt"
    : >"$T/examples/data/$f.txt"
    play "$dummy" --frames 1 --shot a.png
    case $f in
    tiles) refuses 'empty tiles.txt' 1 \
        'game: examples/data/tiles.txt: has no colours for the sky' ;;
    *) refuses "empty $f.txt" 1 \
        "game: examples/data/$f.txt: ends too early" ;;
    esac
done
l='line 8'
art 'a long line' tiles.txt '8s/$/'"$(printf '%200s' x)"'/' \
    "$l is too long, or holds a zero"
art 'too few colours' tiles.txt '8s/ [0-9a-f]*$//' "$l is no colour"
art 'a colour with a sign' tiles.txt '8s/4c9be8/-c9be8/' "$l is no colour"
art 'a colour with 0x' tiles.txt '8s/4c9be8/0x9be8/' "$l is no colour"
art 'a dot for a colour' tiles.txt '8s/ 1 / . /' "$l is no colour"
art 'a colour twice' tiles.txt '9s/ 2 / 1 /' \
    'line 9 has a letter that another colour has'
art 'no ink' tiles.txt '/^colour O/d; s/O/Y/g' 'has no colour for the letters'
art 'another word' tiles.txt '8s/colour/color/' \
    "$l is neither a colour nor a tile"
art 'a tile without a letter' tiles.txt 's/^tile " .*/tile /' \
    'line 42 is no tile'
art 'a tile twice' tiles.txt 's/^tile d /tile " /' \
    'line 52 has a letter that another tile has'
art 'a row too long' tiles.txt '43s/$/G/' \
    'line 43 has too few letters, or too many'
art 'a row too short' tiles.txt '43s/.$//' \
    'line 43 has too few letters, or too many'
art 'a letter that is no colour' tiles.txt '43s/^G/q/' \
    'line 43 has a letter that is no colour'
art 'a tile cut short' tiles.txt '46q' 'ends too early'
art 'no coin' tiles.txt '/^tile o/,/^$/d' 'lacks a tile that the game needs'
art 'a level row too short' level.txt '5s/.$//' \
    'line 5 has too few letters, or too many'
art 'a level row too long' level.txt '5s/$/./' \
    'line 5 has too few letters, or too many'
art 'a level row too few' level.txt '$d' 'ends too early'
art 'a level row too many' level.txt '$p' 'line 33 is one too many'
art 'a font row too short' font8x8.txt '6s/.$//' \
    'line 6 has too few letters, or too many'
art 'another letter in the font' font8x8.txt '6s/#/x/' \
    'line 6 is no row of letters'
art 'no gap in the font' font8x8.txt '6s/ /#/' 'line 6 is no row of letters'
art 'a font row too few' font8x8.txt '$d' 'ends too early'
art 'a font row too many' font8x8.txt '$p' 'line 113 is one too many'

# Lines may end as on other systems, and every letter may have a colour and a
# tile.
fresh
play "$dummy" --frames 60 --shot unix.png
for f in tiles level font8x8; do
    awk '{ printf "%s\r\n", $0 }' "examples/data/$f.txt" \
        >"$T/examples/data/$f.txt"
done
play "$dummy" --frames 60 --shot other.png
is 'other ends of lines: status' 0 "$rc"
check_same 'other ends of lines' unix.png other.png
fresh
awk '{ print }
    /^colour/ { used[substr($0, 8, 1)] = 1 }
    /^tile/ { tile[substr($0, 6, 1)] = 1 }
    END { for (i = 1; i < 256; i++) {
              c = sprintf("%c", i)
              if (i == 10 || i == 13 || c == ".") continue
              if (!(c in used)) print "colour " c " 000000 000000 000000"
          }
          for (i = 1; i < 256; i++) {
              c = sprintf("%c", i)
              if (i == 10 || i == 13 || c in tile) continue
              print "tile " c
              for (k = 0; k < 8; k++) print "GGGGGGGG"
          } }' examples/data/tiles.txt >"$T/examples/data/tiles.txt"
play "$dummy" --frames 1
is 'all letters: status' 0 "$rc"
is 'all letters: stderr' '' "$se"
rm -f "$T"/*.png
fresh

# ---- any art, sanitized ------------------------------------------------------

# A byte or two somewhere become others: the game plays, or refuses in a line.
# shellcheck disable=SC2086
if $CC -std=c99 -w -g -O0 -fsanitize=address,undefined \
    -fno-sanitize-recover=all -I. $sdl_cflags examples/game/game.c \
    -o "$T/game_plain" $sdl_libs >"$T/log" 2>&1 &&
    (cd "$T" && $dummy ./game_plain --frames 1) >"$T/log" 2>&1; then
    mv "$T/game" "$T/game_fast"
    mv "$T/game_plain" "$T/game"
    shown sanitized "$dummy" 200
    seed=1 round=0 rounds=30 played=0 told=0
    [ "$long" = long ] && rounds=1000
    dice() { seed=$(((seed * 1103515245 + 12345) % 2147483648))
        roll=$((seed / 65536 % $1)); }
    while [ $round -lt $rounds ]; do
        round=$((round + 1))
        fresh
        for change in 1 2; do
            dice 3
            case $roll in
            0) f=tiles ;; 1) f=level ;; *) f=font8x8 ;;
            esac
            dice "$(wc -c <"examples/data/$f.txt")"
            at=$roll
            dice 256
            # shellcheck disable=SC2059
            printf "\\$(printf '%03o' "$roll")" |
                dd of="$T/examples/data/$f.txt" bs=1 seek="$at" conv=notrunc \
                    2>/dev/null
        done
        play "$dummy" --frames 2
        case $rc:$se in
        0:) played=$((played + 1)) ;;
        1:"game: examples/data/"*)
            is "broken art, round $round: lines" 1 \
                "$(printf '%s\n' "$se" | wc -l | tr -d ' ')"
            told=$((told + 1)) ;;
        *) no "broken art, round $round" "status $rc, $se" ;;
        esac
    done
    is 'broken art: all rounds' $rounds $((played + told))
    is 'broken art: some is refused, some is not' 11 \
        "$((played > 0))$((told > 0))"
    fresh
    mv "$T/game_fast" "$T/game"
else skip 'game: sanitized' "no -fsanitize=address,undefined"; fi

# ---- mistakes are seen -------------------------------------------------------

# mistaken FILE EDIT SOURCE: builds it with a copy that has this edit.
mistaken() {
    copy=$T/copy/examples/game
    rm -rf "$T/copy"
    mkdir -p "$copy"
    cp examples/game/*.[ch] "$copy"
    cp examples/png.h "$T/copy/examples"
    edited "examples/game/$1" "$copy/$1" "$2"
    # shellcheck disable=SC2086
    $CC -std=c99 -O0 -w -I. -I"$copy" $sdl_cflags "$3" -o "$T/mistaken" \
        $sdl_libs >"$T/log" 2>&1 && return
    no "$1, $2" 'does not compile'
    sed 5q "$T/log"
    return 1
}

# mistake FRAMES FILE EDIT: a copy with this edit draws another picture.
mistake() {
    mistaken "$2" "$3" "$T/copy/examples/game/game.c" || return
    (cd "$T" && $dummy ./mistaken --frames "$1" --shot m.png >/dev/null 2>&1)
    is "$2, $3: seen" 1 "$(cd "$T" && ./reference $(($1 - 1)) m.png |
        grep -c 'pixels differ$')"
    rm -f "$T/m.png"
}
# mistake_inside WHAT FILE EDIT: game_inside.c says something of it.
mistake_inside() {
    mistaken "$2" "$3" tests/uses/game_inside.c || return
    run mistaken
    is "$2, $3: status" 1 "$rc"
    case $so in *"$1"*) ok ;; *) no "$2, $3" "is not seen: <$so>" ;; esac
}
mistake 1 draw.h '/cells->policy/s/NDG_KEEP/NDG_ZERO/'
mistake 1 draw.h '/dots->gaps/s/NDG_GAPS_KEEP/NDG_GAPS_ZERO/'
mistake 1 draw.h 's/ndg_strided1(NO_COLOUR, 0)/ndg_dims1(NO_COLOUR)/'
mistake 60 draw.h 's/mark(d, s->y, s->y + 8)/mark(d, s->y, s->y + 4)/'
mistake 60 game.c 's/half ? middle : first/half ? middle + 1 : first/'
mistake_inside 'pictures differ' draw.h 's/mark(d, y, y + 9)/mark(d, y, y + 8)/'
if [ "$long" = long ]; then
    mistake_inside 'pictures differ' draw.h \
        's/mark(d, s->y, s->y + 8)/mark(d, s->y, s->y + 7)/'
    mistake_inside 'drag slowly' game.c 's/c->drag_x %= ZOOM/c->drag_x = 0/'
    mistake_inside 'a key held' game.c 's/down && !repeat/down/'
    mistake_inside 'let go' game.c '/FOCUS_LOST/s/==/!=/'
    mistake 1 world.h 's/shift = 29 \* y/shift = 28 * y/'
    mistake 1 draw.h '/letters->policy/s/NDG_CLIP/NDG_KEEP/; s/CODES, 8/90, 8/'
    mistake 100 draw.h 's,y / 8\]\[x / 8\],y / 8][x / 8 + 1],'
    mistake 1 world.h 's/NDG_WRAP;/NDG_CLIP;/'
    mistake 1 draw.h 's/draw_sprites(d, 0, first/draw_sprites(d, 1, first/'
fi

# ---- long --------------------------------------------------------------------

if [ "$long" = long ]; then
    n=1
    while [ $n -le 420 ]; do
        shown 'long' "$dummy" $n
        n=$((n + 1))
    done
    for n in 911 1200 1370 1371 1400 2000 2741 5000; do
        shown 'long' "$dummy" $n
    done

    # 60 frames a second, all of them drawn as fast as they can be
    rate() {
        play "$2" --frames 600 --time
        printf '%s: %s\n' "$1" "$(printf '%s\n' "$so" | tail -n 1)"
        fps=$(printf '%s\n' "$so" |
            sed -n 's/.* \([0-9]*\) frames a second.*/\1/p')
        is "$1: 60 frames a second" 1 "$((${fps:-0} >= 60))"
    }
    rate dummy "$dummy"
    if have Xvfb && server 1280x720x24; then
        rate Xvfb "$x"
        stop_server
    fi
    # shellcheck disable=SC2086
    if $CC -std=c99 -w -g -O1 $loose -fsanitize=thread -I. $sdl_cflags \
        examples/game/game.c -o "$T/game" $sdl_libs >"$T/log" 2>&1 &&
        (cd "$T" && $dummy ./game --frames 1) >"$T/log" 2>&1; then
        shown 'threads' "$dummy" 150
    else skip 'game: threads' 'no -fsanitize=thread'; fi
fi

tally game
