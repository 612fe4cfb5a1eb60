# Called at each event of Claude Code, with the event as JSON on standard input.
# Claude Code runs hooks of a plugin and equal ones of settings.json both: where `truerecall agents install claude-code`
# put them into the settings, these stand down, or everything would be recalled twice.
settings="${CLAUDE_CONFIG_DIR:-$HOME/.claude}/settings.json"
if [ -r "$settings" ] && grep -q "truerecall-hook'\{0,1\} claude-code" "$settings"; then
  exit 0
fi
# Without the package there is nothing to recall, and nobody's prompt is held up for it.
command -v truerecall-hook >/dev/null 2>&1 || exit 0
exec truerecall-hook claude-code
