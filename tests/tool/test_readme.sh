#!/bin/sh
# test_readme.sh - README.md, the examples and the pages beside the tests say
# nothing that is not so.
#
# Compiles every C block of README.md and, but for the recipes (which have
# test_recipes.sh), of examples/README.md; runs every `$` line of both and
# compares what they print; compares the pictures with those in
# examples/gallery. Compares names, the API table, versions, links and counts
# with the header and the files that they are of, figures of speed and size with
# the pages that have all of them (firmware.sh compares those of size with what
# is measured), and checks the seven facts.
# From the project's root: sh tests/tool/test_readme.sh
# shellcheck disable=SC2013,SC2016,SC2086,SC2317  # words are meant, and quotes
set -u
. tests/lib/lib.sh
: "${CC:=cc}" "${CXX:=c++}" "${PYTHON:=python3}"
LC_ALL=C; export LC_ALL
box=build/readme               # a copy of the root made of links: `cc ... -o
rm -rf $box                    # hello` leaves nothing in the root itself
mkdir -p $box/build $box/page || exit 1
ln -s ../../ndgather.h ../../examples $box
ln -s ../../ndgather $box/build

about='readme: '; log_by='indented 12'; log=$box/log

# equal A B: two texts are the same; prints both if not.
equal()
{
    [ "$1" = "$2" ] || { echo "$1"; echo "-- but --"; echo "$2"; false; }
}

c99() { $CC -std=c99 -pedantic -I. "$@"; }
cxx() { $CXX -x c++ -std=c++11 -I. "$@"; }

# ---- the blocks of README.md -------------------------------------------------

# blocks PAGE FOLDER: writes block N of ```TAG to FOLDER/TAG.N (of the recipes:
# recipe.N), a <!-- needs: comment before it to FOLDER/TAG.N.needs, and the rest
# to FOLDER/prose.
blocks() { awk -v box="$2" '
    /^## / && !inside  { recipes = $0 == "## Recipes" }
    /^<!-- needs:/     { needs = 1; text = ""; next }
    needs && /^-->/    { needs = 0; next }
    needs              { text = text $0 "\n"; next }
    /^```./ && !inside { tag = recipes ? "recipe" : substr($0, 4)
                         inside = 1; n[tag]++
                         file = box "/" tag "." n[tag]
                         printf "%s", text >(file ".needs"); text = ""
                         printf "" >file; next }
    /^```/             { inside = 0; close(file); next }
    inside             { print >file; next }
                       { print >(box "/prose") }
' "$1"; }
blocks README.md $box
blocks examples/README.md $box/page
pages='README.md examples/README.md tests/README.md tests/cases/README.md
    tests/forms/README.md'
# joined PAGE FROM TO: the lines from the heading FROM to the heading TO, as one.
joined() { sed -n "/^## $2/,/^## $3/p" "$1" | tr '\n' ' ' | tr -s ' '; }

check "README.md is longer than 330 lines" [ "$(wc -l <README.md)" -le 330 ]
check "README.md has other than ASCII" \
    equal "$(tr -d '\012\040-\176' <README.md | wc -c | tr -d ' ')" 0

has_cxx=1
have "${CXX%% *}" || { has_cxx=0; skip readme "C++: no $CXX"; }

for file in "$box"/c.* "$box"/page/c.*; do
    case $file in *.needs) continue ;; esac
    source=$box/block.c
    if grep -q 'int main' "$file"; then
        cp "$file" $source
    else
        {
            echo '#include "ndgather.h"'
            cat "$file.needs"
            echo 'void fragment(void);'
            echo 'void fragment(void) {'
            cat "$file"
            echo '}'
        } >$source
    fi
    first=$(sed -n 1p "$file")
    check "as C: $first" c99 -Wall -Wextra -Werror -c $source -o $box/x.o
    [ $has_cxx = 1 ] &&
        check "as C++: $first" cxx -Wall -Wextra -Werror -c $source -o $box/x.o
done
# there PAGE FOLDER LEAST: that it has so many of these blocks.
there() {
    check "$1: there are C blocks" \
        [ "$(find $2 -maxdepth 1 -name 'c.*[0-9]' | wc -l)" -ge "$3" ]
}
there README.md $box 4
there examples/README.md $box/page 5

