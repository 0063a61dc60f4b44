// ndgather.go - ndgather from Go: slices of numbers, goroutines, errors
//
//	go run examples/bindings/go/ndgather.go
//
// cgo reads the header, so nothing of it is written again, and compiles it into
// the program, so there is no library to find. To link libndgather.so instead
// take the two #defines out and say CGO_LDFLAGS="-L$PWD/build -lndgather".
package main

/*
#cgo CFLAGS: -I${SRCDIR}/../../..
#define NDG_STATIC
#define NDGATHER_IMPLEMENTATION
#include <ndgather.h>
*/
import "C"

import (
	"bytes"
	"fmt"
	"unsafe"
)

// Integer is what picks, Number what arrays hold: no pointers, which C must not
// copy behind the back of Go's collector.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int |
		~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint
}
type Number interface{ Integer | ~float32 | ~float64 }

// Policy says what becomes of bad indices: NDG_CLIP and so on.
type Policy C.int

const Refuse, Zero, Clip Policy = C.NDG_ERROR, C.NDG_ZERO, C.NDG_CLIP
const Wrap, Keep Policy = C.NDG_WRAP, C.NDG_KEEP

// Report is what a gather has to say. After a failure it is the error.
type Report C.ndg_report

func (r Report) Bad() int { return int(r.bad.count) }
func (r Report) Error() string {
	var line [256]C.char
	C.ndg_report_text(&line[0], 256, (*C.ndg_report)(&r), nil)
	return C.GoString(&line[0])
}

func init() { // if it is linked: another minor version has other structs
	if C.ndg_version()/100 != C.NDG_VERSION/100 {
		panic(fmt.Sprint("libndgather.so is of version ", C.ndg_version()))
	}
}

// Whether an index has a sign, and its bytes: what the header calls it.
var types = map[bool][9]C.int{
	true:  {1: C.NDG_I8, 2: C.NDG_I16, 4: C.NDG_I32, 8: C.NDG_I64},
	false: {1: C.NDG_U8, 2: C.NDG_U16, 4: C.NDG_U32, 8: C.NDG_U64}}

func at[T any](slice []T) unsafe.Pointer { // of the first, if there is one
	return *(*unsafe.Pointer)(unsafe.Pointer(&slice))
}

// Gather picks ids along an axis, 0 or 1, of a table that is width wide, in as
// many ranges of ids as there are workers.
func Gather[T Number, I Integer](out, table []T, width, axis int, ids []I,
	policy Policy, workers int) (Report, error) {
	var desc C.ndg_gather_desc
	var plan C.ndg_gather_plan
	var all C.ndg_report
	desc.params = C.ndg_dims2(C.ptrdiff_t(len(table)/width), C.ptrdiff_t(width))
	desc.indices = C.ndg_dims1(C.ptrdiff_t(len(ids)))
	desc.elem_size = C.ptrdiff_t(unsafe.Sizeof(*new(T)))
	desc.index_type = types[^I(0) < 0][unsafe.Sizeof(*new(I))]
	desc.axis, desc.policy = C.int(axis), C.int(policy)
	if workers < 1 {
		workers = 1
	}
	if C.ndg_plan_gather(&plan, &desc, &all) != C.NDG_OK {
		return Report(all), Report(all)
	}
	parts := make(chan C.ndg_report)
	for w := 0; w < workers; w++ {
		go func(first, last int) {
			var part C.ndg_report
			C.ndg_gather_run_range(&plan, at(out),
				C.ptrdiff_t(len(out))*desc.elem_size, at(table), at(ids),
				C.ptrdiff_t(first), C.ptrdiff_t(last), &part)
			parts <- part
		}(len(ids)*w/workers, len(ids)*(w+1)/workers)
	}
	for w := 0; w < workers; w++ { // as they come: any order will do
		part := <-parts
		C.ndg_report_merge(&all, &part)
	}
	if all.status != C.NDG_OK {
		return Report(all), Report(all)
	}
	return Report(all), nil
}

func main() { // the table: land of height 0 to 6, and what ends a line
	table := []byte("      ^\n     ^:\n    ^::\n   ^:::\n  ^::::\n" +
		" ^:::::\n~::::::\n")
	ids := make([]int8, 77)
	for x := range ids {
		p, q := x%19-9, x%29-14
		ids[x] = int8(6 - p*p/11 - q*q/40)
	}
	ids[76] = 7
	out, again := make([]byte, 7*77), make([]byte, 7*77)
	report, err := Gather(out, table, 8, 1, ids, Clip, 1)
	fmt.Printf("%s%v, %v\n", out, report, err)
	report, err = Gather(again, table, 8, 1, ids, Clip, 4)
	fmt.Println("four workers, the same bytes:", bytes.Equal(out, again))
	_, err = Gather(again, table, 8, 1, []uint16{3, 700}, Refuse, 2)
	fmt.Println(err)
}
