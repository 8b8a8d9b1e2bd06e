#!/usr/bin/env bash
# A run that is killed at any moment goes on from its checkpoint and ends with the hash of the run that was left
# alone; its exports are then the same files. A checkpoint that is damaged, or of another scene, is refused.
# SEED chooses the moments.
set -uo pipefail

kills=20
seed=${SEED:-1}
frames=12
scene=(sand-pile --particles 20000 --frames "$frames")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
[ -x "${MOTE:-}" ] || { echo "MOTE must name the command"; exit 1; }

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

milliseconds() {
    local now=$EPOCHREALTIME
    echo $((${now/[.,]/} / 1000))
}

# hash_of ARGUMENTS...: of the run; nothing if it fails.
hash_of() {
    "$MOTE" run "${scene[@]}" --hash --quiet "$@" </dev/null | sed -n 's/^state-hash: //p'
}

# The options for exports of a round: none, CSV or VTK.
exports_of_round() {
    case $(($1 % 4)) in
        1) echo "--export $2 --format csv --every 3" ;;
        3) echo "--export $2 --format vtk" ;;
    esac
}

echo "-- the run that is left alone"
hash_of --export "$work/csv" --format csv --every 3 >/dev/null
hash_of --export "$work/vtk" --format vtk >/dev/null
started=$(milliseconds)
wanted=$(hash_of --checkpoint "$work/alone.mote" --checkpoint-every 1)
duration=$(($(milliseconds) - started))
[ "${#wanted}" = 16 ] || { echo "FAILED: no hash"; exit 1; }
[ "$(hash_of)" = "$wanted" ] || fail "writing checkpoints changes the hash"
echo "$frames frames, $duration ms, hash $wanted"

echo "-- $kills kills, SEED=$seed"
RANDOM=$seed
in_writing=0
from_nothing=0
for ((round = 0; round < kills; round++)); do
    checkpoint=$work/$round.mote
    # shellcheck disable=SC2207 # words are words
    exports=($(exports_of_round "$round" "$work/exports$round"))
    keep=(--checkpoint "$checkpoint" --checkpoint-every 1 "${exports[@]}")
    moment=$((duration * RANDOM / 32768))
    "$MOTE" run "${scene[@]}" --quiet "${keep[@]}" >/dev/null 2>&1 </dev/null &
    process=$!
    sleep "$((moment / 1000)).$(printf %03d $((moment % 1000)))"
    if [ $((round % 3)) = 0 ]; then # while a checkpoint is being written
        while [ ! -e "$checkpoint.part" ] && kill -0 "$process" 2>/dev/null; do :; done
    fi
    kill -KILL "$process" 2>/dev/null
    wait "$process" 2>/dev/null
    [ -e "$checkpoint.part" ] && in_writing=$((in_writing + 1))
    if [ -e "$checkpoint" ]; then
        keep+=(--resume "$checkpoint")
    else
        from_nothing=$((from_nothing + 1))
    fi
    got=$(hash_of "${keep[@]}")
    [ "$got" = "$wanted" ] || fail "killed after $moment ms, ${keep[*]}: hash '$got', expected '$wanted'"
    [ -e "$checkpoint.part" ] && fail "killed after $moment ms: the part of a checkpoint is left over"
    if [ ${#exports[@]} -gt 0 ]; then
        diff -rq "$work/${exports[3]}" "$work/exports$round" >"$work/diff" ||
            fail "killed after $moment ms, ${exports[*]}: $(cat "$work/diff")"
        rm -r "$work/exports$round"
    fi
    rm -f "$checkpoint"
done
echo "$in_writing while a checkpoint was written, $from_nothing before the first one"
[ "$in_writing" -gt 0 ] || fail "no kill came while a checkpoint was written"

echo "-- SIGINT, SIGTERM and SIGHUP leave a checkpoint of the last frame"
for signal in INT TERM HUP; do
    checkpoint=$work/$signal.mote
    "$MOTE" run "${scene[@]}" --frames 100000 --checkpoint "$checkpoint" --checkpoint-every 100000 \
        --export "$work/$signal" --format csv >"$work/out" 2>"$work/err" </dev/null &
    process=$!
    while [ ! -e "$work/$signal/frame_00002.csv" ] && kill -0 "$process" 2>/dev/null; do sleep 0.01; done
    kill -s "$signal" "$process"
    wait "$process"
    code=$?
    [ "$code" = $((128 + $(kill -l "$signal"))) ] || fail "SIG$signal: exit code $code"
    grep -q "interrupted at frame .*--resume $checkpoint" "$work/err" || fail "SIG$signal: $(cat "$work/err")"
    frame=$(sed -n 's/^.*at frame \([0-9]*\) of .*$/\1/p' "$work/err")
    [ -e "$work/$signal/frame_$(printf %05d "$frame").csv" ] || fail "SIG$signal: frame $frame is not exported"
    [ -z "$(find "$work" -name '*.part')" ] || fail "SIG$signal: parts are left over"
    if [ "$frame" -le "$frames" ]; then
        got=$(hash_of --resume "$checkpoint")
        [ "$got" = "$wanted" ] || fail "SIG$signal at frame $frame: hash '$got', expected '$wanted'"
    fi
done

echo "-- refused checkpoints"
# refused WORD ARGUMENTS...: bad input, and the complaint has the word and the file's name.
refused() {
    local word=$1
    shift
    "$MOTE" run "$@" --resume "$work/bad.mote" >"$work/out" 2>"$work/err" </dev/null
    local code=$?
    [ "$code" = 2 ] || fail "$word: exit code $code, expected 2"
    grep -q "$word" "$work/err" || fail "no '$word' in: $(cat "$work/err")"
    grep -q "$work/bad.mote" "$work/err" || fail "$word: the file is not named: $(cat "$work/err")"
    [ -s "$work/out" ] && fail "$word: complains, but prints on stdout: $(cat "$work/out")"
}
good=$work/alone.mote
size=$(stat -c %s "$good")
refused "No such file" "${scene[@]}"
head -c $((size - 1)) "$good" >"$work/bad.mote"
refused "cut short" "${scene[@]}"
head -c 20 "$good" >"$work/bad.mote"
refused "cut short" "${scene[@]}"
: >"$work/bad.mote"
refused "cut short" "${scene[@]}"
rm -f "$work/bad.mote"
mkfifo "$work/bad.mote"
refused "not a file" "${scene[@]}"
rm -f "$work/bad.mote"
# overwritten OFFSET BYTE: the good checkpoint with another byte (\ooo) there.
overwritten() {
    cp "$good" "$work/bad.mote"
    printf '%b' "$2" | dd of="$work/bad.mote" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
overwritten $((size / 2)) '\0245'
cmp -s "$good" "$work/bad.mote" && overwritten $((size / 2)) '\0132'
refused "damaged" "${scene[@]}"
echo "nothing of the kind, and long enough to have a header" >"$work/bad.mote"
refused "not a checkpoint" "${scene[@]}"
overwritten 8 '\0011'
refused "version 9" "${scene[@]}"
cp "$good" "$work/bad.mote"
refused "another scene" overlap
refused "another scene" sand-pile --particles 10000
refused "beyond the end" sand-pile --particles 20000 --frames $((frames - 1))

[ "$failures" = 0 ] || { echo "$failures failures"; exit 1; }
echo "all as expected"
