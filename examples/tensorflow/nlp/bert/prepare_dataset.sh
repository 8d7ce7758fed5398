#!/usr/bin/env bash
# bash prepare_dataset.sh --output_dir=./data [--vocab=/PATH/vocab.txt] [--squad=/PATH/dev-v1.1.json]
# Writes vocab.txt and dev-v1.1.json to the folder: copies the given files and downloads the others. bert_config.json, which
# freeze.py needs, is downloaded with vocab.txt.
set -euo pipefail
output=./data vocab= squad=
for argument in "$@"; do
  case $argument in
    --output_dir=*) output=${argument#*=} ;;
    --vocab=*) vocab=${argument#*=} ;;
    --squad=*) squad=${argument#*=} ;;
    *) echo "prepare_dataset.sh: unknown argument $argument; known: --output_dir= --vocab= --squad=" >&2; exit 2 ;;
  esac
done
bert=https://storage.googleapis.com/bert_models/2019_05_30/wwm_uncased_L-24_H-1024_A-16.zip
dev=https://rajpurkar.github.io/SQuAD-explorer/dataset/dev-v1.1.json
mkdir -p "$output"
fetch() {
  curl -fL --retry 3 -o "$2" "$1" || {
    echo "prepare_dataset.sh: $1 cannot be fetched; fetch it elsewhere and give the file with $3" >&2
    exit 1
  }
}
if [[ -n $squad ]]; then
  case $squad in *.gz) gzip -dc "$squad" > "$output/dev-v1.1.json" ;; *) cp "$squad" "$output/dev-v1.1.json" ;; esac
elif [[ ! -f $output/dev-v1.1.json ]]; then
  fetch "$dev" "$output/dev-v1.1.json" --squad=FILE
fi
if [[ -n $vocab ]]; then
  cp "$vocab" "$output/vocab.txt"
elif [[ ! -f $output/vocab.txt ]]; then
  fetch "$bert" "$output/bert.zip" --vocab=FILE
  unzip -oj "$output/bert.zip" '*/vocab.txt' '*/bert_config.json' -d "$output"
  rm "$output/bert.zip"
fi
echo "data: $output/dev-v1.1.json, $output/vocab.txt"
