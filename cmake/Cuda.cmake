# GPU support needs a CUDA toolkit at build time only: nvcc for the kernels, headers for the driver's types. Nothing of
# it is linked.
#
#   ROOFLINE_CUDA           AUTO (with GPU support when there is a toolkit), ON (a toolkit is a must), OFF
#   ROOFLINE_HAS_CUDA       what came of it
#   roofline_cuda_headers   interface target: where cuda.h is, as system headers; only with ROOFLINE_HAS_CUDA
#
# No enable_language(CUDA): the kernels become a fatbin by nvcc itself (kernels/cuda/CMakeLists.txt), which CMake before
# 3.26 could not do in C++20.

set(ROOFLINE_CUDA AUTO CACHE STRING "GPU support: AUTO, ON or OFF")
set_property(CACHE ROOFLINE_CUDA PROPERTY STRINGS AUTO ON OFF)
set(ROOFLINE_HAS_CUDA FALSE)

# The first that exists of: CUDA_HOME, CUDA_PATH, PATH, the usual places, the newest version first.
function(_roofline_find_toolkit)
  file(GLOB versions LIST_DIRECTORIES true "/usr/local/cuda-*" "/opt/cuda-*")
  list(SORT versions COMPARE NATURAL ORDER DESCENDING)
  set(named "")
  foreach(variable CUDA_HOME CUDA_PATH)
    if(NOT "$ENV{${variable}}" STREQUAL "")
      list(APPEND named "$ENV{${variable}}/bin")
    endif()
  endforeach()
  list(TRANSFORM versions APPEND "/bin")
  # Last, what scripts/setup cuda brings.
  find_program(ROOFLINE_NVCC nvcc HINTS ${named}
    PATHS /usr/local/cuda/bin /opt/cuda/bin ${versions} ${PROJECT_SOURCE_DIR}/build/cuda-toolkit/bin
    DOC "nvcc of the CUDA toolkit that builds the GPU kernels")
  mark_as_advanced(ROOFLINE_NVCC)
  if(NOT ROOFLINE_NVCC)
    return()
  endif()
  get_filename_component(nvcc "${ROOFLINE_NVCC}" REALPATH)
  get_filename_component(root "${nvcc}/../.." ABSOLUTE)
  find_path(ROOFLINE_CUDA_INCLUDE cuda.h HINTS "${root}/include" "${root}/targets/${CMAKE_SYSTEM_PROCESSOR}-linux/include"
    DOC "Where cuda.h is")
  mark_as_advanced(ROOFLINE_CUDA_INCLUDE)
endfunction()

# Sets `problem` to what is missing, or to nothing.
macro(_roofline_check_toolkit)
  set(problem "")
  _roofline_find_toolkit()
  if(NOT ROOFLINE_NVCC)
    set(problem "no nvcc in CUDA_HOME, CUDA_PATH, PATH or /usr/local/cuda*")
  elseif(NOT ROOFLINE_CUDA_INCLUDE)
    set(problem "${ROOFLINE_NVCC} has no cuda.h beside it")
  else()
    execute_process(COMMAND "${ROOFLINE_NVCC}" --version OUTPUT_VARIABLE answer ERROR_VARIABLE answer)
    string(REGEX MATCH "release ([0-9]+\\.[0-9]+)" _ "${answer}")
    set(ROOFLINE_NVCC_VERSION "${CMAKE_MATCH_1}")
    if(NOT ROOFLINE_NVCC_VERSION)
      set(problem "${ROOFLINE_NVCC} does not run")
    elseif(ROOFLINE_NVCC_VERSION VERSION_LESS 12.0)
      set(problem "${ROOFLINE_NVCC} is of CUDA ${ROOFLINE_NVCC_VERSION}; 12.0 or later is needed for C++20")
    endif()
  endif()
endmacro()

if(ROOFLINE_CUDA)
  _roofline_check_toolkit()
  if(NOT problem)
    set(ROOFLINE_HAS_CUDA TRUE)
    add_library(roofline_cuda_headers INTERFACE)
    target_include_directories(roofline_cuda_headers SYSTEM INTERFACE "${ROOFLINE_CUDA_INCLUDE}")
    message(STATUS "GPU support: CUDA ${ROOFLINE_NVCC_VERSION} (${ROOFLINE_NVCC})")
  elseif(ROOFLINE_CUDA STREQUAL "AUTO")
    message(STATUS "GPU support: none (${problem}); set CUDA_HOME to a CUDA toolkit to get it")
  else()
    message(FATAL_ERROR "ROOFLINE_CUDA=${ROOFLINE_CUDA}, but ${problem}: set CUDA_HOME to a CUDA toolkit, or "
                        "ROOFLINE_CUDA=OFF")
  endif()
else()
  message(STATUS "GPU support: none (ROOFLINE_CUDA=${ROOFLINE_CUDA})")
endif()
