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
-include Makefile.config

STRICT  = -std=c99 -Wall -Wextra -Wpedantic
B       = build
built   = $(patsubst %.c,$(B)/%,$(notdir $(wildcard $(1))))
TESTS   = $(call built,tests/library/test_*.c)
SCRIPTS = $(filter-out %/test_cuda_device.sh,$(wildcard tests/*/test_*.sh))
EXAMPLES = $(call built,examples/*.c examples/tool/*.c) \
    $(if $(shell command -v $(CXX)),$(B)/views)
HEADERS = ndgather.h $(wildcard examples/*.h examples/tool/*.h \
    tests/lib/*.h tests/library/*.h)
PROGRAMS = $(B)/ndgather $(B)/picture $(B)/mknpy    # what the scripts run

all: $(B)/ndgather                    ## the command-line tool

run: $(PROGRAMS) $(B)/tilemap $(B)/text   ## the best of the examples
	@sh examples/run.sh

examples: $(EXAMPLES)                 ## all of examples/, into build/

test: $(PROGRAMS) $(TESTS)            ## everything a C compiler can prove
	@sh tests/lib/run.sh $(TESTS) $(SCRIPTS)

check: $(PROGRAMS) $(TESTS)           ## sanitizers, compilers, 32 bits, peers
	@CC='$(CC)' CXX='$(CXX)' PYTHON='$(PYTHON)' sh tests/check.sh

sanitize:                             ## the C tests under ASan and UBSan
	@CC='$(CC)' sh tests/check.sh sanitize

bench: $(B)/bench_bench               ## beside naive loops and ceilings
	@BENCH='$(BENCH)' $(B)/bench_bench
	@$(MAKE) --no-print-directory bench-small

bench-small: | $(B)                   ## few rows, bad indices: gcc and clang
	@for cc in gcc:$(GCC) clang:$(CLANG); do \
	    if command -v $${cc#*:} >/dev/null; then \
	        $(MAKE) -s $(B)/bench_small_$${cc%%:*} && echo && \
	        BENCH='$(BENCH)' $(B)/bench_small_$${cc%%:*} || exit 1; \
	    else echo "skip: bench-small: no $${cc#*:}"; fi; done

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

size:                                 ## code and stack, also of a Cortex-M
	@CC='$(CC)' sh tests/forms/size.sh

dist:                                 ## the headers and README as an archive
	@CC='$(CC)' CXX='$(CXX)' sh tests/forms/dist.sh

shared: $(B)/libndgather.so           ## the library for other languages

clean:                                ## removes build/
	rm -rf $(B) hello

help:                                 ## this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1	\2/p' Makefile

# Programs lie flat in build/, whichever folder they are from.
vpath %.c examples examples/tool tests/library tests/lib
$(B)/ndgather $(B)/jobs: THREADS = -lpthread
$(B)/%: %.c $(HEADERS) | $(B)
	$(CC) $(CPPFLAGS) $(STRICT) $(CFLAGS) $(LDFLAGS) $< -o $@ $(LDLIBS) $(THREADS)

$(filter %_far,$(TESTS)): $(B)/%_far: %.c      # which it includes

$(B)/views: examples/views.cpp ndgather.h | $(B)
	$(CXX) $(CPPFLAGS) -std=c++17 -Wall -Wextra -Wpedantic $(CFLAGS) \
	    $(LDFLAGS) $< -o $@ $(LDLIBS) -lpthread

$(B)/bench_%: tests/bench/%.c $(wildcard tests/bench/*.h) ndgather.h | $(B)
	$(CC) $(CPPFLAGS) $(STRICT) $(CFLAGS) '-DBENCH_FLAGS="$(CFLAGS)"' \
	    $(LDFLAGS) $< -o $@ $(LDLIBS) -lpthread

$(B)/bench_small_gcc:   SMALL_CC = $(GCC)
$(B)/bench_small_clang: SMALL_CC = $(CLANG)
$(B)/bench_small_gcc $(B)/bench_small_clang: tests/bench/small.c \
    $(wildcard tests/bench/small_*.h) ndgather.h | $(B)
	$(SMALL_CC) $(CPPFLAGS) $(STRICT) -O2 '-DBENCH_FLAGS="-O2"' $(LDFLAGS) \
	    $< -o $@ $(LDLIBS)

$(B)/libndgather.so: ndgather.h | $(B)
	$(CC) $(STRICT) $(CFLAGS) -fPIC -shared -DNDGATHER_IMPLEMENTATION -x c $< -o $@

$(B):
	mkdir -p $@

.PHONY: all run examples test check sanitize bench bench-small bench-peers \
    test-cuda bench-cuda size dist shared clean help
