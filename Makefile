PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
ADDRESS ?= localhost
WORKERS ?= 2
UV := .venv-uv/bin/uv
# constraints.txt fixes every version, so that a new release of a dependency breaks no one. Bytecode is compiled on all
# cores, which pip does on one; files that are templates of code do not compile.
INSTALL := $(BIN)/pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
COMPILE := $(BIN)/python -m compileall -q -j 0 $(VENV)/lib >/dev/null || true
export PYTHONDONTWRITEBYTECODE :=  # compiled modules are kept: to compile them takes seconds at every start

.PHONY: run serve test test-all test-night audit check suite slow bench docs lock test-lowest test-newest

run: $(VENV)/.run
	MALLOC_ARENA_MAX=2 $(BIN)/streamlit run app.py --server.port $(PORT) --server.address localhost --server.fileWatcherType none

serve: $(VENV)/.run
	$(BIN)/python -m serve --workers $(WORKERS) --address $(ADDRESS) --port $(PORT)

test: $(VENV)/.test
	$(MAKE) --no-print-directory -j 2 check suite

check:
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

suite:
	$(BIN)/pytest -n auto --dist loadfile --no-loadscope-reorder -m "not slow and not night" --durations=20

# What `make test` leaves out: a browser, server processes, a cluster, all seeded faults.
test-all: test slow

slow:
	$(BIN)/pytest -n 2 --dist loadgroup -m "slow and not night" --durations=20

# Before a version is published: the full audit, other seeds, both ends of the versions.
test-night: $(VENV)/.test
	$(BIN)/pytest -n auto --dist loadgroup -m night --durations=20
	$(MAKE) --no-print-directory test-lowest test-newest

# What every algorithm loses beside what it promises, as a table; about ten minutes.
audit: $(VENV)/.test
	$(BIN)/python -m tests.audit

bench: $(VENV)/.test
	$(BIN)/python -m benchmarks

docs: $(VENV)/.test
	$(INSTALL) -r requirements-docs.txt
	$(BIN)/mkdocs build --strict

# All versions anew: the newest that the requirements allow, for every system and Python from 3.11.
lock: $(UV)
	$(UV) pip compile --quiet --universal --python-version 3.11 --upgrade --no-annotate \
		--custom-compile-command "make lock" --output-file constraints.txt requirements-test.txt requirements-docs.txt

# The tests without a browser, at the lowest and at the newest versions that the requirements allow; hypothesis tries
# 240 examples in place of 60.
test-lowest test-newest: test-%: $(UV)
	$(UV) venv --quiet --clear --python $(PYTHON) .venv-$*
	$(UV) pip install --quiet --python .venv-$*/bin/python \
		--resolution $(if $(filter lowest,$*),lowest-direct,highest) -r requirements-test.txt
	.venv-$*/bin/pytest -n auto --dist loadfile -m "not slow and not night" --hypothesis-profile=night

$(UV):
	$(PYTHON) -m venv .venv-uv
	.venv-uv/bin/pip install --quiet --disable-pip-version-check uv

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: $(BIN)/python requirements.txt constraints.txt
	$(INSTALL) -r requirements.txt
	$(COMPILE)
	touch $@

$(VENV)/.test: $(BIN)/python requirements.txt requirements-test.txt constraints.txt
	$(INSTALL) -r requirements.txt -r requirements-test.txt
	$(COMPILE)
	touch $(VENV)/.run $@
