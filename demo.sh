#!/bin/sh
# The main job on real files that come with the project: ./demo.sh. Installs what is missing first (Debian packages; the ExecuTorch
# runtime, which judges what the tools wrote, from the Python registry, into build/) and says so.
set -eu
cd "$(dirname "$0")"
. scripts/setup.sh

# shellcheck disable=SC2086 # words
install_packages $BUILD_PACKAGES $RUNTIME_PACKAGES
mkdir -p build
say "building the tools"
build_preset release -DPTEEDIT_TESTS=OFF -DPTEEDIT_WERROR=ON >build/demo-build.log 2>&1 || { cat build/demo-build.log; exit 1; }
say "getting the real runtime, which will judge what the tools write"
runner=
if tests/e2e/setup_runtime.sh build/runtime >build/setup-runtime.log 2>build/setup-runtime.errors; then
  runner=$(tail -n 1 build/setup-runtime.log)
else
  tail -n 3 build/setup-runtime.errors
fi
exec scripts/demo_steps.sh "$PWD/build/release/tools" "$runner"
