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
  clang libclang-rt-dev llvm  # sanitizer builds and fuzzing
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0

as_root=()
[ "$(id -u)" -eq 0 ] || as_root=(sudo)
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update -qq
"${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}"
