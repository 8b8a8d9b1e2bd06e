#!/usr/bin/env bash
# Rig files. The figures of the scenes are what their script makes. Of the real files of Debian's
# assimp-testmodels each is read or refused; none may crash, leak or hang, neither in a process of its own, as
# programs read them, nor within the test program, where a sanitizer sees it all.
set -uo pipefail

program=$BUILD_DIR/tests/test_rig_file
models=/usr/share/assimp/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# The same bytes again.
mkdir "$work/rigs"
python3 -B "$SOURCE_DIR/scripts/make_rig.py" "$work/rigs" || failures=$((failures + 1))
for file in dancer.gltf dance.bvh; do
    cmp "$SOURCE_DIR/scenes/rigs/$file" "$work/rigs/$file" || failures=$((failures + 1))
done

if [ ! -d "$models" ]; then
    echo "the package assimp-testmodels is not installed"
    [ "$failures" = 0 ] && exit 77
    exit 1
fi

mapfile -d '' files < <(find "$models" -type f \( -iname '*.bvh' -o -iname '*.fbx' -o -iname '*.gltf' \
    -o -iname '*.glb' -o -iname '*.x' -o -iname '*.md5mesh' \) -print0 | sort -z)

# read_all NAME OPTIONS...: every file must get its line, and the program must end well.
read_all() {
    local name=$1 code loaded refused
    shift
    timeout 200 "$program" "$@" "${files[@]}" >"$work/$name" 2>"$work/errors"
    code=$?
    loaded=$(grep -c '^loaded ' "$work/$name")
    refused=$(grep -c '^refused ' "$work/$name")
    echo "$name: ${#files[@]} files, $loaded loaded, $refused refused"
    if [ "$code" != 0 ] || [ $((loaded + refused)) != "${#files[@]}" ]; then
        echo "FAILED: $name: exit code $code; the last lines:"
        tail -n 3 "$work/$name"
        tail -n 40 "$work/errors"
        failures=$((failures + 1))
    fi
}

read_all apart
read_all here --here

# Both ways read the same.
diff <(grep '^loaded ' "$work/apart") <(grep '^loaded ' "$work/here") || failures=$((failures + 1))

# expect FILE BONES FRAMES RATE VERTICES TRIANGLES: files that are known.
expect() {
    local file=$1 got
    shift
    got=$(awk -v path="$models/$file" '$1 == "loaded" && $NF == path { print $2, $8, $10, $12, $14 }' \
        "$work/apart")
    if [ "$got" != "$*" ]; then
        echo "FAILED: $file has '$got' bones, frames, rate, vertices, triangles, expected '$*'"
        failures=$((failures + 1))
    fi
}
# Joints and end sites, and frames, as the file's own text says.
expect BVH/01_01.bvh 38 2752 120 0 0
expect BVH/01_03.bvh 38 4511 120 0 0
expect BVH/Boxing_Toes.bvh 26 3069 100 0 0
expect FBX/animation_with_skeleton.fbx 17 21 24 1058 2112
expect FBX/huesitos.fbx 11 40 25 62 120
expect glTF2/simple_skin/simple_skin.gltf 2 166 30 10 8

exit $((failures > 0))
