"""What each rule finds, and what it must not: whole values."""

from datetime import timedelta

import pytest
from telling import START, entry_id, only, told

from truerecall.agents.facts.records import Fact


def test_a_fact_has_its_turn_its_time_its_subject_and_its_value() -> None:
    assert only("The session code lives in `src/session/`.") == Fact(
        kind="path",
        text="The session code lives in `src/session/`.",
        subject="shop",
        value="src/session/",
        sources=(entry_id(0),),
        position=0,
        at=START + timedelta(0),
    )


@pytest.mark.parametrize(
    "text",
    [
        "Decision: we keep SQLite for the index.",
        "let's use pnpm instead of npm here",
        "Let's go with option B.",
        "we decided against Redis because it needs a daemon",
        "no, keep the old parser",
        "I prefer tabs over spaces",
        "我们决定使用 SQLite 而不是 PostgreSQL。",
        "there is a need to keep the old endpoints for a year",
        "need to close the old session before the new one is made",
        "if the lock is found - skip the run and log it",
        "each plugin will provide its own reader.",
        "For payments we use Stripe.",
        "Wir haben uns für SQLite entschieden.",
    ],
)
def test_what_a_person_settles_is_a_decision(text: str) -> None:
    assert told(text, "user") == [("decision", text)]


@pytest.mark.parametrize(
    "text",
    [
        "I'll use `zod` rather than `yup` because it infers types.",
        "I\u2019ve switched the parser from `acorn` to `swc` because acorn cannot parse decorators.",
        "We went with SQLite instead of Postgres because the tool must run offline.",
        "Implemented the default as `threshold: 0.9` in the generated config.",
        "The slow tests switched from `userEvent.type()` to `fireEvent.change()`, which sets the value directly.",
        "I gated the import behind `mmap` rather than making it a hard dependency.",
        "We use Zustand for client state and React Query for server state; don't mix them.",
        "`vitest.config.ts` now includes the threshold of both adapters.",
        "- `src/auth/session.ts`: sessions end after 15 minutes instead of 24 hours",
    ],
)
def test_what_the_agent_chose_and_why_is_a_decision(text: str) -> None:
    assert told(text) == [("decision", text.removeprefix("- "))]


def test_items_below_a_heading_of_decisions_are_decisions_with_its_name() -> None:
    text = "## Technical Decisions\n- **Watermarks**: object based\n- JSONL parsing using existing utilities"
    assert told(text) == [
        ("decision", "Technical Decisions: Watermarks: object based"),
        ("decision", "Technical Decisions: JSONL parsing using existing utilities"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Root cause: the cache key ignored the locale.",
        "The root cause was a stale lock file in `.git`.",
        "It turned out that the CI image ships Node 18.",
        "The test fails because `TZ` is not set in CI.",
        "The reason the build broke was a missing peer dependency.",
        "The bug was an off-by-one in `paginate()`.",
        "The duplicate rows come from the backfill job, which ran twice.",
        "The problem: `useEffect` depended on `items`, which is a new array on every render.",
        "Why pods are evicted: the sidecar logs to `emptyDir` without a limit.",
        "The `events` table has no index on `at`, so every report scans all of it.",
        "All rows have `info: null`, meaning that nothing was counted.",
        "The manual says that `fork` does not release the lock.",
        "`read_line` takes 256 bytes, but the header can be longer, so long cookies overflow it.",
        "The `refunds` table is only filled from March on.",
        "Note: the free tier only allows three machines, so staging must be stopped first.",
    ],
)
def test_a_cause_that_was_found(text: str) -> None:
    assert told(text) == [("cause", text)]


def test_a_sentence_that_points_back_takes_the_one_before_it_along_and_without_one_it_is_none() -> None:
    assert told("It failed. This was caused by the proxy stripping the header.") == [
        ("cause", "It failed. This was caused by the proxy stripping the header.")
    ]
    assert told("That's why the login fails on Windows.") == []


