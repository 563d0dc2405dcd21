# Everything happens in a private environment, .venv in the checkout. `make demo` and `make test` set it up; run again they
# start no installer and no compiler.
#   make demo PIP_ARGS="--extra-index-url URL"    gives pip another index, e.g. for the CPU build of torch
#   make demo PYTHON=/path/to/python3.11          names the interpreter; otherwise python3.11 or python3 is taken
PYTHON ?=
VENV := .venv
BIN := $(VENV)/bin
PIP_ARGS ?=
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet $(PIP_ARGS)
IS_RIGHT := import sys; sys.exit(sys.version_info[:2] != (3, 11) or sys.implementation.name != 'cpython')
NATIVE := CMakeLists.txt $(shell find dialects python -type f)

.PHONY: demo test fuzz lint docs bench public clean setup
.DELETE_ON_ERROR:

demo: setup
	$(BIN)/python -m examples.sentences

test: setup
	$(BIN)/python -m test.run

# Random kernels against the oracle, with a seed of the moment: CASES of each property. A failure prints the kernel; SEED
# repeats a run.
CASES ?= 5000
SEED ?= $(shell od -An -N4 -tu4 /dev/urandom)

fuzz: setup
	$(BIN)/python -m pytest test/python/properties --cases $(CASES) --fuzz-seed $(SEED)

lint: setup
	$(BIN)/python -m test.run lint

docs: setup
	$(BIN)/python -m docs.generate

bench: setup
	$(BIN)/python -m bench $(if $(KTIR_CPU),--ktir-cpu $(KTIR_CPU))

# Public KTIR files on this toolchain, given checkouts of torch-spyre/ktir-cpu and torch-spyre/ktir-mlir-frontend:
#   make public KTIR_CPU=../ktir-cpu KTIR_FRONTEND=../ktir-mlir-frontend
# PUBLIC_ARGS="--page docs/public.md" writes the table of the documentation, "--json FILE" all details. KTIR_FRONTEND_OPT
# names a build of the frontend's own ktir-opt, which then reads every kernel that we make.
KTIR_CPU ?=
KTIR_FRONTEND ?=
KTIR_FRONTEND_OPT ?=
PUBLIC_ARGS ?=

public: setup
	$(BIN)/python -m test.public $(if $(KTIR_CPU),--ktir-cpu $(KTIR_CPU)) $(if $(KTIR_FRONTEND),--frontend $(KTIR_FRONTEND)) \
	  $(if $(KTIR_FRONTEND_OPT),--frontend-opt $(KTIR_FRONTEND_OPT)) $(PUBLIC_ARGS)

setup: $(VENV)/built

# The first interpreter of the right version makes the environment; one that was left half made is made anew.
$(VENV)/created:
	@for python in $(or $(PYTHON),python3.11 python3); do \
	  if "$$python" -c "$(IS_RIGHT)" 2>/dev/null; then "$$python" -m venv --clear $(VENV) && touch $@; exit; fi; done; \
	echo "CPython 3.11 is needed; make PYTHON=/path/to/python3.11" >&2; exit 1

# pyproject.toml is the one place that states versions. torch and all that needs it go in one command, or a resolver picks
# another build of it.
$(VENV)/requirements.txt: pyproject.toml | $(VENV)/created
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
