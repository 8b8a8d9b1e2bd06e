# Files: mesh files, scene files, checkpoints and exports. Shared by the command and the tests.

pkg_check_modules(ASSIMP REQUIRED IMPORTED_TARGET assimp)

file(GLOB io_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/io/*.c")

add_library(mote_io STATIC ${io_sources})
mote_set_flags(mote_io)
target_include_directories(mote_io PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(mote_io
    PUBLIC mote_static
    PRIVATE PkgConfig::CJSON PkgConfig::ASSIMP Threads::Threads)
# Not every test reads meshes; those that do not start faster without the readers.
target_link_options(mote_io INTERFACE LINKER:--as-needed)
