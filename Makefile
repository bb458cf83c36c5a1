# make demo   run a crane headless              make test    run the tests that are short
# make check  lint, types, import contract      make bench   race MuJoCo and Pinocchio
# make papers the papers' tables and figures  make clean  forget everything built
# make benchmarks  run problems that the field knows, beside other engines, and write docs/benchmarks.md
# make docs   build/site, from docs/            make docs-figures  compute its figures and pictures anew
# make wheel  build/wheels, with compiled code  make wheel-check  time first runs of it
# make bundle  build/bundle: a folder whose luff starts the window by a double click, of the wheel
# make wheels for Linux, Windows and macOS, all made here
# make test-long  run the others, those of whole length
# make search  other random examples than the tests have; SEED=n gives those of n again
# make test-plain  run the tests with kernels as plain Python, nothing compiled: long
# Every target does its own set-up; a second call finds it done. PYTHON=python3.12 make ... picks the interpreter.

PYTHON ?= python3
WORKERS ?= 2
VENV := .venv
BIN := $(VENV)/bin
SETUP := pyproject.toml setup.py

.DEFAULT_GOAL := help
.PHONY: help demo test test-long search test-plain check bench benchmarks papers docs docs-figures wheel wheels wheel-check bundle clean

help:
	@sed -n 's/^# //;/^make/p' Makefile

demo: $(VENV)/.installed
	@mkdir -p build
	$(BIN)/luff run library/crane_demo.yaml -o build/crane.h5 --plot build/crane.png

test: $(VENV)/.installed-dev $(VENV)/.system-libraries
	$(BIN)/python -m pytest -n $(WORKERS) -m "not long" --durations=10

# Each test is in one of the two: tests/long_runs.txt lists those of this one.
test-long: $(VENV)/.installed-dev $(VENV)/.system-libraries
	$(BIN)/python -m pytest -n $(WORKERS) -m long

# What fails here is a fault that the tests cannot meet by chance: its examples are always the same.
search: SEED := $(or $(SEED),$(shell od -An -N3 -tu4 /dev/urandom | tr -d ' '))
search: $(VENV)/.installed-dev $(VENV)/.system-libraries
	$(BIN)/python -m pytest -n $(WORKERS) -m "hypothesis or chance" --hypothesis-seed=$(SEED)
	$(BIN)/python -m luff.tests.run_mutations --count 20 --seed $(SEED)

# A run of whole length would take hours: tests/conftest.py says which are shorter here, or skipped, as all are that take over 30 s.
test-plain: $(VENV)/.installed-dev $(VENV)/.system-libraries
	NUMBA_DISABLE_JIT=1 $(BIN)/python -m pytest -n $(WORKERS) -rs

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	$(BIN)/lint-imports

# Ratios, so that they mean something on a machine that others use too; the table goes to bench/results/.
bench: $(VENV)/.installed-dev
	$(BIN)/python -m luff.bench.trees
	$(BIN)/python -m luff.bench.closed --turns 9
	$(BIN)/python -m luff.bench.components

# References, deviations and times in one run; Exudyn, MuJoCo and Pinocchio are among the tools of development.
benchmarks: $(VENV)/.installed-dev
	$(BIN)/python -m luff.docs.benchmarks

# Every study of the library; what build/papers/ holds already is not run again.
papers: $(VENV)/.installed
	@mkdir -p build/papers
	@for study in library/studies/*.yaml; do \
		name=$$(basename $$study .yaml); echo "== $$name"; \
		$(BIN)/luff study $$study -o build/papers/$$name.h5 -r build/papers || exit; \
	done

# The pages, and their search, work from a folder, without network or server.
docs: $(VENV)/.installed-dev
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "open build/site/index.html"

docs-figures: $(VENV)/.installed-dev $(VENV)/.system-libraries
	$(BIN)/python -W ignore -m luff.docs.figures
	$(BIN)/python -m luff.docs.screenshots docs/images
	$(BIN)/python -m luff.docs.scene_pictures
	$(BIN)/luff animate library/crane_demo.yaml -o docs/images/crane.gif --size 480x270 --fps 10 --speed 5

# For this machine's family of processors and its system, or for all of WHEELS; build/lib would bring files that are gone.
WHEELS := linux-x86_64 linux-aarch64 windows-x86_64 macos-arm64 macos-x86_64
AHEAD := $(BIN)/python -m luff.solver.simulation.ahead_of_time
wheel: WHEELS = $(shell $(AHEAD) --tag here --name)
wheel: wheels

# equal sources make equal wheels
wheels: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null || date +%s)
wheels: $(VENV)/.installed-dev
	$(AHEAD) build/ahead docs/examples $(addprefix --wheel ,$(WHEELS))
	rm -rf build/wheels
	@for name in $(WHEELS); do \
		rm -rf build/lib build/bdist.*; \
		LUFF_COMPILED=$(CURDIR)/build/ahead/$$name $(BIN)/python -m pip wheel . --quiet --disable-pip-version-check \
			--no-deps --wheel-dir build/wheels --config-settings=--build-option=--plat-name=$$($(AHEAD) --tag $$name) \
			|| exit; \
	done
	@ls build/wheels/*.whl

wheel-check: wheel
	$(BIN)/python -m luff.bench.first_run build/wheels/*.whl

bundle: wheel
	rm -rf build/bundle
	$(PYTHON) .ci/bundle.py build/bundle/luff build/wheels/*.whl

# Debian ships python3 without ensurepip; the package that has it is fetched where that can be done.
$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "luff needs Python 3.11 or newer; $(PYTHON) is not (make PYTHON=python3.12 ...)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || .ci/apt-install python3-venv
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: $(SETUP) | $(BIN)/python
	$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.installed-dev: $(SETUP) | $(BIN)/python
	$(BIN)/python -m pip install --no-compile --quiet --disable-pip-version-check --editable '.[dev,gui,docs]'
	@touch $@ $(VENV)/.installed

# What PySide6-Essentials loads at run time, offscreen and under X, with a font and OpenGL without a graphics card.
QT_LIBRARIES := libegl1 libgl1 libgl1-mesa-dri libglib2.0-0 libdbus-1-3 libfontconfig1 libfreetype6 \
	libxkbcommon0 libxkbcommon-x11-0 libx11-xcb1 libxcb-cursor0 libxcb-icccm4 libxcb-image0 \
	libxcb-keysyms1 libxcb-randr0 libxcb-render-util0 libxcb-shape0 libxcb-shm0 libxcb-sync1 \
	libxcb-xfixes0 libxcb-xkb1 fonts-dejavu-core xvfb xauth xdotool
# what opens the pages of `luff export` and `luff animate`
BROWSER := chromium

# Where they cannot be installed the tests run all the same, after a line that says what is missing.
$(VENV)/.system-libraries: Makefile | $(BIN)/python
	@if .ci/apt-install $(QT_LIBRARIES) $(BROWSER); then touch $@; fi

clean:
	rm -rf build $(VENV) .editable *.egg-info
