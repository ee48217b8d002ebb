#!/usr/bin/env bash
# Installs what is needed, builds, and runs all the tests: optimised; under AddressSanitizer and UBSan with a
# minute of each fuzz target; and the runtime under ThreadSanitizer.
set -euo pipefail
cd "$(dirname "$0")/.."
packaging/install-dependencies.sh

jobs=$(nproc)
cmake --preset tsan
cmake --build --preset tsan --target engine_test -- -j "$jobs"
ctest --preset tsan -R '^engine_test$'

cmake --preset asan
cmake --build --preset asan -- -j "$jobs"
ctest --preset asan -j "$jobs"

cmake --preset release -DTHERMOCLINE_TESTS=ON
cmake --build --preset release -- -j "$jobs"
ctest --preset release -j "$jobs"
