# What a prefix holds: bin/roofline, lib/roofline/ (providers, found relative to the program), the library with its
# headers and package config, and the configs as files to start an own --config-dir from (the binary carries them too).
include(CMakePackageConfigHelpers)

install(TARGETS roofline_core EXPORT rooflineTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/roofline DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/roofline)
install(EXPORT rooflineTargets NAMESPACE roofline:: DESTINATION ${package_folder})
configure_package_config_file(cmake/rooflineConfig.cmake.in ${PROJECT_BINARY_DIR}/rooflineConfig.cmake
  INSTALL_DESTINATION ${package_folder})
# Before 1.0 a minor version may break what it likes.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rooflineConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/rooflineConfig.cmake ${PROJECT_BINARY_DIR}/rooflineConfigVersion.cmake
  DESTINATION ${package_folder})

get_property(providers GLOBAL PROPERTY ROOFLINE_PROVIDERS)
get_property(helpers GLOBAL PROPERTY ROOFLINE_HELPERS)  # what scripts/gpu-check runs
add_custom_target(program)  # what scripts/run builds: the program with everything that it opens
add_dependencies(program roofline ${providers})
add_custom_target(packed)  # and what scripts/package packs besides
add_dependencies(packed program ${helpers})
# Component `program` is what scripts/package packs.
install(TARGETS roofline RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
if(providers)
  # Not CMAKE_INSTALL_LIBDIR: the program looks in one place, whatever a distribution calls its library folder.
  install(TARGETS ${providers} LIBRARY DESTINATION ${ROOFLINE_PROVIDER_FOLDER} COMPONENT program)
endif()
if(helpers)
  install(TARGETS ${helpers} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/roofline COMPONENT helpers EXCLUDE_FROM_ALL)
endif()
install(DIRECTORY configs/ DESTINATION ${CMAKE_INSTALL_DATADIR}/roofline/configs COMPONENT program
  FILES_MATCHING PATTERN "*.json")
