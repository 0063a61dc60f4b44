#!/bin/sh
# cuda.sh [PART ...] - all that can be proved about ndgather_cuda.cuh without a
# GPU. Run from the root. Parts, all of them by default:
#
#   emul       the kernels on the CPU (cuda_emul.h), against the library; the
#              emulator's own test; the examples, run
#   asan tsan race    the same under ASan and UBSan, TSan, the race checker
#   faults     each fault of tests/cuda/cuda_faults.list must be noticed
#   clang      parsed as CUDA, host and device (cuda_stub.h)
#   nvcc       compiled for every architecture and standard; units linked
#   resources  registers and spills of every kernel
#   sass       128-bit loads and stores in the kernels that copy: in the PTX
#              and, given cuobjdump or nvdisasm, in the machine code; there also
#              how many instructions a gather in line takes
#
# Prints ok, skip or FAILED for each step; what is missing is named, never
# counted as passed. CUDA_ROUNDS: random rounds of test_cuda, else its own
# number; faults and other blocks take 60. NVCC, GXX, CLANGXX: the compilers;
# CUOBJDUMP, NVDISASM: one of these, else from the PATH or beside nvcc. PYTHON:
# runs examples/cuda_torch.py. Exit status 1 if a step failed.
# Last line: cuda: N passed, N failed.
. tests/lib/lib.sh
GXX=${GXX:-g++}; CLANGXX=${CLANGXX:-clang++}
B=build/check/cuda
CU=ndgather_cuda.cuh
mkdir -p $B
parts=$*

ok() { passed=$((passed + 1)); echo "ok: $1"; }

for p in $parts; do
    case $p in
    emul|asan|tsan|race|faults|clang|nvcc|resources|sass) ;;
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
HOOKED="-fsanitize=thread -DEMU_EXTERN"
emulator=tests/cuda/emul/cuda_emul.h
soon="-O1 -DNDG_SMALL=1"        # the small engine on the CPU's side compiles so

# The core for TSan or the race checker, which must not be instrumented.
core() {        # core COMPILER MODE
    core_object=$B/core_$(basename "$1")_$2.o
    case $cores in *" $core_object "*) return ;; esac
    case $2 in tsan) set -- "$1" -DEMU_TSAN ;; *) set -- "$1" -DEMU_RACE ;; esac
    : >$B/core.cc
    "$1" -std=c++11 -O2 -g "$2" -include $emulator -c $B/core.cc \
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
    tsan)
        core "$c" tsan &&
        "$c" "$@" $HOOKED $include -c "$source" -o "$out.o" &&
        "$c" -fsanitize=thread "$out.o" "$core_object" -o "$out" ;;
    race)
        core "$c" race &&
        "$c" "$@" $HOOKED -DEMU_RACE $include -c "$source" -o "$out.o" &&
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
    for p in "tests/cuda/test_cuda_device.cu paths" \
        "tests/bench/bench_cuda.cu tiny"; do
        f=${p% *}
        # shellcheck disable=SC2086
        try "emul $f" build emul "$c" $B/device "$f" -std=c++17 $soon -w &&
            step "emul $f" limit 600 $B/device "${p#* }" $B/device.log
    done
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
if wanted tsan; then
    # gcc's is slow with many threads of a kernel.
    if have "$CLANGXX"; then sanitized tsan "$CLANGXX" thread
    elif have "$GXX"; then sanitized tsan "$GXX" thread -DNDG_CUDA_BLOCK=32
    else skip tsan "no C++ compiler"; fi
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

# ---- faults ------------------------------------------------------------------

