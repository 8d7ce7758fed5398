"""Writes spoken words as WAV files into class folders: FOLDER/yes/00.wav, FOLDER/no/00.wav, ...

    python make_sounds.py sounds

Needs the speech synthesizer of the Debian package espeak-ng. Every word is spoken with each of the voices at several
speeds and pitches. The evaluation has other voices than the training (train.py).
"""

import argparse
import itertools
import pathlib
import subprocess

WORDS = ["go", "left", "no", "right", "stop", "yes"]
VOICES = ["m2", "m5", "f2", "f4", "Andrea", "boris"]
SPEEDS = [130, 175]
PITCHES = [30, 50, 70]


def speak(path, word, voice, speed, pitch):
    path.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["espeak-ng", "-v", f"en-us+{voice}", "-s", str(speed), "-p", str(pitch)]
        + ["-w", str(path), word],
        check=True,
    )


def write_sounds(folder, voices, speeds=SPEEDS, pitches=PITCHES):
    for word in WORDS:
        variants = itertools.product(voices, speeds, pitches)
        for number, (voice, speed, pitch) in enumerate(variants):
            speak(folder / word / f"{number:02}.wav", word, voice, speed, pitch)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    write_sounds(parser.parse_args().folder, VOICES)


if __name__ == "__main__":
    main()