if [ $has_cxx = 1 ]; then
    {
        echo '#define __global__ static'
        echo 'static const struct { unsigned x; } blockIdx = {0},'
        echo '    blockDim = {1}, threadIdx = {0};'
        echo '#include "ndgather.h"'
        cat $box/page/cuda.1
        echo 'void (*kernel)(float *, const float *, ptrdiff_t, const int *,'
        echo '               ptrdiff_t) = rows;'
    } >$box/kernel.cpp
    check "the kernel" cxx -Wall -Wextra -Werror -c $box/kernel.cpp -o $box/x.o
fi

check "the first C block of README.md is a whole program of few lines" \
    [ "$(grep -c 'int main' $box/c.1)$(($(wc -l <$box/c.1) <= 20))" = 11 ]
cp $box/c.1 $box/hello.c
check "the first C block of examples/README.md is examples/hello.c" \
    diff $box/page/c.1 examples/hello.c

# Runs the `$` lines of a console block and prints them with their output, but
# for blanks at the ends of lines.
play() {
    cc() { command $CC $small_engine "$@"; }
    command=
    while IFS= read -r line; do
        case $line in
        '$ '*) printf '%s\n' "$line"; command=${line#??} ;;
        *) [ -n "$command" ] || continue
           printf '%s\n' "$line"
           command="$command
$line" ;;
        esac
        case $line in *\\) continue ;; esac
        case $command in
        qemu-*) have timeout && command="timeout 60 $command" ;;
        esac
        (eval "$command") </dev/null 2>&1
        command=
    done | sed 's/ *$//'
}

# The programs that a console block runs and that are not here.
missing() {
    sed -n 's/^\$ \([A-Z_0-9]*=[^ ]* \)*\([^ ]*\).*/\2/p' "$1" | sort -u |
        while read -r program; do
        case $program in
        cc|for) continue ;;
        make) printf ' make (tests/uses plays this)'; continue ;;
        build/*) [ -x "$box/$program" ] && continue ;;
        *) have "$program" && continue ;;
        esac
        printf ' %s' "$program"
    done
}

# The checksums of jobs.c are of int32 in memory: its own where the high byte
# comes first, and compared with one another by test_examples.sh.
sums=
[ "$(printf '\1\0' | od -An -td2 | tr -d ' ')" = 1 ] ||
    sums='s/  [0-9a-f]\{16\}$/  its own/'

# compare PAGE BLOCK: plays a block of the page, unless it cannot be.
compare() {
    first=$(sed -n '1s/ \\$/ .../; 1p' "$box/$2")
    lacks=$(missing "$box/$2")
    if [ -n "$lacks" ]; then
        skip readme "$1: $first: no$lacks"
        return
    fi
    (cd $box && play <"$2") | sed "$sums" >$box/played
    sed "$sums" "$box/$2" >$box/shown
    check "$1: what $first prints" diff $box/shown $box/played
}
for file in "$box"/console.*; do
    case $file in *.needs) continue ;; esac
    compare README.md "${file##*/}"
done

# ---- names -------------------------------------------------------------------

names() { grep -o "$@" | sort -u; }
sed '/the declarations end here/q' ndgather.h >$box/declarations
sed -n 's/^NDG_API .*[ *]\(ndg_[a-z0-9_]*\) *(.*/\1/p' $box/declarations |
    sort -u >$box/functions
sed -n '/^## API/,/^## /p' README.md | grep '^|' | names 'ndg_[a-z0-9_]*' \
    >$box/table
check "the API table and the header differ" diff $box/table $box/functions
check "there are functions" [ "$(wc -l <$box/functions)" -ge 30 ]

name='NDG(ATHER)?_[A-Z0-9_]+|ndg_[a-z0-9_]+'
cat $pages | sed 's/ndg_\(index_\)*\.\.\.//g' | names -E "$name" >$box/words
cat $box/declarations ndgather_cuda.cuh | names -E "$name" >$box/known
check "names that the header lacks" \
    equal "$(comm -23 $box/words $box/known)" ""

sed -n '/^ \* >>options/,/^ \*\/$/p' ndgather.h |
    sed -n 's/^ \*     \(NDG[A-Z_]*\).*/\1/p' | sort -u >$box/hooks
