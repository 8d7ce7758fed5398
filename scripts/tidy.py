"""Runs clang-tidy on C++ sources, for lint.py.

Few sources are checked one by one. Many are checked in batches: a generated file includes up to 8 sources of one
target, as in the unity build of the project. Then the headers of libraries are parsed once for each batch. The check
for unused using declarations only looks at the main file of a run, so batches do not have it.
"""

import collections
import concurrent.futures
import json
import pathlib
import re
import shlex
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build-lint"
BATCHES = BUILD / "batches"
BATCH_SIZE = 8
LEAST_FOR_BATCHES = 100  # sources
OWN_FILES = f"{ROOT}/(lpot|cli|python/src|tests|benchmarks)/.*"


def run_tidy(source: str, arguments: list[str]) -> tuple[int, str]:
    command = ["clang-tidy", "--quiet", *arguments, source]
    # g++ has warnings that clang does not know.
    command += ["--extra-arg=-Wno-unknown-warning-option"]
    done = subprocess.run(
        command, cwd=ROOT, check=False, capture_output=True, text=True
    )
    return done.returncode, done.stdout


def tidy_source(source: str) -> tuple[int, str]:
    return run_tidy(source, ["-p", str(BUILD)])


def tidy_batch(source: str) -> tuple[int, str]:
    # A batch includes sources on purpose.
    options = [f"--header-filter={OWN_FILES}", "--checks=-bugprone-suspicious-include"]
    return run_tidy(source, ["-p", str(BATCHES), *options])


def target_of(entry: dict[str, str]) -> str:
    """Returns the target and the flags, which have to be the same within a batch."""
    words = shlex.split(entry["command"])
    output, source = words.index("-o"), words.index("-c")
    flags = [
        word
        for i, word in enumerate(words)
        if i not in (output, output + 1, source, source + 1)
    ]
    folder = re.split(r"(?<=\.dir)/", words[output + 1])[0]
    return " ".join([folder, *flags])


def compile_commands() -> dict[str, dict[str, str]]:
    """Returns the first entry of each source."""
    entries = json.loads((BUILD / "compile_commands.json").read_text())
    return {entry["file"]: entry for entry in reversed(entries)}


def write_batches(entries: list[dict[str, str]]) -> list[str]:
    """Writes the batches and their compile_commands.json, and returns the paths of the batches."""
    groups = collections.defaultdict(list)
    for entry in entries:
        groups[target_of(entry)].append(entry)
    BATCHES.mkdir(parents=True, exist_ok=True)
    commands: list[dict[str, str]] = []
    for group in groups.values():
        for start in range(0, len(group), BATCH_SIZE):
            members = group[start : start + BATCH_SIZE]
            path = BATCHES / f"batch_{len(commands)}.cpp"
            path.write_text("".join(f'#include "{each["file"]}"\n' for each in members))
            command = members[0]["command"].replace(members[0]["file"], str(path))
            commands.append({**members[0], "command": command, "file": str(path)})
    (BATCHES / "compile_commands.json").write_text(json.dumps(commands))
    return [command["file"] for command in commands]


def check(sources: list[str], jobs: int) -> bool:
    """Returns whether there are no findings. Prints the findings."""
    configured = subprocess.run(
        ["cmake", "--preset", "lint"], cwd=ROOT, check=False, capture_output=True
    )
    if configured.returncode != 0:
        print(configured.stderr.decode())
        return False
    batches: list[str] = []
    if len(sources) >= LEAST_FOR_BATCHES:
        known = compile_commands()
        compiled = [source for source in sources if str(ROOT / source) in known]
        batches = write_batches([known[str(ROOT / source)] for source in compiled])
        sources = sorted(set(sources) - set(compiled))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        runs = [pool.submit(tidy_batch, batch) for batch in batches]
        runs += [pool.submit(tidy_source, source) for source in sources]
        for run in runs:
            code, output = run.result()
            if code != 0:
                failed += 1
                print(output, flush=True)
    print(
        f"lint: clang-tidy: {len(batches)} batches and {len(sources)} single sources, {failed} with findings"
    )
    return failed == 0
