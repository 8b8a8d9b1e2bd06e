# The scenes: shared by the command, the tests and the benchmarks. The shipped files, scenes/*.json and
# scenes/meshes/*, become part of the program, so that it runs them from any folder.

file(GLOB scene_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/scenes/*.c")

# Shipped files in the order of their names; MoteEmbed.cmake writes them as C arrays.
file(GLOB scene_files CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/scenes/*.json" "${PROJECT_SOURCE_DIR}/scenes/meshes/*.obj"
     "${PROJECT_SOURCE_DIR}/scenes/rigs/*.gltf")
set(embedded_scenes "${PROJECT_BINARY_DIR}/embedded_scenes.c")
add_custom_command(
    OUTPUT "${embedded_scenes}"
    COMMAND "${CMAKE_COMMAND}"
        -D "FOLDER=${PROJECT_SOURCE_DIR}/scenes" -D "FILES=${scene_files}" -D "OUTPUT=${embedded_scenes}"
        -P "${PROJECT_SOURCE_DIR}/cmake/MoteEmbed.cmake"
    DEPENDS ${scene_files} "${PROJECT_SOURCE_DIR}/cmake/MoteEmbed.cmake"
    COMMENT "Embedding the scenes"
    VERBATIM)

add_library(mote_scenes STATIC ${scene_sources} "${embedded_scenes}")
mote_set_flags(mote_scenes)
target_include_directories(mote_scenes PUBLIC "${PROJECT_SOURCE_DIR}")
target_link_libraries(mote_scenes PUBLIC mote_io mote_static PRIVATE PkgConfig::CJSON)
