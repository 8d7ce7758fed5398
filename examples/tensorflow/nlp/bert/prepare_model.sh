#!/usr/bin/env bash
# bash prepare_model.sh --output_dir=./model [--frozen=/PATH/frozen.pb] [--checkpoint=/PATH/bert_large_checkpoints.zip]
# Writes a frozen graph or a checkpoint to the folder: copies a given file, or else downloads the checkpoint. The graph must
# have the placeholders input_file and batch_size, the iterator and the outputs that bert.yaml names. freeze.py builds such
# a graph from a checkpoint.
set -euo pipefail
output=./model frozen= checkpoint=
for argument in "$@"; do
  case $argument in
    --output_dir=*) output=${argument#*=} ;;
    --frozen=*) frozen=${argument#*=} ;;
    --checkpoint=*) checkpoint=${argument#*=} ;;
    *) echo "prepare_model.sh: unknown argument $argument; known: --output_dir= --frozen= --checkpoint=" >&2; exit 2 ;;
  esac
done
source=https://storage.googleapis.com/intel-optimized-tensorflow/models/v1_8/bert_large_checkpoints.zip
mkdir -p "$output"
if [[ -n $frozen ]]; then
  cp "$frozen" "$output/bert.pb"
  chmod u+w "$output/bert.pb"
  echo "model: $output/bert.pb"
  exit
fi
if [[ -n $checkpoint ]]; then
  cp "$checkpoint" "$output/checkpoint.zip"
else
  curl -fL --retry 3 -o "$output/checkpoint.zip" "$source" || {
    echo "prepare_model.sh: $source cannot be fetched; fetch it elsewhere and give it with --checkpoint=FILE, or give a frozen graph with --frozen=FILE" >&2
    exit 1
  }
fi
unzip -o "$output/checkpoint.zip" -d "$output"
rm "$output/checkpoint.zip"
checkpoint=$(find "$output" -name '*.index' | sort | head -n 1)
echo "checkpoint: ${checkpoint%.index}; next: python freeze.py --checkpoint ${checkpoint%.index} --bert_config ./data/bert_config.json --output $output/bert.pb"
