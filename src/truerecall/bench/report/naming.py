"""How a system is named where it is published."""

from truerecall.bench.manifest import SystemResult
from truerecall.bench.report.figures import is_ours
from truerecall.bench.systems.table import controls


def described(system: SystemResult) -> str:
    """A system with the model that it ran with; truerecall's plain install has none."""
    if not is_ours(system):
        return f"{system.name} control" if system.name in _control_names() else system.name
    model = system.configuration.get("embedder")
    return f"{system.name} with {model}" if model else f"{system.name}, as installed (no model)"


def _control_names() -> frozenset[str]:
    return frozenset(control.name for control in controls())
