#!/usr/bin/env bash
# Installs the wheel in a clean Debian root and uses it there: `make test-wheel`. Needs root rights, for chroot.
#
#   tests/wheel/run.sh bookworm build-roots dist
#
# debootstrap makes the root once, from the mirror that apt uses on this machine: Python and shells, no compiler and no
# -dev package. pip downloads the dependencies here, with the settings of this machine. The root itself has no network.
set -euo pipefail
suite=$1
roots=$2
dist=$3
source=$(realpath "$(dirname "$0")/../..")

declare -A pythons=([bookworm]=3.11 [trixie]=3.13)
version=${pythons[$suite]:-}
if [[ -z $version ]]; then
  echo "test-wheel: '$suite' is not a known Debian release; expected one of: ${!pythons[*]}" >&2
  exit 2
fi
if [[ $(id -u) -ne 0 ]]; then
  echo "test-wheel: debootstrap and chroot need root rights; run it as root" >&2
  exit 1
fi
wheels=("$dist"/lpot-*-cp"${version/./}"-*.whl)
if [[ ${#wheels[@]} -ne 1 || ! -e ${wheels[0]} ]]; then
  echo "test-wheel: expected one wheel for Python $version in $dist, found: ${wheels[*]}; run make wheel" >&2
  exit 1
fi

clean=$roots/$suite
if [[ ! -e $clean.made ]]; then
  rm -rf "$clean"
  mkdir -p "$roots"
  debootstrap --variant=minbase --include=python3,python3-venv,bash-completion,zsh,fish "$suite" "$clean" \
    "$("$source/scripts/debian_mirror.sh")" > "$clean.log" || { tail -n 20 "$clean.log" >&2; exit 1; }
  touch "$clean.made"
fi

# A copy, so that the clean root stays clean.
root=$(mktemp -d "$roots/$suite-XXXXXX")
trap 'rm -rf --one-file-system "$root"' EXIT
cp -a --reflink=auto "$clean/." "$root"
mkdir -p "$root/test/wheels" "$root/usr/share/datasets"
cp "${wheels[0]}" "$root/test/wheels"
cp "$source"/tests/wheel/{in_root.sh,tune.py} "$source"/examples/quickstart/{quickstart.yaml,fashion_cnn.onnx} "$root/test"
cp -r /usr/share/datasets/fashion-mnist "$root/usr/share/datasets"
SECONDS=0
python3 -m pip download --quiet --disable-pip-version-check --python-version "$version" --only-binary :all: \
  --dest "$root/test/wheels" "${wheels[0]}"
echo "test-wheel: $suite: dependencies downloaded in $SECONDS s"

# Mounts and network end with the namespaces of this command.
unshare --mount --net bash -euc '
  mount -t proc proc "$0/proc"
  mount --rbind /sys "$0/sys"
  mount --rbind /dev "$0/dev"
  exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 chroot "$0" /bin/bash /test/in_root.sh "$1"' "$root" \
  "$(sed -n 's/.*kVersion = "\(.*\)".*/\1/p' "$source/lpot/core/version.h")"
echo "test-wheel: $suite: passed"
