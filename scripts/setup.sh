#!/usr/bin/env bash
# Installs what the build needs: Debian packages, and a .venv with wheels that are pinned by hash. Installs only what is
# missing, so a second run changes nothing and needs no network.
#
#   scripts/setup.sh         for building, testing and the quick start
#   scripts/setup.sh --dev   also the formatter, the linters and the benchmark library
#   scripts/setup.sh --peers also a .venv-peers with the tools that benchmarks/peers compares with lpot and, if Python 3.8
#                            is installed (LPOT_PYTHON38 can name it), a .venv-original with LPOT 1.6
#   scripts/setup.sh --zoo   the same as --peers, for benchmarks/zoo
#   scripts/setup.sh --fuzz  also clang with libFuzzer, for make fuzz
#   scripts/setup.sh --page  also the browser that tests the page of the report
#   scripts/setup.sh --python also a .venv-python with PyTorch, TensorFlow and the build and test tools of the Python package
#   scripts/setup.sh --wheel also a .venv-wheel with the build tools of the wheel, for make wheel
#   scripts/setup.sh --roots also debootstrap, which creates clean Debian systems, for make test-wheel
#   scripts/setup.sh --docs  also a .venv-docs with mkdocs, for make docs
#   scripts/setup.sh --test  also ONNX Runtime and tokenizers, for the tests on real models and data
set -euo pipefail
cd "$(dirname "$0")/.."

packages=(g++ make cmake ninja-build ccache zlib1g-dev libjpeg62-turbo-dev libpng-dev libfreetype-dev fonts-dejavu-core espeak-ng libyaml-cpp-dev nlohmann-json3-dev
          libcli11-dev libfmt-dev libspdlog-dev libsqlite3-dev libprotobuf-dev libonnx-dev libeigen3-dev libutf8proc-dev libcpp-httplib-dev libssl-dev libopenmpi-dev openmpi-bin libgtest-dev
          libgmock-dev dataset-fashion-mnist)
requirements=(scripts/locked/requirements.txt)
if [[ "${1:-}" == "--dev" ]]; then
  packages+=(clang-format clang-tidy libbenchmark-dev)
  requirements+=(scripts/locked/requirements-dev.txt)
elif [[ "${1:-}" == "--fuzz" ]]; then
  packages+=(clang-14 libclang-rt-14-dev)
elif [[ "${1:-}" == "--page" ]]; then
  packages+=(chromium)
elif [[ "${1:-}" == "--roots" ]]; then
  packages+=(debootstrap debian-archive-keyring)
elif [[ "${1:-}" == "--test" ]]; then
  requirements+=(scripts/locked/requirements-test.txt)
fi

as_root() {
  if [[ $(id -u) -eq 0 ]]; then "$@"
  elif command -v sudo >/dev/null; then sudo "$@"
  else
    echo "setup: run as root, or install by hand: $*" >&2
    exit 1
  fi
}

python=$(command -v python3.11 || command -v python3) || { echo "setup: Python 3.11 is needed and was not found" >&2; exit 1; }
"$python" -c 'import ensurepip' 2>/dev/null || packages+=(python3-venv)
headers='import os, sysconfig; assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))'
if [[ "${1:-}" =~ ^--(python|wheel|dev)$ ]]; then "$python" -c "$headers" 2>/dev/null || packages+=(python3-dev); fi

missing=()
for package in "${packages[@]}"; do
  [[ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" == installed ]] || missing+=("$package")
done
if [[ ${#missing[@]} -gt 0 ]]; then
  echo "setup: installing ${missing[*]}"
  as_root apt-get update -qq
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# install FOLDER FILE...: a virtual environment with the wheels that scripts/locked has for the files of scripts/
install() {
  local folder=$1 file stamp
  shift
  [[ -x $folder/bin/python ]] || "${interpreter:-$python}" -m venv "$folder"
  for file in "$@"; do
    stamp=$folder/installed-$(basename "$file")
    cmp -s "$file" "$stamp" && continue
    echo "setup: installing the wheels of $file"
    if ! "$folder/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --only-binary :all: --requirement "$file"; then
      echo "setup: $file is for Python 3.11 (3.8 for the original) on x86-64; see docs/dependencies.md for PyTorch's CPU build" >&2
      exit 1
    fi
    cp "$file" "$stamp"
  done
}

install .venv "${requirements[@]}"
if [[ "${1:-}" == "--python" ]]; then install .venv-python scripts/locked/requirements-python.txt; fi
if [[ "${1:-}" == "--wheel" ]]; then install .venv-wheel scripts/locked/requirements-wheel.txt; fi
if [[ "${1:-}" == "--docs" ]]; then install .venv-docs scripts/locked/requirements-docs.txt; fi
if [[ "${1:-}" == "--peers" || "${1:-}" == "--zoo" ]]; then
  install .venv-peers scripts/locked/requirements-peers.txt
  for interpreter in "${LPOT_PYTHON38:-}" python3.8 "$HOME"/.pyenv/versions/3.8.*/bin/python; do
    "$interpreter" -c '' 2>/dev/null || continue
    install .venv-original scripts/locked/requirements-original.txt
    break
  done
fi
