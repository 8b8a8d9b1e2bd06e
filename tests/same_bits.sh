#!/usr/bin/env bash
# The command ends every scene with the same hash in every build that there is (gcc and clang, release and debug).
# test_determinism has all numbers of threads and all SIMD levels; here each scene has one other of either.
set -uo pipefail

failures=0
compared=0
frames=4
turn=0

hash_of() {
    "$@" --frames "$frames" --hash --quiet 2>/dev/null | sed -n 's/^state-hash: //p'
}

levels=(baseline)
for level in avx2 avx512; do
    if "$MOTE" run overlap --frames 0 --simd "$level" >/dev/null 2>&1; then
        levels+=("$level")
    fi
done

# The other builds, for the one that is none of them: that is enough to know that all are alike.
others=()
if ! [ "$MOTE" -ef "${MOTE_CLANG:-}" ] && ! [ "$MOTE" -ef "${MOTE_DEBUG:-}" ]; then
    for other in "${MOTE_CLANG:-}" "${MOTE_DEBUG:-}"; do
        [ -x "$other" ] && others+=("$other")
    done
fi

compare() {
    local scene=$1 wanted=$2 what=$3 got=$4
    compared=$((compared + 1))
    if [ "$got" != "$wanted" ]; then
        echo "FAILED: $scene, $what: hash '$got', expected '$wanted'"
        failures=$((failures + 1))
    fi
}

while read -r scene particles rest; do
    size=()
    if [ "$particles" -gt 5000 ] && "$MOTE" run "$scene" --frames 0 --particles 5000 >/dev/null 2>&1; then
        size=(--particles 5000)
    fi
    wanted=$(hash_of "$MOTE" run "$scene" "${size[@]}" --threads 1 --simd baseline)
    [ "${#wanted}" = 16 ] || { echo "FAILED: $scene does not run"; exit 1; }
    threads=$((2 + turn % 4))
    level=${levels[$((turn % ${#levels[@]}))]}
    turn=$((turn + 1))
    compare "$scene" "$wanted" "$threads threads, MOTE_SIMD=$level" \
        "$(MOTE_SIMD=$level hash_of "$MOTE" run "$scene" "${size[@]}" --threads "$threads")"
    for other in "${others[@]}"; do
        compare "$scene" "$wanted" "$other" "$(hash_of "$other" run "$scene" "${size[@]}" --threads 2)"
    done
done < <("$MOTE" scenes)

[ "$failures" = 0 ] || exit 1
[ "$compared" -gt 0 ] || { echo "nothing was compared"; exit 1; }
echo "$compared comparisons, all the same"
