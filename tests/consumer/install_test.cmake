# cmake -DBUILD=<build tree> -DWORK=<scratch> -DCONSUMER=<project> -DCOMPILER=<c++> -DGENERATOR=<that of the build>
#       -DVERSION=1.2.3 [-DPROVIDERS=a,b] -P install_test.cmake
#
# Installs, builds a project against the prefix, runs the program from there, then moves the prefix and runs both again:
# nothing installed may remember where it was built or put.
cmake_minimum_required(VERSION 3.22)
get_filename_component(WORK ${WORK} REALPATH)  # as the program sees its own path

function(must)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\nended with ${status}\n${out}${err}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

function(check_prefix prefix)
  # The default generator's program (make) may not be here though the build's is.
  must(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${WORK}/consumer -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=${COMPILER}
       -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_FIND_PACKAGE_NO_PACKAGE_REGISTRY=ON)
  file(STRINGS ${WORK}/consumer/CMakeCache.txt found REGEX "^roofline_DIR:")
  string(FIND "${found}" "=${prefix}/" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "the consumer found another roofline: ${found}")
  endif()
  must(${CMAKE_COMMAND} --build ${WORK}/consumer)
  must(${WORK}/consumer/consumer)
  file(REMOVE_RECURSE ${WORK}/consumer)

  set(program ${prefix}/bin/roofline)
  must(${program} --version)
  if(NOT output MATCHES "${VERSION}")
    message(FATAL_ERROR "--version says ${output}")
  endif()
  must(${program} devices a100-80gb-sxm)  # from the catalogue that the program carries
  # A link to the program must find the providers too; the loader itself tells which file was opened.
  file(CREATE_LINK ${program} ${WORK}/roofline SYMBOLIC)
  must(${CMAKE_COMMAND} -E env LD_DEBUG=files LD_DEBUG_OUTPUT=${WORK}/loader
       ${WORK}/roofline gemm --shape 64x64x64 --dtype fp32,fp64 --dry-run)
  file(GLOB loader ${WORK}/loader.*)
  file(READ ${loader} opened)
  file(REMOVE ${loader})
  string(REPLACE "," ";" providers "${PROVIDERS}")
  foreach(provider IN LISTS providers)
    string(FIND "${opened}" "calling init: ${prefix}/lib/roofline/${provider}.so" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "${program} did not open ${prefix}/lib/roofline/${provider}.so")
    endif()
  endforeach()
endfunction()

file(REMOVE_RECURSE ${WORK})
must(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
check_prefix(${WORK}/prefix)
file(RENAME ${WORK}/prefix ${WORK}/moved)
check_prefix(${WORK}/moved)
file(REMOVE_RECURSE ${WORK})
