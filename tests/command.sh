#!/usr/bin/env bash
# The `mote` command as its users meet it: exit codes (0 done, 1 failed, 2 asked for in a wrong way), what it
# prints and where, and the files that it writes.
set -uo pipefail

work=$(mktemp -d)
: >"$work/file"
trap 'rm -rf "$work"' EXIT
failures=0
[ -x "${MOTE:-}" ] || { echo "MOTE must name the command"; exit 1; }

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
for words in --help "run --help" "scenes --help" "check --help" "sample --help" "bench --help" "demo --help"; do
    # shellcheck disable=SC2086 # words are words
    expect 0 $words
    has usage "$out"
done
expect 0 run --help
for option in --frames --threads --hash --stats --set --export --format --every --contacts --checkpoint --resume; do
    has "$option" "$out"
done
expect 0 --help
for command in run scenes check sample demo bench; do
    has "  $command " "$out"
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
expect_complaint 2 florp run overlap --export "$work/never" --format florp
expect_complaint 2 "'vtk'" run overlap --export "$work/never" --format vtp
expect_complaint 2 --every run overlap --export "$work/never" --every 0
expect_complaint 2 --export run overlap --every 2
expect_complaint 2 --export run overlap --format csv
expect_complaint 2 --checkpoint run overlap --checkpoint-every 5
expect_complaint 2 --picture run mesh-drop --surfaces
expect_complaint 2 --set run overlap --set
expect_complaint 2 florp run overlap --set florp
expect_complaint 2 florp run overlap --set florp.gnarp=3
expect_complaint 2 solver.substeps run overlap --set solver.substeps=many
expect_complaint 2 solver.substeps run overlap --set solver.substeps=0
[ -e "$work/never" ] && fail "a run that never began has made its export folder"
expect_complaint 2 FILE check
expect_complaint 2 --florp check overlap --florp
expect_complaint 2 MESH sample
expect_complaint 2 florp bench florp
expect_complaint 2 --particles bench grains --particles 10,x
expect_complaint 2 --substeps bench grains --substeps 2
expect_complaint 2 --rate bench machine --rate 200
expect_complaint 2 --iterations bench dam-break --iterations 0

echo "-- what cannot be done is 1"
expect_complaint 1 no-such-folder run overlap --frames 1 --stats "$work/no-such-folder/stats.json"
expect_complaint 1 'no material reports' run overlap --frames 1 --contacts "$work/contacts.csv"
expect_complaint 1 no-such-folder run overlap --frames 1 --contacts "$work/no-such-folder/contacts.csv"
expect 1 run overlap --frames 1 --stats /dev/full
has /dev/full "$err"
"$MOTE" scenes >/dev/full 2>"$work/err"
[ $? = 1 ] || fail "mote scenes >/dev/full: the exit code must be 1"

expect_complaint 1 "$work/file" run overlap --frames 1 --export "$work/file/folder"
expect_complaint 1 no-such-folder run overlap --frames 1 --checkpoint "$work/no-such-folder/run.mote"

# An interrupted run leaves no empty files.
timeout -s INT 1 "$MOTE" run ragdolls --frames 100000 --picture "$work/cut.png" --stats "$work/cut.json" \
    >/dev/null 2>&1 </dev/null
for file in "$work"/cut.*; do
    [ -e "$file" ] && fail "an interrupted run left $file"
done

# within KILOBYTES ARGUMENTS...: like expect 1, where no file may be larger: what a full disk does.
within() {
    local limit=$1 code
    shift
    (ulimit -f "$limit"; exec "$MOTE" "$@") >"$work/out" 2>"$work/err" </dev/null
    code=$?
    err=$(cat "$work/err")
    said="mote $* within $limit KB"
    [ "$code" = 1 ] || fail "$said: exit code $code, expected 1; it said: $err"
}
expect 0 run overlap --frames 3 --checkpoint "$work/kept.mote"
cp "$work/kept.mote" "$work/copy.mote"
within 4 run overlap --frames 6 --checkpoint "$work/kept.mote" --checkpoint-every 1
has "$work/kept.mote" "$err"
cmp -s "$work/kept.mote" "$work/copy.mote" || fail "$said: the last whole checkpoint is gone"
within 4 run overlap --frames 6 --export "$work/full"
has "$work/full" "$err"
[ -z "$(find "$work/full" -name 'frame_*' ! -name '*.part')" ] || fail "$said: $(ls "$work/full")"

