// Written by `truerecall agents install opencode`; `truerecall agents uninstall opencode` takes it away again.
// Before a prompt it asks for what is remembered, after a turn it has the session kept. Whatever goes wrong, the
// session goes on as if this file were not there.
import { spawn } from "node:child_process"

// The installer puts absolute commands into these two lines.
const HOOK = ["truerecall-hook"]
const SERVER = ["truerecall", "agents", "mcp"]
const PATIENCE = 2000 // milliseconds: a prompt waits no longer

// Calls the hook with an event on its standard input; "" where it fails, prints nothing, or takes too long.
// What outlives is in a group of its own: no Ctrl-C in the terminal reaches it, and nobody ends it.
function call(event, outlives) {
  return new Promise((resolve) => {
    try {
      const options = { stdio: ["pipe", "pipe", "ignore"], windowsHide: true, detached: outlives }
      const child = spawn(HOOK[0], [...HOOK.slice(1), "opencode"], options)
      const chunks = []
      const done = (text) => {
        clearTimeout(timer)
        resolve(text)
      }
      const timer = setTimeout(() => {
        if (!outlives) child.kill("SIGKILL")
        child.stdout.destroy()
        child.unref()
        resolve("")
      }, PATIENCE)
      child.on("error", () => done(""))
      child.on("close", (code) => done(code === 0 ? Buffer.concat(chunks).toString("utf8") : ""))
      child.stdout.on("error", () => {})
      child.stdout.on("data", (chunk) => chunks.push(chunk))
      child.stdin.on("error", () => {})
      child.stdin.end(JSON.stringify(event))
    } catch {
      resolve("")
    }
  })
}

async function context(event) {
  try {
    const text = JSON.parse(await call(event, false)).additionalContext
    return typeof text === "string" ? text : ""
  } catch {
    return ""
  }
}

const TrueRecall = async ({ directory }) => {
  const begun = new Map() // session -> whether it is a fresh one
  const children = new Set() // sessions of subagents: nobody types there
  const pending = new Set() // calls that keep a session, which a closing OpenCode waits for

  const keep = (event) => {
    const going = call(event, true).finally(() => pending.delete(going))
    pending.add(going)
  }

  return {
    config: async (config) => {
      try {
        config.mcp ??= {}
        config.mcp.truerecall ??= { type: "local", command: SERVER, enabled: true }
      } catch {}
    },

    "chat.message": async (input, output) => {
      try {
        const session = input.sessionID
        if (children.has(session)) return
        const typed = output.parts.filter((part) => part.type === "text" && !part.synthetic && !part.ignored)
        if (typed.length === 0) return
        const asked = { session_id: session, cwd: directory }
        const events = [{ hook_event_name: "UserPromptSubmit", ...asked, prompt: typed.map((part) => part.text).join("\n") }]
        if (begun.get(session) !== false) {
          events.unshift({ hook_event_name: "SessionStart", ...asked, source: begun.get(session) ? "startup" : "resume" })
        }
        begun.set(session, false)
        const texts = (await Promise.all(events.map(context))).filter((text) => text.trim())
        if (texts.length === 0) return
        const last = typed[typed.length - 1]
        output.parts.push({
          id: `${last.id ?? `prt_${Date.now().toString(16)}`}z`, // sorts behind what was typed
          sessionID: session,
          messageID: output.message.id,
          type: "text",
          synthetic: true,
          text: texts.join("\n\n"),
        })
      } catch {}
    },

    event: async ({ event }) => {
      try {
        const told = event.properties
        if (event.type === "session.created") {
          if (told.info.parentID) children.add(told.info.id)
          else begun.set(told.info.id, true)
        } else if (event.type === "session.idle" && !children.has(told.sessionID)) {
          keep({ hook_event_name: "Stop", session_id: told.sessionID, cwd: directory })
        } else if (event.type === "session.compacted" && !children.has(told.sessionID)) {
          // What was put before its model is gone, and may be put there again.
          keep({ hook_event_name: "PreCompact", session_id: told.sessionID, cwd: directory })
        }
      } catch {}
    },

    dispose: async () => {
      await Promise.all(pending)
    },
  }
}

export default { id: "truerecall", server: TrueRecall }
