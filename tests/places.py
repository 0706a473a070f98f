"""The one place that names where test data and model files are."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

ROOT = Path(__file__).resolve().parent.parent
TEST_DATA = Path(os.environ.get("SALON_TEST_DATA", ROOT.parent / "shared")).resolve()
MODELS = Path(os.environ.get("SALON_MODELS", platformdirs.user_cache_path("salon") / "models"))
