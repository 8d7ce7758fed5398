"""The command `lpot`: runs the C++ program that is installed in this package."""

import os
import pathlib
import sys


def main() -> None:
    program = pathlib.Path(__file__).parent / "bin" / "lpot"
    os.execv(program, ["lpot", *sys.argv[1:]])


if __name__ == "__main__":
    main()
