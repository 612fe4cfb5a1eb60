"""What may stand as a fact: it names its subject, it lasts, and its speaker means it."""

import pytest
from telling import did, ran, told

from truerecall.agents.facts.extract import facts_in


def test_an_item_below_a_name_that_only_sorts_takes_the_name_around_it_along() -> None:
    text = """# Ledger importer
## Technical decisions
- **Parsing**: streaming, one row at a time
## Layout
**Worker**
- Data paths:
  - Settings: `worker.json`"""
    assert told(text) == [
        ("decision", "Ledger importer: Technical decisions: Parsing: streaming, one row at a time"),
        ("path", "Worker: Data paths: Settings: `worker.json`"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "## Config\n- Settings: `config.toml`",
        "## Key gaps\n- Add missing error types",
        "## Key gaps\n- Wire the next part",
        "# Importer\n## Next steps\n- Wire the queue",
        "# Implementation plan of the importer\n## Next steps\n- Wire `queue.py` into the importer",
        "## Findings\n- Sessions never `end`",
        "## Open questions\n- What is an acceptable error rate?",
        "## What we found\n1. **Request data** - VERIFIED\n   - Fields: `id`, `name`, `total_count`, never `null`",
        "## Quality gates\n- Minimum 85% code coverage",
        "The issue is that the previous approach is not supported.",
    ],
)
def test_what_nothing_names_the_subject_of_is_no_fact(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "option 1 is not acceptable",
        "for the invoice parser option 1 is not acceptable",
        "use option 2",
        "the issue must be solved, approach B is not an option",
        "there is existing code for this",
        "there is a need to update the data periodically",
        "TODO is not acceptable, implementation must be full.",
        "start with types -> store -> cli",
        "we need to fix the invoice parser before lunch",
        "please rename the invoice parser",
        "create a document in /docs folder",
        "save the plan to /docs/plans",
        "don't generate code, design the solution first",
        "we could use Redis, so the cache must be shared",
    ],
)
def test_what_a_person_asks_for_in_passing_or_without_its_object_is_no_fact(text: str) -> None:
    assert told(text, "user") == []


@pytest.mark.parametrize(
    "text",
    [
        "## Architecture\n- **Storage**: plugin-based with templates",
        "## Core systems\n- **Readers**: 5 formats (CSV, Parquet, Avro, ORC and JSON)",
        "## Findings\n- **Cookies**: `sid` (string), `exp` (number)",
        "The provider is chosen by `pick_provider` at run time.",
        "The manual says that `fork` keeps the lock.",
        "**Impact**: 503 for all tenants for 11 minutes.",
        "## Evidence\n- 38 GB of logs under `/var/lib/pods`",
    ],
)
def test_how_code_happens_to_be_is_no_decision(text: str) -> None:
    assert told(text) == []


def test_what_a_piece_of_code_does_is_told_of_its_place() -> None:
    text = "## Architecture\n**Checkout (`src/checkout/`)**\n- `CartLock` - holds a cart while it is paid"
    assert told(text) == [("path", "Checkout (`src/checkout/`): `CartLock` - holds a cart while it is paid")]


def test_what_was_settled_in_a_section_of_findings_is_a_decision() -> None:
    text = """## Key findings
- **Billing**: moved out of `orders` in March, for the auditors
## Architecture
- **Queue**: RabbitMQ rather than Kafka"""
    assert told(text) == [
        ("decision", "Billing: moved out of `orders` in March, for the auditors"),
        ("decision", "Architecture: Queue: RabbitMQ rather than Kafka"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "The RED check failed because `parse_invoice` is missing.",
        "`test_invoice` fails as expected because `parse_invoice` is missing.",
        "## Key decisions\n- KISS and DRY for the invoice module",
        "## Migration notes\n- No breaking changes to existing invoices, never",
        "## Key decisions\n- OLD: one queue per tenant\n- Before: one queue per tenant",
        "## What was delivered\n- Retry policy: 3 attempts for each invoice",
        "## Recommended quality gates\n- Each invoice is checked by two accountants",
        "## Event order of invoices\n### Findings\n- Second (after payment): it has no `total`",
        "All invoices have `total: null`, meaning that nothing was billed!",
    ],
)
def test_what_does_not_last_or_was_not_adopted_is_no_fact(text: str) -> None:
    assert told(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "### Clara (Test Architect)\nWe decided to use `zod` because yup is slow.",
        "**Clara (Lead Developer)**: we decided to use `zod` because yup is slow.",
        "Right. We decided to use `zod` because yup is slow.",
    ],
)
def test_what_somebody_says_whose_part_the_agent_plays_is_no_fact(text: str) -> None:
    assert told(text) == []


def test_a_test_that_failed_since_it_was_written_first_is_no_fix() -> None:
    session = [
        did("edit", "tests/test_cart.py", number=0),
        ran("make test", "failed", number=1, output="E   ImportError: cannot import name 'lock'"),
        did("edit", "src/cart.py", number=2),
        ran("make test", number=3, output="3 passed"),
    ]
    assert [fact.kind for fact in facts_in(session, [], "shop")] == ["command"]


def test_a_failure_that_tells_no_error_is_no_fix() -> None:
    session = [
        ran("make test", "failed", number=0, output="16 tests | 1 failed | 15 skipped"),
        did("edit", "src/cart.py", number=1),
        ran("make test", number=2, output="16 passed"),
    ]
    assert [fact.kind for fact in facts_in(session, [], "shop")] == ["command"]


def test_a_fix_that_has_no_room_to_tell_what_changed_is_none() -> None:
    session = [
        ran("make test", "failed", number=0, output="E   KeyError: 'locale'"),
        did("edit", *(f"src/{'deep/' * 20}{number}.py" for number in range(3)), number=1),
        ran("make test", number=2, output="16 passed"),
    ]
    assert [fact.kind for fact in facts_in(session, [], "shop")] == ["command"]


def test_a_file_that_is_named_like_a_tool_is_no_command() -> None:
    assert told("You can run it as `vitest.config.ts` says.") == []
