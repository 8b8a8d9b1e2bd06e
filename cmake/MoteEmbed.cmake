# Writes files as C arrays: cmake -D FOLDER=... -D FILES=a;b -D OUTPUT=x.c -P MoteEmbed.cmake. Names are
# relative to the folder.

set(arrays "")
set(table "")
set(number 0)
foreach(file IN LISTS FILES)
    file(RELATIVE_PATH name "${FOLDER}" "${file}")
    file(READ "${file}" hex HEX)
    string(LENGTH "${hex}" length)
    math(EXPR size "${length} / 2")
    # A line for every 28 bytes, then a comma behind every byte.
    string(REGEX REPLACE "(........................................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," hex "${hex}")
    string(APPEND arrays "static const unsigned char FILE_${number}[] = {\n${hex}0x00};\n")
    string(APPEND table "    {\"${name}\", FILE_${number}, ${size}},\n")
    math(EXPR number "${number} + 1")
endforeach()
file(WRITE "${OUTPUT}" "/* Made by cmake/MoteEmbed.cmake. */\n#include \"scenes/embedded.h\"\n\n${arrays}\n"
     "const embedded_file EMBEDDED_FILES[] = {\n${table}    {0, 0, 0}};\n")
