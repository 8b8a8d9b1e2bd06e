#!/usr/bin/env bash
# Real and broken mesh files, those of Debian's assimp-testmodels: each is read or refused. None may crash, leak
# or hang, neither in a process of its own, as programs read them, nor within the test program, where a
# sanitizer sees it all.
set -uo pipefail

program=$BUILD_DIR/tests/test_mesh_file
models=/usr/share/assimp/models
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

if [ ! -d "$models" ]; then
    echo "skipped: the package assimp-testmodels is not installed"
    exit 77
fi

mapfile -d '' files < <(find "$models" -type f \( -iname '*.obj' -o -iname '*.ply' -o -iname '*.stl' \
    -o -iname '*.gltf' -o -iname '*.glb' -o -iname '*.fbx' \) -print0 | sort -z)
failures=0

# read_all NAME OPTIONS...: every file must get its line, and the program must end well.
read_all() {
    local name=$1 code
    shift
    timeout 120 "$program" "$@" "${files[@]}" >"$work/$name" 2>"$work/errors"
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

# expect VERTICES TRIANGLES FILES...: models that are known, some of them in several formats.
expect() {
    local counts="$1 $2" file got
    shift 2
    for file in "$@"; do
        got=$(awk -v path="$models/$file" '$1 == "loaded" && $6 == path { print $2, $4 }' "$work/apart")
        if [ "$got" != "$counts" ]; then
            echo "FAILED: $file has '$got' vertices and triangles, expected '$counts'"
            failures=$((failures + 1))
        fi
    done
}
expect 8 12 FBX/box.fbx OBJ/box.obj PLY/cube.ply PLY/cube_binary.ply \
    glTF/BoxTextured-glTF/BoxTextured.gltf glTF2/BoxTextured-glTF/BoxTextured.gltf \
    glTF2/BoxTextured-glTF-Binary/BoxTextured.glb
expect 16 24 glTF/TwoBoxes/TwoBoxes.gltf
expect 722 1368 FBX/spider.fbx OBJ/spider.obj STL/Spider_ascii.stl STL/Spider_binary.stl
expect 2117 3732 OBJ/WusonOBJ.obj PLY/Wuson.ply STL/Wuson.stl
expect 3 1 STL/triangle_with_empty_solid.stl

exit $((failures > 0))
