#!/bin/sh
# Sets up everything that forerun needs: a virtual environment in .venv, the package, and LLVM. Safe to repeat.
# Usage: scripts/setup.sh [EXTRA]   e.g. `scripts/setup.sh dev` for what the tests need
set -eu
cd "$(dirname "$0")/.."

say() { printf '%s\n' "setup: $*" >&2; }
stop() { say "$*"; exit 3; }

# How to become root without asking anybody anything; empty and failing where that is not permitted.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then sudo -n "$@"
    else return 1; fi
}
installable() { command -v apt-get >/dev/null && as_root true; }
install() {
    installable || return 1
    say "installing $*"
    as_root apt-get update -qq >/dev/null 2>&1 || true
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null 2>&1
}

find_python() {
    for name in python3 python3.14 python3.13 python3.12 python3.11; do
        if command -v "$name" >/dev/null && "$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            echo "$name"
            return
        fi
    done
}

python=$(find_python)
if [ -z "$python" ]; then
    install python3 python3-venv || true
    python=$(find_python)
    [ -n "$python" ] || stop "Python 3.11 or newer is needed: apt-get install python3 python3-venv"
fi
if [ ! -x .venv/bin/python ]; then
    "$python" -m venv .venv 2>/dev/null || {
        rm -rf .venv
        install python3-venv || stop "the module venv is needed: apt-get install python3-venv"
        "$python" -m venv .venv
    }
fi

# Installed again only when the project's description, the command or the wanted extra changed.
extra=${1:-}
stamp=.venv/.forerun-$(cat pyproject.toml bin/forerun scripts/setup.sh | cksum | tr -d ' ')-${extra:-core}
if [ ! -e "$stamp" ]; then
    say "installing forerun${extra:+ with the extra '$extra'} into .venv"
    .venv/bin/python -m pip install -q --disable-pip-version-check -e ".${extra:+[$extra]}"
    touch "$stamp"
fi

if ! .venv/bin/forerun doctor >/dev/null 2>&1; then
    # Lists that came with the machine may know older versions alone.
    if installable; then as_root apt-get update -qq >/dev/null 2>&1 || true; fi
    newest=
    for version in 22 21 20 19 18; do
        if apt-cache show "clang-$version" >/dev/null 2>&1; then newest=$version; break; fi
    done
    wanted="clang-${newest:-22} llvm-${newest:-22}"
    # shellcheck disable=SC2086 # two packages
    install $wanted || stop "LLVM 18 to 22 with clang is needed: apt-get install $wanted"
    .venv/bin/forerun doctor >/dev/null || stop "LLVM was installed, but does not work: .venv/bin/forerun doctor"
fi
