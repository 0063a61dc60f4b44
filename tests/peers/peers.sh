#!/bin/sh
# peers.sh [SECONDS] - other libraries' own tests, driving build/ndgather:
# NumPy's tests of take (numpy_take.py); ONNX's node tests of Gather, GatherND
# and ScatterND (tests/tool/cli_onnx.py); then random cases of all ops beside
# live TensorFlow, of a new seed each time, for SECONDS (60) and once at least.
# SEED, if set, is the first seed: each is told. What is missing is named and
# skipped. From the root, after `make`; PYTHON is one that has the packages.
# Last line: peers: N passed, N failed.
. tests/lib/lib.sh
PYTHON=${PYTHON:-python3}
B=build/peers
mkdir -p $B
seconds=${1:-60}
case $seconds in
*[!0-9]*) echo "peers.sh: not seconds: $seconds"; exit 2 ;;
esac

# part SCRIPT ARGUMENT...: one that counts for itself in its last line.
part() {
    part_name=$(basename "$1" .py)
    "$PYTHON" "$@" >$B/said 2>$B/words
    part_status=$?
    # shellcheck disable=SC2046
    set -- $(counted $B/said)
    case $#,$part_status in
    2,*)
        sed '$d' $B/said
        passed=$((passed + $1)); failed=$((failed + $2))
        echo "$part_name: $1 passed, $2 failed"
        if [ "$2" = 0 ] && [ $part_status != 0 ]; then
            bad "$part_name: counts no failure but exits $part_status"
        fi ;;
    *,0)
        cat $B/said
        missing=1
        grep -q '^skip: ' $B/said || bad "$part_name: ended without a count" ;;
    *)
        cat $B/said
        bad "$part_name: ended with status $part_status, without a count"
        tail -n 5 $B/words ;;
    esac
}

[ -x "${NDGATHER:-build/ndgather}" ] || {
    bad "no build/ndgather: make"; tally peers; exit 1
}
have "$PYTHON" || { skip peers "no $PYTHON"; tally peers; exit 0; }
part tests/peers/numpy_take.py
part tests/tool/cli_onnx.py

seed=${SEED:-$(date +%s)}
end=$(($(date +%s) + seconds))
missing=
while :; do
    before=$failed
    part tests/tool/cli_random.py "$seed" 400
    ! grep -q "^skip: cli_random" $B/said || missing=1
    [ -z "$missing" ] || break
    echo "    of seed $seed"
    [ "$failed" = "$before" ] || break
    seed=$((seed + 1))
    [ "$(date +%s)" -lt $end ] || break
done
tally peers
