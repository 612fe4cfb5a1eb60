"""Test files are imported by path: what they share needs this folder on the path."""

import os
import sys
from pathlib import Path

sys.path.insert(0, os.fspath(Path(__file__).parent))