echo "-- pictures show the surfaces of bodies that have any"
for scene in mesh-drop stack; do
    expect 0 run "$scene" --frames 0 --picture "$work/$scene-particles.png"
    expect 0 run "$scene" --frames 0 --picture "$work/$scene-surfaces.png" --surfaces
done
cmp -s "$work/mesh-drop-particles.png" "$work/mesh-drop-surfaces.png" && fail "mesh-drop: no surfaces in the picture"
cmp "$work/stack-particles.png" "$work/stack-surfaces.png" || fail "stack: it has no surfaces to show"

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

expect 0 run overlap --frames 5 --quiet
[ -z "$out$err" ] || fail "$said: it said $out$err"
if command -v script >/dev/null; then # a terminal, which is what the progress bar wants
    shown=$(script -qec "$MOTE run overlap --frames 30" /dev/null </dev/null)
    [[ $shown == *"overlap [#"*"/30 "* ]] || fail "no progress bar on a terminal: $shown"
    shown=$(script -qec "$MOTE run overlap --frames 30 --quiet" /dev/null </dev/null)
    [ -z "$shown" ] || fail "--quiet on a terminal: $shown"
fi

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

echo "-- contacts"
expect 0 run stack --frames 2 --set materials.wood.report_contacts=true --contacts "$work/contacts.csv"
[[ $(head -n 1 "$work/contacts.csv") == frame,time,a,b,shape,* ]] || fail "$said: no head in the file of contacts"
[ "$(grep -c '^2,' "$work/contacts.csv")" -ge 40 ] || fail "$said: the second frame has not its contacts"

