"""Writes tests/data/expected/resampled.txt and log_mel.txt: results of scipy and librosa for a generated sound.

    python -m venv .venv-tables && .venv-tables/bin/pip install numpy==2.4.6 scipy==1.17.1 librosa==0.11.0
    .venv-tables/bin/python tests/data/make_audio_expectations.py

The sound has 3000 samples: sample i is 0.5 sin(0.05 i) + 0.3 sin(0.0004 i i) + 0.1 cos(2.1 i).

resampled.txt, per line: old rate, new rate, number of samples, then every 37th sample of the result, from
scipy.signal.resample_poly with the filter that lpot/data/audio/resample_sound.cpp describes.
log_mel.txt, per line: rate, n_fft, window_length, hop_length, n_mels, f_min, f_max, mel_scale (0: slaney, 1: htk),
normalize_filters, power, log (0: db, 1: ln, 2: log10, 3: none), top_db (0: unset), padding (0: reflect, 1: zeros, 2:
none), number of frames, then every 7th value of [n_mels, frames].
"""

import math
import pathlib

import librosa
import numpy as np
import scipy.signal

EXPECTED = pathlib.Path(__file__).parent / "expected"
ZERO_CROSSINGS, ROLLOFF, BETA = 64, 0.9475937167399596, 14.769656459379492


def sound():
    i = np.arange(3000.0)
    values = (
        0.5 * np.sin(0.05 * i) + 0.3 * np.sin(0.0004 * i * i) + 0.1 * np.cos(2.1 * i)
    )
    return values.astype(np.float32)


def join(values):
    return " ".join(f"{value!r}" for value in np.asarray(values).tolist())


def resampled(old, new):
    up, down = new // math.gcd(old, new), old // math.gcd(old, new)
    cutoff = ROLLOFF * min(1, new / old)
    half = math.floor(ZERO_CROSSINGS / cutoff * up)
    t = np.arange(-half, half + 1) / up
    place = cutoff * t / ZERO_CROSSINGS
    window = np.i0(BETA * np.sqrt(np.maximum(0, 1 - place**2))) / np.i0(BETA)
    # resample_poly multiplies the window by `up`.
    filter_values = cutoff * np.sinc(cutoff * t) * window / up
    result = scipy.signal.resample_poly(
        sound().astype(float), up, down, window=filter_values
    )
    return join([old, new, len(result)]) + " " + join(result[::37])


def log_mel(
    rate, n_fft, window, hop, bands, low, high, htk, area, power, log, top, padding
):
    mel = librosa.feature.melspectrogram(
        y=sound().astype(float),
        sr=rate,
        n_fft=n_fft,
        win_length=window,
        hop_length=hop,
        n_mels=bands,
        fmin=low,
        fmax=high,
        htk=bool(htk),
        norm="slaney" if area else None,
        power=power,
        center=padding != 2,
        pad_mode=["reflect", "constant", "reflect"][padding],
        dtype=np.float64,
    )
    if log == 0:
        mel = librosa.power_to_db(mel, amin=1e-10, top_db=top or None)
    elif log < 3:
        mel = [None, np.log, np.log10][log](np.maximum(mel, 1e-10))
    parameters = [
        rate,
        n_fft,
        window,
        hop,
        bands,
        low,
        high,
        htk,
        area,
        power,
        log,
        top,
    ]
    return join([*parameters, padding, mel.shape[1]]) + " " + join(mel.ravel()[::7])


def main():
    rates = [
        (8000, 16000),
        (44100, 16000),
        (48000, 16000),
        (22050, 8000),
        (16000, 44100),
    ]
    lines = [resampled(old, new) for old, new in rates]
    (EXPECTED / "resampled.txt").write_text("\n".join(lines) + "\n")
    lines = [
        log_mel(16000, 512, 512, 160, 20, 0, 8000, 0, 1, 2, 0, 80, 0),
        log_mel(16000, 400, 400, 160, 10, 0, 8000, 0, 1, 2, 2, 0, 0),
        log_mel(16000, 512, 400, 160, 16, 20, 7600, 1, 0, 2, 1, 0, 1),
        log_mel(8000, 256, 200, 80, 8, 60, 4000, 1, 0, 1, 3, 0, 2),
        log_mel(22050, 1001, 1001, 333, 12, 0, 11025, 0, 1, 1, 0, 0, 0),
    ]
    (EXPECTED / "log_mel.txt").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