sed -n '/^## The seven hooks/,/^## Limits/p' README.md |
    sed -n 's/^| `\(NDG[A-Z_]*\).*/\1/p' | sort -u >$box/hooks_here
check "the seven hooks" diff $box/hooks $box/hooks_here
check "they are seven" [ "$(wc -l <$box/hooks)" -eq 7 ]
check "the manual says seven" grep -q '^ \* Seven macros, ' ndgather.h

macro() { sed -n "s/^#define NDG_VERSION_$1 *\([0-9]*\).*/\1/p" ndgather.h; }
version=$(macro MAJOR).$(macro MINOR).$(macro PATCH)
check "the version" equal "$(sed -n 1p README.md)" "# ndgather v$version"
check "the header's version" \
    equal "$(sed -n '1s/.* - v\([0-9.]*\) - .*/\1/p' ndgather.h)" "$version"
# Where speed is told the versions are those of the results, below.
check "other versions" equal \
    "$(sed '/^## Speed/,/^## Size/d' README.md | cat - examples/README.md |
       grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | sort -u)" "$version"
sed -n 's/^NDG_HD NDG_INLINE.* ndg_index_[a-z_]*(.*/ndg_index_.../p
    s/^NDG_INLINE.* \(ndg_[a-z]*\)1*(.*/\1/p' ndgather.h | sort -u >$box/inline
check "there are inline functions" [ "$(wc -l <$box/inline)" -ge 3 ]
while read -r function; do
    check "README.md does not say that $function is inline" \
        grep -q "inline.*$function" <<END
$(joined README.md 'Other languages' Licence)
END
done <$box/inline

# slugs PAGE: the names that its headings have in links.
slugs() {
    sed -n 's/^##* //p' "$1" | sed 's/\[\([^]]*\)\]([^)]*)/\1/g' |
        tr 'A-Z ' 'a-z-' | tr -cd 'a-z0-9_\n-'
}
for link in $(grep -oE '\]\([^) ]+' $pages examples/data/README.md |
                  sed 's/](//'); do
    page=${link%%:*}
    to=${link#*:}
    case $to in http*) continue ;; esac
    file=$(dirname "$page")/${to%%#*}
    [ -n "${to%%#*}" ] || file=$page
    check "$page links to $to, which is not there" [ -e "$file" ] || continue
    case $to in *'#'*)
        slugs "$file" >$box/slugs
        check "$page links to $to: there is no such heading" \
            grep -qx -e "${to#*#}" $box/slugs ;;
    esac
done
for target in $(cat $pages | grep -oE '`make [a-z0-9-]+' |
                sed 's/`make //' | sort -u); do
    check "make $target is no rule" \
        grep -qE "^([a-z0-9-]+ )*${target}[ :]" Makefile
done

# ---- the seven facts ---------------------------------------------------------

# (Fact 1, the standards, is seen by check.sh; what facts 2 and 3 say of symbols and calls, tests/forms/test_forms.sh sees.)
awk '{   while ((i = index($0, inside ? "*/" : "/*")) > 0) {
             if (!inside) printf "%s ", substr($0, 1, i - 1)
             $0 = substr($0, i + 2); inside = !inside
         }
         print inside ? "" : $0 }' ndgather.h >$box/code
check "fact 2: floating point" \
    equal "$(grep -nwE 'float|double' $box/code 2>&1)" ""
check "fact 3: headers" equal \
    "$(sed -n 's/^ *# *include *//p' $box/code | sort -u | tr '\n' ' ')" \
    "<stddef.h> <stdint.h> <string.h> "

most=$(sed -n 's/.*One file, under \([0-9]*\) lines.*/\1/p' README.md)
check "fact 4: lines" [ "$(wc -l <ndgather.h)" -lt "$most" ]
manual=$(sed -n 's/.*first \([0-9]*\) lines are the manual.*/\1/p' README.md)
check "the manual's lines" \
    [ "$(grep -n '\*/' ndgather.h | sed -n '1s/:.*//p')" -ge "$manual" ]

# ---- speed: the rows of README.md are those of the results -------------------

