#!/usr/bin/env bash
# Runs inside the root of tests/wheel/run.sh. The argument is the expected version.
set -euo pipefail
version=$1
cd /test

fail() {
  echo "test-wheel: $1" >&2
  exit 1
}

# The root is clean: what works here works without compilers and without development packages.
for program in cc gcc g++ clang cmake make lpot; do
  if command -v "$program" >/dev/null; then fail "the root has $program"; fi
done
if dpkg-query -W -f '${Package}\n' | grep -E -- '-dev$'; then fail "the root has -dev packages"; fi

python3 -m venv /venv
TIMEFORMAT="test-wheel: pip install took %R s, %U s of CPU time"
time /venv/bin/pip install --quiet --disable-pip-version-check --no-index --find-links wheels wheels/lpot-*.whl
export PATH=/venv/bin:$PATH

# The command and the modules.
[[ $(lpot --version) == "lpot $version" ]] || fail "lpot --version prints '$(lpot --version)', expected 'lpot $version'"
[[ $(python -c 'import lpot; print(lpot.__version__)') == "$version" ]] || fail "lpot.__version__ is not $version"
python -c 'from ilit import Tuner'
package=$(python -c 'import lpot, pathlib; print(pathlib.Path(lpot.__file__).parent)')
for file in "$package"/{py.typed,_core.pyi} "$package"/../ilit/py.typed "$package"/../lpot-*.dist-info/licenses/libssl3*; do
  [[ -e $file ]] || fail "the wheel has no $file"
done

# Libraries come from the wheel, from OpenVINO's wheel, or belong to every Linux distribution of this age.
for file in "$package"/bin/lpot "$package"/_core.*.so; do
  ldd "$file" > links
  if grep "not found" links; then fail "$file lacks libraries"; fi
  if grep -E "^\s*lib" links | grep -v -E "/venv/|=> /lib/x86_64-linux-gnu/lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s|z)\.so"; then
    fail "$file links libraries of the root"
  fi
done

# Tuning with the command, and with Python and data in memory.
logged() {
  "$@" > log 2>&1 || { cat log >&2; fail "$* failed"; }
}
logged lpot tune quickstart.yaml --model fashion_cnn.onnx --output int8
[[ -e int8/model.xml && -e int8/deploy.yaml ]] || fail "lpot tune saved no model"
lpot evaluate quickstart.yaml --model int8/model.xml --quiet
logged python tune.py

# Completion of the three shells, from the files that the wheel installed.
share=/venv/share
completed=$(bash -c 'source "$0"; COMP_WORDS=(lpot tu); COMP_CWORD=1; _lpot; echo "${COMPREPLY[@]}"' $share/bash-completion/completions/lpot)
[[ $completed == tune ]] || fail "bash completes 'lpot tu' to '$completed', expected 'tune'"
completed=$(fish -c "source $share/fish/vendor_completions.d/lpot.fish; complete -C 'lpot report --format m'")
[[ $completed == md* ]] || fail "fish completes 'lpot report --format m' to '$completed', expected 'md'"
zsh -fc "fpath=($share/zsh/site-functions \$fpath); autoload -U compinit; compinit -u; [[ \$_comps[lpot] == _lpot ]]" || fail "zsh does not load _lpot"
zsh -n $share/zsh/site-functions/_lpot
