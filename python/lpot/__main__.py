"""The command `lpot`: runs the C++ program that is installed in this package."""

import os
import pathlib
import sys


def main() -> None:
    # For --runtime onnxruntime, which runs in Python.
    os.environ.setdefault("LPOT_PACKAGE_PYTHON", sys.executable)
    program = pathlib.Path(__file__).parent / "bin" / "lpot"
    os.execv(program, ["lpot", *sys.argv[1:]])


if __name__ == "__main__":
    main()