# A row of README.md has the date of a page of results, and a link to it.
# row PAGE NAME: what its row has to be; NAME is of the processor's kind.
row() {
    awk -v page="$1" -v name="$2" '
        /^Written by/ { match($0, /[0-9]+-[0-9]+-[0-9]+/)
                        date = substr($0, RSTART, RLENGTH) }
        /^Machine:/   { maker = /AMD/ ? "EPYC" : "Xeon"
                        sub(/.*family /, ""); family = $0 + 0
                        sub(/.*model /, ""); model = $0 + 0 }
        /^Versions:/  { version = $3 }
        /^## /        { head = /Headline, one thread/ }
        !head || !/^- / { next }
        { split($0, part, /\*\*/) }
        /over the best peer/ { best = part[2] }
        /over TensorFlow/    { tensorflow = part[2] }
        /worst cell/         { sub(/^,/, "", part[3])
                               worst = part[2] ":" part[3] }
        /^- behind a peer/   { peer = $6 " of " $8; loop = $NF }
        END { printf "| %s %d/%d (%s), %s, [%s](%s) | %s | %s | %s | %s | %s |\n",
                  maker, family, model, name, version, date, page, best,
                  tensorflow, peer, loop, worst }' "$1"
}
# losses PAGE: its cells that are behind a peer, on one thread, with their lead.
losses() {
    awk -F' [|] ' '/^## / { inside = /Cells, one thread/ }
        inside && $2 ~ /x$/ && $2 + 0 < 1 { sub(/^[|] /, "", $1)
                                            sub(/ [*]$/, "", $1)
                                            print $1 " (" $2 ")" }' "$1"
}
if [ -f tests/bench/RESULTS.md ]; then
    sed -n '/^## Speed/,/^## Size/p' README.md | grep '^| .*RESULTS' >$box/speed
    check "there are speeds" [ "$(wc -l <$box/speed)" -ge 1 ]
    while read -r line; do
        results=$(echo "$line" | sed 's/.*](\([^)]*\)).*/\1/')
        kind=$(echo "$line" | sed 's/^[^(]*(\([^)]*\)).*/\1/')
        check "speeds that $results does not have" \
            equal "$line" "$(row "$results" "$kind")"
    done <$box/speed
    joined README.md Speed Size >$box/text
    for number in 'of \([0-9]* cells\) larger' 'peer in [0-9]* of \([0-9]* cells\);'
    do
        check "README.md: another count of cells than RESULTS.md's" grep -q \
            "$(sed -n "s/.*$number.*/\1/p" tests/bench/RESULTS.md | sed 1q)" $box/text
    done
    for results in $(sed 's/.*](\([^)]*\)).*/\1/' $box/speed); do
        losses "$results"
    done >$box/losses
    while read -r cell; do
        check "README.md does not have this loss: $cell" \
            grep -qF "$cell" $box/text
    done <$box/losses
    grep -oE '[a-z_]+ ([A-Z] = [0-9]+, )?[0-9]+ [KMG]?i?B, [0-9]+ [KMG]?i?B \([0-9.]+x\)' \
        $box/text >$box/told
    check "losses that no page of results has" \
        equal "$(grep -vxF -f $box/losses $box/told)" ""
fi
cells=$(sed -n 's/.* CELLS = \([0-9]*\).*/\1/p' tests/bench/cells.h)
check "tests/README.md: the cells of make bench" \
    grep -q "make bench .* $cells cells" tests/README.md

# ---- sizes: those of README.md are of tests/forms/README.md, the limits there
# of size.sh; firmware.sh compares the tables with what is measured --------------

