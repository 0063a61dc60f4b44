# ndgather: `make` builds the tool, `make run` shows it at work, `make test`
# proves it with a C compiler and make alone. `make help` lists the rest.

CC      = cc
CXX     = c++
GCC     = gcc
CLANG   = clang
CFLAGS  = -O2
CPPFLAGS = -I.
LDLIBS  =
PYTHON  = python3
NVCC    = $(firstword $(shell command -v nvcc) $(wildcard \
    /usr/local/cuda/bin/nvcc) nvcc)
NVCCFLAGS = -O2 -arch=all-major
-include Makefile.config

# As many compilers at once as there are processors.
MAKEFLAGS += -j$(shell getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)

STRICT  = -std=c99 -Wall -Wextra -Wpedantic
B       = build
built   = $(patsubst %.c,$(B)/%,$(notdir $(wildcard $(1))))
TESTS   = $(call built,tests/library/test_*.c)
SCRIPTS = $(filter-out %/test_cuda_device.sh,$(wildcard tests/*/test_*.sh))
# The slow ones first; the slowest of the programs is left to make check.
RAN     = $(patsubst %,$(B)/ran/%,$(notdir $(SCRIPTS) \
    $(filter-out %/test_cover_most,$(TESTS))))
EXAMPLES = $(call built,examples/*.c examples/tool/*.c examples/gpt/*.c) \
    $(if $(shell command -v $(CXX)),$(B)/views)
HEADERS = ndgather.h $(wildcard examples/*.h examples/tool/*.h examples/gpt/*.h \
    tests/lib/*.h tests/library/*.h)
PROGRAMS = $(B)/ndgather $(B)/picture $(B)/mknpy    # what the scripts run

all: $(B)/ndgather                    ## the command-line tool

run: $(PROGRAMS) $(B)/tilemap $(B)/text   ## the best of the examples
	@sh examples/run.sh

examples: $(EXAMPLES)                 ## all of examples/, into build/

test: $(RAN)                          ## everything a C compiler can prove
	@echo "skip: test_cover_most: make check runs it"
	@[ -n "$(FULL)" ] || echo "skip: examples, pages, forms and kernels with" \
	    "the fast engine: make check, or FULL=1 make test"
	@sh tests/lib/run.sh sum $(notdir $(RAN))

$(RAN): $(PROGRAMS) $(TESTS)          # as many at once as there are processors
	@sh tests/lib/run.sh $(@F)

check: $(PROGRAMS) $(TESTS)           ## sanitizers, compilers, 32 bits, peers
	@CC='$(CC)' CXX='$(CXX)' PYTHON='$(PYTHON)' BRIEF=1 sh tests/check.sh

check-all: $(PROGRAMS) $(TESTS)       ## with every compiler and platform
	@CC='$(CC)' CXX='$(CXX)' PYTHON='$(PYTHON)' sh tests/check.sh

audit: $(PROGRAMS) $(TESTS)           ## hours: fuzzing, proofs, every mutant
	@CC='$(CC)' CXX='$(CXX)' PYTHON='$(PYTHON)' sh tests/audit.sh $(FUZZ)

sanitize:                             ## the C tests under ASan and UBSan
	@CC='$(CC)' sh tests/check.sh sanitize

bench: $(B)/bench_cc                  ## beside naive loops and ceilings
	@BENCH='$(BENCH)' $(B)/bench_cc large
	@$(MAKE) --no-print-directory bench-small

bench-small: | $(B)                   ## few rows, bad indices: gcc and clang
	@for cc in gcc:$(GCC) clang:$(CLANG); do \
	    if command -v $${cc#*:} >/dev/null; then \
	        $(MAKE) -s $(B)/bench_$${cc%%:*} && echo && \
	        BENCH='$(BENCH)' $(B)/bench_$${cc%%:*} small || exit 1; \
	    else echo "skip: bench-small: no $${cc#*:}"; fi; done

bench-versus:                         ## REV=COMMIT: its header beside this one
	@CC='$(CC)' CFLAGS='$(CFLAGS)' LDFLAGS='$(LDFLAGS)' REV='$(REV)' \
	    BENCH='$(BENCH)' sh tests/bench/versus.sh

bench-peers: $(B)/venv-peers/ready    ## beside NumPy, PyTorch, TensorFlow ...
	@$(B)/venv-peers/bin/python tests/bench/peers/bench_peers.py $(BENCH)

$(B)/venv-peers/ready: | $(B)
	$(PYTHON) -m venv $(@D)
	@for p in numpy torch tensorflow-cpu onnxruntime onnx pyarrow; do \
	    $(@D)/bin/pip install -q $$p || echo "skip: $$p"; done
	@touch $@

test-cuda:                            ## on a GPU: bytes, reports, sanitizers
	@sh tests/cuda/test_cuda_device.sh $(MODES)

bench-cuda:                           ## on a GPU: beside PyTorch, JAX, CuPy, CUB
	@PYTHON='$(PYTHON)' sh tests/bench/bench_cuda.sh $(BENCH)

fuzz:                                 ## FUZZ=3600: for an hour a target
	@sh tests/fuzz/fuzz.sh $(FUZZ)

coverage:                             ## lines, branches, MC/DC, by clang-19
	@PYTHON='$(PYTHON)' sh tests/coverage/coverage.sh $(PARTS)

prove:                                ## its arithmetic, proved: one table
	@CC='$(CC)' CXX='$(CXX)' PYTHON='$(PYTHON)' sh tests/proof/prove.sh

size:                                 ## code and stack, also of a Cortex-M
	@CC='$(CC)' sh tests/forms/size.sh

mutation:                             ## COUNT=0: every place; HEADER=cuda
	@CC='$(CC)' CXX='$(CXX)' $(PYTHON) tests/mutation/mutate.py $(HEADER) $(COUNT)

dist:                                 ## the headers and README as an archive
	@CC='$(CC)' CXX='$(CXX)' sh tests/forms/dist.sh

shared: $(B)/libndgather.so           ## the library for other languages

shared-cuda: $(B)/libndgather_cuda.so ## the same with the CUDA companion

# Where distributions want them: PREFIX, and DESTDIR before all paths. Structs may
# grow in a minor version, so the library is named by it.
PREFIX  = /usr/local
INCLUDEDIR = $(PREFIX)/include
LIBDIR  = $(PREFIX)/lib
DATADIR = $(PREFIX)/share
VERSION = $(shell sed -n '1s/.* v\([0-9.]*\) .*/\1/p' ndgather.h)
SONAME  = libndgather.so.$(basename $(VERSION))
LIBNAME = libndgather.so.$(VERSION)
INSTALLED = $(addprefix $(DESTDIR),$(INCLUDEDIR)/ndgather.h \
    $(INCLUDEDIR)/ndgather_cuda.cuh $(addprefix $(LIBDIR)/,$(LIBNAME) $(SONAME) \
    libndgather.so pkgconfig/ndgather.pc) $(DATADIR)/man/man3/ndgather.3 \
    $(DATADIR)/doc/ndgather/README.md)

install: $(B)/libndgather.so          ## PREFIX= DESTDIR=: headers, library, manual
	@printf '%s\n' 'prefix=$(PREFIX)' 'includedir=$(INCLUDEDIR)' \
	    'libdir=$(LIBDIR)' '' 'Name: ndgather' 'Version: $(VERSION)' \
	    'Description: gather, scatter, stitch and partition n-d arrays' \
	    'Cflags: -I$${includedir}' 'Libs: -L$${libdir} -lndgather' \
	    >$(B)/ndgather.pc
	@{ echo '.TH NDGATHER 3 2026-11-27 "ndgather $(VERSION)"'; \
	    echo '.SH NAME'; echo 'ndgather \- slices of n-d arrays by index'; \
	    echo '.SH DESCRIPTION'; echo .nf; \
	    sed -n '1s|^/\*|  |; s/\\/\\e/g; s/^[ ]\*//; s/^[.]/\\\&./; 1,/^\//p' \
	    ndgather.h | sed '$$d'; } >$(B)/ndgather.3
	install -d $(sort $(dir $(INSTALLED)))
	install -m 644 ndgather.h ndgather_cuda.cuh $(DESTDIR)$(INCLUDEDIR)
	install -m 755 $< $(DESTDIR)$(LIBDIR)/$(LIBNAME)
	ln -sf $(LIBNAME) $(DESTDIR)$(LIBDIR)/$(SONAME)
	ln -sf $(SONAME) $(DESTDIR)$(LIBDIR)/libndgather.so
	install -m 644 $(B)/ndgather.pc $(DESTDIR)$(LIBDIR)/pkgconfig
	install -m 644 $(B)/ndgather.3 $(DESTDIR)$(DATADIR)/man/man3
	install -m 644 README.md $(DESTDIR)$(DATADIR)/doc/ndgather

uninstall:                            ## takes them away again
	rm -f $(INSTALLED)
	@rmdir $(DESTDIR)$(DATADIR)/doc/ndgather 2>/dev/null || true

clean:                                ## removes build/
	rm -rf $(B) hello

help:                                 ## this list
	@sed -n 's/^\([a-z0-9-]*\):.*## \(.*\)/make \1	\2/p' Makefile \
	    examples/*/Makefile

# Programs lie flat in build/, whichever folder they are from.
vpath %.c examples examples/tool examples/gpt tests/library tests/lib
$(B)/ndgather $(B)/jobs: THREADS = -lpthread
$(B)/step: THREADS = -lm
$(B)/%: %.c $(HEADERS) | $(B)
	$(CC) $(CPPFLAGS) $(STRICT) $(CFLAGS) $(LDFLAGS) $< -o $@ $(LDLIBS) $(THREADS)

# The functions of most tests are compiled once; a test that defines more before
# it includes them has its own. (lib.sh says the same to the scripts.)
OWN  = $(filter %_small %/test_hooks %/test_moving %/test_cover_stream \
                %/test_counts,$(TESTS))
FAR  = $(filter %_far,$(TESTS))
NEAR = $(filter-out $(OWN) $(FAR),$(TESTS))
$(FAR): $(B)/%_far: %.c                        # which it includes
$(B)/test_moving_memory_small: test_moving_memory.c

$(FAR): $(B)/%: %.c $(B)/far.o $(HEADERS)
	$(CC) $(CPPFLAGS) $(STRICT) $(CFLAGS) $(LDFLAGS) -DTEST_LINKED $< \
	    $(B)/far.o -o $@ $(LDLIBS)

$(NEAR): $(B)/%: %.c $(B)/near.o $(HEADERS)
	$(CC) $(CPPFLAGS) $(STRICT) $(CFLAGS) $(LDFLAGS) -DTEST_LINKED $< \
	    $(B)/near.o -o $@ $(LDLIBS)

$(B)/near.o $(B)/far.o: tests/lib/functions.c ndgather.h | $(B)
	$(CC) $(CPPFLAGS) $(STRICT) $(CFLAGS) $(FLAGS_$(*F)) -c $< -o $@
FLAGS_far = -DNDGI_FAR_BYTES=0 -DNDGI_HUGE_BYTES=512 -DNDGI_STREAM_BYTES=0

$(B)/views: examples/views.cpp ndgather.h | $(B)
	$(CXX) $(CPPFLAGS) -std=c++17 -Wall -Wextra -Wpedantic $(CFLAGS) \
	    $(LDFLAGS) $< -o $@ $(LDLIBS) -lpthread

$(B)/bench_cc:    BENCH_CC = $(CC) $(CFLAGS) '-DBENCH_FLAGS="$(CFLAGS)"'
$(B)/bench_gcc:   BENCH_CC = $(GCC) -O2 '-DBENCH_FLAGS="-O2"'
$(B)/bench_clang: BENCH_CC = $(CLANG) -O2 '-DBENCH_FLAGS="-O2"'
$(B)/bench_cc $(B)/bench_gcc $(B)/bench_clang: tests/bench/bench.c \
    $(wildcard tests/bench/*.h) ndgather.h | $(B)
	$(BENCH_CC) $(CPPFLAGS) $(STRICT) $(LDFLAGS) $< -o $@ $(LDLIBS) -lpthread

$(B)/libndgather.so: ndgather.h | $(B)
	$(CC) $(STRICT) $(CFLAGS) -fPIC -shared -Wl,-soname,$(SONAME) $(LDFLAGS) \
	    -DNDGATHER_IMPLEMENTATION -x c $< -o $@
	@ln -sf $(@F) $(B)/$(SONAME)

$(B)/libndgather_cuda.so: ndgather_cuda.cuh ndgather.h | $(B)
	$(NVCC) $(NVCCFLAGS) -std=c++17 -Xcompiler -fPIC -shared \
	    -DNDGATHER_IMPLEMENTATION -DNDG_CUDA_IMPLEMENTATION -x cu $< -o $@

# Programs with the libraries of their field: each has a Makefile in its folder.
game game-picture lv2 lv2-picture mpi mpi-bench python:
	@$(MAKE) --no-print-directory -f examples/$(firstword $(subst -, ,$@))/Makefile \
	    $@ $(foreach v,B CC CFLAGS CPPFLAGS LDFLAGS LDLIBS PYTHON STRICT,'$v=$($v)')
lv2-picture: lv2                      # not both at once
mpi-bench: mpi
game-picture: $(filter game,$(MAKECMDGOALS))

$(B):
	mkdir -p $@

.PHONY: $(RAN) all run examples test check audit sanitize bench bench-small \
    bench-versus bench-peers test-cuda bench-cuda fuzz prove coverage mutation \
    game game-picture lv2 lv2-picture mpi mpi-bench python \
    size dist shared shared-cuda install uninstall clean help
