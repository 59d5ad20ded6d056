# Every target sets up what it needs: a virtual environment in .venv, built with PYTHON.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: install demo test lint bench docs clean

install: $(READY)

$(READY): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[test]"
	touch $@

demo: $(READY)
	$(BIN)/aucmax demo

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

test: lint
	$(BIN)/python -m pytest -n auto
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n auto -m python_mode

# Ratios to peers, measured here and now; those that want the papers' data skip without AUCMAX_DATA.
bench: $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[bench]"
	$(BIN)/python benchmarks/passes.py
	$(BIN)/python benchmarks/methods.py
	$(BIN)/python benchmarks/metrics.py speed

docs: $(READY)
	$(BIN)/python -m pip install --quiet --editable ".[docs]"
	$(BIN)/pdoc --docformat numpy --math --output-directory build/docs aucmax
	@echo "The reference is in build/docs/aucmax.html; the guides are the pages in docs/."

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis
