"""Test files are imported by path: rivals.py, which they share, needs its folder on the path."""

import os
import sys
from pathlib import Path

sys.path.insert(0, os.fspath(Path(__file__).resolve().parents[1] / "rivals"))
