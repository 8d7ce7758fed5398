"""Inputs of the models: calibration samples and held-out samples.

Every function returns `Samples` and gets a `Context` with the folders. Inputs are real where the data exist: ImageNet
pictures and GLUE sentences from LPOT_TEST_DATA, text that Pillow renders, speech that espeak-ng speaks, synthetic
tones, files of Python packages. Values are random only where the note of a model states it.
"""

from .base import Context, Samples, Source
from .pictures import pages, pictures, text_lines
from .sound import (
    chords,
    mel_frames,
    noisy_spectra,
    pitch_frames,
    speech,
    voice_activity,
)
from .text import files, sentence_pairs, sentences, sparse_sentences, thai_windows

__all__ = [
    "Context", "Samples", "Source", "chords", "files", "mel_frames", "noisy_spectra", "pages", "pictures",
    "pitch_frames", "sentence_pairs", "sentences", "sparse_sentences", "speech", "text_lines", "thai_windows",
    "voice_activity",
]  # fmt: skip
