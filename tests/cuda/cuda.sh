#!/bin/sh
# cuda.sh [PART ...] - all that can be proved about ndgather_cuda.cuh without a
# GPU. Run from the root. Parts, all of them by default:
#
#   emul       the kernels on the CPU (cuda_emul.h), against the library; the
#              emulator's own test; the examples, run
#   asan race  the same under ASan and UBSan, and with the race checker
#   clang      parsed as CUDA, host and device (cuda_stub.h)
#   nvcc       compiled for every architecture and standard; units linked
#   resources  registers and spills of every kernel
#   sass       128-bit loads and stores in the kernels that copy: in the PTX
#              and, given nvdisasm, in the machine code; there also how many
#              instructions a gather in line takes
#
# Prints ok, skip or FAILED for each step; what is missing is named, never
# counted as passed. CUDA_ROUNDS: random rounds of test_cuda, else its own
# number; other blocks take 60. NVCC, GXX, CLANGXX: the compilers;
# NVDISASM: else from the PATH or beside nvcc. PYTHON: runs
# examples/cuda_torch.py and the benchmark. Exit status 1 if a step failed.
# Last line: cuda: N passed, N failed.
. tests/lib/lib.sh
GXX=${GXX:-g++}; CLANGXX=${CLANGXX:-clang++}; PYTHON=${PYTHON:-python3}
B=build/check/cuda
CU=ndgather_cuda.cuh
mkdir -p $B
parts=$*

ok() { passed=$((passed + 1)); echo "ok: $1"; }

for p in $parts; do
    case $p in
    emul|asan|race|clang|nvcc|resources|sass) ;;
    *) echo "cuda.sh: no part $p" >&2; exit 2 ;;
    esac
done
[ -f $CU ] || { skip cuda "no $CU"; tally cuda; exit; }

if [ -z "$NVCC" ]; then
    NVCC=nvcc
    if ! have nvcc && [ -x /usr/local/cuda/bin/nvcc ]; then
        NVCC=/usr/local/cuda/bin/nvcc
    fi
fi
cxxs=
for c in "$GXX" "$CLANGXX"; do if have "$c"; then cxxs="$cxxs $c"; fi; done

# What it has to say when it fails: errors first.
gist() {
    { grep -E 'error|FAILED|emulator:|WARNING: Threa|SUMMARY|undefined' $B/log
      tail -n 3 $B/log; } 2>/dev/null | cut -c1-200 | uniq | head -n 8
}

# step NAME COMMAND...: it must succeed. try: the same, silent about success.
try() {
    try_name=$1; shift
    "$@" >$B/log 2>&1 && return 0
    bad "$try_name (status $?)"
    gist
    return 1
}
step() { try "$@" && ok "$1"; }

# works COMPILER FLAG...: whether it builds and runs a program so.
works() {
    echo 'int main() { return 0; }' >$B/probe.cc
    "$@" $B/probe.cc -o $B/probe >/dev/null 2>&1 && $B/probe
}

# ---- programs on the emulator ------------------------------------------------

W="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
# The C tests' headers initialise structs as C does.
WT="$W -Wno-missing-field-initializers"
HOOKED="-fsanitize=thread -DEMU_EXTERN -DEMU_RACE"
emulator=tests/cuda/emul/cuda_emul.h
soon="-O1 -DNDG_SMALL=1"        # the small engine on the CPU's side compiles so

# The core for the race checker, which must not be instrumented.
core() {        # core COMPILER
    core_object=$B/core_$(basename "$1").o
    case $cores in *" $core_object "*) return ;; esac
    : >$B/core.cc
    "$1" -std=c++11 -O2 -g -DEMU_RACE -include $emulator -c $B/core.cc \
        -o "$core_object" && cores="$cores $core_object "
}
cores=

# build MODE COMPILER OUT SOURCE FLAG...: a program on the emulator.
build() {
    mode=$1; c=$2; out=$3; source=$4; shift 4
    set -- -g -I. "$@"
    # shellcheck disable=SC2086
    if [ "$mode" != emul ]; then set -- $soon "$@"; fi      # or what is given
    include="-x c++ -include $emulator"
    # shellcheck disable=SC2086
    case $mode in
    emul) "$c" "$@" $include "$source" -o "$out" ;;
    asan)
        "$c" "$@" -fsanitize=address,undefined -fno-sanitize-recover=undefined \
            $include "$source" -o "$out" ;;
    race)
        core "$c" &&
        "$c" "$@" $HOOKED $include -c "$source" -o "$out.o" &&
        "$c" -Wl,--wrap=memcpy,--wrap=memset "$out.o" "$core_object" \
            -o "$out" ;;
    esac
}

# Runs it; the last line has the number of checks.
run() { limit 900 "$@" && grep -q ': [1-9][0-9]* passed, 0 failed$' $B/log; }
checks() {
    tail -n 1 $B/log | sed -n 's/.*: \([0-9]*\) passed.*/, \1 checks/p'
}

# program WHAT SOURCE MODE COMPILER FLAG...: builds one of the tests and runs it.
program() {
    case $1 in
    emulator) warn=$W;  rounds= ;;
    kernels)  warn=$WT; rounds=$CUDA_ROUNDS ;;
    *)        warn=$WT; rounds= ;;
    esac
    program=$B/$1; name="$3 $4 $1"; source=tests/cuda/$2; mode=$3; c=$4
    shift 4
    name="$name${*:+ $*}"
    # shellcheck disable=SC2086
    try "$name" build $mode "$c" $program $source $warn "$@" &&
        try "$name" run $program $rounds && ok "$name$(checks)"
}
selftest() { program emulator emul/test_cuda_emul.cpp "$@"; }
kernels() { program kernels test_cuda.cpp "$@"; }
both() { selftest "$@"; kernels "$@"; }
others() {      # what the kernels' test leaves
    program cover test_cuda_cover.cpp "$@"
    program launch test_cuda_launch.cpp "$@"
}

# ---- a unit that uses every launcher -----------------------------------------

launchers=$(sed -n 's/^NDG_API[^(]*[ *]\(ndg_cuda_[a-z_]*\)(.*/\1/p' $CU |
    sort -u)
unit() {        # unit FILE NAME LINE...: LINEs, the .cuh, a table NAME
    file=$1; table=$2; shift 2
    {   printf '%s\n' "$@" "#include \"$CU\"" 'typedef void (*launcher)(void);'
        echo "extern launcher ${table}[];"
        echo "launcher ${table}[] = {"
        for f in $launchers; do echo "    (launcher)$f,"; done
        echo '    0 };'
    } >"$file"
}
# One that only calls; one with the kernels; one with all, a program, where the
# .cuh was included before.
define="#define NDGATHER_IMPLEMENTATION"
kernels="#define NDG_CUDA_IMPLEMENTATION"
unit $B/use.cu use_b
unit $B/kernels.cu use_c "$kernels"
unit $B/impl.cu use_a "#include \"$CU\"" "$define" "$kernels" \
    'int main(void);' 'int main(void) { return 0; }'
[ -n "$launchers" ] || bad "no launcher found in $CU"

examples=
for f in examples/*.cu; do
    if [ -f "$f" ]; then examples="$examples $f"; fi
done

if wanted emul; then
    [ -n "$cxxs" ] || skip emul "no C++ compiler"
    for c in $cxxs; do
        for s in c++11 c++14 c++17 c++20; do
            # shellcheck disable=SC2086
            step "emul $c $s every launcher, strict warnings" build emul "$c" \
                $B/use.o $B/kernels.cu -std=$s -O2 $W -c
        done
        step "emul $c all in one" build emul "$c" $B/all $B/impl.cu -std=c++11
        case $c in *clang*) s=c++20 ;; *) s=c++11 ;; esac
        both emul "$c" -std=$s -O2
        selftest emul "$c" -std=c++11 -O2 -DEMU_UCONTEXT
    done
    c=${cxxs##* }
    given=$CUDA_ROUNDS; CUDA_ROUNDS=${CUDA_ROUNDS:-60}
    # 64 threads have the checkers below.
    for d in NDG_CUDA_BLOCK=32 NDG_CUDA_BLOCK=128 NDG_CUDA_BLOCK=512 \
        NDG_CUDA_DIGIT_BITS=4; do
        # shellcheck disable=SC2086
        kernels emul "$c" -std=c++11 $soon -D$d
    done
    CUDA_ROUNDS=$given
    for d in BLOCK=48 BLOCK=16 DIGIT_BITS=1 DIGIT_BITS=9; do
        if build emul "$c" $B/use.o $B/kernels.cu -std=c++11 -c \
            -DNDG_CUDA_$d >$B/log 2>&1 || ! grep -q 'ndgi_.*negative' $B/log
        then bad "emul $c: NDG_CUDA_$d is not refused as it should be"
        else ok "emul $c: NDG_CUDA_$d does not compile"; fi
    done
    # What a device will run, here.
    f=tests/cuda/test_cuda_device.cu
    # shellcheck disable=SC2086
    try "emul $f" build emul "$c" $B/device $f -std=c++17 $soon -w &&
        step "emul $f paths" limit 600 $B/device paths
    f=tests/bench/bench_cuda.cu
    # shellcheck disable=SC2086
    if try "emul $f" build emul "$c" $B/libbench.so $f -std=c++17 $soon -w \
        -shared -fPIC; then
        if have "$PYTHON"; then
            step "emul $f tiny" limit 600 "$PYTHON" -B \
                tests/bench/bench_cuda_peers.py $B/libbench.so tiny \
                $B/device.log --peers ''
        else skip "emul $f" "no Python"; fi
    fi
    model=tests/bench/CUDA_MODEL.md
    step "emul, the model of the passes" "$c" -std=c++11 -O1 -I. \
        tests/bench/cuda_model.cpp -o $B/model && $B/model >$B/page
    step "emul, $model is of this version" cmp $B/page $model
    for f in $examples; do
        if grep -q '<<<' "$f"; then
            skip "emul $f" "<<<>>> is no C++"
            continue
        fi
        # shellcheck disable=SC2086
        try "emul $f" build emul "$c" $B/example "$f" -std=c++11 -O1 $WT &&
            step "emul $f" limit 120 $B/example
    done
fi

# sanitized PART COMPILER FLAG SANITIZER...: the part with a compiler.
sanitized() {
    mode=$1; c=$2; sanitizer=$3; shift 3
    if [ "$mode" = race ] || works "$c" "-fsanitize=$sanitizer"; then
        both "$mode" "$c" -std=c++11 "$@"
    else
        skip "$mode $c" "it cannot link this sanitizer"
    fi
}
if wanted asan; then
    n=0
    for c in $cxxs; do      # the second: where arrays of few digits end
        case $n in
        0) d= ;;
        *) d='-DNDG_CUDA_BLOCK=64 -DNDG_CUDA_DIGIT_BITS=4' ;;
        esac
        # shellcheck disable=SC2086
        sanitized asan "$c" address,undefined $d
        [ $n = 0 ] && others asan "$c" -std=c++11
        n=$((n + 1))
    done
    case $n in
    0) skip asan "no C++ compiler" ;;
    1) skip "asan, digits of 4 bits" "only one C++ compiler" ;;
    esac
fi
if wanted race; then
    n=0
    for c in $cxxs; do
        case $n in 0) d= ;; *) d=-DNDG_CUDA_BLOCK=64 ;; esac
        sanitized race "$c" none $d
        n=1
    done
    [ $n = 1 ] || skip race "no C++ compiler"
fi

# ---- clang -------------------------------------------------------------------

if wanted clang; then
    if have "$CLANGXX"; then
        mkdir -p $B/rt
        for h in cuda_runtime.h cuda_runtime_api.h; do
            echo '#include "tests/cuda_stub.h"' >$B/rt/$h
        done
        for f in $B/use.cu $B/kernels.cu $B/impl.cu $examples; do
            n=$failed
            for side in host device; do
                for s in c++11 c++17; do
                    try "clang $side $s $f" "$CLANGXX" -x cuda -nocudainc \
                        -nocudalib --cuda-gpu-arch=sm_70 --cuda-$side-only \
                        -std=$s -Wall -Wextra -Werror -Wno-unused-function \
                        -Wno-unused-command-line-argument \
                        -Wno-unknown-cuda-version -I$B/rt -I. \
                        -include tests/cuda_stub.h -fsyntax-only "$f"
                done
            done
            if [ "$n" = $failed ]; then ok "clang $(basename "$f")"; fi
        done
    else
        skip clang "no $CLANGXX"
    fi
fi

# ---- nvcc --------------------------------------------------------------------

if have "$NVCC"; then
    known=$("$NVCC" --list-gpu-arch 2>/dev/null | sed 's/compute_//')
fi
supported() { echo "$known" | grep -qx "$1"; }
archs="75 80 86 90 100 120"
strict="-Werror all-warnings -Xcompiler -Wall,-Wextra"

if wanted nvcc; then
    if have "$NVCC"; then
        for a in $archs; do
            if ! supported "$a"; then
                skip "nvcc sm_$a" "not known to this nvcc"
                continue
            fi
            # shellcheck disable=SC2086
            step "nvcc sm_$a" limit 600 "$NVCC" -std=c++17 -arch=sm_"$a" \
                $strict -I. -c $B/kernels.cu -o $B/use.o
        done
        # At -O2 the host has the fast engine.
        # shellcheck disable=SC2086
        step "nvcc -O2" limit 600 "$NVCC" -O2 -std=c++17 $strict -I. \
            -c $B/impl.cu -o $B/use.o
        for s in c++11 c++14 c++20; do
            # shellcheck disable=SC2086
            step "nvcc $s" limit 600 "$NVCC" -std=$s $strict -I. \
                -c $B/kernels.cu -o $B/use.o
        done
        step "nvcc tests/cuda/test_cuda_device.cu" limit 600 \
            env ARCH=sm_90 NVCC="$NVCC" sh tests/cuda/test_cuda_device.sh build
        for f in $examples; do
            # shellcheck disable=SC2086
            step "nvcc $f" limit 600 "$NVCC" -std=c++17 $strict -I. "$f" \
                -o $B/example_nvcc
        done
        for rdc in false true; do
            step "nvcc two units, -rdc=$rdc" limit 600 "$NVCC" -std=c++17 \
                -Xptxas -O1 -rdc=$rdc -I. $B/impl.cu $B/use.cu -o $B/linked
        done
        # A file that only calls has no kernel, and needs no CUDA compiler.
        if try "nvcc, a caller" limit 600 "$NVCC" -std=c++17 -arch=sm_90 \
            -cubin -I. $B/use.cu -o $B/use.cubin &&
            ! grep -q ndgi_ $B/use.cubin; then
            ok "nvcc: nothing is compiled into a file that only calls"
        else
            bad "nvcc: kernels in a file that only calls"
        fi
        toolkit=$(dirname "$(dirname "$(readlink -f "$(command -v "$NVCC")")")")
        library=$B/libndgather_cuda.so
        step "nvcc, a shared library" limit 600 "$NVCC" -O1 -std=c++17 \
            -arch=sm_90 -Xcompiler -fPIC -shared -DNDGATHER_IMPLEMENTATION \
            -DNDG_CUDA_IMPLEMENTATION -x cu $CU -o $library
        if have "$PYTHON"; then
            step "examples/cuda_torch.py plans" "$PYTHON" \
                examples/cuda_torch.py $library
            grep -q '^planned: 6 rows of 1000, 1536 bytes of output$' $B/log ||
                bad "examples/cuda_torch.py: another plan"
        else
            skip examples/cuda_torch.py "no Python"
        fi
        for c in "$GXX -x c++" "gcc -x c"; do
            have "${c%% *}" || continue
            # shellcheck disable=SC2086
            step "${c#*-x }, declarations only" $c -Wall -Wextra -Werror -I. \
                -isystem "$toolkit/include" -c $B/use.cu -o $B/use.o
        done
    else
        skip nvcc "not installed"
    fi
fi

# One line per kernel and architecture: registers stack spill arch kernel.
usage() {
    awk '/Compiling entry function/ {
             split($0, q, "\047"); kernel = q[2]; arch = q[4] }
         /bytes stack frame/ { stack = $1; spill = $5 + $9 }
         / Used [0-9]+ registers/ {
             for (i = 1; i < NF; i++) if ($i == "Used") n = $(i + 1)
             print n, stack, spill, arch, kernel }' "$1"
}
demangled() { if have c++filt; then c++filt; else cat; fi; }

# A row for every kernel. With 64 registers four blocks of 256 threads share a
# multiprocessor; more is a failure, as are more than 48 for a gather in line
# but on Turing, and a spill of more than a pair of registers, once stored and
# once loaded. The deal of a partition may store and load 192 bytes, which it
# does once for each tile of 2,048 rows: measured on sm_90, that is faster than
# fewer threads or fewer rows at once.
table() {
    demangled <$B/usage | awk '{
            n = $1; stack = $2; spill = $3; arch = $4
            $1 = $2 = $3 = $4 = ""; sub(/^ */, ""); sub(/\(.*\)$/, "")
            gsub(/\(anonymous namespace\)::|_INTERNAL[a-z0-9_]*::/, "")
            sub(/^void /, "")
            cell = n (spill ? "!" spill : "") (stack ? "+" stack : "")
            if (!($0 in row)) { name[++rows] = $0; row[$0] = "" }
            if (!(arch in seen)) { seen[arch] = 1; head = head \
                sprintf(" %8s", arch) }
            row[$0] = row[$0] sprintf(" %8s", cell) }
        END { printf "%-52s%s\n", "registers (+stack bytes, !spilled)", head
            for (i = 1; i <= rows; i++)
                printf "%-52s%s\n", substr(name[i], 1, 52), row[name[i]] }'
}
if wanted resources; then
    if have "$NVCC"; then
        : >$B/usage
        for a in $archs; do
            supported "$a" || continue
            try "resources sm_$a" limit 600 "$NVCC" -std=c++17 -arch=sm_"$a" \
                -Xptxas -v -I. -c $B/kernels.cu -o $B/use.o &&
                usage $B/log >>$B/usage
        done
        table
        x=$(awk '$3 > ($5 ~ /ndgi_split_deal/ ? 192 : 16) {
            print $5 " on " $4 " spills " $3 " bytes" }' $B/usage | demangled)
        if [ -n "$x" ]; then bad "resources: $x"; fi
        y=$(awk '$1 > ($5 ~ /ndgi_gather_line/ && $4 != "sm_75" ? 48 : 64) {
            print $5 " on " $4 " takes " $1 " registers" }' $B/usage |
            demangled)
        if [ -n "$y" ]; then bad "resources: $y"; fi
        if [ ! -s $B/usage ]; then bad "resources: nothing to read"
        elif [ -z "$x$y" ]; then
            n=$(awk 'END { print NR }' $B/usage)
            ok "resources: $n kernels, within their registers and spills"
        fi
    else
        skip resources "no nvcc"
    fi
