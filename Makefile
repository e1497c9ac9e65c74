# Two commands do everything: `make paper` and `make test`. Both fill .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= $(shell nproc 2>/dev/null || echo 2)

.PHONY: paper test kills check lint types layers house bench clean help

help:                ## list the targets
	@grep -E '^[a-z]+: .*##|^[a-z]+:  *##' Makefile | sed -E 's/:.*##/\t/'

paper: .venv/core    ## every figure of the paper and the report, into results/paper
	$(BIN)/lefi paper --jobs $(JOBS)

test: .venv/dev      ## the tests
	$(BIN)/pytest -n $(JOBS) -q

kills: .venv/dev     ## 200 kills of the Flower server at random instants
	$(BIN)/python -m tests.flower.kills --kills 200

check: lint types layers ## what CI checks besides the tests

lint: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/dev
	$(BIN)/mypy

layers: .venv/dev
	$(BIN)/lint-imports --no-cache

house: .venv/dev     ## the picture and the walks of docs/architecture.md, from the imports
	$(BIN)/python -m tests.architecture.page

bench: .venv-bench/done ## speed, as ratios to rivals in the same run, into results/bench
	.venv-bench/bin/python benchmarks/run.py

.venv/bin/pip:
	@PYTHON=$(PYTHON) sh scripts/venv

.venv/core: .venv/bin/pip pyproject.toml constraints.txt
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e .
	@touch $@

.venv/dev: .venv/bin/pip pyproject.toml constraints.txt scripts/system
	@sh scripts/system
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch .venv/core $@

.venv-bench/done: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/bin/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[bench]'
	@touch $@

clean:               ## remove what the other targets made
	rm -rf .venv .venv-bench results .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