# A line of the list: NAME | SED EXPRESSION | CHECKER ..., of which each must
# fail on a copy of the tree whose $CU the expression has changed; "bytes" is
# the plain build. First each must pass on the copy as it is.
part_of() { printf '%s\n' "$line" | sed "$@"; }
fault() {
    name=$(part_of 's/ *|.*//')
    change=$(part_of -e 's/^[^|]*| *//' -e 's/ *|[^|]*$//')
    checkers=$(part_of -e 's/.*| *//' -e 's/,/ /g' -e 's/ *$//')
    [ -n "$checkers" ] || bad "fault $name: names no checker"
    for k in $checkers; do control "$k"; done
    if ! sed -e "$change" $CU >$B/tree/$CU; then
        bad "fault $name: not a sed expression"
    elif cmp -s $CU $B/tree/$CU; then
        bad "fault $name: the expression changes nothing"
    else
        for k in $checkers; do noticed "$name" "$k"; done
    fi
}
# Sets mode and c to what a checker builds with.
checker() {     # checker FAULT NAME
    case $2 in
    bytes|emul) mode=emul; c=$GXX ;;
    asan|race) mode=$2; c=$GXX ;;
    tsan) mode=tsan; c=$CLANGXX ;;
    *) bad "fault $1: no checker $2"; return 1 ;;
    esac
    have "$c" || c=${cxxs##* }
    if have "$c" && { [ "$mode" != tsan ] || works "$c" -fsanitize=thread; }
    then return; fi
    skip "fault $1, $2" "no compiler for it"
    return 1
}
# The first fault is enough.
stopping() {
    # shellcheck disable=SC2086
    EMU_HALT=1 TSAN_OPTIONS=halt_on_error=1 limit 600 $B/faulty \
        "${CUDA_ROUNDS:-60}"
}
control() {
    case $controls in *" $1 "*) return ;; esac
    controls="$controls $1 "
    checker control "$1" || return
    cp $CU $B/tree/$CU
    try "fault control, $1" build "$mode" "$c" $B/faulty \
        $B/tree/tests/cuda/test_cuda.cpp -std=c++11 -O0 -w &&
        step "fault control: $1 passes without one" stopping
}
controls=
noticed() {     # noticed FAULT CHECKER
    checker "$1" "$2" || return
    try "fault $1, $2: compiles" build "$mode" "$c" $B/faulty \
        $B/tree/tests/cuda/test_cuda.cpp -std=c++11 -O0 -w || return
    stopping >$B/log 2>&1
    case $? in
    0) bad "fault $1: $2 does not notice" ;;
    124) ok "fault $1: $2 sees it hang" ;;
    126|127) bad "fault $1, $2: does not run" ;;
    *) ok "fault $1: $2 notices" ;;
    esac
}
if wanted faults; then
    rm -rf $B/tree; mkdir -p $B/tree/tests
    cp ndgather.h $B/tree; cp -R tests/lib tests/cuda $B/tree/tests
    n=0
    while IFS= read -r line <&3; do
        case $line in ''|'#'*) continue ;; esac
        n=$((n + 1))
        fault
    done 3<tests/cuda/cuda_faults.list
    [ $n != 0 ] || bad "tests/cuda/cuda_faults.list has no fault"
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
        python=${PYTHON:-python3}
        if have "$python"; then
            step "examples/cuda_torch.py plans" "$python" \
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
    load='LDG[.]E[.A-Z]*[.]128'; store='STG[.]E[.A-Z]*[.]128'
    case $1 in
    ptx) start=.entry; load='ld[.]global[.]nc[.a-zA-Z0-9:]*[.]v4[.]'
         store='st[.]global[.a-z0-9]*[.](v4[.]|v2[.][bu]64)' ;;
    cuobjdump) start=Function ;;
    nvdisasm) start='// .text.' ;;
    esac
    sed 's|^//-* [.]text|// .text|' "$3" >$B/text
    wide $B/text "$start" "$load" "$store" >$B/log
    if [ -s $B/log ]; then
        bad "$1 sm_$2: no 16-byte $(tr '\n' ',' <$B/log)"
    else
        ok "$1 sm_$2: 16-byte loads and stores where rows move"
    fi
}
# Sets dump to a disassembler and tool to its kind, if there is one.
disassembler() {
    beside=$(dirname "$(command -v "$NVCC")")
    for tool in cuobjdump nvdisasm; do
        case $tool in
        cuobjdump) given=$CUOBJDUMP ;;
        nvdisasm)  given=$NVDISASM ;;
        esac
        for dump in "$given" $tool "$beside/$tool"; do
            if [ -n "$dump" ] && have "$dump"; then return; fi
        done
    done
    return 1
}
sass_of() {     # sass_of ARCH
    try "ptx sm_$1" limit 600 "$NVCC" -std=c++17 -arch=sm_"$1" -I. -ptx \
        $B/kernels.cu -o $B/use.ptx && sass ptx "$1" $B/use.ptx
    if ! disassembler; then
        skip "sass sm_$1" "no cuobjdump or nvdisasm; only the PTX was checked"
        return
    fi
    try "$tool sm_$1" limit 600 "$NVCC" -std=c++17 -arch=sm_"$1" -I. -cubin \
        $B/kernels.cu -o $B/use.cubin || return
    case $tool in
    cuobjdump) try "cuobjdump sm_$1" "$dump" -sass $B/use.cubin ;;
    nvdisasm)  try "nvdisasm sm_$1" "$dump" $B/use.cubin ;;
    esac && cp $B/log $B/use.sass && sass "$tool" "$1" $B/use.sass
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
