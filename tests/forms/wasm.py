"""wasm.py PROGRAM - runs a WASI program, in the folder it is called from."""
import sys

import wasmtime

engine = wasmtime.Engine()
linker = wasmtime.Linker(engine)
linker.define_wasi()
store = wasmtime.Store(engine)
config = wasmtime.WasiConfig()
config.argv = sys.argv[1:2]
config.preopen_dir(".", ".")
config.inherit_stdout()
config.inherit_stderr()
store.set_wasi(config)
module = wasmtime.Module.from_file(engine, sys.argv[1])
try:
    linker.instantiate(store, module).exports(store)["_start"](store)
except wasmtime.ExitTrap as e:
    sys.exit(e.code)
