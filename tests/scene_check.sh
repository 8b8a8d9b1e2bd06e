#!/usr/bin/env bash
# `mote check` tells every fault of tests/broken-scenes/NAME.json that NAME.faults lists, each as
# "FILE:LINE: error: FIELD: TEXT", and exits with 2 if one of them is an error, else with 0.
set -uo pipefail

cd "$SOURCE_DIR/tests/broken-scenes" || exit 1
failures=0
count=0

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

for file in *.json; do
    said=$("$MOTE" check "$file" 2>&1 </dev/null)
    code=$?
    wanted=0
    while read -r kind line field phrase; do
        [ "$kind" = error ] && wanted=2
        place=$file
        [ "$line" != 0 ] && place+=":$line"
        place+=": $kind: "
        [ "$field" != - ] && place+="$field: "
        grep -F -- "$place" <<<"$said" | grep -qF -- "$phrase" || fail "$file: no '$place... $phrase' in: $said"
    done <"${file%.json}.faults"
    [ "$code" = "$wanted" ] || fail "$file: exit code $code, expected $wanted"
    count=$((count + 1))
done

[ "$count" -ge 30 ] || fail "there are only $count broken scenes"
[ "$failures" = 0 ] || exit 1
echo "$count files, all as expected"
