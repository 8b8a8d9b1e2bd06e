#!/usr/bin/env bash
# Compiles the C code of the README and the docs. A block whose fence is exactly ```c is either a whole program
# (it has a main), which is compiled and linked, or some lines out of a function, in which a `world` exists;
# those are only checked. Any other word after the fence leaves a block out.
set -euo pipefail
cd "$SOURCE_DIR"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc}
flags=(-std=gnu17 -Wall -Wextra -Werror -Wno-unused -I include)

# Writes each block to $work/N.program.c or $work/N.lines.c; #line makes the compiler name the document.
extract() {
    awk -v work="$work" '
        function finish(    kind, path) {
            kind = body ~ /(^|\n)int main\(/ ? "program" : "lines"
            path = sprintf("%s/%03d.%s.c", work, ++count, kind)
            if (kind == "lines") {
                printf "#include <mote/mote.h>\n#include <stdio.h>\n%s", includes > path
                printf "int lines_of_a_function(mote_world *world);\n" > path
                printf "int lines_of_a_function(mote_world *world)\n{\n    {\n" > path
            }
            printf "#line %d \"%s\"\n%s", start + 1, file, body > path
            if (kind == "lines")
                printf "    }\n    return world == NULL;\n}\n" > path
            close(path)
        }
        FNR == 1 { inside = 0 }
        !inside && /^```c$/ { inside = 1; start = FNR; file = FILENAME; body = includes = ""; next }
        inside && /^```$/ { inside = 0; finish(); next }
        inside && /^#include/ { includes = includes $0 "\n" }
        inside { body = body $0 "\n" }
    ' "$@"
}

shopt -s nullglob
documents=(README.md docs/*.md)
extract "${documents[@]}"
blocks=("$work"/*.c)
if ((${#blocks[@]} == 0)); then
    echo "no C code in ${documents[*]}"
    exit 1
fi

failed=0
for block in "${blocks[@]}"; do
    case $block in
    *.program.c) "$cc" "${flags[@]}" "$block" -o "$work/program" "$BUILD_DIR/libmote.a" -lm -pthread ;;
    *.lines.c) "$cc" "${flags[@]}" -fsyntax-only "$block" ;;
    esac || failed=$((failed + 1))
done

echo "${#documents[@]} documents, ${#blocks[@]} blocks, $failed failed"
((failed == 0))
