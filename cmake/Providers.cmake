# Providers are modules that the program opens when a measurement needs them, so that `--help` does not pay for loading
# oneDNN and OpenBLAS. They lie in lib/roofline beside the bin folder that holds the program, in the build tree as well
# as in an install prefix: <real path of the program>/../lib/roofline/<name>.so
#
#   roofline_add_provider(roofline_onednn SOURCES onednn_module.cpp LIBRARIES DNNL::dnnl)
set(ROOFLINE_PROVIDER_FOLDER lib/roofline)

function(roofline_add_provider name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
  add_library(${name} MODULE ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE roofline_options ${arg_LIBRARIES})
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name}
    CXX_VISIBILITY_PRESET hidden
    LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/${ROOFLINE_PROVIDER_FOLDER}"
    # Debian's OpenBLAS builds share one soname; the path of the one we linked keeps the OpenMP build.
    INSTALL_RPATH_USE_LINK_PATH ON)
  if(ROOFLINE_PORTABLE)
    # What it needs lies beside it.
    set_target_properties(${name} PROPERTIES INSTALL_RPATH_USE_LINK_PATH OFF INSTALL_RPATH "$ORIGIN")
  endif()
  set_property(GLOBAL APPEND PROPERTY ROOFLINE_PROVIDERS ${name})
endfunction()
