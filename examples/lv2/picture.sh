#!/bin/sh
# picture.sh - four voices before and after the plugin, as a spectrogram
#
#     make lv2 && sh examples/lv2/picture.sh          from the project's root
#
# Makes build/lv2/quad.wav of four recordings that Debian's alsa-utils installs
# ("front left" and so on), build/lv2/turned.wav of it by way of lv2apply, and
# build/lv2/spectrogram.png of both. Needs sox, lv2apply and convert.

B=build/lv2
VOICES=/usr/share/sounds/alsa
# The plugin plays a group of 16384 frames late; these are five of them.
GROUP=16384
LENGTH=81920

fail() { echo "picture: $1" >&2; exit 1; }

# spectrogram WAV FIRST TITLE PNG
spectrogram() {
    sox -V1 "$1" -n trim "$2s" "${LENGTH}s" rate 16k spectrogram -x 424 -y 109 \
        -z 80 -q 24 -t "$3" -c ' ' -o "$4" || fail "sox cannot make $4"
}

for tool in sox lv2apply convert; do
    command -v $tool >/dev/null 2>&1 || fail "there is no $tool"
done
[ -f $B/plugins/patchwork.lv2/patchwork.so ] ||
    fail 'the plugin is not built: make lv2'
set --
for v in Front_Left Front_Right Rear_Left Rear_Right; do
    [ -r $VOICES/$v.wav ] || fail "there is no $VOICES/$v.wav"
    set -- "$@" $VOICES/$v.wav
done

# To whole groups and one more, as the last is still to be heard.
sox -V1 -M "$@" -e floating-point -b 32 $B/long.wav pad 0 2 &&
    sox -V1 $B/long.wav -e floating-point -b 32 $B/quad.wav \
        trim 0 $((LENGTH + GROUP))s || fail 'sox cannot mix'
rm -f $B/long.wav $B/turned.wav
LV2_PATH=$PWD/$B/plugins lv2apply -i $B/quad.wav -o $B/turned.wav -c from_1 4 \
    -c from_2 3 -c from_3 0 -c from_4 1 -c grains 8 -c order 1 \
    urn:ndgather:patchwork || fail 'lv2apply cannot run the plugin'
spectrogram $B/quad.wav 0 \
    'Before: front left, front right, rear left, rear right' $B/before.png
spectrogram $B/turned.wav $GROUP \
    'After: rear right, rear left, muted, front left; 8 grains backwards' \
    $B/after.png
convert $B/before.png -gravity East -chop 66x0 $B/after.png +append \
    -strip -colors 32 PNG8:$B/spectrogram.png ||
    fail 'convert cannot join the pictures'
rm -f $B/before.png $B/after.png