echo "-- exports"
# files FOLDER: the names in it, one line.
files() {
    (cd "$1" && echo *)
}
expect 0 run overlap --frames 6 --export "$work/a/b/csv" --format csv --every 2 --stats "$work/stats.json"
wanted="frame_00000.csv frame_00002.csv frame_00004.csv frame_00006.csv"
[ "$(files "$work/a/b/csv")" = "$wanted" ] || fail "$said: wrote $(files "$work/a/b/csv")"
for file in "$work"/a/b/csv/*; do
    [ "$(head -n 1 "$file")" = "id,x,y,z,vx,vy,vz,mass,radius,phase,material,spin_x,spin_y,spin_z" ] ||
        fail "$file: the header is $(head -n 1 "$file")"
    [ "$(wc -l <"$file")" = $((1 + $(number particles "$work/stats.json"))) ] ||
        fail "$file: $(wc -l <"$file") lines"
done
# The file shows the same state as the statistics: sum of m v^2 / 2.
awk -F , -v told="$(number kinetic_energy "$work/stats.json")" '
    NR > 1 { energy += $8 * ($5 * $5 + $6 * $6 + $7 * $7) / 2 }
    END { exit !(energy > 0 && (energy - told) ^ 2 <= (1e-4 * told) ^ 2) }' "$work/a/b/csv/frame_00006.csv" ||
    fail "$said: the kinetic energy of the last file is not $(number kinetic_energy "$work/stats.json")"
expect 0 run overlap --frames 6 --export "$work/again" --format csv --every 3 --threads 3
[ "$(files "$work/again")" = "frame_00000.csv frame_00003.csv frame_00006.csv" ] ||
    fail "$said: wrote $(files "$work/again")"
cmp -s "$work/again/frame_00006.csv" "$work/a/b/csv/frame_00006.csv" || fail "$said: another last file"
expect 0 run overlap --frames 2 --export "$work/vtk"
[ "$(files "$work/vtk")" = "frame_00000.vtp frame_00001.vtp frame_00002.vtp frames.pvd" ] ||
    fail "$said: wrote $(files "$work/vtk")"
[ "$(grep -c 'frame_0000[0-2].vtp' "$work/vtk/frames.pvd")" = 3 ] || fail "$said: $(cat "$work/vtk/frames.pvd")"
expect 0 run overlap --frames 0 --export "$work/ply" --format ply
[ "$(files "$work/ply")" = frame_00000.ply ] || fail "$said: wrote $(files "$work/ply")"
[ "$(head -n 2 "$work/ply/frame_00000.ply" | tr '\n' ' ')" = "ply format binary_little_endian 1.0 " ] ||
    fail "$said: no PLY header"

echo "-- checkpoints"
expect 0 run overlap --frames 9 --hash
whole=$(tail -n 1 "$work/out")
expect 0 run overlap --frames 4 --checkpoint "$work/run.mote"
expect 0 run overlap --frames 9 --hash --resume "$work/run.mote" --checkpoint "$work/run.mote" \
    --stats "$work/stats.json"
[ "$(tail -n 1 "$work/out")" = "$whole" ] || fail "$said: another hash than without a break"
has "resumed at frame 4" "$out"
[ "$(number frames "$work/stats.json")" = 9 ] || fail "$said: frames is $(number frames "$work/stats.json")"
[ "$(number first_frame "$work/stats.json")" = 4 ] || fail "$said: first_frame is not 4"
expect 0 run overlap --frames 9 --hash --resume "$work/run.mote" # nothing is left to do
[ "$(tail -n 1 "$work/out")" = "$whole" ] || fail "$said: another hash than without a break"
expect_complaint 2 "frame 9" run overlap --frames 5 --resume "$work/run.mote"

echo "-- scene files"
# scene_file FILE SUBSTEPS RADIUS: 2,000 grains above a ball; the ball's radius stands in line 8.
scene_file() {
    cat >"$1" <<END
{
    "mote": 1,
    "frames": 12,
    "solver": {"substeps": $2},
    "materials": [{"name": "sand", "static_friction": 0.6}],
    "shapes": [
        {"type": "plane", "material": "sand"},
        {"type": "sphere", "name": "ball", "position": [0, 0.5, 0], "radius": $3}
    ],
    "grains": [{"count": [10, 20, 10], "origin": [-0.5, 1.2, -0.5], "material": "sand"}]
}
END
}
# hash_of ARGUMENTS...: of the run; a run that fails has a hash like no other.
hash_of() {
    "$MOTE" run "$@" --hash --quiet 2>&1 </dev/null | grep '^state-hash' || echo "none $RANDOM $RANDOM"
}
scene_file "$work/four.json" 4 0.5
scene_file "$work/eight.json" 8 0.5
expect 0 check "$work/four.json"
[ "$out" = "$work/four.json: ok, 2,000 particles, 2 shapes, 12 frames" ] || fail "$said: it said $out$err"
four=$(hash_of "$work/four.json")
eight=$(hash_of "$work/eight.json")
[ "$eight" != "$four" ] || fail "twice the substeps give the same hash"
[ "$(hash_of "$work/four.json" --set solver.substeps=8)" = "$eight" ] ||
    fail "--set solver.substeps=8 is not what the edited file is"
small=$(hash_of "$work/four.json" --set shapes[1].radius=0.4)
[ "$small" != "$four" ] || fail "a smaller ball gives the same hash"
[ "$(hash_of "$work/four.json" --set=solver.substeps=8 --set shapes.ball.radius=0.4 \
    --set solver.substeps=4)" = "$small" ] || fail "of two --set of the same field the last must count"
[ "$(cd "$work" && hash_of four.json)" = "$four" ] || fail "four.json in its own folder: another hash"

scene_file "$work/bad.json" 4 -1
expect_complaint 2 "$work/bad.json:8: error: shapes[1].radius: " check "$work/bad.json"
expect_complaint 2 "$work/bad.json:8: error: shapes[1].radius: " run "$work/bad.json"
expect_complaint 2 "error: shapes.ball.florp: " check "$work/four.json" --set shapes.ball.florp=3
expect_complaint 2 "error: " check "$work/no-such.json"
expect_complaint 2 "error: " run "$work/no-such.json"
expect_complaint 2 "error: " run "$work"
expect 2 check "$work/four.json" "$work/bad.json" "$work/eight.json" # all are told, good ones as well
has "$work/four.json: ok" "$out"
has "$work/eight.json: ok" "$out"
has "$work/bad.json:8: error" "$err"
expect 0 check "$work/bad.json" --set shapes[1].radius=0.5
sed -e 's/"frames": 12/"frames": "many"/' -e 's/0\.6/-0.6/' "$work/bad.json" >"$work/worse.json"
expect_complaint 2 "$work/worse.json:3: error: frames: " check "$work/worse.json"
has "$work/worse.json:5: error: materials[0].static_friction: " "$err"
has "$work/worse.json:8: error: shapes[1].radius: " "$err"
# Grains that start inside the ball run, but hardly as they were meant.
sed -e 's/1\.2/0.2/' "$work/four.json" >"$work/inside.json"
expect 0 check "$work/inside.json"
has ": warning: " "$err"
expect 0 run "$work/inside.json" --frames 1 --quiet
[ -z "$out$err" ] || fail "$said: it said $out$err"
for name in $("$MOTE" scenes | cut -d ' ' -f 1); do
    expect 0 check "$name"
    [[ $out$err == *"$name: ok, "* || $err == *warning* ]] || fail "$said: it said $out$err"
done

# What the scene does by itself, emitting and moving shapes, goes on after a break as without one.
sed -e 's/"radius": 0.5}/&, {"type": "box", "position": [3, 0.5, 0], "motion": {"keys": [{"time": 0,\
    "position": [3, 0.5, 0]}, {"time": 0.2, "position": [0, 0.5, 0]}]}}/' \
    -e 's/^}/, "emitters": [{"position": [2, 3, 2], "rate": 240, "speed": 5, "jitter": 0.2}]}/' \
    "$work/four.json" >"$work/busy.json"
busy=$(hash_of "$work/busy.json")
[ "$busy" != "$four" ] || fail "the box and the emitter do nothing"
for frame in 1 6 11; do
    expect 0 run "$work/busy.json" --frames "$frame" --checkpoint "$work/busy.mote"
    [ "$(hash_of "$work/busy.json" --resume "$work/busy.mote")" = "$busy" ] ||
        fail "busy.json resumed at frame $frame: another hash"
done
expect_complaint 2 "another scene" run "$work/busy.json" --set solver.substeps=5 --resume "$work/busy.mote"

echo "-- sample"
# cube FILE FACES: the first so many of the twelve triangles of a cube of 1 m.
cube() {
    {
        printf 'v %s\n' "0 0 0" "1 0 0" "1 1 0" "0 1 0" "0 0 1" "1 0 1" "1 1 1" "0 1 1"
        printf 'f %s\n' "1 3 2" "1 4 3" "5 6 7" "5 7 8" "1 2 6" "1 6 5" "2 3 7" "2 7 6" "3 4 8" "3 8 7" \
            "4 1 5" "4 5 8" | head -n "$2"
    } >"$1"
}
cube "$work/cube.obj" 12
cube "$work/open.obj" 10
expect 0 sample "$work/cube.obj" --spacing 0.125 -o "$work/cube.csv"
has "512 points" "$out"
has "volume 1 m^3" "$out"
[ "$(head -n 1 "$work/cube.csv")" = x,y,z ] || fail "$said: header $(head -n 1 "$work/cube.csv")"
awk -F , '
    NR > 1 { x += $1; y += $2; z += $3; n++ }
    END { exit !(n == 512 && x == 256 && y == 256 && z == 256) }' "$work/cube.csv" ||
    fail "$said: not 512 points around the middle of the cube"
expect 0 sample "$work/cube.obj" --spacing 0.125 --method sdf -o "$work/cube.ply"
[ "$(head -c 3 "$work/cube.ply")" = ply ] || fail "$said: no PLY header"
header=$(($(grep -abo end_header "$work/cube.ply" | cut -d : -f 1) + 11))
[ "$(stat -c %s "$work/cube.ply")" = $((header + 512 * 12)) ] ||
    fail "$said: not 512 points of 12 bytes"
expect 0 sample "$work/cube.obj" --spacing 0.125 -o "$work/cube.vtp"
grep -aq 'NumberOfPoints="512"' "$work/cube.vtp" || fail "$said: not 512 points"
expect_complaint 2 "4 open edges" sample "$work/open.obj" --spacing 0.1 -o "$work/open.csv"
[ -e "$work/open.csv" ] && fail "$said: it wrote a file all the same"
expect_complaint 2 no-such.obj sample "$work/no-such.obj" --spacing 0.1 -o "$work/x.csv"
expect_complaint 2 "$work/file" sample "$work/file" --spacing 0.1 -o "$work/x.csv"
expect_complaint 2 x.florp sample "$work/cube.obj" --spacing 0.1 -o "$work/x.florp"
expect_complaint 2 --spacing sample "$work/cube.obj" -o "$work/x.csv"
expect_complaint 2 "-o FILE" sample "$work/cube.obj" --spacing 0.1
for spacing in 0 -1 nan inf x 1e-60; do
    expect_complaint 2 --spacing sample "$work/cube.obj" --spacing "$spacing" -o "$work/x.csv"
done
expect_complaint 2 "100 million" sample "$work/cube.obj" --spacing 0.002 -o "$work/x.csv"
expect_complaint 2 "100 million" sample "$work/cube.obj" --spacing 1e-30 -o "$work/x.csv"
expect_complaint 2 "'parity'" sample "$work/cube.obj" --spacing 0.1 --method party -o "$work/x.csv"
expect_complaint 1 no-such-folder sample "$work/cube.obj" --spacing 0.1 -o "$work/no-such-folder/x.csv"
within 4 sample "$work/cube.obj" --spacing 0.05 -o "$work/x.csv"
has "$work/x.csv" "$err"
[ -z "$(find "$work" -name '*.part')" ] || fail "parts of files are left over: $(find "$work" -name '*.part')"

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

echo "-- every scene has as many particles as it says, or emits them"
"$MOTE" scenes | while read -r scene particles rest; do
    "$MOTE" run "$scene" --frames 0 --stats "$work/$scene.json" >/dev/null 2>&1 || echo "$scene does not start"
    made=$(number particles "$work/$scene.json")
    if grep -q '"emitters"' "${SOURCE_DIR:-$(dirname "$0")/..}/scenes/$scene.json"; then
        [ "$made" -lt "$particles" ] || echo "$scene emits, says $particles particles and starts with $made"
    else
        [ "$made" = "$particles" ] || echo "$scene says $particles particles and has $made"
    fi
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
expect 0 bench dam-break --particles 500 --threads 1,2 --repeat 1 --frames 3 --rate 100 \
    --substeps 2 --iterations 3 --json
is_json "$work/out"
for key in commit compiler cpu results engine published particles threads simd substeps iterations \
    steps_per_simulated_second ms_best ms_median ms_p95 ns_per_particle_iteration ns_per_pair neighbors \
    seconds_per_simulated_second density_error_mean density_error_largest stages \
    dam_break_speedup_2_threads_500; do
    grep -q "\"$key\":" "$work/out" || fail "$said: the report has no $key"
done
[ "$(number particles "$work/out")" = 500 ] || fail "$said: $(number particles "$work/out") particles"
[ "$(number steps_per_simulated_second "$work/out")" = 100 ] || fail "$said: not 100 steps a second"
[ "$(number substeps "$work/out")" = 2 ] || fail "$said: $(number substeps "$work/out") substeps"
[ "$(number iterations "$work/out")" = 3 ] || fail "$said: $(number iterations "$work/out") iterations"
# In the midst of a lattice 26 are nearer than the reach and 6 just at it; at walls and on top there are fewer.
neighbors=$(number neighbors "$work/out")
{ [ "${neighbors%.*}" -ge 10 ] && [ "${neighbors%.*}" -le 32 ]; } || fail "$said: $neighbors neighbours"
expect 0 bench dam-break --particles 600 --threads 1 --repeat 1 --frames 2
has "1 x 4" "$out"
has "dam-break" "$out"
expect 0 bench jointed-pile --objects 4 --threads 1,2 --repeat 2 --frames 130 --json
is_json "$work/out"
for key in results engine objects joints threads busiest_frames_per_second busiest_frame gap_mean gap_largest \
    gap_worst; do
    grep -q "\"$key\":" "$work/out" || fail "$said: the report has no $key"
done
[ "$(number rounds "$work/out")" = 2 ] || fail "$said: $(number rounds "$work/out") rounds"
[ "$(number frames "$work/out")" = 130 ] || fail "$said: $(number frames "$work/out") frames, not those of one round"

[ "$failures" = 0 ] || { echo "$failures failures"; exit 1; }
echo "all as expected"
