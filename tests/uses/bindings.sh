#!/bin/sh
# bindings.sh - examples/bindings, make install, and C++ that goes with it
#
#     sh tests/uses/bindings.sh          from the project's root
#
# Runs each binding by the lines of its own first comment, and again as a user
# of an installed library would; compares what it prints with expected.txt
# beside it; has libraries of other versions refused; and calls it with what the
# example does not. What Rust writes again of the header is compared with the
# header. Then make install and uninstall, in a folder of its own: the files, a
# C program by way of pkg-config, both headers inside extern "C", a module of
# C++20, the manual page. Debian: rustc luajit golang-go pkgconf g++ clang-19
# man-db; what is missing is named and skipped. Works in a folder of its own
# under build/, but for build/mandelbrot and build/go-cache.

# Flags are lists of words; make has its own $( ).
# shellcheck disable=SC2086,SC2016

. tests/lib/lib.sh
LC_ALL=C; export LC_ALL
: "${CC:=cc}" "${CXX:=c++}"
export CC
. tests/tool/programs.sh
S=examples/bindings
MAKEFLAGS=s; export MAKEFLAGS
unset MFLAGS MAKELEVEL DESTDIR CPPFLAGS LD_LIBRARY_PATH CGO_CFLAGS CGO_LDFLAGS
GOCACHE=$root/build/go-cache GOPATH=$T/go GOFLAGS='' GOTOOLCHAIN=local
export GOCACHE GOPATH GOFLAGS GOTOOLCHAIN

have "${CC%% *}" || { skip bindings "no $CC"; tally bindings; exit; }
if ! make shared >"$T/log" 2>&1; then
    no 'make shared' 'it fails'; cat "$T/log"; tally bindings; exit 1
fi
# What the Makefile calls the library.
made=$(printf '%s\n' 'include Makefile' 'names:;' \
    '$(info $(SONAME) $(LIBNAME) $(VERSION))' | make -f - names 2>"$T/log")
soname=${made%% *} version=${made##* }
libname=${made#* }; libname=${libname% *}
number=$(sed -n 's/^#define NDG_VERSION  *\([0-9]*\).*/\1/p' ndgather.h)
minor=$((number / 100))

# lines FILE: how many it has; 0 if there is none
lines() { if [ -f "$1" ]; then wc -l <"$1" | tr -d ' '; else echo 0; fi; }

# ---- their form --------------------------------------------------------------

for f in $S/rust/ndgather.rs $S/lua/ndgather.lua $S/go/ndgather.go \
    $S/README.md; do
    most=120; [ $f != $S/README.md ] || most=40
    lines=$(wc -l <$f)
    if [ "$lines" -le $most ]; then ok
    else no "$f" "$lines lines, more than $most"; fi
    is "$f: long lines" '' "$(expand -t 4 $f | grep -n '.\{81\}')"
    case $f in *.go) tab=$(printf '\t') ;; *) tab='' ;; esac
    is "$f: only ASCII" '' "$(grep -n "[^ -~$tab]" $f)"
    is "$f: blanks at the end" '' "$(grep -n '[[:blank:]]$' $f)"
done
# README.md names all that is inline, digits apart; "_clip" is ndg_index_clip.
sed -n 's/^.*NDG_INLINE [a-z0-9_]* \(ndg_[a-z_]*\)[0-9]*(.*/\1/p' ndgather.h |
    sort -u >"$T/inline"
