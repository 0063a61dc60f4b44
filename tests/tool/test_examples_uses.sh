#!/bin/sh
# test_examples_uses.sh - the examples quant and gpt/step
#
#     sh tests/tool/test_examples_uses.sh          from the project's root
#
# Compiles them with ${CC:-cc} and runs them; what they print is on their page,
# which test_readme.sh compares. That they can fail is seen on copies with a
# mistake in them. Times are asked for,
# but only their form is looked at. Needs a C compiler, POSIX sh and coreutils.
# Works in a folder of its own under build/ and removes it.

. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
. tests/tool/programs.sh

# build FILE NAME FLAG...: with the line in its first comment, but for -O2.
build() {
    file=$1 name=$2
    shift 2
    if ${CC:-cc} -std=c99 -O2 -Wall -Wextra -Wpedantic -I. "$file" \
        -o "$T/$name" "$@" 2>"$T/log"; then ok
    else no "$name" 'it does not compile'; cat "$T/log"; return 1; fi
    is "$name: warnings" '' "$(cat "$T/log")"
}

# broken NAME FOLDER FILE EDIT FLAG...: a copy of the program with that edit.
broken() {
    name=$1 folder=$2 file=$3 edit=$4
    shift 4
    rm -rf "$T/copy"
    mkdir -p "$T/copy"
    cp "$folder"/*.[ch] "$T/copy"
    sed "$edit" "$folder/$file" >"$T/copy/$file"
    if cmp -s "$folder/$file" "$T/copy/$file"; then
        no "$name" "<$edit> changes nothing"
    fi
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

for f in examples/quant.c examples/quant.h examples/gpt/step.c \
    examples/gpt/model.h; do
    is "$f: long lines" '' "$(grep -n '.\{81\}' $f 2>&1)"
    is "$f: only ASCII" '' "$(grep -n '[^ -~]' $f 2>&1)"
done

# ---- quant ------------------------------------------------------------------

if build examples/quant.c quant; then
    run quant
    is 'quant: status' 0 "$rc"
    is 'quant: stderr' '' "$se"
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

if build examples/gpt/step.c step -lm; then
    run step
    is 'step: status' 0 "$rc"
    is 'step: stderr' '' "$se"
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
tally examples_uses
