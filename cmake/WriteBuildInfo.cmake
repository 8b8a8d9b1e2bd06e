# Run at every build (cmake -P) with SOURCE_DIR, OUTPUT, COMPILER and BUILD_TYPE. Writes the file OUTPUT, or
# leaves it alone if nothing changed.

find_program(GIT git)
set(COMMIT "")
if(GIT)
    execute_process(
        COMMAND "${GIT}" -C "${SOURCE_DIR}" describe --always --dirty --abbrev=12 --exclude=*
        OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(COMMIT STREQUAL "")
    set(COMMIT unknown)
endif()

configure_file("${CMAKE_CURRENT_LIST_DIR}/build_info.c.in" "${OUTPUT}" @ONLY)
