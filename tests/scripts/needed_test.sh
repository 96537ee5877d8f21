#!/bin/sh
# No program or module is linked with what only a machine with a GPU has: all of that is opened when it is asked for.
#   tests/scripts/needed_test.sh <file...>
set -eu
status=0
for file; do
  needed=$(readelf --wide --dynamic "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
  case $needed in
    *libc.so*) ;;
    *) echo "$file: readelf found no C library, so this test looks at the wrong thing"; status=1 ;;
  esac
  for library in $needed; do
    case $library in
      libcuda* | libcublas* | libnv* | libnccl* | libcupti*) echo "$file is linked with $library"; status=1 ;;
    esac
  done
  if readelf --wide --dynamic "$file" | grep -E '\(R(UN)?PATH\)' | grep -i -E 'cuda|stubs'; then
    echo "$file looks for libraries in a folder of the toolkit"
    status=1
  fi
done
exit $status
