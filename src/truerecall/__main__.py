"""``python -m truerecall``."""

from truerecall.cli.main import run

run()
