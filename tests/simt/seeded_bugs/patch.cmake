# cmake -DBUG=<file that sets file, old and new> -DSOURCE=<tree> -DOUTPUT=<folder> -P patch.cmake
# Writes OUTPUT/<file>: SOURCE/<file> with `new` in the place of `old`, which must stand there exactly once.
include("${BUG}")
file(READ "${SOURCE}/${file}" text)
string(FIND "${text}" "${old}" first)
string(FIND "${text}" "${old}" last REVERSE)
if(first EQUAL -1)
  message(FATAL_ERROR "${file} no longer has the text that ${BUG} replaces; give the bug a new place:\n${old}")
endif()
if(NOT first EQUAL last)
  message(FATAL_ERROR "${file} has more than once what ${BUG} replaces:\n${old}")
endif()
string(REPLACE "${old}" "${new}" text "${text}")
file(WRITE "${OUTPUT}/${file}" "${text}")
