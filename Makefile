# Everything from a bare clone: `make demo`, `make test`. The first call of any target makes a
# virtual environment in .venv; needs git, make and Python 3.11 or newer with the venv module.
# Another interpreter: make demo PYTHON=python3.12

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime-ready
DEV := $(VENV)/.dev-ready
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

DEMO := results/demo
DEMO_GAMES := 1_000_000
DEMO_SEED := 1

SHORT := not long and not slow and not browser
LONG := long and not slow and not browser
# A file's tests share what they have prepared, so they stay together.
SHARED_OUT := --numprocesses auto --maxprocesses 4 --dist loadfile
# Files of tests that `make check` has run already.
CHECKED :=
FUZZ := 200
UNCOMPILED := tests/kernels/test_bits.py tests/kernels/test_calls.py tests/kernels/test_random.py $(wildcard tests/games/*/test_*_rules.py)

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-long test-all test-browser test-uncompiled check fuzz mutants format docs bench clean

help:
	@echo 'make demo      set up, then answer: are the life preservers of Turn the Tide fair?'
	@echo 'make test      set up, then the tests, but for those that take many seconds'
	@echo 'make test-long these, but for those that take minutes'
	@echo 'make test-all  every test; the browser ones need Chromium and its driver'
	@echo 'make check     lint, format, types, import rules, documentation'
	@echo 'make fuzz      hostile inputs through the whole program; FUZZ=10000 for more of them'
	@echo 'make mutants   change the code in thousands of places, one by one: do the tests notice?'
	@echo 'make format    mend what lint and format can mend'
	@echo 'make docs      the API reference in site/, and the page of what strategies see'
	@echo 'make bench     measure the speed on this machine'
	@echo 'make clean     remove what the targets above made, results/ excepted'

setup: $(DEV)

demo: $(RUNTIME)
	$(BIN)/analyzer fairness turnthetide --players 4 --games $(DEMO_GAMES) --seed $(DEMO_SEED) \
		--suggest --out $(DEMO)
	@echo
	@echo 'The report, for a browser: $(CURDIR)/$(DEMO)/report.html'

test: $(DEV)
	$(BIN)/python -m pytest $(SHARED_OUT) -m '$(SHORT)' $(CHECKED:%=--ignore=%)

test-long: $(DEV)
	$(BIN)/python -m pytest $(SHARED_OUT) -m '$(LONG)' $(CHECKED:%=--ignore=%)

test-all: $(DEV)
	$(BIN)/python -m pytest $(SHARED_OUT)
	$(MAKE) test-uncompiled

test-browser: $(DEV)
	$(BIN)/python -m pytest -m browser tests/reports

# Kernels are plain Python too; this run sees to it that both mean the same.
test-uncompiled: $(DEV)
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest $(SHARED_OUT) --quiet $(UNCOMPILED)

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest --quiet --numprocesses auto --maxprocesses 4 tests/test_architecture.py tests/test_docs.py

fuzz: $(DEV)
	$(BIN)/python benchmarks/fuzz.py $(FUZZ)

mutants: $(DEV)
	@$(PIP) install --group mutation
	nice $(BIN)/mutmut run

format: $(DEV)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(DEV)
	$(BIN)/python docs/views.py --write
	rm -rf site
	$(BIN)/python docs/reference.py
	@echo 'The reference, for a browser: $(CURDIR)/site/index.html'

bench: $(RUNTIME)
	$(BIN)/analyzer bench
	$(BIN)/python benchmarks/run.py

clean:
	rm -rf $(VENV) build dist mutants site .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps make set-up happen once, and again when the dependencies change.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo 'Python 3.11 or newer is needed; name one: make $(MAKECMDGOALS) PYTHON=python3.12' >&2; \
		exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
		echo 'This Python lacks the venv module. On Debian and Ubuntu: apt install python3-venv' >&2; \
		exit 1; }
	@echo 'Making a virtual environment in $(VENV) ...'
	@$(PYTHON) -m venv --clear $(VENV)

$(RUNTIME): pyproject.toml | $(BIN)/python
	@echo 'Installing the analyzer and what it needs into $(VENV) ...'
	@$(PIP) install --editable .
	@touch $@

$(DEV): $(RUNTIME)
	@echo 'Installing what tests and checks need ...'
	@$(PIP) install --upgrade 'pip>=25.1'
	@$(PIP) install --group dev
	@touch $@
