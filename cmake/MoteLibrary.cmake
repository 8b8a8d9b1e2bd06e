# The library: mote_static and mote_shared from the same objects, and mote::mote, which is the shared one where the
# system has such a thing (WebAssembly has not).

include(CheckSourceCompiles)
find_package(Threads REQUIRED)

file(GLOB_RECURSE library_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*.c")
set(kernel_sources ${library_sources})
list(FILTER library_sources EXCLUDE REGEX "_kernel\\.c$")
list(FILTER kernel_sources INCLUDE REGEX "_kernel\\.c$")

# Kernels, the hot files, are compiled once for each of these levels; the library chooses one at start-up.
set(kernel_levels baseline)
set(kernel_flags_baseline "")
check_source_compiles(C "
    #if !defined(__x86_64__)
    #error not x86-64
    #endif
    int main(void) { return 0; }" MOTE_TARGET_IS_X86_64)
if(MOTE_TARGET_IS_X86_64)
    list(APPEND kernel_levels avx2)
    # The same sources a third time would show sanitizers nothing new, and take them a minute to compile.
    if(NOT MOTE_SANITIZE)
        list(APPEND kernel_levels avx512)
    endif()
    # No fused multiply-add: it rounds once where the others round twice. GCC 12 makes some of it (vfmsubadd) even when
    # told not to contract, where it makes vectors of scalar code (SLP); and AVX-512 cannot be had without it.
    set(kernel_flags_avx2 -mavx2 -mno-fma -mbmi -mbmi2 -mpopcnt -mlzcnt -fno-tree-slp-vectorize)
    # Eight lanes of float fill 256 bits; wider registers would only lower the clock.
    set(kernel_flags_avx512 ${kernel_flags_avx2}
        -mavx512f -mavx512vl -mavx512bw -mavx512dq -mprefer-vector-width=256)
endif()

# Position-independent objects serve both kinds of library. The vectors that pass between functions never cross
# the library's border, so notes about their calling convention (psabi) are of no interest.
function(mote_add_objects target)
    add_library(${target} OBJECT ${ARGN})
    mote_set_flags(${target})
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON C_VISIBILITY_PRESET hidden)
    target_compile_options(${target} PRIVATE -Wno-psabi)
    foreach(level IN LISTS kernel_levels)
        string(TOUPPER ${level} name)
        target_compile_definitions(${target} PRIVATE MOTE_KERNEL_${name}=1)
    endforeach()
    target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}/include" "${PROJECT_SOURCE_DIR}/src")
endfunction()

mote_add_objects(mote_objects ${library_sources})
set(library_objects $<TARGET_OBJECTS:mote_objects>)
# In the passes over bodies everything is inlined into a few large functions, on which sanitizers and the optimizer
# together spend minutes.
if(MOTE_SANITIZE)
    set(large_kernels ${kernel_sources})
    list(FILTER large_kernels INCLUDE REGEX "(follow|motion|joint|shake|settle|body_pairs|list)_kernel\\.c$")
    set_source_files_properties(${large_kernels} PROPERTIES COMPILE_OPTIONS -O1)
endif()

foreach(level IN LISTS kernel_levels)
    mote_add_objects(mote_kernels_${level} ${kernel_sources})
    target_compile_options(mote_kernels_${level} PRIVATE ${kernel_flags_${level}})
    target_compile_definitions(mote_kernels_${level} PRIVATE MOTE_KERNEL_LEVEL=${level})
    list(APPEND library_objects $<TARGET_OBJECTS:mote_kernels_${level}>)
endforeach()

set(libraries mote_static)
add_library(mote_static STATIC ${library_objects})
add_library(mote::mote_static ALIAS mote_static)
get_property(has_shared_libraries GLOBAL PROPERTY TARGET_SUPPORTS_SHARED_LIBS)
if(has_shared_libraries)
    list(APPEND libraries mote_shared)
    add_library(mote_shared SHARED ${library_objects})
    add_library(mote::mote ALIAS mote_shared)
else()
    add_library(mote::mote ALIAS mote_static)
endif()

foreach(library IN LISTS libraries)
    mote_set_flags(${library})
    target_include_directories(${library} PUBLIC
        "$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
    set_target_properties(${library} PROPERTIES
        OUTPUT_NAME mote
        ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}"
        LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
endforeach()

target_link_libraries(mote_static PUBLIC Threads::Threads m)
if(has_shared_libraries)
    target_link_libraries(mote_shared PRIVATE Threads::Threads m)
    set_target_properties(mote_shared PROPERTIES
        EXPORT_NAME mote
        VERSION ${PROJECT_VERSION}
        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endif()
