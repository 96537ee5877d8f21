# ROOFLINE_PORTABLE: programs and modules that run on a machine with a C library and nothing else of this one's.
# libstdc++ and libgcc are linked in; other libraries are looked for beside the program only: scripts/package puts them
# there. What loads them is DT_RPATH, not DT_RUNPATH: it also holds for the libraries' own libraries, which Debian
# builds without any.
#
#   roofline_portable_program(<target> <prefix>)   prefix: the way from the folder of the installed program, as in "../"
if(ROOFLINE_PORTABLE)
  add_link_options(-Wl,--as-needed -Wl,--disable-new-dtags -Wl,--gc-sections)
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=)
endif()

function(roofline_portable_program target prefix)
  if(NOT ROOFLINE_PORTABLE)
    return()
  endif()
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc)
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${prefix}${ROOFLINE_PROVIDER_FOLDER}")
endfunction()
