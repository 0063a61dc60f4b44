# table.awk: what the provers said, one line for each claim of a function. Reads
# lines of result, function, claim, prover, seconds, assumed between tabs. A
# claim that was proved of several types or widths is one line.

BEGIN { FS = "\t" }
NF < 5 { print; next }
$1 == "same" {            # a term beside C: one line for each function
    cases = $3; sub(/.*, /, "", cases); sub(/ .*/, "", cases)
    same[$2]++; tried[$2] += cases; sames++; tries += cases
    next
}
{
    claim = $3; bits = ""
    if ($1 == "proved") sub(/^(I|U)(8|16|32|64), (little|big)[:,] */, "", claim)
    if ($1 == "proved") sub(/^depth [0-9]: /, "", claim)
    if ($1 == "proved") sub(/^[0-7]: /, "", claim)
    prover = $4
    if (match(prover, /, [0-9]+ bits$/)) {
        bits = substr(prover, RSTART + 2, RLENGTH - 7)
        prover = substr(prover, 1, RSTART - 1)
    }
    key = $2 "\t" $1 "\t" claim "\t" prover "\t" $6
    if (!($2 in first)) { first[$2] = 1; names[++n] = $2 }
    if (!(key in count)) { k[$2]++; line[$2, k[$2]] = key }
    count[key]++; spent[key] += $5
    if (bits != "" && index(" " widths[key] " ", " " bits " ") == 0)
        widths[key] = widths[key] (widths[key] == "" ? "" : " ") bits
}
END {
    for (i = 1; i <= n; i++) {
        print names[i]
        for (j = 1; j <= k[names[i]]; j++) {
            split(line[names[i], j], f, "\t")
            key = line[names[i], j]
            times = count[key] > 1 ? " x " count[key] : ""
            width = widths[key]; sub(" ", " and ", width)
            printf "  %-7s %5.1f s  %s%s%s: %s%s\n", f[2], spent[key], f[4], \
                (width == "" ? "" : ", " width " bits"), times, f[3], \
                (f[5] == "" ? "" : "\n" sprintf("%18s", "") "given: " f[5])
        }
        if (names[i] in same)
            printf "  same             z3's term beside C: %d cases\n", \
                tried[names[i]]
    }
}
