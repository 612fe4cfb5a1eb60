"""A memory that is any command: it gets the event of the prompt, and what it prints is put before the model."""

from truerecall.study.design import Side
from truerecall.study.sides.generated import generate
from truerecall.study.sides.stage import Stage, words
from truerecall.study.solvers.protocol import Equipment


def command(side: Side, stage: Stage) -> Equipment:
    """A generated plugin around the command."""
    generate(stage.plugin, [{"command": words(stage.study, side.command)}])
    return Equipment(plugin_dir=stage.plugin)
