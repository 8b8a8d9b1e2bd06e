#!/usr/bin/env bash
# A room of src/ includes only itself and rooms before it: base, collide, world, build, query, step.
set -euo pipefail
cd "${SOURCE_DIR:-$(dirname "$0")/../..}"

rooms=(base collide world build query step)
failed=0
before=()
for room in "${rooms[@]}"; do
    before+=("$room")
    allowed=$(IFS='|'; echo "${before[*]}")
    # collide takes the checks of numbers of world, and nothing else
    [[ $room == collide ]] && allowed+="|world/check"
    while IFS= read -r line; do
        echo "$line: '$room' includes a later room" >&2
        failed=1
    done < <(grep -rnE '^#include "(base|collide|world|build|query|step)/' "src/$room" |
        grep -vE "#include \"($allowed)(/|\\.h)" || true)
done
for room in src/*/; do
    [[ " ${rooms[*]} " == *" $(basename "$room") "* ]] || { echo "$room is not in the list of rooms" >&2; failed=1; }
done
exit "$failed"
