"""Which readers there are."""

from collections.abc import Mapping

from truerecall.agents.records import ToolName
from truerecall.agents.transcripts.claude_code import ClaudeCodeReader
from truerecall.agents.transcripts.codex import CodexReader
from truerecall.agents.transcripts.cursor import CursorReader
from truerecall.agents.transcripts.cursor_state import CursorStateReader
from truerecall.agents.transcripts.opencode import OpenCodeReader
from truerecall.agents.transcripts.opencode_tree import OpenCodeTreeReader
from truerecall.agents.transcripts.reading import TranscriptReader

READERS: Mapping[ToolName, tuple[TranscriptReader, ...]] = {
    "claude-code": (ClaudeCodeReader(),),
    "codex": (CodexReader(),),
    "cursor": (CursorReader(), CursorStateReader()),
    "opencode": (OpenCodeReader(), OpenCodeTreeReader()),
}
"""By tool; a tool that keeps its sessions in several ways has a reader for each."""
