#!/usr/bin/env bash
# ./run_tuning.sh --input_model=/PATH/TO/resnet20-cifar10.onnx --dataset_location=/PATH/TO/cifar10 --output_model=/DIR/TO/INT8_MODEL
# If the folder of --dataset_location= contains train/ and val/, the data are folders of pictures. --config= names another
# configuration, for other sizes. The environment variable LPOT names the program (default: lpot in PATH).
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
config=conf.yaml model= data= output=int8
for argument in "$@"; do
  case $argument in
    --input_model=*) model=${argument#*=} ;;
    --dataset_location=*) data=${argument#*=} ;;
    --output_model=*) output=${argument#*=} ;;
    --config=*) config=${argument#*=} ;;
    *) echo "run_tuning.sh: unknown argument $argument; known: --input_model= --dataset_location= --output_model= --config=" >&2; exit 2 ;;
  esac
done
[[ -n $model && -n $data ]] || { echo "run_tuning.sh: --input_model= and --dataset_location= are needed" >&2; exit 2; }
calibration=quantization.calibration.dataloader.dataset evaluation=evaluation.accuracy.dataloader.dataset
if [[ -d $data/train && -d $data/val ]]; then
  roots=(--set "$calibration={ImageFolder: {root: $data/train}}" --set "$evaluation={ImageFolder: {root: $data/val}}")
else
  roots=(--set "$calibration.CIFAR10.root=$data" --set "$evaluation.CIFAR10.root=$data")
fi
[[ $config == */* ]] || config=$here/$config
exec "${LPOT:-lpot}" tune "$config" --model "$model" --output "$output" "${roots[@]}"