forms=tests/forms/README.md
# kib BYTES: so many KiB.
kib() { awk -v n="$1" 'BEGIN { printf "%g", int(n / 102.4 + .5) / 10 }'; }
limit() { sed -n "s/^limit_$1=\([0-9]*\).*/\1/p" tests/forms/size.sh; }
tr '\n' ' ' <$forms | tr -s ' ' >$box/text
for claim in "gather_rows .ndg_gather_rows. alone takes more than KIB of code" \
        "gather .ndg_gather. more than KIB" "stack_all takes KIB of stack or more" \
        "stack_gathers takes KIB of stack or more" \
        "small_rows .ndg_gather_rows. alone takes more than KIB with"; do
    text=${claim#* }
    n=$(kib "$(limit "${claim%% *}")")
    check "$forms: the limit of ${claim%% *} is $n KiB" \
        grep -q "${text%%KIB*}$n KiB${text#*KIB}" $box/text
done
# size ROW COLUMN TABLE: a figure of the page; columns count from the code's.
size() {
    awk -F' *[|] *' -v row="$1" -v column="$2" -v table="$3" '
        /^$/ { inside = 0 }
        index($0, "| " table) == 1 { inside = 1 }
        inside && index($2, row) == 1 { print $(2 + column); exit }' $forms
}
joined README.md Size Other >$box/text
# near BYTES SED: what README.md says there, in KiB, is at most a tenth above.
near() {
    most=$(sed -n "s/$2/\1/p" $box/text)
    check "README.md: $1 bytes are not just under ${most:-so many} KiB" \
        awk -v n="$1" -v most="$most" \
            'BEGIN { most *= 1024; exit !(n > most * .9 && n <= most) }'
}
near "$(size '`ndg_gather_rows`' 1 what)" \
    '.*`ndg_gather_rows` alone takes \([0-9.]*\) KiB.*'
near "$(size '`ndg_gather`:' 1 what)" '.*`ndg_gather` \([0-9.]*\) KiB.*'
near "$(size everything 1 what)" '.*everything \([0-9.]*\) KiB.*'
near "$(size everything 2 what)" '.* and \([0-9.]*\) KiB of stack.*'
near "$(size everything 6 code)" '.*fast engine takes \([0-9.]*\) KiB.*'
check "README.md: the limit of the stack" grep -q \
    "less than $(kib "$(limit stack_all)") KiB of stack" $box/text
times=$(sed -n 's/^ \*.*Fast code, up to \([0-9]*\) times$/\1/p' ndgather.h)
for page in README.md $forms; do
    check "$page: the fast engine is up to $times times as fast" \
        grep -q "up to $times times as fast" $page
done

# ---- cases: as many as the table of their page says ---------------------------

for file in tests/cases/*.txt; do
    check "tests/cases/README.md: the cases of $file" grep -q \
        "^| .${file##*/}. | $(grep -c '^case:' $file) | " tests/cases/README.md
done

flags=$(sed -n '/^5\. /,/^6\. /p' README.md | grep -oE -e '-W[a-z-]+' |
        tr '\n' ' ')
check "fact 5: flags" equal "$(echo $flags | wc -w | tr -d ' ')" 9
# With those of check.sh every compiler there builds the header.
sed -n '/^ *W="/,/"$/p' tests/check.sh >$box/flags
for flag in $flags; do
    check "fact 5: $flag is none of check.sh's" grep -qw -e "$flag" $box/flags
done

cat >$box/facts.c <<'END'
#include <stdio.h>
#define NDGATHER_IMPLEMENTATION
#include "ndgather.h"

/* The lines that README.md shows of reports. */
static void lines(void)
{
    static const int32_t at[18] = { 0, 0, 0, 0, 0, 0, 0, 0, 0,
                                    0, 0, 0, 0, 0, 7, 0, 0, 6 };
    char             out[64], line[120];
    ptrdiff_t        total;
    ndg_gather_plan  plan;
    ndg_report       r;
    ndg_stitch_input input[4];
    ndg_gather_desc  d = NDG_ZERO_INIT;
    ndg_stitch_desc  s = NDG_ZERO_INIT;
    int              k;
    d.params = ndg_dims3(1, 1, 6);
    d.indices = ndg_dims3(2, 3, 3);
    d.elem_size = 4;
    d.policy = NDG_ZERO;
    ndg_plan_gather_nd(&plan, &d, NULL);
    ndg_gather_check(&plan, at, 0, 6, &r);
    ndg_report_text(line, sizeof line, &r, &d.indices);
    puts(line);
    d.params = ndg_dims1(6);
    d.indices = ndg_dims1(16);
    ndg_gather(out, 60, at, at, &d, &r);
    ndg_report_text(line, sizeof line, &r, &d.indices);
    puts(line);
    s.elem_size = 4;
    for (k = 0; k < 4; k++) {
        input[k].indices = input[k].data = at;
        input[k].indices_shape = ndg_dims2(2, 4);
        input[k].data_shape = ndg_dims2(2, k < 3 ? 4 : 5);
    }
    ndg_dynamic_stitch(out, sizeof out, &total, input, 4, &s, &r);
    ndg_report_text(line, sizeof line, &r, &input[3].indices_shape);
    puts(line);
    d.elem_size = 0;
    ndg_gather(out, sizeof out, at, at, &d, &r);
    ndg_report_text(line, sizeof line, &r, NULL);
    puts(line);
}

