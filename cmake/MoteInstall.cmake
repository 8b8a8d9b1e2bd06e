# What `cmake --install` installs: headers, both libraries, the command, and the files by which CMake
# (find_package(mote)) and pkg-config (mote) find them.

include(CMakePackageConfigHelpers)
set(package_directory "${CMAKE_INSTALL_LIBDIR}/cmake/mote")
set(pkgconfig_directory "${CMAKE_INSTALL_LIBDIR}/pkgconfig")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/mote" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
install(TARGETS ${libraries} EXPORT mote)
if(MOTE_BUILD_COMMAND)
    install(TARGETS mote_command)
    install(FILES "${PROJECT_SOURCE_DIR}/schema/mote-scene.schema.json" DESTINATION "${CMAKE_INSTALL_DATADIR}/mote")
endif()
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")

install(EXPORT mote NAMESPACE mote:: FILE moteTargets.cmake DESTINATION "${package_directory}")
configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/moteConfig.cmake.in"
    "${PROJECT_BINARY_DIR}/package/moteConfig.cmake" INSTALL_DESTINATION "${package_directory}")
# Before 1.0 each minor version may break with the last.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/package/moteConfigVersion.cmake"
    COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/package/moteConfig.cmake" "${PROJECT_BINARY_DIR}/package/moteConfigVersion.cmake"
        DESTINATION "${package_directory}")

# Paths in mote.pc start from the file itself, so that the installed tree can be moved.
file(RELATIVE_PATH prefix_from_pkgconfig "/${pkgconfig_directory}" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/mote.pc.in" "${PROJECT_BINARY_DIR}/package/mote.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/package/mote.pc" DESTINATION "${pkgconfig_directory}")
