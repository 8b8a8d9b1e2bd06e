#!/usr/bin/env bash
# All sources are laid out as clang-format would: `make format` does it.
set -euo pipefail
command -v clang-format >/dev/null || exit 77
exec "$SOURCE_DIR/scripts/format" --check
