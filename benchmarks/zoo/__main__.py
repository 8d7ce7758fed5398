"""Measures lpot, NNCF and ONNX Runtime on a zoo of models from packages: `make bench-zoo`.

    .venv-peers/bin/python benchmarks/zoo                                all models, then docs/zoo.md
    .venv-peers/bin/python benchmarks/zoo --models nudenet-320n,nsnet2   some models; docs/zoo.md is not written
    .venv-peers/bin/python benchmarks/zoo --table --write                measures nothing, writes docs/zoo.md
    .venv-peers/bin/python benchmarks/zoo --download                     only fills the cache
    benchmarks/as_avx2.py .venv-peers/bin/python benchmarks/zoo          the same on an emulated AVX2 CPU

- Results are stored below BUILD/zoo, so a second run measures only what is missing. If the program
  `lpot`, the model, the samples, the versions of the other tools or the settings change, a result is measured again.
  `--again` always measures again.
- `--write` adds the results to benchmarks/zoo/results/, which also has those of other machines.
- LPOT_TEST_DATA is the folder with the data sets.
"""

import argparse
import os

import published
import table
from checks import ROOT
from download import DownloadError
from models import MODELS
from processes import log
from run import Zoo, run_all


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmarks/zoo", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )  # fmt: skip
    parser.add_argument("--build", default="build")
    parser.add_argument("--models", default="", help=f"of {', '.join(MODELS)}")
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="of timing, per model and process"
    )
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--download", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    options.names = [name for name in options.models.split(",") if name] or list(MODELS)
    if unknown := set(options.names) - set(MODELS):
        parser.error(f"unknown models: {', '.join(sorted(unknown))}")
    return options


def download(zoo: Zoo, names: list[str]) -> None:
    for name in names:
        try:
            log(f"{name}: {zoo.cache.model(MODELS[name])}")
        except (DownloadError, OSError) as error:
            log(f"{name}: {error}")


def main() -> None:
    options = parse_options()
    if "LPOT_TEST_DATA" in os.environ:  # processes run in other folders
        os.environ["LPOT_TEST_DATA"] = os.path.abspath(os.environ["LPOT_TEST_DATA"])
    zoo = Zoo(options)
    if options.download:
        download(zoo, options.names)
        return
    if not options.table:
        run_all(zoo, options.names)
    by_class = table.all_results(zoo.work)
    text = table.page(by_class, zoo.versions)
    print(text)
    if options.write or not (options.table or options.models):
        for cpu_class, results in by_class.items():
            if results:
                published.write(cpu_class, results)
        (ROOT / "docs/zoo.md").write_text(text)


if __name__ == "__main__":
    main()
