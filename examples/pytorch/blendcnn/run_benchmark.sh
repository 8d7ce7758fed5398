#!/usr/bin/env bash
# ./run_benchmark.sh --int8=true --mode=benchmark --batch_size=32
# ./run_benchmark.sh --int8=False --mode=accuracy --batch_size=32 --input_model=/PATH/TO/FP32_MODEL
# Default of --input_model: the model that the tuning saved, or with --int8=false the model that the training saved.
# also: --dataset_location=/PATH/TO/MRPC/ --vocab=/PATH/TO/vocab.txt
set -euo pipefail
cd "$(dirname "$0")"
arguments=(--model_config config/blendcnn/mrpc/eval.json)
for argument in "$@"; do
  value=${argument#*=}
  case $argument in
    --int8=*)
      case ${value,,} in
        true) arguments+=(--int8) ;;
        false) ;;
        *) echo "run_benchmark.sh: --int8: expected true or false, got $value" >&2; exit 2 ;;
      esac ;;
    --input_model=*) [[ -z $value ]] || arguments+=(--input_model "$value") ;;
    --mode=* | --batch_size=* | --dataset_location=* | --vocab=*) arguments+=("${argument%%=*}" "$value") ;;
    *) echo "run_benchmark.sh: unknown argument $argument; known: --int8= --mode= --batch_size= --input_model= --dataset_location= --vocab=" >&2; exit 2 ;;
  esac
done
"${PYTHON:-python3}" classify.py "${arguments[@]}"
