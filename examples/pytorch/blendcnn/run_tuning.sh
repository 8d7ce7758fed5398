#!/usr/bin/env bash
# ./run_tuning.sh --input_model=/PATH/TO/models/ --dataset_location=/PATH/TO/MRPC/ --output_model=/DIR/TO/INT8_MODEL/
# also: --vocab=/PATH/TO/vocab.txt (default: below models/)
set -euo pipefail
cd "$(dirname "$0")"
arguments=(--model_config config/blendcnn/mrpc/eval.json --tune)
for argument in "$@"; do
  case $argument in
    --input_model=* | --dataset_location=* | --output_model=* | --vocab=*) arguments+=("${argument%%=*}" "${argument#*=}") ;;
    *) echo "run_tuning.sh: unknown argument $argument; known: --input_model= --dataset_location= --output_model= --vocab=" >&2; exit 2 ;;
  esac
done
"${PYTHON:-python3}" classify.py "${arguments[@]}"
