# Tandem's commands. Each makes .venv first if it is missing or older than what it is made from.
#   make table1 PYTHON=python3.12 CORES=4

PYTHON ?= $(shell command -v python3.11 || command -v python3)
CORES ?= all
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest
# --quiet would hide the warnings from --strict
SITE := NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict
RUN := PATH="$(abspath $(BIN)):$$PATH" snakemake --cores $(CORES)
TINY := .tiny
SHIPPED := workflow/tandem/models

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help environment table1 many small all tiny report check test lint docs reference clean-environment

help: ## show this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

environment: $(READY) ## make .venv with the pinned dependencies

table1: $(READY) ## build results/table1.csv, its figures and claims from real corpora
	$(RUN) table1

many: $(READY) ## build one encoder for many languages, its scores and figures, in results/many/
	$(RUN) many

small: $(READY) ## build the model that Tandem brings along, in results/small/, and put it into the package
	$(RUN) small
	mkdir -p $(SHIPPED) && rm -rf $(SHIPPED)/small && cp -R results/small/model $(SHIPPED)/small
	rm -f $(SHIPPED)/small/.snakemake_timestamp

all: $(READY) ## build everything the default scale has
	$(RUN)

tiny: $(READY) $(TINY)/datasets.yaml ## run every study on a little made-up text, without a network, in .tiny/
	$(RUN) --directory $(TINY) --configfile workflow/scales/tiny.yaml

$(TINY)/datasets.yaml: tests/workflow/tiny_corpora.py | $(READY)
	$(BIN)/python tests/workflow/tiny_corpora.py $(TINY)

report: $(READY) ## write results/report.html: tables, figures, captions, run times
	$(RUN) && $(RUN) --report results/report.html

lint: $(READY) ## check style, spelling, types, layers, that the page of all keys is up to date, the site
	$(BIN)/ruff check .
	$(BIN)/snakefmt --check --compact-diff Snakefile workflow/rules workflow/studies
	$(BIN)/codespell
	$(BIN)/mypy
	PYTHONPATH=workflow $(BIN)/lint-imports --no-cache
	$(BIN)/python docs/reference.py --check
	$(SITE)

check: lint ## lint, then the unit tests: five minutes on two cores
	$(PYTEST) --numprocesses auto --durations 20 tests/unit tests/studies

test: check ## run every check: style, types, units, dry runs, the tiny scale end to end
	# one process more than there are cores: two of them wait while the tiny scale runs
	$(PYTEST) --numprocesses "$$($(BIN)/python -c 'import os; print(min(4, os.cpu_count() + 1))')" \
	  --dist loadfile --durations 20 tests/workflow

docs: $(READY) ## make the site of docs/, in site/; a broken link is an error
	$(SITE)
	@echo "To read it: $(BIN)/python -m http.server --directory site, then open http://localhost:8000"

reference: $(READY) ## write docs/configuration.md and workflow/schemas/ from the types
	$(BIN)/python docs/reference.py

clean-environment: ## remove .venv
	rm -rf $(VENV)

$(READY): pyproject.toml constraints.txt
	@command -v "$(PYTHON)" >/dev/null || \
	  { echo "Tandem needs Python 3.11 or newer: install it, or name it: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Tandem needs Python 3.11 or newer; $(PYTHON) is $$("$(PYTHON)" --version 2>&1). Name another: make PYTHON=/path/to/python3.11" >&2; exit 1; }
	@[ ! -e $(VENV) ] || [ -e $(VENV)/.made ] || [ -e $@ ] || \
	  { echo "$(VENV) is none that make has made: move it away, or name another: make VENV=PATH" >&2; exit 1; }
	@# Not through a link in an active .venv, which is moved away first; it comes back where a new one
	@# cannot be made, as without a network. torch first and by itself, so that its build is chosen
	@# before anything asks for it.
	python="$$("$(PYTHON)" -c 'import os, sys; print(os.path.realpath(sys.executable))')" && \
	  { [ -e $(VENV).old ] || [ ! -e $(VENV) ] || mv $(VENV) $(VENV).old; } && rm -rf $(VENV) && \
	  mkdir -p $(VENV) && touch $(VENV)/.made && "$$python" -m venv $(VENV) && \
	  $(PIP) pip setuptools && $(PIP) torch && $(PIP) --no-build-isolation --editable '.[dev]' && \
	  touch $@ && rm -rf $(VENV).old || \
	  { rm -rf $(VENV); [ ! -e $(VENV).old ] || mv $(VENV).old $(VENV); exit 1; }
