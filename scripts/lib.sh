# shellcheck shell=sh
# Shared by the scripts beside it: packages, configuring and building so that a broken run never spoils the next.
# Everything said here goes to stderr; stdout belongs to the program that is run in the end.

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)

say() { printf 'roofline: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }
has() { command -v "$1" >/dev/null 2>&1; }

# ---- packages -------------------------------------------------------------------------------------------------------

# Libraries are known by package; tools count as there when the command is, wherever it came from (missing_tools).
needed_packages='nlohmann-json3-dev libcli11-dev libfmt-dev libgtest-dev libgmock-dev'
# Not every distribution has these; without one the build says what it leaves out.
optional_packages='pkg-config libhwloc-dev libdnnl-dev libopenblas-openmp-dev libvalijson-dev'
# What a script wants besides. For scripts/check-all; clang 14's runtime has a package of its own in Debian only.
extra_packages=''
# shellcheck disable=SC2034 # used by the scripts that read this file
check_packages='g++-11 g++-12 clang-14 clang-tidy-14 clang-format-14 libclang-rt-14-dev valgrind shellcheck'

installed() {
  # shellcheck disable=SC2016 # dpkg-query's own variable
  [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

# Whether the package lists have it; unlike show and policy, madison does not count what is merely installed.
offered() { [ -n "$(apt-cache madison "$1" 2>/dev/null)" ]; }

missing_of() {
  for package in "$@"; do
    installed "$package" || printf '%s ' "$package"
  done
}

missing_tools() {
  has cmake || printf 'cmake '
  has "${CXX:-c++}" || printf 'g++ '
  has ninja || has make || printf 'ninja-build '
}

offered_of() {
  for package in "$@"; do
    if offered "$package"; then printf '%s ' "$package"; fi
  done
}

# Prints the words that run a command as root; fails where there is no way.
root_prefix() {
  if [ "$(id -u)" = 0 ]; then
    return 0
  fi
  has sudo || return 1
  if sudo -n true 2>/dev/null; then
    printf 'sudo -n'
  elif [ -t 0 ] && [ -t 2 ]; then
    printf 'sudo' # asks for the password
  else
    return 1
  fi
}

apt_get() {
  # shellcheck disable=SC2086 # none, or 'sudo -n'
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@"
}

# Runs a command with its output kept back; shown whole, on stderr, when the command fails.
quietly() {
  quiet_log=$(mktemp)
  if "$@" >"$quiet_log" 2>&1; then
    rm -f "$quiet_log"
    return 0
  fi
  cat "$quiet_log" >&2
  rm -f "$quiet_log"
  return 1
}

# install_packages <needed> <optional>: tries all at once, then mends what an interrupted or outdated state can break.
install_packages() {
  apt_install='install -y --no-install-recommends'
  # shellcheck disable=SC2086 # lists of words
  if ! offered g++ || [ "$(offered_of $1)" != "$1" ]; then
    say 'apt-get update'
    quietly apt_get update || say 'the package lists could not be refreshed; going on with those that are here'
  fi
  # shellcheck disable=SC2086
  optional_here=$(offered_of $2)
  for package in $2; do
    case " $optional_here" in
      *" $package "*) ;;
      *) say "$package does not exist for this system; the build goes on without it" ;;
    esac
  done
  if [ -z "$1$optional_here" ]; then
    return 0
  fi
  say "installing $1$optional_here"
  # shellcheck disable=SC2086
  if apt_get $apt_install $1 $optional_here >/dev/null 2>&1; then
    return 0
  fi
  # A half-installed package of an earlier, interrupted run, or lists older than the archive.
  # shellcheck disable=SC2086
  $as_root dpkg --configure -a >/dev/null 2>&1 || true
  apt_get update >/dev/null 2>&1 || true
  if [ -n "$1" ]; then
    # shellcheck disable=SC2086
    quietly apt_get $apt_install $1 || return 1
  fi
  for package in $optional_here; do
    # shellcheck disable=SC2086
    quietly apt_get $apt_install "$package" || say "$package could not be installed; the build goes on without it"
  done
}

# setup_packages: brings what is missing. Fails when something needed is still missing,
# after saying how to get it; the caller goes on all the same, since what was installed by hand is not in dpkg's books.
setup_packages() {
  needed=$(missing_tools)
  if ! has dpkg-query || ! has apt-get; then
    [ -z "$needed" ] && return 0
    say "this system has no apt-get; install by its own means: $needed$needed_packages (optional: $optional_packages)"
    return 1
  fi
  # shellcheck disable=SC2086
  needed=$needed$(missing_of $needed_packages)
  # shellcheck disable=SC2086
  optional=$(missing_of $optional_packages $extra_packages)
  if [ -z "$needed$optional" ]; then
    return 0
  fi
  if ! as_root=$(root_prefix); then
    # Without lists nothing is known to be offered, and the command below starts with an update.
    # shellcheck disable=SC2086
    if offered g++; then optional=$(offered_of $optional); fi
    if [ -z "$needed$optional" ]; then
      return 0
    fi
    say 'neither root nor sudo here, so nothing is installed; going on with what is there. As root:'
    printf '  apt-get update && apt-get install -y --no-install-recommends %s\n' "$needed$optional" >&2
    [ -z "$needed" ]
    return
  fi
  if ! install_packages "$needed" "$optional"; then
    say "could not install $needed; going on with what is there"
    return 1
  fi
}

# ---- configure and build --------------------------------------------------------------------------------------------

# Parallel compilations: one a core, and not more than the memory carries (a heavy file takes about 1.2 GB).
jobs() {
  cores=$(nproc 2>/dev/null || echo 2)
  fit=$(awk '/^MemAvailable:/ { n = int($2 / 1250000); print (n < 1) ? 1 : n }' /proc/meminfo 2>/dev/null)
  if [ -n "$fit" ] && [ "$fit" -lt "$cores" ]; then echo "$fit"; else echo "$cores"; fi
}

cached() { sed -n "s/^$2:[A-Z]*=//p" "$1/CMakeCache.txt" 2>/dev/null; }

forget_configuration() { rm -rf "$1/CMakeCache.txt" "$1/CMakeFiles" "$1/_deps" "$1/.configured"; }

# Runs CMake; a folder without a cache gets Ninja where it is.
run_cmake() {
  build=$1
  shift
  if [ ! -e "$build/CMakeCache.txt" ] && has ninja; then
    set -- -G Ninja "$@"
  fi
  cmake -S "$root" -B "$build" "$@" >"$build/configure.log" 2>&1
}

# configure <build folder> [cmake arguments]. A folder counts as configured only by the mark that a finished run leaves,
# so that whatever an interrupted or failed run wrote is thrown away; object files stay.
configure() {
  mkdir -p "$1"
  if [ ! -e "$1/.configured" ] || [ "$(cached "$1" CMAKE_HOME_DIRECTORY)" != "$root" ]; then
    forget_configuration "$1"
  fi
  again=no
  if [ -e "$1/.configured" ]; then
    # What worked before may have lost its compiler or a library; from nothing it may work again.
    again=yes
    rm -f "$1/.configured"
  fi
  if ! run_cmake "$@"; then
    forget_configuration "$1"
    if [ $again = no ] || ! run_cmake "$@"; then
      cat "$1/configure.log" >&2
      forget_configuration "$1"
      die "CMake could not configure $1; the reason is above. Missing packages: scripts/setup"
    fi
  fi
  : >"$1/.configured"
  # What this build goes without, in CMake's words.
  sed -n -e '/without it/s/^-- /roofline: /p' -e '/^-- GPU support/s/^-- /roofline: /p' "$1/configure.log" >&2
}

# build <build folder> <target>. Progress on a terminal, silence elsewhere; a failure is shown whole.
build() {
  tree_built=$1
  shift
  if [ -t 2 ]; then
    cmake --build "$tree_built" --target "$@" -j "$(jobs)" >&2 || die "the build in $tree_built failed; the reason is above"
  else
    quietly cmake --build "$tree_built" --target "$@" -j "$(jobs)" || die "the build in $tree_built failed; the reason is above"
  fi
}

# ---- packing --------------------------------------------------------------------------------------------------------

# Whether a library is the C library's own, which every machine has and no package may carry.
is_c_library() {
  case $1 in
    ld-linux*.so.* | libc.so.* | libm.so.* | libmvec.so.* | libpthread.so.* | libdl.so.* | librt.so.* | libresolv.so.*) ;;
    *) false ;;
  esac
}