int main(void) { lines(); return 0; }
END
# (Facts 6 and 7 are what tests/library/test_cases.c sees of each case.)
if check "the lines of reports, compiled" c99 $box/facts.c -o $box/facts; then
    check "the lines of reports, printed" $box/facts
    cp $log $box/lines
    check "the lines of reports" equal \
        "$(sed -n '/^## The report/,/^## /s/^    \([a-z_]*: .*\)/\1/p' README.md)" \
        "$(cat $box/lines)"
fi

# ---- the examples ------------------------------------------------------------

# The compile line in the first comment works; the programs lie in $box then.
for file in examples/*.c examples/tool/*.c examples/gpt/*.c; do
    name=${file##*/}; name=${name%.c}
    [ $name = ndgather ] && continue            # a link to build/ndgather
    line=$(sed -n '1,5s/.*\(cc [^*]*-I\. [^*]*\).*/\1/p' $file)
    check "$file: no compile line" [ -n "$line" ] || continue
    check "$file: $line" sh -c "cc() { command $CC $small_engine \"\$@\"; }; cd $box && $line"
done
if [ $has_cxx = 1 ]; then
    file=examples/views.cpp
    line=$(sed -n '1,5s/.*\(c++ [^*]*-I\. [^*]*\).*/\1/p' $file)
    check "$file: no compile line" [ -n "$line" ] &&
        check "$file: $line" sh -c "cd $box && $CXX $small_engine ${line#c++}"
fi
mv $box/hello $box/build/hello
for file in examples/hello.c examples/experts.c examples/tool/picture.c; do
    check "$file as C" c99 -Wall -Wextra -Werror $file -o $box/x
    [ $has_cxx = 1 ] &&
        check "$file as C++" cxx -Wall -Wextra -Werror $file -o $box/x
done

for file in "$box"/page/console.*; do
    case $file in *.needs) continue ;; esac
    compare examples/README.md "page/${file##*/}"
done
for file in examples/*.c examples/*/*.c; do
    check "examples/README.md does not link to $file" \
        grep -q "](${file#examples/})" $box/page/prose
done
for file in examples/*.c examples/tool/*.c examples/gpt/*.c; do
    name=${file##*/}
    check "examples/README.md does not show build/${name%.c}" \
        grep -q "^\$ build/${name%.c}\( \|\$\)" $box/page/console.*
done
check "examples/README.md does not show the firmware" \
    grep -q '^\$ qemu-system-arm' $box/page/console.*
check "examples/README.md has other than ASCII in its text" \
    equal "$(tr -d '\012\040-\176' <$box/page/prose | wc -c | tr -d ' ')" 0

# The lines above have drawn the pictures again. picture PNG: its head and its
# rows, which gzip unpacks behind a head of its own: nothing else, if there is
# more than one IDAT.
picture() {
    head -c 33 "$1" && {
        printf '\037\213\010\0\0\0\0\0\0\0'
        tail -c +44 "$1"
    } | gzip -dc 2>/dev/null
}
same_picture() {
    picture "$1" >$box/picture.1
    picture "$2" >$box/picture.2
    [ "$(wc -c <$box/picture.1)" -gt 33 ] && cmp $box/picture.1 $box/picture.2
}
for file in examples/gallery/*; do
    name=${file##*/}
    check "$file is not on the page" \
        grep -q "](gallery/$name)" $box/page/prose
    case $name in
    game.png|lv2.png|mpi.png|python.png) continue ;;    # tests/uses draws them
    esac
    if [ ! -f $box/build/$name ] && [ ! -x $box/build/ndgather ]; then
        skip readme "$file: not drawn, no build/ndgather"
        continue
    fi
    check "$file: nothing on the page draws it" [ -s $box/build/$name ] &&
        check "$file: no longer what is drawn; look at $box/build/$name" \
            same_picture $file $box/build/$name
