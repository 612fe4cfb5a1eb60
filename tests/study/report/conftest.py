"""Test files are imported by path: what they share needs its folders on the path."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
for folder in (HERE, HERE.parent / "figures", HERE.parents[1] / "bench"):
    sys.path.insert(0, os.fspath(folder))