is 'inline functions that were found' 1 "$(($(lines "$T/inline") >= 7))"
while read -r f; do
    is "README.md: $f" 1 "$(grep -cE "\`(${f}[1-4]?|_${f#ndg_index_})\`" \
        $S/README.md | sed 's/[1-9][0-9]*/1/')"
done <"$T/inline"
is 'README.md: the version' 1 "$(grep -c "^\`$minor\`" $S/README.md)"

# ---- how they are run --------------------------------------------------------

# commands FILE: the lines of its first comment, behind a tab or 5 blanks.
commands() {
    awk '!/^(\/\/|--)/ { exit } /^\/\/\t/ { print substr($0, 4) }
        /^(\/\/|--)     / { print substr($0, 8) }' "$1"
}

# prints WHAT EXPECTED COMMAND...: that it succeeds and prints so, and no more;
# blanks at the ends of lines do not count.
prints() {
    what=$1 want=$2; shift 2
    limit 300 "$@" >"$T/out" 2>"$T/log" </dev/null
    is "$what: status" 0 $?
    is "$what: stderr" '' "$(sed '/^$/d; 20q' "$T/log")"
    if sed 's/ *$//' "$T/out" | diff "$want" - >"$T/diff"; then ok
    else no "$what" 'it prints other things'; head -n 12 "$T/diff"; fi
}

# refuses WHAT LINE COMMAND...: that it fails, and a line of it says so
refuses() {
    what=$1 want=$2; shift 2
    limit 300 "$@" >"$T/out" 2>&1 </dev/null
    is "$what: it fails" 1 $(($? != 0))
    if grep -qF -e "$want" "$T/out"; then ok
    else no "$what" "it does not say <$want>"; head -n 12 "$T/out"; fi
}

# A library of another version, $T/patch or $T/minor, with its two names.
library() {
    mkdir -p "$T/$1"
    sed "s/\(NDG_VERSION .*\)$number/\1$2/" ndgather.h >"$T/$1/ndgather.h"
    is "a library of $2" 1 "$(grep -c "^#define NDG_VERSION  *$2" \
        "$T/$1/ndgather.h")"
    $CC -O0 -DNDG_SMALL=1 -DNDGATHER_IMPLEMENTATION -fPIC -shared \
        -Wl,-soname,$soname -x c "$T/$1/ndgather.h" \
        -o "$T/$1/$soname" 2>"$T/log" || {
        no "a library of $2" 'it does not compile'; cat "$T/log"; }
    ln -sf $soname "$T/$1/libndgather.so"
}
library patch $((number + 7))
library minor $((number + 100))

# The library where make install puts it, as its users are told of it.
R=$T/root P=/opt/ndg
D=$R$P
log=$T/log about='FAILED: bindings: '
check 'make install' make install DESTDIR="$R" PREFIX=$P
if have pkg-config; then
    pkg() {
        PKG_CONFIG_LIBDIR=$D/lib/pkgconfig PKG_CONFIG_PATH='' \
            PKG_CONFIG_SYSROOT_DIR=$R pkg-config "$@" ndgather
    }
    is 'pkg-config: the version' "$version" "$(pkg --modversion)"
    is 'pkg-config: --cflags' "-I$D/include" "$(pkg --cflags | sed 's/ *$//')"
    is 'pkg-config: --libs' "-L$D/lib -lndgather" \
        "$(pkg --libs | sed 's/ *$//')"
    cflags=$(pkg --cflags) libs=$(pkg --libs)
else
    skip 'ndgather.pc' 'no pkg-config (Debian: pkgconf)'
    cflags="-I$D/include" libs="-L$D/lib -lndgather"
fi
mkdir "$T/away"

# ---- Rust --------------------------------------------------------------------

# written: names of structs and their fields in Rust's, a line each.
written() {
    sed -n '/^structs! {/,/^}/{ s/\/\/.*//; s/^structs! {//; p; }' "$1" |
        tr ' ,' '[\n*]' | awk '$1 == "{" { s = last; print s }
            /:$/ { print s "." substr($1, 1, length($1) - 1) } NF { last = $1 }'
}

# What functions give and take, a line each: of Rust's extern block, and of the
# header the functions that are named on standard input.
statements() { tr '\n' ' ' | tr ';' '\n' | sed 's/ *$//'; }
parameters_rust() {
    sed -n '/^extern "C" {/,/^}/p' "$1" | statements | sed -n \
        's/^.* fn \([a-z_]*\)(\(.*\)) -> \([a-z_]*\)$/\1 \3,\2/p
        s/^.* fn \([a-z_]*\)(\(.*\))$/\1 void,\2/p' | tr ',' '\n' | sed \
        's/^ *//; /^$/d; s/: \*.*/ */; s/:* c_int$/ int/
        s/:* isize$/ ptrdiff_t/'
}
parameters_c() {
    statements <ndgather.h | sed -n \
        's/^.*NDG_API \([a-z_]*\) \(ndg_[a-z_]*\) *(\([^(){}]*\))$/\2 \1,\3/p' \
        >"$T/prototypes"
    while read -r f; do
        grep "^$f " "$T/prototypes" | tr ',' '\n' | sed '2,$s/^ *//; /^void$/d
            s/^.*\*\([a-z_]*\)$/\1 */; 2,$s/^\([a-z_]*\) \([a-z_]*\)$/\2 \1/'
    done
}

# layout FILE: $T/rust.layout and $T/c.layout, where its fields are and what its
# codes are; room for a plan, and its size.
layout() {
    rm -f "$T/rust.layout"
    written "$1" | grep -v gather_plan | sed \
        's/^\(.*\)\.\(.*\)$/FIELD(\1, \2)/; s/^ndg_.*$/STRUCT(&)/' >"$T/body"
    cat >"$T/layout.c" <<'END'
#include <stdio.h>
#include "ndgather.h"
#define CODE(name, value) printf(#name " %d\n", (int)(value));
#define STRUCT(s) printf(#s " %d\n", (int)sizeof(s));
#define FIELD(s, f) printf(#s "." #f " %d %d\n", (int)offsetof(s, f), \
                           (int)sizeof ((s *)0)->f);
int main(void) {
CODE(i8, NDG_I8) CODE(i16, NDG_I16) CODE(i32, NDG_I32) CODE(i64, NDG_I64)
CODE(u8, NDG_U8) CODE(u16, NDG_U16) CODE(u32, NDG_U32) CODE(u64, NDG_U64)
CODE(Error, NDG_ERROR) CODE(Zero, NDG_ZERO) CODE(Clip, NDG_CLIP)
CODE(Wrap, NDG_WRAP) CODE(Keep, NDG_KEEP) CODE(bad, NDG_E_INDEX)
fprintf(stderr, "%d\n", (int)sizeof(ndg_gather_plan));
END
    { cat "$T/body"; echo 'return 0; }'; } >>"$T/layout.c"
    echo "mod b { include!(\"$1\");" >"$T/layout.rs"
    cat >>"$T/layout.rs" <<'END'
fn size<T>(_: *const T) -> usize { mem::size_of::<T>() }
macro_rules! TYPES { ($($t:ty)*) => { $(
    println!("{} {}", stringify!($t), <$t as Index>::TYPE);)* } }
macro_rules! POLICIES { ($($p:ident)*) => { $(
    println!("{} {}", stringify!($p), Policy::$p as i32);)* } }
macro_rules! STRUCT { ($s:ident) => {
    println!("{} {}", stringify!($s), mem::size_of::<$s>()); } }
macro_rules! FIELD { ($s:ident, $f:ident) => {
    let x: $s = zero!();
    let p = ptr::addr_of!(x.$f);
    println!("{}.{} {} {}", stringify!($s), stringify!($f),
        p as usize - ptr::addr_of!(x) as usize, size(p)); } }
pub fn layout() {
    TYPES!(i8 i16 i32 i64 u8 u16 u32 u64);
    POLICIES!(Error Zero Clip Wrap Keep);
END
    {
        sed -n 's/.*match all.status .* \([0-9]*\) => Err(Error::Index.*/\
            println!("bad \1");/p' "$1"
        sed 's/(/!(/; s/$/;/' "$T/body"
        echo 'eprintln!("{}", mem::size_of::<ndg_gather_plan>()); } }'
        echo 'fn main() { b::layout() }'
    } >>"$T/layout.rs"
    $CC -I. "$T/layout.c" -o "$T/layout" &&
        rustc --edition 2021 -A warnings -L build -l ndgather "$T/layout.rs" \
            -o "$T/layout_rs" &&
        "$T/layout" >"$T/c.layout" 2>"$T/c.plan" &&
        LD_LIBRARY_PATH="$T/patch" "$T/layout_rs" >"$T/rust.layout" \
            2>"$T/rust.plan"
}

if have rustc; then
    f=$S/rust/ndgather.rs
    commands $f >"$T/run.sh"
    prints "$f" $S/rust/expected.txt sh -e "$T/run.sh"
    cp $f "$T/away"
    check "$f: compiled for an installed library, without warnings" \
        rustc --edition 2021 -D warnings -O $libs "$T/away/ndgather.rs" \
        -o "$T/away/mandelbrot"
    prints "$f: installed" $S/rust/expected.txt \
        env LD_LIBRARY_PATH="$D/lib" "$T/away/mandelbrot"
    prints "$f: another patch" $S/rust/expected.txt \
        env LD_LIBRARY_PATH="$T/patch" "$T/away/mandelbrot"
    refuses "$f: another minor version" "Version($((number + 100)))" \
        env LD_LIBRARY_PATH="$T/minor" "$T/away/mandelbrot"
    is "$f: the version" $minor "$(sed -n \
        's/^const WRITTEN_FOR: c_int = \([0-9]*\)[0-9][0-9];.*/\1/p' $f)"

    if check "$f: structs and codes, compiled" layout "$root/$f"; then
        is "$f: structs and fields that were found" 1 \
            $(($(lines "$T/c.layout") >= 53))
        is "$f: structs and codes, beside the header's" '' \
            "$(diff "$T/c.layout" "$T/rust.layout")"
        is "$f: a plan has room" 1 \
            $(($(cat "$T/c.plan") <= $(cat "$T/rust.plan")))
    fi
    parameters_rust $f >"$T/rust.parameters"
    sed -n 's/^\(ndg_[a-z_]*\) .*/\1/p' "$T/rust.parameters" | parameters_c \
        >"$T/c.parameters"
    is "$f: parameters that were found" 1 \
        $(($(lines "$T/c.parameters") >= 22))
    is "$f: parameters, beside the header's" '' \
        "$(diff "$T/c.parameters" "$T/rust.parameters")"
    # that these two can tell
    for edit in 's/batch_dims: c_int, //' 's/elem_size: isize/elem_size: i32/' \
        's/item: isize, value: i64/value: i64/' 's/Clip = 4/Clip = 3/' \
        's/dim: \[isize; 4\]/dim: [isize; 3]/' \
        's/u16: 5, u32: 6/u16: 6, u32: 5/'; do
        sed "$edit" $f >"$T/away/edited.rs"
        layout "$T/away/edited.rs" >"$T/log" 2>&1
        is "$f: $edit is noticed" 1 \
            "$(cmp "$T/c.layout" "$T/rust.layout" >/dev/null 2>&1 || echo 1)"
    done

    cat >"$T/more.rs" <<END
mod b {
include!("$root/$f");
unsafe impl Row for () {}
fn each<I: Index + TryFrom<i8>>() {
    let ids = [2i8, 0, 1, 2].map(|i| I::try_from(i).ok().unwrap());
    let table = [[1u16, 2, 3], [4, 5, 6], [7, 8, 9]];
    for threads in [0, 1, 2, 3, 4, 5, 99, usize::MAX] {
        let mut out = [[0u16; 3]; 4];
        let r = gather(&mut out, &table, &ids, Policy::Error, threads).unwrap();
        assert_eq!(out, [[7, 8, 9], [1, 2, 3], [4, 5, 6], [7, 8, 9]]);
        assert_eq!((r.status, r.bad.count), (0, 0));
        let mut out = [[5u16; 3]; 4];
        let r = gather(&mut out, &table[..1], &ids, Policy::Keep, threads)
            .unwrap();
        assert_eq!(out, [[5, 5, 5], [1, 2, 3], [5, 5, 5], [5, 5, 5]]);
        assert_eq!((r.bad.count, r.bad.position, r.bad.value), (3, 0, 2));
        gather(&mut out, &table[..1], &ids, Policy::Zero, threads).unwrap();
        assert_eq!(out, [[0, 0, 0], [1, 2, 3], [0, 0, 0], [0, 0, 0]]);
        gather(&mut out, &table[..2], &ids, Policy::Clip, threads).unwrap();
        assert_eq!(out, [[4, 5, 6], [1, 2, 3], [4, 5, 6], [4, 5, 6]]);
        gather(&mut out, &table[..2], &ids, Policy::Wrap, threads).unwrap();
        assert_eq!(out, [[1, 2, 3], [1, 2, 3], [4, 5, 6], [1, 2, 3]]);
    }
}
pub fn more() {
    assert!(Error::Version(20000).to_string().contains("20000"));
    each::<i8>(); each::<i16>(); each::<i32>(); each::<i64>();
    each::<u8>(); each::<u16>(); each::<u32>(); each::<u64>();
    let mut out = [0.5f64; 2];
    for threads in [1, 2] {
        match gather(&mut out, &[1.5], &[0, u64::MAX], Policy::Error, threads) {
            Err(Error::Index(r)) => assert_eq!((r.bad.position, r.bad.is_u64,
                r.bad.value, r.bad.extent), (1, 1, -1, 1)),
            _ => panic!() }
    }
    assert_eq!(gather(&mut [0f32], &[], &[0], Policy::Error, 1).unwrap_err()
        .to_string(), "gather: indices[0] = 0 is not in [0, 0)");
    gather::<f32, i32>(&mut [], &[], &[], Policy::Error, 3).unwrap();
    let mut out = [0u8; 3];     // too short for 5 on one thread, on two for one
    for threads in [1, 2] {
        let e = gather(&mut out, &[8, 9], &[1u8; 5], Policy::Error, threads);
        assert_eq!(e.unwrap_err().to_string(),
            "gather: out holds 3 bytes, 5 are needed");
    }
    match gather(&mut [(); 2], &[(); 2], &[1i32, 0], Policy::Error, 1) {
        Err(Error::Refused(r)) => assert_eq!((r.status, r.value), (9, 0)),
        _ => panic!() }
}
}
fn main() { b::more(); println!("more"); }
END
    check "$f: more, compiled" rustc --edition 2021 -A warnings -g \
        -L build -l ndgather "$T/more.rs" -o "$T/more"
    echo more >"$T/want"
    prints "$f: more" "$T/want" env LD_LIBRARY_PATH="$D/lib" "$T/more"
else skip "$S/rust" 'no rustc (Debian: rustc)'; fi

# ---- LuaJIT ------------------------------------------------------------------

if have luajit; then
    f=$S/lua/ndgather.lua
    commands $f >"$T/run.sh"
    prints "$f" $S/lua/expected.txt sh -e "$T/run.sh"
    cp $f "$T/away"
    prints "$f: installed" $S/lua/expected.txt env CPPFLAGS="$cflags" \
        LD_LIBRARY_PATH="$D/lib" luajit "$T/away/ndgather.lua"
    prints "$f: another patch" $S/lua/expected.txt env CPPFLAGS=-I. \
        LD_LIBRARY_PATH="$T/patch" luajit $f
    refuses "$f: another minor version" \
        "the library is of version $((number + 100)), ndgather.h of $number" \
        env CPPFLAGS=-I. LD_LIBRARY_PATH="$T/minor" luajit $f
    refuses "$f: no header" 'no ndgather.h: say -I in CPPFLAGS' \
        sh -c "cd '$T/away' && LD_LIBRARY_PATH='$D/lib' luajit ndgather.lua"
    cat >"$T/more.lua" <<'END'
local ffi, nd = require "ffi", require "ndgather"
local function array(type, ...)
    return ffi.new(type .. "[?]", select("#", ...), ...)
end
local function text(bytes) return ffi.string(bytes, ffi.sizeof(bytes)) end
for _, t in ipairs { "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t",
        "uint16_t", "uint32_t", "uint64_t", "int", "unsigned char",
        "size_t" } do
    local out = ffi.new "char[6]"
    local r = assert(nd.gather(out, ffi.new("char[6]", "aabbcc"),
        array(t, 2, 0, 7), { params = { 3, 2 }, indices = { 3 },
        policy = "CLIP" }))
    assert(text(out) == "ccaacc" and r.bad.count == 1 and r.bad.position == 2)
end
local letters = ffi.new("char[6]", "abcdef")
local out = ffi.new "char[3]"
assert(nd.gather_nd(out, letters, array("int8_t", -1, -3, 0, 1, 1, -1),
    { params = { 2, 3 }, indices = { 3, 2 }, negative = "FROM_END" }))
assert(text(out) == "dbf")
assert(nd.batch_gather(out, letters, array("uint8_t", 2, 0, 1),
    { params = { 3, 2 }, indices = { 3, 1 }, policy = "ZERO" }))
assert(text(out) == "\0cf")
out = ffi.new "float[2][2]"         -- columns, the last first
assert(nd.gather(out, ffi.new("float[2][2]", { { 1, 2 }, { 3, 4 } }),
    array("int", 1, 0), { params = { 2, 2 }, indices = { 2 }, axis = 1 }))
assert(out[0][0] == 2 and out[0][1] == 1 and out[1][0] == 4 and out[1][1] == 3)
local deep = ffi.new "char[1]"
local function says(want, ...)
    local done, report, line = pcall(...)
    local got = done and (report == nil and line or "no error") or report
    assert(tostring(got):find(want, 1, true), tostring(got))
end
local ids = array("int", 1, 0)
says("gather: indices[1,0] = 5 is not in [0, 3)", nd.gather,
    ffi.new "char[4]", letters, array("uint8_t", 0, 1, 5, 9),
    { params = { 3 }, indices = { 2, 2 } })
says("gather: out holds 1 bytes, 2 are needed", nd.gather, deep, letters, ids,
    { params = { 6 }, indices = { 2 } })
says("params has fewer elements", nd.gather, deep, letters, ids,
    { params = { 7 }, indices = { 1 } })
says("indices has fewer elements", nd.gather, deep, letters, ids,
    { params = { 6 }, indices = { 3 } })
says("no such index type", nd.gather, deep, letters, array("float", 1),
    { params = { 6 }, indices = { 1 } })
says("an array of the ffi is wanted", nd.gather, deep,
    ffi.cast("char *", letters), ids, { params = { 6 }, indices = { 1 } })
says("NDG_CLAP", nd.gather, deep, letters, ids,
    { params = { 6 }, indices = { 1 }, policy = "CLAP" })
says("too many initializers", nd.gather, deep, letters, ids,
    { params = { 1, 1, 1, 1, 6 }, indices = { 1 } })
print "more"
END
    echo more >"$T/want"
    prints "$f: more" "$T/want" env CPPFLAGS=-I. LD_LIBRARY_PATH="$D/lib" \
        LUA_PATH="$S/lua/?.lua" luajit "$T/more.lua"
else skip "$S/lua" 'no luajit (Debian: luajit)'; fi

# ---- Go ----------------------------------------------------------------------

if have go; then
    f=$S/go/ndgather.go
    commands $f >"$T/run.sh"
    prints "$f" $S/go/expected.txt sh -e "$T/run.sh"
    if have gofmt; then is "$f: gofmt" '' "$(gofmt -l $f)"; fi
    check "$f: go vet" go vet $f
    cp $f "$T/away"
    prints "$f: installed" $S/go/expected.txt env CGO_CFLAGS="$cflags" \
        go run "$T/away/ndgather.go"
    # linked, as its comment says
    sed '/^#define NDG/d' $f >"$T/away/ndgather.go"
    is "$f: its #defines" 2 "$(grep -c '^#define NDG' $f)"
    check "$f: linked" env CGO_CFLAGS="$cflags" CGO_LDFLAGS="$libs" \
        go build -o "$T/away/hills" "$T/away/ndgather.go"
    prints "$f: linked" $S/go/expected.txt \
        env LD_LIBRARY_PATH="$D/lib" "$T/away/hills"
    prints "$f: linked, another patch" $S/go/expected.txt \
        env LD_LIBRARY_PATH="$T/patch" "$T/away/hills"
    refuses "$f: linked, another minor version" \
        "libndgather.so is of version $((number + 100))" \
        env LD_LIBRARY_PATH="$T/minor" "$T/away/hills"
    cp $f "$T/away"
    cat >"$T/away/more_test.go" <<'END'
package main

import (
	"errors"
	"math"
	"reflect"
	"testing"
)

type celsius float32
type id uint16

func each[I Integer](t *testing.T) {
	table, ids := []celsius{1, 2, 3, 4, 5, 6}, []I{2, 0, 1, 2}
	for workers := -1; workers < 9; workers++ {
		out := make([]celsius, 8)
		r, err := Gather(out, table, 2, 0, ids, Refuse, workers)
		if err != nil || r.Bad() != 0 ||
			!reflect.DeepEqual(out, []celsius{5, 6, 1, 2, 3, 4, 5, 6}) {
			t.Error(out, r, err)
		}
		r, err = Gather(out, table[:4], 2, 0, ids, Zero, workers)
		if err != nil || r.Bad() != 2 ||
			!reflect.DeepEqual(out, []celsius{0, 0, 1, 2, 3, 4, 0, 0}) {
			t.Error(out, r, err)
		}
		r, err = Gather(out, table, 3, 1, ids, Wrap, workers)
		if err != nil || !reflect.DeepEqual(out, []celsius{3, 1, 2, 3, 6, 4, 5, 6}) {
			t.Error(out, r, err)
		}
	}
}

func TestEach(t *testing.T) {
	each[int8](t)
	each[int16](t)
	each[int32](t)
	each[int64](t)
	each[int](t)
	each[uint8](t)
	each[uint16](t)
	each[uint32](t)
	each[uint64](t)
	each[uint](t)
	each[id](t)
}

func TestRefused(t *testing.T) {
	says := func(want string, err error) {
		var report Report
		if !errors.As(err, &report) || err.Error() != want {
			t.Error(want, err)
		}
	}
	out, one := make([]int64, 2), []int64{7}
	_, err := Gather(out, one, 1, 0, []uint64{0, math.MaxUint64}, Refuse, 2)
	says("gather: indices[1] = 18446744073709551615 is not in [0, 1)", err)
	_, err = Gather(out, one, 1, 0, []int8{0, 0, 0}, Refuse, 1)
	says("gather: out holds 16 bytes, 24 are needed", err)
	_, err = Gather(out, one, 1, 2, []int8{0}, Refuse, 1)
	says("gather: no axis 2: params has rank 2", err)
	_, err = Gather(out, nil, 1, 0, []int8{0}, Refuse, 1)
	says("gather: indices[0] = 0 is not in [0, 0)", err)
	_, err = Gather(nil, one, 1, 0, []int8{0}, Refuse, 3)
	says("gather: out holds 0 bytes, 8 are needed", err)
	if _, err = Gather(nil, one, 1, 0, []int8(nil), Refuse, 3); err != nil {
		t.Error(err)
	}
}
END
    check "$f: more" env CGO_CFLAGS="$cflags" GODEBUG=cgocheck=2 \
        go test -count 1 "$T/away/ndgather.go" "$T/away/more_test.go"
else skip "$S/go" 'no go (Debian: golang-go)'; fi

# ---- make install ------------------------------------------------------------

# files FOLDER: all in it, but folders
files() { (cd "$1" && find . ! -type d | LC_ALL=C sort); }
list="./include/ndgather.h
./include/ndgather_cuda.cuh
./lib/$libname
./lib/$soname
./lib/libndgather.so
./lib/pkgconfig/ndgather.pc
./share/doc/ndgather/README.md
./share/man/man3/ndgather.3"
is 'installed' "$(echo "$list" | sort)" "$(files "$D")"
is 'installed: nothing outside of the prefix' '' \
    "$(files "$R" | grep -v "^\.$P/")"
is 'installed: files that not all may read, or that others may write' '' \
    "$(find "$D" -type f ! -perm 644 ! -name "$libname")"
is 'installed: the library may be run' "$D/lib/$libname" \
    "$(find "$D" -type f -perm 755)"
for f in ndgather.h ndgather_cuda.cuh README.md; do
    where=include; [ $f != README.md ] || where=share/doc/ndgather
    check "installed: $f is this one" cmp $f "$D/$where/$f"
done
for f in $soname libndgather.so; do
    check "installed: $f is the library" cmp build/libndgather.so "$D/lib/$f"
    case $(readlink "$D/lib/$f") in
    libndgather.so.*) ok ;;
    *) no "installed: $f" 'it is no link to what is beside it' ;;
    esac
done
if have readelf; then
    is 'its SONAME' "$soname" "$(readelf -d "$D/lib/$libname" |
        sed -n 's/.*SONAME.*\[\(.*\)\].*/\1/p')"
else skip 'its SONAME' 'no readelf (Debian: binutils)'; fi
if have nm; then
    nm -D --defined-only "$D/lib/$libname" | awk '{ print $3 }' >"$T/names"
    is 'it exports nothing of another name' '' "$(grep -v '^ndg_' "$T/names")"
    is 'it exports what is declared' '' "$(sed 's/ .*//' "$T/prototypes" |
        sort -u | grep -vxF -f "$T/names")"
else skip 'what it exports' 'no nm (Debian: binutils)'; fi

cat >"$T/use.c" <<'END'
#include <ndgather.h>
#include <stdio.h>
int main(void) {
    static const float table[3][2] = { { 0, 1 }, { 10, 11 }, { 20, 21 } };
    const uint16_t     pick[4] = { 2, 0, 7, 2 };
    float              out[4][2];
    char               line[80];
    ndg_report         report;
    ndg_gather_desc    d = NDG_ZERO_INIT;
    d.params = ndg_dims2(3, 2);
    d.indices = ndg_dims1(4);
    d.index_type = NDG_U16;
    d.elem_size = sizeof(float);
    d.policy = NDG_CLIP;
    ndg_gather(out, sizeof out, table, pick, &d, &report);
    ndg_report_text(line, sizeof line, &report, &d.indices);
    printf("%g %g %g %g: %s\n", out[0][0], out[1][0], out[2][0], out[3][0],
           line);
    return ndg_version() != NDG_VERSION;
}
END
strict='-Wall -Wextra -Wpedantic -Werror'
echo '20 0 20 20: gather: indices[2] = 7 is not in [0, 3)' >"$T/want"
check 'a program of C, compiled' \
    $CC -std=c99 $strict $cflags "$T/use.c" -o "$T/use" $libs
prints 'a program of C' "$T/want" env LD_LIBRARY_PATH="$D/lib" "$T/use"

# the manual page: every line of the header's first comment
page=$D/share/man/man3/ndgather.3
is 'ndgather.3: section 3' 1 "$(grep -c '^\.TH NDGATHER 3 ' "$page")"
if have man && MANWIDTH=200 man --warnings -l "$page" >"$T/page" 2>"$T/log"
then
    is 'ndgather.3: warnings' '' "$(cat "$T/log")"
    sed 's/^ *//; s/ *$//; /^$/d' "$T/page" >"$T/page.lines"
    is 'ndgather.3: lines of the header that it lacks' '' "$(sed -n \
        '1,/^ \*\/$/{ 1s|^/\*||; s/^ \*\/*//; s/^ *//; s/ *$//; /^$/d; p; }' \
        ndgather.h | grep -vxF -f "$T/page.lines")"
else skip 'what ndgather.3 says' 'no man -l (Debian: man-db groff-base)'; fi

# ---- C++ ---------------------------------------------------------------------

# Both headers inside extern "C": with a stand-in for CUDA's, and CUDA's.
cat >"$T/both.cpp" <<'END'
#include <cstdio>
extern "C" {
#ifdef CUDA_FIRST
#include <ndgather_cuda.cuh>
#endif
#include <ndgather.h>
#include <ndgather_cuda.cuh>
}
cudaError_t (*launch)(const ndg_gather_plan *, void *, ptrdiff_t, const void *,
                      const void *, ndg_cuda_report *, cudaStream_t);
int main(int argc, char **) {
    const float          table[3] = { 10, 20, 30 };
    const unsigned short ids[2] = { 2, 0 };
    float                out[2];
    if (argc == 99) launch = ndg_cuda_gather_run;
    const ndg_shape shape = ndg_dims1(2);
    return ndg_gather_rows(out, sizeof out, table, 3, sizeof table[0], 0, ids,
                           NDG_TYPE_OF(ids), shape.dim[0], NDG_ERROR, 0)
        || std::printf("%g %g\n", out[0], out[1]) != 6;
}
END
mkdir "$T/cuda"
cat >"$T/cuda/cuda_runtime_api.h" <<'END'
typedef int cudaError_t;
typedef struct CUstream_st *cudaStream_t;
END
# no CUDA here, so the one function that is named has to be somewhere
echo 'int ndg_cuda_gather_run(void) { return 1; }' >"$T/launch.c"
echo '30 10' >"$T/want"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
real=${nvcc%/bin/nvcc}/include
if have "${CXX%% *}" && $CC -c "$T/launch.c" -o "$T/launch.o"; then
    for cuda in "$T/cuda" "$real"; do
        name=$cuda; [ "$cuda" != "$T/cuda" ] || name='a stand-in'
        if [ ! -f "$cuda/cuda_runtime_api.h" ]; then
            skip 'C++ with the headers of CUDA' "none in $cuda"
            continue
        fi
        for flags in -std=c++11 '-std=c++20 -DCUDA_FIRST'; do
            check "extern \"C\" { both headers }, $name, $flags, compiled" \
                $CXX $flags $strict $cflags -isystem "$cuda" "$T/both.cpp" \
                "$T/launch.o" -o "$T/both" $libs
            prints "extern \"C\" { both headers }, $name, $flags" "$T/want" \
                env LD_LIBRARY_PATH="$D/lib" "$T/both"
        done
    done
else skip 'extern "C" { both headers }' "no $CXX (Debian: g++)"; fi

# A module of C++20. Compilers that cannot export a struct of a header, as g++
# 12 and clang 14, are no help.
mkdir "$T/modules"
# module NAME HEADER FUNCTION COMPILER FLAG...: a module exports FUNCTION
module() {
    name=$1 header=$2 function=$3; shift 3
    printf 'module;\n#include <%s>\nexport module %s;\nexport using ::%s;\n' \
        "$header" "$name" "$function" >"$T/modules/$name.cppm"
    printf 'import %s;\nint main() {\n    auto s = %s(2, 3);
    return !(s.rank == 2 && s.dim[1] == 3);\n}\n' "$name" "$function" \
        >"$T/modules/$name.cpp"
    case $1 in
    *clang*)
        (cd "$T/modules" && "$@" -std=c++20 --precompile "$name.cppm" \
            -o "$name.pcm" && c=$1 && shift && "$c" -std=c++20 \
            -fprebuilt-module-path=. "$name.pcm" "$name.cpp" -o "$name") ;;
    *)  (cd "$T/modules" && "$@" -std=c++20 -fmodules-ts -x c++ "$name.cppm" \
            "$name.cpp" -o "$name") ;;
    esac && "$T/modules/$name"
}
cat >"$T/modules/probe.h" <<'END'
typedef struct pair { int rank; long dim[2]; } pair;
inline pair probe_pair(long a, long b) { pair p = { 2, { a, b } }; return p; }
END
compiler=''
for c in "$CXX" clang++ clang++-21 clang++-20 clang++-19 clang++-18 g++-15 g++
do
    have "$c" && module probe probe.h probe_pair "$c" "-I$T/modules" \
        >"$T/log" 2>&1 && { compiler=$c; break; }
done
if [ -n "$compiler" ]; then
    check "a module that exports ndg_dims2, by $compiler" \
        module ndgather ndgather.h ndg_dims2 "$compiler" $cflags
else skip 'a module of C++20' 'no compiler for it (Debian: clang-19)'; fi

# ---- make uninstall ----------------------------------------------------------

touch "$D/include/other.h" "$D/lib/libother.so" "$D/share/man/man3/other.3"
check 'make install, over itself' make install DESTDIR="$R" PREFIX=$P
check 'make uninstall' make uninstall DESTDIR="$R" PREFIX=$P
is 'uninstalled: what is left' './include/other.h
./lib/libother.so
./share/man/man3/other.3' "$(files "$D")"
is 'uninstalled: its folder' '' "$(ls "$D/share/doc")"

# where Debian has libraries, and no DESTDIR
D=$T/usr
check 'make install LIBDIR=' \
    make install PREFIX="$D" LIBDIR="$D/lib/multiarch"
is 'LIBDIR: libraries' "$(echo "$list" | sed -n \
    's|^./lib/|./lib/multiarch/|p' | sort)" "$(files "$D" | grep ^./lib/)"
is 'LIBDIR: ndgather.pc' "$D/lib/multiarch" "$(sed -n \
    's/^libdir=//p' "$D/lib/multiarch/pkgconfig/ndgather.pc")"
check 'make uninstall LIBDIR=' \
    make uninstall PREFIX="$D" LIBDIR="$D/lib/multiarch"
is 'LIBDIR: what is left' '' "$(files "$D")"

tally bindings