@pytest.mark.parametrize(
    "text",
    [
        "Fixed by pinning `esbuild` to 0.19.",
        "The fix was to close the pool before forking.",
        "I fixed the flaky test by waiting for the port.",
    ],
)
def test_a_fix_that_is_told(text: str) -> None:
    assert told(text) == [("fix", text)]


def test_a_label_of_a_fix_takes_what_it_mended_along() -> None:
    assert told("The regex misses `no_state`. Fix: allow an underscore.") == [
        ("fix", "The regex misses `no_state`. Fix: allow an underscore.")
    ]


def test_below_a_heading_of_root_causes_the_first_sentence_is_one_and_the_rest_explains_it() -> None:
    assert told("### Root Cause\n\nThe header is forced. A second sentence. A third.") == [
        ("cause", "Root Cause: The header is forced.")
    ]
    assert told("The bug slipped through because:\n1. **Tests mocked the API** - all of it") == [
        ("cause", "The bug slipped through because: Tests mocked the API - all of it")
    ]


@pytest.mark.parametrize(
    ("text", "subject", "value"),
    [
        ("This project requires Node 20.", "Node", "20"),
        ("Upgraded `vite` from 4.5 to 5.1.", "vite", "5.1"),
        ("The app uses zod 3.22.", "zod", "3.22"),
        ("- **Runtime**: Node.js ≥24.0.0, TypeScript 5.3+", "Node.js", "≥24.0.0"),
        ("- **Version**: 0.0.28 (pre-release)", "shop", "0.0.28"),
    ],
)
def test_a_version_in_use(text: str, subject: str, value: str) -> None:
    fact = only(text)
    assert (fact.kind, fact.subject, fact.value) == ("version", subject, value)


@pytest.mark.parametrize(
    "text",
    [
        "Phase 1.2 is over.",
        "Coverage is 85.5 now.",
        "See section 3.4 for more.",
        "It takes about 2.5 s, 30x less.",
        "The latest is Node 24.1.",
        "- Core abstractions: 1.1 - 1.6",
        "Listening on localhost 127.0.0.1.",
    ],
)
def test_a_number_that_is_no_version(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("The config is stored in `~/.foo/bar.json`.", "~/.foo/bar.json"),
        ("- Moved the session logic from `providers/sso/` → `agents/core/session/`", "agents/core/session/"),
        ("- **Location**: `src/agents/codex.plugin.ts`", "src/agents/codex.plugin.ts"),
        ("- Integration tests in `tests/integration/`", "tests/integration/"),
        ("- `src/cli/main.ts` - where the command line begins", "src/cli/main.ts"),
        ("I found the compaction hooks under `src/plugins/hooks`.", "src/plugins/hooks"),
        ("State lives in `s3://acme-state/prod`.", "s3://acme-state/prod"),
        ("**Token Location**\n- After the answer in `event_msg`, as `token_count`", "event_msg"),
        ("## Codex rollouts\n- **Request**: `response_item` → `function_call` (name)", "function_call"),
    ],
)
def test_where_something_lives(text: str, value: str) -> None:
    assert value in (fact := only(text)).text
    assert fact.kind in ("path", "decision")


@pytest.mark.parametrize(
    "text",
    [
        "Saved to `/var/folders/x/out.json`.",
        "Let me look in `src/a/`.",
        "I read `src/a.ts`.",
        "- Create adapter file: `src/a/b.ts`",
    ],
)
def test_a_path_of_the_moment_is_none(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Always run `make lint` before pushing.",
        "Never commit directly to main.",
        "From now on, write the changelog in British English.",
        "don't mock the database in integration tests",
        "the port must be 8443 here",
    ],
)
def test_what_a_person_wants_always_is_a_convention(text: str) -> None:
    assert told(text, "user") == [("convention", text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("we don't control the upstream client - it is a third-party tool", "cause"),
        ("the api gateway only allows 29s per request", "cause"),
        ("the mobile app has a different storage for prompts", "cause"),
        ("the staging database is located at db-stg.internal:5432", "path"),
        ("keep our documents in the /specs folder", "path"),
    ],
)
def test_what_a_person_knows_of_their_project(text: str, kind: str) -> None:
    assert told(text, "user") == [(kind, text)]


