-- ndgather.lua - ndgather from LuaJIT, by its ffi
--
--     make shared
--     CPPFLAGS=-I. LD_LIBRARY_PATH=build \
--         luajit examples/bindings/lua/ndgather.lua
--
-- The declarations are read out of the header, by $CC; nothing of it is written
-- again but ndg_dims. Where there is no compiler, keep what declarations gave.
local ffi = require "ffi"

-- What stands in ndgather.h itself: LuaJIT knows the types of <stdint.h>. It
-- takes no functions with bodies, and no library exports those.
local function declarations()
    local source = "#include <ndgather.h>\nenum { NDG_HEADER = NDG_VERSION };"
    local pipe = io.popen(("printf '%s\\n' | %s %s -E -"):format(source,
        os.getenv "CC" or "cc", os.getenv "CPPFLAGS" or ""))
    local ours, lines = false, {}
    for line in pipe:lines() do
        local file = line:match '^# %d+ "(.-)"'
        if file then ours = file:find "ndgather%.h$" or file == "<stdin>"
        elseif ours then lines[#lines + 1] = line end
    end
    pipe:close()
    local text = table.concat(lines, "\n")
    if not text:find "ndg_gather" then
        error "no ndgather.h: say -I in CPPFLAGS"
    end
    return (text:gsub("static inline [^;{]-%b()%s*%b{}", ""))
end
ffi.cdef(declarations())
local C = ffi.load "ndgather"
local library, header = C.ndg_version(), tonumber(C.NDG_HEADER)
if math.floor(library / 100) ~= math.floor(header / 100) then   -- other structs
    error(("the library is of version %d, ndgather.h of %d"):format(library,
        header))
end

-- { 2, 3 }, or { 2, 3, strides = { 12, 4 } } in bytes; up to four axes.
local function ndg_dims(dims)
    return ffi.new("ndg_shape", #dims, dims.strides and 1 or 0, dims,
        dims.strides or {})
end

-- The name of what an array holds, and the codes of those that pick.
local function element(array)
    return tostring(ffi.typeof(array)):match "<(.-) ?%[" or
        error("an array of the ffi is wanted", 4)
end
local codes = {}
for code in ("I8 I16 I32 I64 U8 U16 U32 U64"):gmatch "%w+" do
    local name = code:gsub("I", "int"):gsub("U", "uint") .. "_t"
    codes[element(ffi.new(name .. "[1]"))] = C["NDG_" .. code]
end

-- An array in C order has to be there whole. Strides are taken as they are.
local function whole(what, array, dims)
    local bytes = ffi.sizeof(element(array))
    for _, n in ipairs(dims) do bytes = bytes * n end
    if not dims.strides and bytes > ffi.sizeof(array) then
        error(what .. " has fewer elements than its shape", 3)
    end
end

-- gather(out, params, indices, desc), gather_nd and batch_gather: desc has the
-- fields of ndg_gather_desc, { params = { 2, 3 }, indices = { 5 }, policy =
-- "CLIP" }. Returns a report, or nil and the line that says what is wrong.
local M, line = {}, ffi.typeof "char[256]"
local prefix = { policy = "NDG_", negative = "NDG_NEGATIVE_" }
for _, op in ipairs { "gather", "gather_nd", "batch_gather" } do
    M[op] = function(out, params, indices, desc)
        whole("params", params, desc.params)
        whole("indices", indices, desc.indices)
        local d, report = ffi.new "ndg_gather_desc", ffi.new "ndg_report"
        d.elem_size = ffi.sizeof(element(params))
        d.index_type = codes[element(indices)] or error("no such index type", 2)
        for name, v in pairs(desc) do
            if name == "fill" then ffi.copy(d.fill, v, math.min(#v, 16))
            elseif type(v) == "table" then d[name] = ndg_dims(v)
            elseif prefix[name] then d[name] = C[prefix[name] .. v]
            else d[name] = v end
        end
        C["ndg_" .. op](out, ffi.sizeof(out), params, indices, d, report)
        local text = line()
        C.ndg_report_text(text, 256, report, d.indices)
        return report.status == 0 and report or nil, ffi.string(text)
    end
end
if ... then return M end    -- by require "ndgather"; else it is run:

-- A map of tiles, from a sheet of 8, each 2 lines of 4. index_add: numbers are
-- from 1, as in Lua. out is strided, so that tiles stand beside each other.
local sheet = ffi.new("char[65]", [[
     _   .---.   /\  ||     /--\
    (_) (_____) /__\_||_____|[]|]])
local map = ffi.new("uint8_t[56]", {
    1, 1, 1, 1, 1, 1, 1, 3, 4, 1, 1, 1, 2, 1,
    1, 3, 4, 1, 1, 1, 1, 1, 1, 3, 4, 1, 1, 1,
    1, 5, 1, 1, 1, 5, 1, 9, 1, 1, 1, 1, 5, 1,
    7, 6, 7, 8, 7, 6, 7, 8, 8, 7, 7, 5, 6, 7 })
local out = ffi.new "char[456]"
ffi.fill(out, 456, 10)      -- the ends of lines stay
local desc = { indices = { 4, 14 }, index_add = -1, policy = "FILL", fill = "?",
    params = { 8, 2, 4, strides = { 4, 33, 1 } },
    out = { 4, 14, 2, 4, strides = { 114, 4, 57, 1 } } }
local report, text = M.gather(out, sheet, map, desc)
io.write((ffi.string(out, 456):gsub(" +\n", "\n")), text, "\n")
desc.axis = 3
print(select(2, M.gather(out, sheet, map, desc)))
