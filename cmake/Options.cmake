# Warnings and sanitizers for our own targets, never for what we link.
add_library(roofline_options INTERFACE)
target_compile_options(roofline_options INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # g++ 12 sees overlaps in std::string's own operator+ (its bug 105651, mended in 13).
  target_compile_options(roofline_options INTERFACE -Wno-restrict)
endif()
if(ROOFLINE_WERROR)
  target_compile_options(roofline_options INTERFACE -Werror)
endif()
set(ROOFLINE_SANITIZED 0)  # as a number for tests; the list itself has commas, which generator expressions split
if(ROOFLINE_SANITIZE)
  set(ROOFLINE_SANITIZED 1)
  add_compile_options(-fsanitize=${ROOFLINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  # Whatever the build type: an optimiser under sanitizers takes up to three times as long to compile, and finds no more.
  # roofline_hot is for where the time of the tests goes.
  add_compile_options(-O0 -g1)
  add_link_options(-fsanitize=${ROOFLINE_SANITIZE})
endif()
# Files that share the headers they spend their compilation on. Names in their unnamed namespaces must differ.
function(roofline_unity)
  foreach(target IN LISTS ARGN)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${ROOFLINE_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  endforeach()
endfunction()
function(roofline_hot target)
  if(ROOFLINE_SANITIZED)
    target_compile_options(${target} PRIVATE -O1)
  endif()
endfunction()
# An empty optional that is read, an index past the end: an abort rather than a plausible value.
if(ROOFLINE_SANITIZE OR CMAKE_BUILD_TYPE STREQUAL "Debug")
  add_compile_definitions(_GLIBCXX_ASSERTIONS)
endif()
if(ROOFLINE_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "ROOFLINE_FUZZ needs clang's libFuzzer: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  add_compile_options(-fsanitize=fuzzer-no-link)  # coverage for everything that a fuzzer calls
endif()
