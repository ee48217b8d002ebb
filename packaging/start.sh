#!/usr/bin/env bash
# Installs what is needed, builds, and opens the terminal chat with the built-in model (or the model given).
set -euo pipefail
cd "$(dirname "$0")/.."
packaging/install-dependencies.sh
cmake --preset release -DTHERMOCLINE_TESTS=OFF
cmake --build --preset release
exec build/release/bin/thermocline chat "$@"
