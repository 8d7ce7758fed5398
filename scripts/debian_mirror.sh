#!/usr/bin/env bash
# Prints the Debian mirror that apt uses on this machine.
set -euo pipefail
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(COMPONENT)' 2>/dev/null \
  | awk '$2 == "bookworm" || $2 == "trixie" || $2 == "stable" {if ($3 == "main") print $1}' | head -n 1)
if [[ -z $mirror ]]; then
  echo "debian_mirror: apt has no source for Debian's main archive; add one and run apt-get update" >&2
  exit 1
fi
echo "$mirror"
