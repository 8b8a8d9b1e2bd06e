#!/usr/bin/env bash
# Exported files, read by others: VTK's own readers and Python's csv must find the numbers that the library has,
# bit for bit.
set -uo pipefail

# The package python3-vtk9 belongs to the system's Python, which need not be the first in the path.
python=
for candidate in python3 /usr/bin/python3; do
    if "$candidate" -c 'import vtk' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "skipped: the package python3-vtk9 is not installed"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$BUILD_DIR/tests/test_export" --write "$work" || exit 1
PYTHONDONTWRITEBYTECODE=1 "$python" "$SOURCE_DIR/tests/check_exports.py" "$work"
