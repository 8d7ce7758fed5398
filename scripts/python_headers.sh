#!/usr/bin/env bash
# Prints the folder with Python.h of a Python version, for `make wheel`.
#
#   scripts/python_headers.sh 3.13 build-wheel/headers
#
# If that Python is installed with its headers, its own folder is printed. Otherwise the headers of Debian 13 (trixie) are
# downloaded into the given folder. The mirror is the one that this machine uses, and apt verifies the signatures.
set -euo pipefail
version=$1
target=$2

interpreter=$(command -v "python$version" || true)
ask='import os, sysconfig; print(sysconfig.get_path("include")); assert os.path.exists(sysconfig.get_path("include") + "/Python.h")'
if [[ -n $interpreter ]] && folder=$("$interpreter" -c "$ask" 2>/dev/null); then
  echo "$folder"
  exit
fi

found=$target/usr/include/python$version
if [[ ! -e $found/Python.h ]]; then
  mkdir -p "$target"/{lists/partial,archives/partial,sources}
  target=$(realpath "$target")
  mirror=$("$(dirname "$0")/debian_mirror.sh")
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  echo "deb [signed-by=$keyring] $mirror trixie main" > "$target/sources/trixie.list"
  apt=(apt-get -qq -o "Dir::Etc::sourcelist=$target/sources/trixie.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$target/lists"
       -o "Dir::Cache::archives=$target/archives" -o "Dir::Cache::pkgcache=" -o "Dir::Cache::srcpkgcache=" -o APT::Sandbox::User=root)
  "${apt[@]}" update >&2
  (cd "$target/archives" && "${apt[@]}" download "libpython$version-dev") >&2
  dpkg-deb -x "$target"/archives/libpython"$version"-dev_*.deb "$target"
  rm -rf "$target"/lists "$target"/archives "$target"/sources
  if [[ ! -e $target/usr/include/python$version/Python.h ]]; then
    echo "python_headers: libpython$version-dev of Debian 13 has no Python.h; install Python $version with its headers" >&2
    exit 1
  fi
fi
realpath "$found"
