# The compiler flags that every target of this project is built with: mote_set_flags(target).

# The same bits everywhere: no fused multiply-add unless written down, and nothing of fast-math. Without errno
# and traps the compiler may vectorise square roots and selections, which changes no result.
set(mote_float_flags -ffp-contract=off -fno-math-errno -fno-trapping-math)
# The x87 of 32-bit x86 computes with more digits than a float has.
include(CheckSourceCompiles)
check_source_compiles(C "
    #if !defined(__i386__)
    #error not 32-bit x86
    #endif
    int main(void) { return 0; }" MOTE_TARGET_IS_X86_32)
if(MOTE_TARGET_IS_X86_32)
    list(APPEND mote_float_flags -msse2 -mfpmath=sse)
endif()

set(mote_warning_flags
    -Wall -Wextra -Wpedantic -Wshadow -Wvla
    $<$<COMPILE_LANGUAGE:C>:-Wstrict-prototypes>
    $<$<COMPILE_LANGUAGE:C>:-Wmissing-prototypes>
    $<$<BOOL:${MOTE_WARNINGS_AS_ERRORS}>:-Werror>)

set(mote_sanitize_flags "")
if(MOTE_SANITIZE)
    # Optimised enough to run every test, with stack traces that can be read; all that -g adds beyond lines takes the
    # compiler longer than the code.
    set(mote_sanitize_flags -O2 -g1 -fno-omit-frame-pointer -fsanitize=${MOTE_SANITIZE} -fno-sanitize-recover=all
        -DMOTE_SANITIZED)
endif()

function(mote_set_flags target)
    target_compile_features(${target} PRIVATE c_std_17)
    set_target_properties(${target} PROPERTIES C_EXTENSIONS OFF)
    target_compile_options(${target} PRIVATE
        ${mote_float_flags} ${mote_warning_flags} ${mote_sanitize_flags})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "EXECUTABLE" OR type STREQUAL "SHARED_LIBRARY")
        target_link_options(${target} PRIVATE ${mote_sanitize_flags})
    endif()
endfunction()
