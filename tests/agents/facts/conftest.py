"""Test files are imported by path: telling.py, which they share, needs its folder on the path."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
