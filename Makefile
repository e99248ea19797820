PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
ADDRESS ?= localhost
WORKERS ?= 2
# Bytecode is compiled on all cores, which pip does on one; files that are templates of code do not compile.
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile
COMPILE := $(BIN)/python -m compileall -q -j 0 $(VENV)/lib >/dev/null || true

.PHONY: run serve test check suite bench docs

run: $(VENV)/.run
	$(BIN)/streamlit run app.py --server.port $(PORT) --server.address localhost

serve: $(VENV)/.run
	$(BIN)/python -m serve --workers $(WORKERS) --address $(ADDRESS) --port $(PORT)

test: $(VENV)/.test
	$(MAKE) --no-print-directory -j 2 check suite

check:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

suite:
	$(BIN)/pytest -n 3 --dist loadscope --no-loadscope-reorder

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks

docs: $(VENV)/.test
	$(INSTALL) -r requirements-docs.txt
	$(BIN)/mkdocs build --strict

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(BIN)/python requirements.txt
	$(INSTALL) -r requirements.txt
	$(COMPILE)
	touch $@

$(VENV)/.test: $(BIN)/python requirements.txt requirements-test.txt
	$(INSTALL) -r requirements.txt -r requirements-test.txt
	$(COMPILE)
	touch $(VENV)/.run $@
