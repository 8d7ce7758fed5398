#!/usr/bin/env bash
# ./run_all.sh [--data_dir=./glue_data] [--model_dir=./models] [--output_dir=./int8]
# Tunes every task that has both data and a model: glue_data/MRPC with models/mrpc, glue_data/CoLA with models/cola, ...,
# and glue_data/SQuAD/dev-v1.1.json with models/squad. If one of them is missing, prints the task and skips it.
set -euo pipefail
cd "$(dirname "$0")"
data=./glue_data models=./models output=./int8
for argument in "$@"; do
  case $argument in
    --data_dir=*) data=${argument#*=} ;;
    --model_dir=*) models=${argument#*=} ;;
    --output_dir=*) output=${argument#*=} ;;
    *) echo "run_all.sh: unknown argument $argument; known: --data_dir= --model_dir= --output_dir=" >&2; exit 2 ;;
  esac
done
python=${PYTHON:-python3}
ran=0
for task in MRPC:mrpc CoLA:cola STS-B:sts-b SST-2:sst-2 RTE:rte QNLI:qnli QQP:qqp MNLI:mnli; do
  folder=$data/${task%%:*} name=${task#*:}
  if [[ -f $folder/dev.tsv || -f $folder/dev_matched.tsv ]] && [[ -f $models/$name/config.json ]]; then
    echo "== $name"
    "$python" run_glue_tune.py --task_name "$name" --data_dir "$folder" --model_name_or_path "$models/$name" \
      --do_ilit_tune --output_dir "$output/$name"
    ran=$((ran + 1))
  else
    echo "== $name: left out, needs $folder/dev.tsv and $models/$name/config.json"
  fi
done
if [[ -f $data/SQuAD/dev-v1.1.json && -f $models/squad/config.json ]]; then
  echo "== squad"
  "$python" run_squad_tune.py --predict_file "$data/SQuAD/dev-v1.1.json" --model_name_or_path "$models/squad" \
    --do_ilit_tune --output_dir "$output/squad"
  ran=$((ran + 1))
else
  echo "== squad: left out, needs $data/SQuAD/dev-v1.1.json and $models/squad/config.json"
fi
[[ $ran -gt 0 ]] || { echo "run_all.sh: no task has both data and a model" >&2; exit 1; }
