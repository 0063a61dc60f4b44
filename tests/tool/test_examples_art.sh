#!/bin/sh
# test_examples_art.sh - examples/tilemap.c and text.c: what they print, the
# pictures they write, and what they do where they cannot. Needs cc and od.
# From the project's root: sh tests/tool/test_examples_art.sh
set -u
. tests/lib/lib.sh
: "${CC:=cc}" "${CXX:=c++}"
LC_ALL=C; export LC_ALL
box=build/art
rm -rf $box
mkdir -p $box || exit 1
about='examples_art: '; log_by='indented 20'; log=$box/log

# says WHAT STATUS COMMAND...: the command ends with this status and prints
# standard input, but for blanks at the ends of lines.
says() {
    what=$1 status=$2; shift 2
    cat >$box/want
    "$@" >$box/said 2>&1
    got=$?
    sed 's/ *$//' $box/said >$box/said.cut
    check "$what: exit status $got" [ $got = "$status" ]
    check "$what" diff $box/want $box/said.cut
}

bytes() { od -An -v -tu1 -j "$2" -N "$3" "$1" | tr -s ' \n' ' '; }

equal() { [ "$1" = "$2" ] || { echo "$1, not $2"; false; }; }

# png FILE WIDE HIGH SUM: a PNG of 8-bit colours, stored without compression,
# so that its size is known; SUM is that of cksum.
png() {
    check "$1 is missing" [ -s "$1" ] || return
    raw=$(($3 * ($2 * 3 + 1)))
    blocks=$(((raw + 65534) / 65535))
    size=$((8 + 25 + 12 + 6 + 5 * blocks + raw + 12))
    check "$1: signature, IHDR" equal "$(bytes "$1" 0 16)" \
        " 137 80 78 71 13 10 26 10 0 0 0 13 73 72 68 82 "
    check "$1: size, 8 bits, colour" equal "$(bytes "$1" 16 13)" \
        " 0 0 $(($2 / 256)) $(($2 % 256)) 0 0 $(($3 / 256)) $(($3 % 256)) 8 2 0 0 0 "
    check "$1: bytes" equal "$(wc -c <"$1" | tr -d ' ')" $size
    check "$1: IEND" equal "$(bytes "$1" $((size - 12)) 12)" \
        " 0 0 0 0 73 69 78 68 174 66 96 130 "
    check "$1: not the picture it was; look at it" \
        equal "$(cksum <"$1" | cut -d ' ' -f 1)" "$4"
}

for name in tilemap text; do
    # shellcheck disable=SC2086
    check "$name.c" $CC -std=c99 -O2 -Wall -Wextra -Wpedantic -Werror -I. \
        examples/$name.c -o build/$name || continue
    if have "${CXX%% *}"; then
        # shellcheck disable=SC2086
        check "$name.c as C++" $CXX -x c++ -std=c++11 -Wall -Wextra -Werror \
            -I. examples/$name.c -o $box/x
    else
        skip "$name.c as C++" "no $CXX"
    fi
done

# The level and the banner are on their page: test_readme.sh compares them.

# The whole font: rows of 24 characters, and one that it lacks.
says "the font" 0 build/text $box/font.png ' !"#$%&'"'"'()*+,-./01234567' \
    '89:;<=>?@ABCDEFGHIJKLMNO' 'PQRSTUVWXYZ[\]^_`abcdefg' \
    "$(printf 'hijklmnopqrstuvwxyz{|}~\351')" <<'END'
1 not in the font, the first is code 233
          88     88 88   88 88   .88..  88  .8" .8"8.     88      .8"    "8.     .. ..    ..                                .8" .8""8.   .88    .8""8.  .8""8.    .888  88""""   .8""   88""88
          88      "  "  "88"88" "8...     .8"    888 ..  ""      88        88   ..888.. ..88..          ......            .8"   88.888    88      ..8"    ..8"  .8" 88  """"8.  88...      .8"
          ..            "88"88" ....8"  .8" ..  88 "88           "8.      .8"    .8"8.    88      ..              ..    .8"     88" 88    88    .8" ..  ..  88  """"88" ..  88  88  88    88
          ""             "" ""    ""    "   ""   """ ""            ""    ""                      .8"              ""    "        """"   """"""  """"""   """"       ""   """"    """"     ""

.8""8.  .8""8.    ..      ..       .8"           "8.    .8""8.  .8"""8.  .88.   88""8.   .8""8. 88"8.   88""""  88""""   .8""8. 88  88   "88"      "88" 88 .8"  88      88. .88 88.  88  .8"8.
"8..8"  "8..88    ""      ""     .8"    """"""     "8.     .8"  88 88"8 88  88  88..8"  88      88  88  88...   88...   88      88..88    88        88  888"    88      88"8"88 88"8.88 88   88
88  88     .8"    ..      ..      "8.   ......    .8"     ""    88 """" 88""88  88  88  "8.  .. 88 .8"  88      88      "8. "88 88  88    88    88  88  88"8.   88      88   88 88  "88 "8. .8"
 """"    """      ""     .8"        ""           ""       ""     """""  ""  ""  """""     """"  """"    """"""  ""        """"" ""  ""   """"    """"   ""  ""  """"""  ""   "" ""   ""   """

