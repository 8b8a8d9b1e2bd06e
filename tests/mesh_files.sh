#!/usr/bin/env bash
# Real and broken mesh files are read or refused; and those that are known have the vertices that they should.
set -uo pipefail
source "$SOURCE_DIR/tests/shared/model_files.sh"

need_models
find_models obj ply stl gltf glb fbx
read_both_ways "$BUILD_DIR/tests/test_mesh_file" 120

# known VERTICES TRIANGLES FILES...: models that are known, some of them in several formats.
known() {
    local vertices=$1 triangles=$2 file
    shift 2
    for file in "$@"; do
        expect "$file" '$2, $4' "$vertices" "$triangles"
    done
}
known 8 12 FBX/box.fbx OBJ/box.obj PLY/cube.ply PLY/cube_binary.ply \
    glTF/BoxTextured-glTF/BoxTextured.gltf glTF2/BoxTextured-glTF/BoxTextured.gltf \
    glTF2/BoxTextured-glTF-Binary/BoxTextured.glb
known 16 24 glTF/TwoBoxes/TwoBoxes.gltf
known 722 1368 FBX/spider.fbx OBJ/spider.obj STL/Spider_ascii.stl STL/Spider_binary.stl
known 2117 3732 OBJ/WusonOBJ.obj PLY/Wuson.ply STL/Wuson.stl
known 3 1 STL/triangle_with_empty_solid.stl

exit $((failures > 0))
