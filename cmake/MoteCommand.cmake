# The command `mote`: its tools, the scenes that it shares with the tests, and the benchmarks.

find_package(PkgConfig REQUIRED)
pkg_check_modules(CJSON REQUIRED IMPORTED_TARGET libcjson)
find_path(STB_INCLUDE_DIR stb_image_write.h PATH_SUFFIXES stb REQUIRED)
include(MoteIo)
include(MoteScenes)

file(GLOB_RECURSE command_sources CONFIGURE_DEPENDS
     "${PROJECT_SOURCE_DIR}/tools/*.c" "${PROJECT_SOURCE_DIR}/bench/*.c" "${PROJECT_SOURCE_DIR}/bench/*.cpp")
set(bullet_sources ${command_sources})
list(FILTER command_sources EXCLUDE REGEX "/bench/bullet_")
list(FILTER bullet_sources INCLUDE REGEX "/bench/bullet_")

# What the benchmark reports about the build. The commit is looked up at every build; the file is only written
# when it changes.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
list(JOIN mote_float_flags " " float_flags)
list(JOIN mote_sanitize_flags " " sanitize_flags)
set(compiler "${CMAKE_C_COMPILER_ID} ${CMAKE_C_COMPILER_VERSION} ${CMAKE_C_FLAGS} ${CMAKE_C_FLAGS_${build_type}}")
string(APPEND compiler " ${float_flags} ${sanitize_flags}")
string(REGEX REPLACE " +" " " compiler "${compiler}")
string(REGEX REPLACE "^GNU" "gcc" compiler "${compiler}")
string(REGEX REPLACE "^Clang" "clang" compiler "${compiler}")
string(STRIP "${compiler}" compiler)
string(TOLOWER "${CMAKE_BUILD_TYPE}" build_type)
set(build_info "${PROJECT_BINARY_DIR}/build_info.c")
add_custom_target(mote_build_info
    COMMAND "${CMAKE_COMMAND}"
        -D "SOURCE_DIR=${PROJECT_SOURCE_DIR}" -D "OUTPUT=${build_info}"
        -D "COMPILER=${compiler}" -D "BUILD_TYPE=${build_type}"
        -P "${PROJECT_SOURCE_DIR}/cmake/WriteBuildInfo.cmake"
    BYPRODUCTS "${build_info}"
    COMMENT "Looking up the commit"
    VERBATIM)

add_executable(mote_command ${command_sources} "${build_info}")
add_dependencies(mote_command mote_build_info)
mote_set_flags(mote_command)
set_target_properties(mote_command PROPERTIES
    OUTPUT_NAME mote
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_include_directories(mote_command PRIVATE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/cmake")
target_include_directories(mote_command SYSTEM PRIVATE "${STB_INCLUDE_DIR}")
target_link_libraries(mote_command PRIVATE mote_io mote_scenes mote_static PkgConfig::CJSON)

# Bullet is the only reason for a C++ compiler. Without it bench/bullet_* is left out.
if(MOTE_WITH_BULLET STREQUAL "AUTO")
    pkg_check_modules(BULLET IMPORTED_TARGET bullet)
elseif(MOTE_WITH_BULLET)
    pkg_check_modules(BULLET REQUIRED IMPORTED_TARGET bullet)
endif()
if(MOTE_WITH_BULLET AND BULLET_FOUND)
    enable_language(CXX)
    target_sources(mote_command PRIVATE ${bullet_sources})
    target_compile_features(mote_command PRIVATE cxx_std_17)
    target_compile_definitions(mote_command PRIVATE MOTE_WITH_BULLET=1)
    target_link_libraries(mote_command PRIVATE PkgConfig::BULLET)
endif()