fi

# ---- sass --------------------------------------------------------------------

# Names the kernels without 16-byte accesses where they must be: loads and
# stores where rows are copied, stores where elements are packed.
# FILE, the word that starts a kernel, what a load and a store look like.
wide() {
    awk -v start="$2" -v load="$3" -v store="$4" '
        index($0, start) {
            k = $0; sub(/.*(: |entry |[.]text[.])/, "", k); sub(/[( ].*/, "", k)
            copies = k ~ /copy|deal.*(runs|uint4)|line.*uint4/
            packs = k ~ /elements/
            if (!copies && !packs) k = ""
            else { n++; if (copies) l[k] = 1; s[k] = 1 } }
        k != "" && $0 ~ load { delete l[k] }
        k != "" && $0 ~ store { delete s[k] }
        END { for (k in l) print k " loads"
            for (k in s) print k " stores"
            if (!n) print "no kernel found" }' "$1"
}

# sass TOOL ARCH FILE: what a tool has written about the kernels.
sass() {
    case $1 in
    ptx) start=.entry; load='ld[.]global[.]nc[.a-zA-Z0-9:]*[.]v4[.]'
         store='st[.]global[.a-z0-9]*[.](v4[.]|v2[.][bu]64)' ;;
    *)   start='// .text.'; load='LDG[.]E[.A-Z]*[.]128'
         store='STG[.]E[.A-Z]*[.]128' ;;
    esac
    sed 's|^//-* [.]text|// .text|' "$3" >$B/text
    wide $B/text "$start" "$load" "$store" >$B/log
    if [ -s $B/log ]; then
        bad "$1 sm_$2: no 16-byte $(tr '\n' ',' <$B/log)"
    else
        ok "$1 sm_$2: 16-byte loads and stores where rows move"
    fi
}
sass_of() {     # sass_of ARCH
    try "ptx sm_$1" limit 600 "$NVCC" -std=c++17 -arch=sm_"$1" -I. -ptx \
        $B/kernels.cu -o $B/use.ptx && sass ptx "$1" $B/use.ptx
    beside=$(dirname "$(command -v "$NVCC")")
    for dump in ${NVDISASM:+"$NVDISASM"} nvdisasm "$beside/nvdisasm"; do
        have "$dump" && break
    done
    if ! have "$dump"; then
        skip "sass sm_$1" "no nvdisasm; only the PTX was checked"
        return
    fi
    try "nvdisasm sm_$1" limit 600 "$NVCC" -std=c++17 -arch=sm_"$1" -I. -cubin \
        $B/kernels.cu -o $B/use.cubin || return
    try "nvdisasm sm_$1" "$dump" $B/use.cubin && cp $B/log $B/use.sass &&
        sass nvdisasm "$1" $B/use.sass
    hot_path "$1" 1
    hot_path "$1" 2
}

