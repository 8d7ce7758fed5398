#!/usr/bin/env bash
# ./run_benchmark.sh --input_model=int8/model.xml --mode=benchmark --batch_size=32
# ./run_benchmark.sh --input_model=int8/model.xml --mode=accuracy --dataset_location=/PATH/TO/cifar10
# Accepts fp32 and int8 models. The environment variable LPOT names the program (default: lpot in PATH).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
mode=benchmark batch_size=1 model=int8/model.xml data=./cifar10
for argument in "$@"; do
  case $argument in
    --input_model=*) model=${argument#*=} ;;
    --mode=*) mode=${argument#*=} ;;
    --batch_size=*) batch_size=${argument#*=} ;;
    --dataset_location=*) data=${argument#*=} ;;
    *) echo "run_benchmark.sh: unknown argument $argument; known: --input_model= --mode= --batch_size= --dataset_location=" >&2; exit 2 ;;
  esac
done
case $mode in
  benchmark) exec "${LPOT:-lpot}" bench "$model" --batch-size "$batch_size" ;;
  accuracy)
    exec "${LPOT:-lpot}" evaluate "$here/conf.yaml" --model "$model" --set "evaluation.accuracy.dataloader.batch_size=$batch_size" \
      --set "evaluation.accuracy.dataloader.dataset.CIFAR10.root=$data" ;;
  *) echo "run_benchmark.sh: --mode: expected benchmark or accuracy, got $mode" >&2; exit 2 ;;
esac
