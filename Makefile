# Two commands do everything: `make paper` and `make test`. Both fill .venv by themselves.
PYTHON ?= python3
BIN := .venv/bin
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
WORKERS := $(shell expr $(JOBS) + 1)  # one more than processors: some tests wait for other processes most of the time
THREADS := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1  # forks and threads do not mix
PIP := bin/pip install --quiet --disable-pip-version-check --no-compile
COMPILE := bin/python -m compileall -q -j 0  # what pip would do on one core, and every worker of the tests without it
BYTECODE := PYTHONDONTWRITEBYTECODE=  # images of containers set it: every process would then compile every file again

# Of the tests that need no extra, those that show soon whether the core works as installed.
CORE_TESTS := tests/golden/test_golden.py tests/contracts tests/models tests/test_*.py tests/architecture/test_extras.py \
  tests/mechanisms/test_catalogue.py tests/mechanisms/test_wrappers.py tests/cli/test_simulate.py \
  tests/cli/test_compare.py tests/cli/test_commands.py::test_bad_input_is_one_line_and_exit_code_2 \
  tests/studies/test_report.py::test_one_seed_and_two_rounds_are_enough_not_to_crash tests/studies/test_study.py
LOWEST_TESTS := tests/golden/test_golden.py tests/contracts tests/models tests/cli/test_simulate.py tests/test_receipts.py
INSTALLED := $(shell find src studies -name '*.py' -o -name '*.toml' -o -name '*.json')

.PHONY: paper test demo docs core lowest kills long release check lint types layers house bench clean help

help:                ## list the targets
	@grep -E '^[a-z]+: .*##|^[a-z]+:  *##' Makefile | sed -E 's/:.*##/\t/'

paper: .venv/core    ## every figure of the paper and the report, into results/paper
	$(BIN)/lefi paper --jobs $(JOBS)

test: .venv/dev      ## the tests
	@.venv/$(COMPILE) src
	$(BYTECODE) $(BIN)/pytest -n $(WORKERS) -q

demo: .venv/dev      ## a service with simulated jobs that run live, and pages to watch them
	$(BIN)/lefi serve --demo

docs: .venv/docs     ## the documentation site, into results/site; needs no network once .venv is filled
	$(BYTECODE) $(THREADS) $(BIN)/python -m sphinx -W --keep-going -q -j $(JOBS) -d results/site.cache -b html docs results/site
	@echo results/site/index.html

core: .venv-core/done ## tests of the core, installed without any extra
	LEFI_TESTS=core .venv-core/bin/pytest -n $(JOBS) -q $(CORE_TESTS)

lowest: .venv-lowest/done ## some of them with the oldest versions that pyproject.toml allows
	LEFI_TESTS=core .venv-lowest/bin/pytest -n $(JOBS) -q -W ignore::DeprecationWarning $(LOWEST_TESTS)

kills: .venv/dev     ## 200 kills of the Flower server at random instants, over kinds, phases and databases
	$(THREADS) $(BIN)/python -m tests.flower.kills --kills 140 --postgres 60

long: kills docs     ## what takes too long for `make test`: all tests at length, kills, hostile messages, requests, rows
	$(THREADS) $(BIN)/python -m tests.serve.kills --kills 50 --postgres 20
	$(THREADS) $(BIN)/python -m tests.serve.fuzz --requests 5000
	$(THREADS) $(BIN)/python -m tests.hostile.generated --messages 100000
	$(THREADS) $(BIN)/python -m tests.hostile.mechanisms --rounds 100000
	$(THREADS) $(BIN)/python -m tests.ledger.many
	$(THREADS) $(BIN)/python -m tests.serve.pages.large
	LEFI_LONG=1 $(BIN)/pytest -n $(WORKERS) -q  # every test, with all that tests/lengths.py leaves out of `make test`

.PHONY: release
release:             ## wheel and sdist into dist/, looked into, and the wheel tried where only the core is installed
	$(PYTHON) scripts/release.py $(LIGHT)

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
	.venv/$(PIP) -c constraints.txt -e .
	@touch $@

.venv/dev: .venv/bin/pip pyproject.toml constraints.txt scripts/system
	@sh scripts/system
	.venv/$(PIP) -c constraints.txt -e '.[dev]'
	@.venv/$(COMPILE) .venv/lib > /dev/null 2>&1 || true
	@touch .venv/core $@

.venv/docs: .venv/bin/pip pyproject.toml constraints.txt
	.venv/$(PIP) -c constraints.txt -e '.[docs]'
	@touch .venv/core $@

# Made anew where dependencies change, so that nothing stays that nobody asks for any more.
.venv-core/bin/pip .venv-lowest/bin/pip: pyproject.toml constraints.txt scripts/venv scripts/pins
	rm -rf $(@D:/bin=)
	@PYTHON=$(PYTHON) sh scripts/venv $(@D:/bin=)

.venv-core/done: .venv-core/bin/pip $(INSTALLED)
	.venv-core/bin/python scripts/pins > .venv-core/pins
	.venv-core/$(PIP) -c constraints.txt -r .venv-core/pins .
	@.venv-core/$(COMPILE) .venv-core/lib > /dev/null 2>&1 || true
	@touch $@

.venv-lowest/done: .venv-lowest/bin/pip $(INSTALLED)
	.venv-lowest/bin/python scripts/pins --lowest > .venv-lowest/pins
	.venv-lowest/$(PIP) -r .venv-lowest/pins .
	@.venv-lowest/$(COMPILE) .venv-lowest/lib > /dev/null 2>&1 || true
	@touch $@

.venv-bench/done: pyproject.toml constraints.txt
	$(PYTHON) -m venv .venv-bench
	.venv-bench/$(PIP) -c constraints.txt -e '.[bench]'
	@touch $@

clean:               ## remove what the other targets made
	rm -rf .venv .venv-bench .venv-core .venv-lowest results .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
