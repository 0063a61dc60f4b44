# extract.awk NAME... ndgather.h, as `awk -f extract.awk -v names="a b" HEADER`:
# prints the text of functions, types, tables and macros by their names, as it
# stands in the header. Each must be there exactly once: else it says which is
# not and fails, so that nothing old is ever proved.

BEGIN {
    n = split(names, want, " ")
    for (i = 1; i <= n; i++) wanted[want[i]] = 1
}

# What a line at the margin defines, or nothing.
function named(line,    s) {
    if (line ~ /^#define [A-Za-z0-9_]+/) {
        s = line; sub(/^#define /, "", s); sub(/[^A-Za-z0-9_].*/, "", s)
        return s
    }
    if (line ~ /^typedef struct [a-z_0-9]+ \{/) {
        s = line; sub(/^typedef struct /, "", s); sub(/ .*/, "", s)
        return s
    }
    if (line ~ /^static const .*\] = \{.*\};$/) {
        s = line; sub(/\[.*/, "", s); sub(/.*[ *]/, "", s)
        return s
    }
    if (line ~ /^(NDG[A-Z_]*|static) .*\(/) {
        s = line; sub(/\(.*/, "", s); sub(/.*[ *]/, "", s)
        return s
    }
    return ""
}

# A function begins where its name stands and is one if a { comes before a ;.
/^[A-Za-z#]/ && !inside {
    what = named($0)
    if (what in wanted) { inside = 1; text = ""; kind = substr($0, 1, 1) }
}
inside {
    text = text $0 "\n"
    if (kind == "#") done = $0 !~ /\\$/
    else done = $0 ~ /^}/ || (text !~ /\n.*\n/ && $0 ~ /(}|};|} [a-z_]+;)$/)
    if (kind != "#" && text !~ /\{/ && $0 ~ /;$/) { inside = 0; next }
    if (done) { inside = 0; seen[what]++; all = all text }
}

END {
    for (i = 1; i <= n; i++)
        if (seen[want[i]] != 1) {
            print "extract: " seen[want[i]] + 0 " times: " want[i] \
                >"/dev/stderr"
            bad = 1
        }
    if (bad) exit 1
    printf "%s", all
}
