#!/usr/bin/env bash
# `mote run --export --format obj`: the files have the meshes of bodies and the skins of rigs, as many vertices
# as these have, and where they are to be. docs/scenes.md tells what the scenes are.
set -uo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0
[ -x "${MOTE:-}" ] || { echo "MOTE must name the command"; exit 1; }

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# objects FILE: a line for each object: its vertices, triangles, least and greatest x, y and z, and its name.
objects() {
    awk 'function show() { if (name != "") print vertices, triangles, low[2], high[2], low[3], high[3], low[4],
                           high[4], name }
         /^o / { show(); name = substr($0, 3); first = total; vertices = triangles = 0
                 for (k = 2; k <= 4; k++) { low[k] = 1e9; high[k] = -1e9 } }
         /^v / { vertices++; total++
                 for (k = 2; k <= 4; k++) {
                     if ($k + 0 < low[k]) low[k] = $k
                     if ($k + 0 > high[k]) high[k] = $k
                 } }
         /^f / { triangles++; for (k = 2; k <= 4; k++) if ($k <= first || $k > total) bad++ }
         END { show(); if (bad > 0) print bad, "corners are of no vertex of their object" }' "$1"
}

run() {
    "$MOTE" run "$1" --frames 2 --export "$work/$1" --format obj --quiet || fail "$1: exit code $?"
    [ "$(ls "$work/$1")" = "$(printf 'bodies_0000%d.csv\n' 0 1 2; printf 'frame_0000%d.obj\n' 0 1 2)" ] || fail "$1 has $(ls "$work/$1")"
}

# The dancer is 1.7 m tall, stands on the ground and comes from x = -1.7 m. Its skin is that of the rig's file.
run dancer-sand
for frame in 0 1 2; do
    got=$(objects "$work/dancer-sand/frame_0000$frame.obj")
    echo "$got" | awk 'NF != 9 || $9 != "dancer" || $1 < 500 || $2 < 900 ||
                       !($5 > -0.1 && $5 < 0.15 && $6 > 1.5 && $6 < 1.8) ||
                       !($3 > -2.7 && $3 < -1.7 && $4 > -1.7 && $4 < -0.7) { exit 1 }' ||
        fail "dancer-sand, frame $frame: $(echo "$got" | head -n 5)"
done

# 36 rings and 9 bowls, 512 and 720 vertices each, fall by g t^2 / 2 = 0.0055 m in two frames, and by a
# twelfth more in six substeps each.
run mesh-drop
for frame in 0 1 2; do
    got=$(objects "$work/mesh-drop/frame_0000$frame.obj")
    echo "$got" | awk '$9 ~ /^ring\[/ && $1 == 512 && $2 == 1024 { rings++ }
                       $9 ~ /^bowl\[/ && $1 == 720 && $2 == 1440 { bowls++ }
                       !($5 > 1 && $6 < 7 && $3 > -2 && $4 < 2 && $7 > -2 && $8 < 2) { bad++ }
                       END { exit !(rings == 36 && bowls == 9 && NR == 45 && bad == 0) }' ||
        fail "mesh-drop, frame $frame: $(echo "$got" | head -n 5)"
done
objects "$work/mesh-drop/frame_00000.obj" >"$work/before"
objects "$work/mesh-drop/frame_00002.obj" >"$work/after"
paste -d ' ' "$work/before" "$work/after" |
    awk '{ fallen = ($5 + $6 - $14 - $15) / 2; if (!(fallen > 0.0054 && fallen < 0.0064)) exit 1 }' ||
    fail "mesh-drop: the meshes do not fall with their bodies"

[ "$failures" = 0 ] && echo "passed"
[ "$failures" = 0 ]
