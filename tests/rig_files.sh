#!/usr/bin/env bash
# Rig files. The figures of the scenes are what their script makes; and real files are read or refused.
set -uo pipefail
source "$SOURCE_DIR/tests/shared/model_files.sh"

# The same bytes again.
mkdir "$work/rigs"
python3 -B "$SOURCE_DIR/scripts/make_rig.py" "$work/rigs" || fail "make_rig.py"
for file in dancer.gltf dance.bvh; do
    cmp "$SOURCE_DIR/scenes/rigs/$file" "$work/rigs/$file" || fail "$file is not what its script makes"
done

need_models
find_models bvh fbx gltf glb x md5mesh
read_both_ways "$BUILD_DIR/tests/test_rig_file" 200

# known FILE BONES FRAMES RATE VERTICES TRIANGLES
known() {
    local file=$1
    shift
    expect "$file" '$2, $8, $10, $12, $14' "$@"
}
# Joints and end sites, and frames, as the file's own text says.
known BVH/01_01.bvh 38 2752 120 0 0
known BVH/01_03.bvh 38 4511 120 0 0
known BVH/Boxing_Toes.bvh 26 3069 100 0 0
known FBX/animation_with_skeleton.fbx 17 21 24 1058 2112
known FBX/huesitos.fbx 11 40 25 62 120
known glTF2/simple_skin/simple_skin.gltf 2 166 30 10 8

exit $((failures > 0))