done
check "there are pictures" [ -f examples/gallery/level.png ]

# ---- make run ----------------------------------------------------------------

play_run() { (cd $box && sh examples/run.sh) 2>&1; }
if [ -x $box/build/ndgather ]; then
    play_run >$box/ascii
    status=$?
    check "make run: $(tail -n 1 $box/ascii)" [ $status = 0 ]
    check "make run finds the files the same" \
        [ "$(grep -c '^  byte for byte the same' $box/ascii)" = 2 ]
    check "make run prints other than ASCII" \
        equal "$(tr -d '\012\040-\176' <$box/ascii | wc -c | tr -d ' ')" 0
    check "make run prints too many lines" [ "$(wc -l <$box/ascii)" -le 145 ]
    check "make run prints long lines" equal "$(grep '.\{81\}' $box/ascii)" ""
    sed 's/ *$//' $box/ascii >$box/ascii.cut
    for page in page/console.* ascii.cut; do
        (cd $box && sed -n '/^\$ build\/tilemap/,/^[0-9]* tiles/p' $page) |
            sed 1d >$box/level.${page%%[./]*}
    done
    check "make run shows the level" diff $box/level.page $box/level.ascii
    sed -n 's|^\(build/run/[a-z.]*\)  .*|\1|p' $box/ascii >$box/listed
    check "make run lists what it wrote" [ "$(wc -l <$box/listed)" -eq 6 ]
    while read -r name; do
        check "make run: there is no $name" [ -e "$box/$name" ]
    done <$box/listed
    LC_ALL=C.UTF-8 play_run | sed 's/ *$//' >$box/half
    at=$(sed -n '/^# Print/=' $box/half)
    sed -n "$((at + 2)),$((at + 5))p" $box/half >$box/picture
    cat $box/page/console.* | grep -A 3 '▄██▄     ██▄' >$box/picture_here
    check "the picture" diff $box/picture_here $box/picture
    check "the picture has 4 lines" [ "$(wc -l <$box/picture)" -eq 4 ]
    mv $box/build/text $box/text
    play_run >$box/x
    check "make run without a program: status" [ $? = 1 ]
    check "make run without a program" equal "$(cat $box/x)" \
        "run.sh: there is no build/text: run make examples first"
    mv $box/text $box/build/text
else
    skip readme "make run: build/ndgather is not built"
fi

if [ -f $box/build/run/sheet.png ] && have "$PYTHON"; then
    check "the pictures, decoded" "$PYTHON" tests/lib/png.py same $(
        for name in level banner digits; do
            echo examples/gallery/$name.png $box/build/$name.png
        done)
    cat >$box/sheet.py <<'END'
import struct, sys
sys.path.insert(0, "tests/lib")
import png
box = sys.argv[1] + "/"
sheet = png.read(box + "build/run/sheet.png")
raw = sheet[b"IDAT"]
wide, high, kind = struct.unpack(">II5s", sheet[b"IHDR"])
assert list(sheet) == [b"IHDR", b"IDAT", b"IEND"]
assert kind == b"\x08\0\0\0\0" and len(raw) == high * (wide + 1)
sheet = open(box + "build/run/sheet.npy", "rb").read()[-60 * 64:]
for k in range(60):          # the middle of every pixel of every digit
    for y in range(8):
        for x in range(8):
            py = 8 * (2 + k // 10 * 10 + y) + 4
            px = 8 * (1 + k % 10 * 9 + x) + 4
            assert raw[py * (wide + 1) + 1 + px] == \
                255 - sheet[k * 64 + y * 8 + x] * 255 // 16
END
    check "the sheet, decoded" "$PYTHON" $box/sheet.py $box
else
    skip readme "the pictures, decoded: not drawn, or no $PYTHON"
fi

if "$PYTHON" -c 'import sklearn' 2>/dev/null; then
    mkdir $box/data
    check "examples/data/make.py" "$PYTHON" examples/data/make.py $box/data
    for file in examples/data/*.npy; do
        check "$file is not what make.py makes" \
            cmp "$file" "$box/data/${file##*/}"
    done
else
    skip readme "examples/data/make.py: $PYTHON has no scikit-learn"
fi

tally readme
