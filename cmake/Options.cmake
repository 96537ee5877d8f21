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
if(ROOFLINE_SANITIZE)
  add_compile_options(-fsanitize=${ROOFLINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${ROOFLINE_SANITIZE})
endif()