88""8.  .8""8.  88""8.  .8""8.  ""88""  88  88  88  88  88   88 88  88  88  88  88"""88  88""   "8.      ""88     .8.            "8.            88                  88           .8"8.
88..8"  88  88  88..8"  "8...     88    88  88  88  88  88 . 88  "88"   "8..8"     .8"   88       "8.      88   .8" "8.            ""    """8.  88""8.  .8""8.  .8""88  .8""8.  .88.    .8""88
88      "8.88"  88"8.   ..  88    88    88  88  "8..8"  888"888 .8""8.    88     .8" ..  88         "8.    88                           .8""88  88  88  88  ..  88  88  88""""   88     "8..88
""         """  ""  ""   """"     ""     """"     ""    ""   "" ""  ""    ""    """""""  """"         "  """"           .......          """ "" """""    """"    """""   """"    ""     ....8"

88        ""        ""  88       "88                                                             88                                                       .8""    88     ""8.   .8"8.8" 88"""88
88""8.   "88       "88  88 .8"    88    88..88. 88""8.  .8""8.  88""8.  .8""88  "8.8"8. .8""""  "88""   88  88  88  88  88 . 88 "8..8"  88  88  """88"   .8"      88       "8.          8 "." 8
88  88    88        88  88"8.     88    88 8 88 88  88  88  88  88..8"  "8..88   88      """8.   88 ..  88  88  "8..8"  88.8.88  .88.   "8..88   .8"      88      88       88           8." ".8
""  ""   """"   "8..8"  ""  ""   """"   ""   "" ""  ""   """"   88          88  """"    """""     """    """""    ""     "" ""  ""  ""   ...8"  """"""     """    ""     """            """""""
END
png $box/font.png 1584 352 496602109

says "codes that the font lacks" 0 build/text $box/box.png \
    "$(printf 'a\001\200\377\177')" <<'END'
3 not in the font, the first is code 1
        88"""88 88"""88 88"""88 88"""88
 """8.  8 "." 8 8 "." 8 8 "." 8 8 "." 8
.8""88  8." ".8 8." ".8 8." ".8 8." ".8
 """ "" """"""" """"""" """"""" """""""
END

says "more than fits is cut" 0 build/text $box/cut.png \
    1234567890123456789012345 '' '' '' '' . 7 <<'END'
 .88    .8""8.  .8""8.    .888  88""""   .8""   88""88  .8""8.  .8""8.  .8""8.   .88    .8""8.  .8""8.    .888  88""""   .8""   88""88  .8""8.  .8""8.  .8""8.   .88    .8""8.  .8""8.    .888
  88      ..8"    ..8"  .8" 88  """"8.  88...      .8"  "8..8"  "8..88  88.888    88      ..8"    ..8"  .8" 88  """"8.  88...      .8"  "8..8"  "8..88  88.888    88      ..8"    ..8"  .8" 88
  88    .8" ..  ..  88  """"88" ..  88  88  88    88    88  88     .8"  88" 88    88    .8" ..  ..  88  """"88" ..  88  88  88    88    88  88     .8"  88" 88    88    .8" ..  ..  88  """"88"
""""""  """"""   """"       ""   """"    """"     ""     """"    """     """"   """"""  """"""   """"       ""   """"    """"     ""     """"    """     """"   """"""  """"""   """"       ""























  ..
  ""
END

for name in tilemap text; do
    build/$name $box/none/x.png >/dev/null 2>$box/said
    check "$name: a folder that is not there" [ $? = 1 ]
    check "$name: why" equal "$(cat $box/said)" \
        "$name: $box/none/x.png: cannot be written"
done
says "tilemap without its tiles" 1 sh -c "cd $box && ../tilemap" <<'END'
tilemap: examples/data/tiles.txt: cannot be read
END
says "text without its font" 1 sh -c "cd $box && ../text" <<'END'
text: examples/data/font8x8.txt: cannot be read
END

# A level with a line too few, tiles with a row too few.
mkdir -p $box/bad/examples/data
for file in level tiles; do
    cp examples/data/*.txt $box/bad/examples/data
    sed '$d' examples/data/$file.txt >$box/bad/examples/data/$file.txt
    says "$file.txt, cut" 1 sh -c "cd $box/bad && ../../tilemap" <<END
tilemap: examples/data/$file.txt: cannot be read
END
done

tally examples_art