# The warp instructions that a gather of 32 rows of 32 bytes by one i32 index,
# or by a pair, takes: those from the kernel's entry to its exit if no index is
# bad. What lies in between and calls is for bad ones, and is jumped over.
hot_path() {    # hot_path ARCH INDICES
    awk -v most=160 -v kernel="ndgi_gather_lineIi5uint4Li2ELi$2E" '
        index($0, ".text.") && index($0, kernel) && /:$/ { on = 1; next }
        on && /^\t*[.]section/ { exit }
        !on { next }
        /^[.]L_x_[0-9]*:/ { sub(/:.*/, ""); at[$0] = n + 1; next }
        /\/\*[0-9a-f]+\*\/ / { line[++n] = $0 }
        END {
            for (i = 1; i <= n; i++) {
                steps++
                if (line[i] ~ / EXIT ;/ && line[i] !~ /@/) break
                if (line[i] !~ / BRA / || line[i] ~ /@.*CALL/) continue
                to = line[i]; sub(/.*`\(/, "", to); sub(/\).*/, "", to)
                to = at[to]; calls = 0
                for (k = i + 1; k < to; k++) if (line[k] ~ / CALL/) calls = 1
                if (to > i && (calls || line[i] !~ /@|BRA !?U?P/)) i = to - 1
            }
            if (n < 100 || steps < 50) print "cannot be counted"
            else if (steps > most) print steps, "are more than", most
            else print steps }' $B/use.sass >$B/hot
    case $(cat $B/hot) in
    *[!0-9]*|'') bad "sass sm_$1: instructions for 32 rows of 32 bytes by $2:
        $(cat $B/hot)" ;;
    *) ok "sass sm_$1: $(cat $B/hot) instructions for 32 rows of 32 bytes by $2"
       ;;
    esac
}
if wanted sass; then
    if ! have "$NVCC"; then skip sass "no nvcc"; fi
    for a in 80 90; do
        if supported $a; then sass_of $a
        elif have "$NVCC"; then skip sass "this nvcc does not know sm_$a"; fi
    done
fi

tally cuda
