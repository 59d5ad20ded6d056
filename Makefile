# Every target sets up what it needs: a virtual environment in .venv, built with PYTHON.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
USABLE := $(VENV)/.usable
READY := $(VENV)/.ready

.PHONY: install demo test lint bench docs package clean

install: $(READY)

# The program alone, which is soon there; the tests need far more.
$(USABLE): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[cli]"
	touch $@

$(READY): $(USABLE)
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@

demo: $(USABLE)
	$(BIN)/aucmax demo

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -m pytest -n auto
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto -m python_mode

# Wheel and sdist in new environments, with all they need from the package index: minutes, so not part of test.
package: $(READY)
	$(BIN)/python -m pytest -n 0 -m package tests/test_package.py

# Ratios to peers, measured here and now; those that want the papers' data skip without AUCMAX_DATA.
bench: $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	$(BIN)/python benchmarks/passes.py
	$(BIN)/python benchmarks/methods.py
	$(BIN)/python benchmarks/metrics.py speed

# The site: guides, executed examples and the reference. Then no link may be dead, and a browser looks at every page.
docs: $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	$(BIN)/sphinx-build -W --keep-going --quiet docs build/docs
	$(BIN)/python docs/checks/links.py build/docs
	$(BIN)/python docs/checks/browser.py build/docs
	@echo "Open build/docs/index.html."

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis build docs/api docs/auto_examples aucmax-demo
