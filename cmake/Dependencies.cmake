# What roofline is built from: find_package first, then FetchContent for machines with the internet.
#
# Needed:   nlohmann_json::nlohmann_json  CLI11::CLI11  fmt::fmt  Threads::Threads  (tests: GTest::gtest_main, GTest::gmock)
# Optional: hwloc::hwloc          ROOFLINE_HAS_HWLOC
#           DNNL::dnnl            ROOFLINE_HAS_ONEDNN    ROOFLINE_ONEDNN_VERSION
#           OpenBLAS::OpenBLAS    ROOFLINE_HAS_OPENBLAS  ROOFLINE_OPENBLAS_LIBRARIES  ROOFLINE_OPENBLAS_INCLUDE_DIRS
#           valijson::valijson    ROOFLINE_HAS_VALIJSON  (tests only)
# A ROOFLINE_HAS_* is ON or OFF, never undefined. An optional one that is missing is one line: what goes without, which
# package brings it.
include(FetchContent)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

option(ROOFLINE_FETCH "Fetch a needed library from its repository when the system has none" ON)
option(ROOFLINE_SYSTEM_LIBRARIES "Look for installed libraries before fetching" ON)

# roofline_need(<name> TARGET <target> VERSION <oldest> PACKAGE <Debian package> REPOSITORY <url> TAG <git tag>)
# A macro: what find_package and FetchContent set must be seen by the caller.
macro(roofline_need name)
  cmake_parse_arguments(_need "" "TARGET;VERSION;PACKAGE;REPOSITORY;TAG" "" ${ARGN})
  if(ROOFLINE_SYSTEM_LIBRARIES)
    find_package(${name} ${_need_VERSION} CONFIG QUIET)
  endif()
  if(NOT TARGET ${_need_TARGET})
    if(NOT ROOFLINE_FETCH)
      message(FATAL_ERROR "${name} ${_need_VERSION} or newer is needed: install ${_need_PACKAGE}, or allow -DROOFLINE_FETCH=ON")
    endif()
    message(STATUS "${name}: not installed (${_need_PACKAGE}); fetching ${_need_TAG} from ${_need_REPOSITORY}. "
                   "Without the internet this fails: then install ${_need_PACKAGE} and configure again")
    FetchContent_Declare(${name} GIT_REPOSITORY ${_need_REPOSITORY} GIT_TAG ${_need_TAG} GIT_SHALLOW ON)
    FetchContent_MakeAvailable(${name})
    # Their headers are held to their own warnings, as an installed library's would be.
    get_target_property(_need_real ${_need_TARGET} ALIASED_TARGET)
    if(NOT _need_real)
      set(_need_real ${_need_TARGET})
    endif()
    get_target_property(_need_includes ${_need_real} INTERFACE_INCLUDE_DIRECTORIES)
    if(_need_includes)
      set_property(TARGET ${_need_real} APPEND PROPERTY INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${_need_includes}")
    endif()
  endif()
endmacro()

# The oldest versions are Ubuntu 22.04's; the tags are Debian 12's.
set(JSON_BuildTests OFF CACHE INTERNAL "")
set(JSON_Install OFF CACHE INTERNAL "")
roofline_need(nlohmann_json TARGET nlohmann_json::nlohmann_json VERSION 3.10 PACKAGE nlohmann-json3-dev
              REPOSITORY https://github.com/nlohmann/json.git TAG v3.11.2)
set(CLI11_BUILD_TESTS OFF CACHE INTERNAL "")
set(CLI11_BUILD_EXAMPLES OFF CACHE INTERNAL "")
set(CLI11_BUILD_DOCS OFF CACHE INTERNAL "")
roofline_need(CLI11 TARGET CLI11::CLI11 VERSION 2.1 PACKAGE libcli11-dev
              REPOSITORY https://github.com/CLIUtils/CLI11.git TAG v2.1.2)
set(FMT_INSTALL OFF CACHE INTERNAL "")
roofline_need(fmt TARGET fmt::fmt VERSION 8 PACKAGE libfmt-dev
              REPOSITORY https://github.com/fmtlib/fmt.git TAG 9.1.0)
if(ROOFLINE_PORTABLE)
  get_target_property(_fmt_type fmt::fmt TYPE)
  if(_fmt_type STREQUAL "SHARED_LIBRARY")
    # Debian has no static one, and the shared one would bring a second libstdc++ into the program. From its headers,
    # and with --as-needed (Portable.cmake), nothing of it is left to load.
    set_property(TARGET fmt::fmt APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
  endif()
endif()
if(ROOFLINE_TESTS)
  set(INSTALL_GTEST OFF CACHE INTERNAL "")
  roofline_need(GTest TARGET GTest::gtest_main VERSION 1.11 PACKAGE "libgtest-dev libgmock-dev"
                REPOSITORY https://github.com/google/googletest.git TAG release-1.12.1)
  include(GoogleTest)
endif()

# roofline_optional(<flag> TARGET <target> HEADER <path> [LIBRARY <name>] [SUFFIXES <folder>...] [HINTS <folder>...]
#                   PACKAGE <Debian package> WITHOUT <what is skipped>)
# By header and library rather than by the package's own config file: dnnl's stops CMake where OpenCL's headers are
# missing, though only its GPU half needs them, and Debian's OpenBLAS configs do not tell its three builds apart.
function(roofline_optional flag)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "TARGET;HEADER;LIBRARY;PACKAGE;WITHOUT" "SUFFIXES;HINTS")
  option(ROOFLINE_WITH_${flag} "Use ${arg_TARGET} where it is installed" ON)
  set(ROOFLINE_HAS_${flag} OFF PARENT_SCOPE)
  set(missing "")
  if(NOT ROOFLINE_WITH_${flag})
    message(STATUS "${arg_TARGET}: switched off; without it ${arg_WITHOUT}")
    return()
  endif()
  find_path(ROOFLINE_${flag}_INCLUDE_DIR ${arg_HEADER} HINTS ${arg_HINTS} PATH_SUFFIXES ${arg_SUFFIXES})
  mark_as_advanced(ROOFLINE_${flag}_INCLUDE_DIR)
  if(NOT ROOFLINE_${flag}_INCLUDE_DIR)
    list(APPEND missing ${arg_HEADER})
  endif()
  if(arg_LIBRARY)
    find_library(ROOFLINE_${flag}_LIBRARY ${arg_LIBRARY} HINTS ${arg_HINTS} PATH_SUFFIXES ${arg_SUFFIXES})
    mark_as_advanced(ROOFLINE_${flag}_LIBRARY)
    if(NOT ROOFLINE_${flag}_LIBRARY)
      list(APPEND missing lib${arg_LIBRARY})
    endif()
  endif()
  if(missing)
    list(JOIN missing " and " missing)
    message(STATUS "${arg_TARGET}: ${missing} not found; without it ${arg_WITHOUT}. The package is ${arg_PACKAGE}")
    return()
  endif()
  if(arg_LIBRARY)
    add_library(${arg_TARGET} UNKNOWN IMPORTED GLOBAL)
    set_target_properties(${arg_TARGET} PROPERTIES IMPORTED_LOCATION "${ROOFLINE_${flag}_LIBRARY}")
    message(STATUS "${arg_TARGET}: ${ROOFLINE_${flag}_LIBRARY}")
  else()
    add_library(${arg_TARGET} INTERFACE IMPORTED GLOBAL)
    message(STATUS "${arg_TARGET}: ${ROOFLINE_${flag}_INCLUDE_DIR}")
  endif()
  set_target_properties(${arg_TARGET} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${ROOFLINE_${flag}_INCLUDE_DIR}")
  set(ROOFLINE_HAS_${flag} ON PARENT_SCOPE)
endfunction()

find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_check_modules(ROOFLINE_PC_HWLOC QUIET hwloc)
endif()
roofline_optional(HWLOC TARGET hwloc::hwloc HEADER hwloc.h LIBRARY hwloc
  HINTS ${ROOFLINE_PC_HWLOC_INCLUDE_DIRS} ${ROOFLINE_PC_HWLOC_LIBRARY_DIRS} PACKAGE libhwloc-dev
  WITHOUT "cache sizes and cores are read from /sys alone")
roofline_optional(ONEDNN TARGET DNNL::dnnl HEADER oneapi/dnnl/dnnl.hpp LIBRARY dnnl PACKAGE libdnnl-dev
  WITHOUT "fp32, bf16 and int8 GEMM points are skipped")
# Debian's default build (pthread) brings threads of its own, which fight with pinned ones.
roofline_optional(OPENBLAS TARGET OpenBLAS::OpenBLAS HEADER cblas.h LIBRARY openblas
  SUFFIXES openblas-openmp openblas openblas-pthread PACKAGE libopenblas-openmp-dev
  WITHOUT "fp64 GEMM points are skipped")
set(ROOFLINE_OPENBLAS_LIBRARIES "${ROOFLINE_OPENBLAS_LIBRARY}")
set(ROOFLINE_OPENBLAS_INCLUDE_DIRS "${ROOFLINE_OPENBLAS_INCLUDE_DIR}")
if(ROOFLINE_TESTS)
  roofline_optional(VALIJSON TARGET valijson::valijson HEADER valijson/validator.hpp PACKAGE libvalijson-dev
    WITHOUT "the tests do not validate reports against the JSON Schema")
else()
  set(ROOFLINE_HAS_VALIJSON OFF)
endif()

if(ROOFLINE_HAS_ONEDNN)
  set(ROOFLINE_ONEDNN_VERSION "")
  foreach(part MAJOR MINOR PATCH)
    file(STRINGS "${ROOFLINE_ONEDNN_INCLUDE_DIR}/oneapi/dnnl/dnnl_version.h" line
         REGEX "^#define DNNL_VERSION_${part} ")
    string(REGEX MATCH "[0-9]+" number "${line}")
    list(APPEND ROOFLINE_ONEDNN_VERSION "${number}")
  endforeach()
  list(JOIN ROOFLINE_ONEDNN_VERSION "." ROOFLINE_ONEDNN_VERSION)
endif()

