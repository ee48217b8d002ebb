#!/usr/bin/env bash
# Installs what building and testing Thermocline needs from Debian's (or Ubuntu's) packages. README, CI and
# packaging all use this one list.
set -euo pipefail

packages=(
  cmake ninja-build g++ pkg-config git ca-certificates
  nlohmann-json3-dev  # JSON in the command line and tests
  libedit-dev         # line editing in the terminal chat
  libgtest-dev        # tests
  libsimde-dev        # AVX-512 kernels tested on processors without AVX-512
  clang llvm          # sanitizer builds and fuzzing
)
# Debian 12 has clang's sanitizers in a package of their own; where there is none, they come with clang.
packages_where_known=(libclang-rt-dev)

installed() { dpkg-query -W -f='${Status}' "$1" 2>/dev/null | grep -q 'install ok installed'; }
known() { apt-cache show "$1" >/dev/null 2>&1; }

missing=()
for package in "${packages[@]}"; do
  installed "$package" || missing+=("$package")
done
unsure=()
for package in "${packages_where_known[@]}"; do
  # Without package lists apt knows nothing, not even clang.
  if ! installed "$package" && { known "$package" || ! known clang; }; then unsure+=("$package"); fi
done
[ $((${#missing[@]} + ${#unsure[@]})) -gt 0 ] || exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
for package in "${unsure[@]}"; do
  if known "$package"; then missing+=("$package"); fi
done
[ ${#missing[@]} -gt 0 ] || exit 0
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
