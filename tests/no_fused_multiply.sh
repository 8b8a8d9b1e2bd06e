#!/usr/bin/env bash
# No code of the library multiplies and adds in one rounding: results are the same with every compiler and on every
# machine only if each operation rounds by itself. Compilers make such instructions where they are allowed to.
set -uo pipefail

library=$BUILD_DIR/libmote.a
[ -f "$library" ] || { echo "$library is missing"; exit 1; }
command -v objdump >/dev/null || { echo "there is no objdump"; exit 77; }
case $(objdump -f "$library" | sed -n 's/^architecture: \([^,]*\),.*/\1/p' | sort -u) in
    i386:x86-64) ;;
    *) echo "not for x86-64"; exit 77 ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
objdump -d --no-show-raw-insn "$library" >"$work/code" || { echo "FAILED: objdump cannot read it"; exit 1; }

# What is looked for must be found where it is, and the library must hold code.
fused='[[:space:]]vfn?m(add|sub)'
printf '   0:\tvfnmadd231ps %%ymm0,%%ymm1,%%ymm2\n' | grep -qE "$fused" || { echo "FAILED: the pattern"; exit 1; }
grep -qE '[[:space:]]v?mulps' "$work/code" || { echo "FAILED: no multiplication at all in $library"; exit 1; }

if grep -E "^[^[:space:]]+\.o:|$fused" "$work/code" | grep -E -B1 "$fused" >"$work/found"; then
    echo "FAILED: fused multiply-add:"
    head -n 20 "$work/found"
    exit 1
fi
echo "$(grep -cE ':[[:space:]]+file format' "$work/code") objects without fused multiply-add"
