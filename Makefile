# Everything happens in a private environment, .venv in the checkout. `make demo` and `make test` set it up; run again they
# start no installer and no compiler.
#   make demo PIP_ARGS="--extra-index-url URL"    gives pip another index, e.g. for the CPU build of torch
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
PIP_ARGS ?=
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet $(PIP_ARGS)
NATIVE := CMakeLists.txt $(shell find dialects python -type f)

.PHONY: demo test lint docs bench clean setup
.DELETE_ON_ERROR:

demo: setup
	$(BIN)/python -m examples.sentences

test: setup
	$(BIN)/python -m test.run

lint: setup
	$(BIN)/python -m test.run lint

docs: setup
	$(BIN)/python -m docs.generate

bench: setup
	$(BIN)/python -m bench

setup: $(VENV)/built

# Created with whatever Python runs `python3.11`; falls back to `python3` where only that name exists.
$(BIN)/python:
	@if command -v $(PYTHON) >/dev/null; then $(PYTHON) -m venv $(VENV); else python3 -m venv $(VENV); fi

# pyproject.toml is the one place that states versions. torch and all that needs it go in one command, or a resolver picks
# another build of it.
$(VENV)/requirements.txt: pyproject.toml | $(BIN)/python
	@$(BIN)/python -c "import tomllib; t = tomllib.load(open('pyproject.toml', 'rb')); p = t['project']; \
	extras = p['optional-dependencies'].values(); \
	print(*t['build-system']['requires'], *p['dependencies'], *(r for e in extras for r in e), sep='\n')" >$@

$(VENV)/installed: $(VENV)/requirements.txt
	@echo "installing the toolchain's dependencies into $(VENV) (about 4 GB, some minutes)"
	$(PIP) --requirement $<
	@touch $@

$(VENV)/built: $(VENV)/installed $(NATIVE)
	@echo "building the dialects and bindings (some minutes)"
	$(PIP) --no-build-isolation --no-deps --editable .
	@touch $@

clean:
	rm -rf $(VENV) build
