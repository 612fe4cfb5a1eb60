import sys
from pathlib import Path

# The scripts of benchmarks/ find each other because Python puts a script's folder on the path; so do the tests.
sys.path.append(str(Path(__file__).resolve().parents[2] / "benchmarks"))
