# lapcat needs Python 3.11 or newer, pip and make; everything else is installed into .venv by the first target you run.
#
#   make demo      a short story: one private answer, end to end
#   make test      all that CI does: lint, types, tests; as root, or with CI=true, installs PostgreSQL and Java if there is none
#   make quick     the inner loop, about a minute: lint, types, unit tests, layers
#
#   make lint      ruff, as linter and as formatter            make docs      every code block of README and docs runs
#   make types     mypy --strict, where it is held             make mutants   planted bugs, each caught by a named test
#   make slow      long statistical and crash tests            make bench     what a user waits for, and what they gain
#   make site      the documentation as a site, in site/       make reference   the pages that are made from the code
#   make accuracy  error beside other tools, each in a virtual environment of its own, which it installs
#   make fresh     clone, empty HOME, clean environment, new .venv, then demo and test
#   make clean     remove .venv and caches

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PIP_QUIET := --quiet --disable-pip-version-check --no-input
PYTEST := $(BIN)/python -m pytest

.PHONY: help demo test quick lint types docs mutants slow bench accuracy site reference fresh clean
.DEFAULT_GOAL := help

help:
	@sed -n 's/^#   //p' Makefile

demo: $(VENV)/.base
	@$(BIN)/lapcat demo

# In as many processes as there are processors; but whoever measures how long somebody waits has the machine alone.
test: lint types
	$(PYTEST) -m "not slow and not alone" -n auto --dist loadfile
	$(PYTEST) -q -m "alone and not slow"

# The solver's own tests take a minute by themselves; `make test` runs them, and those that take seconds.
quick: lint types
	$(PYTEST) -q -n auto -m "not slow and not patient" --ignore tests/unit/test_predicates.py tests/unit tests/test_layers.py tests/test_imports.py

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.test
	$(BIN)/mypy

docs: $(VENV)/.test
	$(PYTEST) -q tests/docs

site: $(VENV)/.test
	$(BIN)/python -m mkdocs build --strict --quiet

# What the code says of itself: errors, options, mechanisms, theorems. A test fails where a page is behind.
reference: $(VENV)/.test
	$(BIN)/python -m lapcat.render.error_codes > docs/reference/errors.md
	$(BIN)/python scripts/reference.py

mutants: $(VENV)/.test
	$(PYTEST) -q tests/mutants tests/audit/test_planted.py
	@$(BIN)/python -m lapcat.testing.mutant_table

slow: $(VENV)/.test
	LAPCAT_ENTROPY=fresh $(PYTEST) -m slow

bench: $(VENV)/.test
	@missed=; for file in benchmarks/[a-z]*.py; do \
		echo "== $$file"; $(BIN)/python "$$file" || missed="$$missed $$file"; \
	done; test -z "$$missed" || { echo "missed a target:$$missed" >&2; exit 1; }

accuracy: $(VENV)/.test
	$(BIN)/python benchmarks/accuracy/peers.py --install
	$(BIN)/python benchmarks/accuracy/report.py

fresh:
	@bash scripts/fresh.sh

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis site
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps: installed again when pyproject.toml changes. `demo` needs the product alone, the rest also its tools.
$(VENV)/bin/python:
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "lapcat needs Python 3.11 or newer; there is no $(PYTHON) here. If it has another name: make PYTHON=python3.12" >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "lapcat needs Python 3.11 or newer; $(PYTHON) is `$(PYTHON) -c 'import platform; print(platform.python_version())'`. If a newer one has another name: make PYTHON=python3.12" >&2; exit 1; }
	@echo "making $(VENV) with $(PYTHON)"
	@$(PYTHON) -m venv $(VENV)

$(VENV)/.base: pyproject.toml | $(VENV)/bin/python
	@test $(VENV)/.test -nt pyproject.toml || { echo "installing lapcat into $(VENV) (a minute or two the first time)"; $(BIN)/python -m pip install $(PIP_QUIET) -e .; }
	@touch $@

$(VENV)/.test: pyproject.toml | $(VENV)/bin/python
	@echo "installing lapcat with its test tools into $(VENV) (850 MB of them are Spark; some minutes the first time)"
	@$(BIN)/python -m pip install $(PIP_QUIET) -e '.[test]'
	@touch $@