def test_what_stands_below_a_heading_of_findings_problems_or_design() -> None:
    text = """## Key Findings
1. **Error handling**: every public function returns `Result`; `anyhow` is only in the binary
2. The validation split leaks: the same user appears in both sets
3. A clear structure
## Problems found
- `SessionStore` is not thread-safe - two tabs can overwrite the token
- Missing tests
## Architecture
- **Networking**: `APIClient` wraps URLSession; every request goes through `RequestSigner`
- Persistence
## Solution
- **Cache**: one entry a user"""
    assert told(text) == [
        (
            "cause",
            "Error handling: every public function returns `Result`; `anyhow` is only in the binary",
        ),
        ("cause", "The validation split leaks: the same user appears in both sets"),
        (
            "cause",
            "Problems found: `SessionStore` is not thread-safe - two tabs can overwrite the token",
        ),
        (
            "convention",
            "Architecture: Networking: `APIClient` wraps URLSession; every request goes through `RequestSigner`",
        ),
    ]


def test_how_something_works_is_told_step_by_step() -> None:
    text = """Here's how the login works in this codebase:
1. The browser posts credentials to `/api/login`
2. The token is stored in a cookie named `sid`
**Important**: tokens are signed with RS256."""
    assert told(text) == [
        ("path", "The token is stored in a cookie named `sid`"),
    ]


def test_an_answer_of_another_trade_is_told_in_its_own_words() -> None:
    text = """## Summary
The plan fails with `Invalid count argument` because `aws_subnet.private` is only known after apply.
### Constraints
- State lives in `s3://acme-state/prod`, and locking uses the table `tf-locks`
- The `prod` workspace must not be applied from laptops - only the `deploy` pipeline has the role
### Options
1. **Split the state**: cleaner, but a big migration
### Next steps
- [ ] Phase 1: Move networking into `modules/vpc` (~2 days)
- Rotate the leaked deploy key
Which option would you prefer?"""
    assert told(text) == [
        (
            "cause",
            "The plan fails with `Invalid count argument` because `aws_subnet.private` is only known after apply.",
        ),
        (
            "path",
            "Constraints: State lives in `s3://acme-state/prod`, and locking uses the table `tf-locks`",
        ),
        (
            "convention",
            "Constraints: The `prod` workspace must not be applied from laptops - only the `deploy` pipeline has the"
            " role",
        ),
        ("open_end", "Next steps: Rotate the leaked deploy key"),
    ]


def test_bounds_and_gates_are_conventions() -> None:
    assert told("## Testing approach\n- 30s test timeout, 10s hook timeout") == [
        ("convention", "Testing approach: 30s test timeout, 10s hook timeout")
    ]
    assert told("# Storefront\n## Quality gates\n- Minimum 85% code coverage") == [
        ("convention", "Storefront: Quality gates: Minimum 85% code coverage")
    ]
    assert told("## Quality gates\n- Minimum 85% code coverage") == []


def test_the_rules_of_a_project_that_an_agent_lists() -> None:
    assert told("By convention, feature flags are named `ff_*`.") == [
        ("convention", "By convention, feature flags are named `ff_*`.")
    ]
    assert told("**Key Principle**: Agents never import providers.") == [
        ("convention", "Key Principle: Agents never import providers.")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "TODO: handle the empty cart.",
        "We still need to migrate the old rows.",
        "`npm test` still fails.",
        "The Windows path is not yet covered.",
        "I couldn't verify the fix on macOS.",
        "Open question: who owns the deploy key?",
        "We haven't decided on the queue yet.",
        "Manual check in the browser not done",
    ],
)
def test_what_was_left_open(text: str) -> None:
    assert told(text) == [("open_end", text)]


