#!/usr/bin/env bash
# The `mote` command as its users meet it: exit codes (0 done, 1 failed, 2 asked for in a wrong way), what it
# prints and where, and the files that it writes.
set -uo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# expect CODE ARGUMENTS...: runs the command and keeps what it said in $out and $err.
expect() {
    local wanted=$1 got
    shift
    "$MOTE" "$@" >"$work/out" 2>"$work/err" </dev/null
    got=$?
    out=$(cat "$work/out")
    err=$(cat "$work/err")
    said="mote $*"
    [ "$got" = "$wanted" ] || fail "$said: exit code $got, expected $wanted; it said: $err"
}

# What a user did wrong must be named on stderr, and nothing may be printed on stdout.
expect_complaint() {
    local code=$1 word=$2
    shift 2
    expect "$code" "$@"
    [[ $err == *"$word"* ]] || fail "$said: stderr does not name '$word': $err"
    [ -z "$out" ] || fail "$said: complains, but prints on stdout: $out"
}

has() {
    [[ $2 == *"$1"* ]] || fail "$said: no '$1' in: $2"
}

# is_json FILE: balanced, if no parser is at hand to look closer.
is_json() {
    if command -v python3 >/dev/null; then
        python3 -m json.tool "$1" >/dev/null || fail "$said: $1 is not JSON"
    else
        [ "$(tr -cd '{[' <"$1" | wc -c)" = "$(tr -cd '}]' <"$1" | wc -c)" ] || fail "$said: $1 is not JSON"
    fi
}

# number KEY FILE: the number that a key has in a JSON file.
number() {
    sed -n "s/^.*\"$1\":[[:space:]]*\(-\{0,1\}[0-9][0-9.eE+-]*\).*$/\1/p" "$2" | head -n 1
}

echo "-- help"
for words in --help "run --help" "scenes --help" "bench --help" "demo --help"; do
    # shellcheck disable=SC2086 # words are words
    expect 0 $words
    has usage "$out"
done
expect 0 run --help
for option in --frames --threads --hash --stats; do
    has "$option" "$out"
done

echo "-- bad usage is 2"
expect_complaint 2 command
expect_complaint 2 florp florp
expect_complaint 2 scenes scens
expect_complaint 2 SCENE run
expect_complaint 2 no-such-scene run no-such-scene
expect_complaint 2 sand-pile run sandpile
expect_complaint 2 --florp run overlap --florp
expect_complaint 2 --florp scenes --florp
expect_complaint 2 --frames run overlap --frames
expect_complaint 2 --frames run overlap --frames x
expect_complaint 2 --frames run overlap --frames -3
expect_complaint 2 --frames run overlap --frames 1.5
expect_complaint 2 --frames run overlap --frames 99999999999999999999
expect_complaint 2 --threads run overlap --threads 100000
expect_complaint 2 extra run overlap extra
expect_complaint 2 extra scenes extra
expect_complaint 2 particles run hourglass --particles 100
expect_complaint 2 florp run overlap --simd florp
expect_complaint 2 florp bench florp
expect_complaint 2 --particles bench grains --particles 10,x

echo "-- what cannot be done is 1"
expect_complaint 1 no-such-folder run overlap --frames 1 --stats "$work/no-such-folder/stats.json"
expect 1 run overlap --frames 1 --stats /dev/full
has /dev/full "$err"
"$MOTE" scenes >/dev/full 2>"$work/err"
[ $? = 1 ] || fail "mote scenes >/dev/full: the exit code must be 1"

echo "-- the hash is the last line"
expect 0 run overlap --frames 5 --hash
[[ $(tail -n 1 "$work/out") =~ ^state-hash:\ [0-9a-f]{16}$ ]] || fail "last line: $(tail -n 1 "$work/out")"
first=$(tail -n 1 "$work/out")
expect 0 run overlap --frames 5 --hash --threads 3
[ "$(tail -n 1 "$work/out")" = "$first" ] || fail "$said: another hash than with the default threads"
expect 0 run overlap --frames=6 --hash
[ "$(tail -n 1 "$work/out")" != "$first" ] || fail "$said: the hash of six frames is that of five"
expect 0 run overlap --frames 0 --hash
MOTE_SIMD=baseline expect 0 run overlap --frames 5 --hash
[ "$(tail -n 1 "$work/out")" = "$first" ] || fail "MOTE_SIMD=baseline: another hash"
MOTE_SIMD=florp expect 2 run overlap --frames 1
has florp "$err"

echo "-- statistics"
expect 0 run overlap --frames 7 --threads 2 --stats "$work/stats.json" --hash
is_json "$work/stats.json"
for key in particles frames threads simd ms_median ms_p95 stages_ms kinetic_energy potential_energy \
    max_penetration hash; do
    grep -q "\"$key\":" "$work/stats.json" || fail "$said: the statistics have no $key"
done
[ "$(number frames "$work/stats.json")" = 7 ] || fail "$said: frames is $(number frames "$work/stats.json")"
[ "$(number threads "$work/stats.json")" = 2 ] || fail "$said: threads is $(number threads "$work/stats.json")"
hash=$(tail -n 1 "$work/out" | cut -d ' ' -f 2)
grep -q "\"hash\":[[:space:]]*\"$hash\"" "$work/stats.json" || fail "$said: the file's hash is not $hash"

echo "-- scenes"
expect 0 scenes
for scene in sand-pile hourglass grain-sizes overlap stress-grains; do
    has "$scene" "$out"
done
expect 0 scenes --json
is_json "$work/out"
for key in name title materials particles; do
    [ "$(grep -c "\"$key\":" "$work/out")" = "$(grep -c '"name":' "$work/out")" ] ||
        fail "$said: not every scene has a $key"
done

echo "-- every scene has as many particles as it says"
"$MOTE" scenes | while read -r scene particles rest; do
    "$MOTE" run "$scene" --frames 0 --stats "$work/$scene.json" >/dev/null 2>&1 || echo "$scene does not start"
    made=$(number particles "$work/$scene.json")
    [ "$made" = "$particles" ] || echo "$scene says $particles particles and has $made"
done >"$work/scenes"
[ -s "$work/scenes" ] && fail "$(cat "$work/scenes")"
expect 0 run sand-pile --particles 1000 --frames 1 --stats "$work/small.json"
made=$(number particles "$work/small.json")
{ [ "$made" -gt 800 ] && [ "$made" -le 1000 ]; } || fail "$said: $made particles"

echo "-- benchmark"
expect 0 bench grains --particles 500 --threads 1 --repeat 1 --frames 3 --json
is_json "$work/out"
for key in commit compiler cpu results name engine particles threads simd ms_median ms_p95 \
    ns_per_particle_iteration stages; do
    grep -q "\"$key\":" "$work/out" || fail "$said: the report has no $key"
done
grep -q '"engine":[[:space:]]*"mote"' "$work/out" || fail "$said: no result of mote"

[ "$failures" = 0 ] || { echo "$failures failures"; exit 1; }
echo "all as expected"