def test_the_items_below_next_steps_and_open_questions() -> None:
    assert told("Next steps:\n- Wire the retry into `client.ts`\n- [x] Document the flag") == [
        ("open_end", "Next steps: Wire the retry into `client.ts`")
    ]
    assert told("## Open questions\n1. Should the cache of carts be shared?") == [
        ("open_end", "Open questions: Should the cache of carts be shared?")
    ]


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("You can run the tests with `npm test`.", "npm test"),
        ("`make lint` passed.", "make lint"),
        ("Deploy with:\n```bash\nfly deploy --remote-only\n```", "fly deploy --remote-only"),
    ],
)
def test_a_command_that_is_named_as_the_way(text: str, command: str) -> None:
    fact = only(text)
    assert (fact.kind, fact.value) == ("command", command)


@pytest.mark.parametrize(
    "text",
    [
        "Let me look at the config file.",
        "I'll now read the tests.",
        "I'm going to run `npm test` because it failed.",
        "`npm run build` is running now to catch more.",
        "`npm test` did not pass.",
        "In general, a list is slower here because arrays must move.",
        "You should never store passwords in plain text.",
        "Always validate user input.",
        '"We decided to leave," said Tom.',
        "## Changes\n- `docs/auth.md`: documented the new way of it",
        "The `grep` returned nothing, so the symbol isn't used.",
        "The first attempt didn't work because I used the wrong path.",
        "The edit failed because the string wasn't unique.",
        "## Limitations\n- I cannot run `docker` here, so it is not built",
        "The sea was calling, because she never slept.",
        "it never returns when `ctx` is cancelled, because `ch` is unbuffered",
        "Key Insight: Most of it already exists!",
        "## Implementation Checklist\n- [ ] Phase 1: Add the `retry` option\n- [ ] Write the tests for it",
        "### Phase 2: Design\n**Architecture**\n- **Store**: keeps every `row` in memory",
        "## Next steps\n- Review the specification for gaps\n- Extend the parser (~120 LOC)",
        "## Findings\n- **Quality**: a robust, mature and well-tested codebase\n- Create the `retry` option first",
        "## Problem Analysis\n- When and how it is made\n- The `retry` wrapper of ours",
        "Great question! You're absolutely right.",
        "All 24 tests pass.",
        "The failure might be because of the proxy.",
        "This approach would be faster if we used Redis.",
        "If we used Redis, we decided nothing.",
        "We never chose Redis.",
        "Have you decided on `zod`?",
        "Was the root cause the lock?",
        "The test fails because of the clock?",
        "- [ ] The test fails because of the clock",
        "## Option A\n- We use Redis instead of SQLite",
        "```python\n# TODO: remove\nx = 'we decided to use X'\n```",
        "> We decided to use X.",
        "No TODOs remaining.",
        "[b] Begin Development because it failed",
        "Run `ls -la`, then `git status`.",
        "If that does not work, run `npm run dev` again",
        "It changes what is done at run time: the call is denied instead of asking.",
        "The bug was likely never seen.",
        "The fields that we need are these:",
    ],
)
def test_what_is_no_fact(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "can we use zod instead of yup?",
        "if we used Redis, it would be faster",
        "Fix the login bug",
        "This error is happening in a story from epic 2.",
        "don't do any changes yet",
        "jump to the script bugs (2 and 7)",
        "npm ERR! code ENOENT because we decided nothing\nTypeError: it failed because x is undefined",
        "2026-01-01 10:00:00 ERROR the worker crashed because of the pool\n  at run (src/a.ts:1:2)",
        "I can't log in",
        "the login page is broken since yesterday: TypeError",
        "I get an error when I open the page. it always happens after login",
        "I need to change something in the notifications",
        "The files are located in the folder.",
        "ok",
        "This session is being continued from a previous conversation that ran out of context. We decided to use X.",
        "Base directory for this skill: /x\n\nAlways use X.",
        "<command-name>/clear</command-name> always use X",
        "Caveat: The messages below were generated by the user. We decided to use X.",
        "# Guide\n" + "## Part\n- Always use X.\n" * 200,
    ],
)
def test_what_a_person_did_not_say_or_settle(text: str) -> None:
    assert told(text, "user") == []
