# A machine with Python 3.11+ (with venv), git and make is enough. `make` alone lists the targets.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?=
MODELS := minilm-int8 minilm-tokenizer cl100k smollm2-135m
LARGE_MODEL := qwen2.5-coder-1.5b
DEMO := demo
WORKERS ?= 2
TEST_DATA := $(or $(SALON_TEST_DATA),../shared)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: help demo serve eval eval-host eval-recall test lint bench lock schema clean
.DELETE_ON_ERROR:

help:
	@echo "make demo    install, build the bundled persona in ./$(DEMO), ask it a question"
	@echo "make serve   answer over HTTP what ./$(DEMO) knows"
	@echo "make eval    measure quality: the bundled persona (PART=host), real books (PART=recall), the score (PART=grounding)"
	@echo "make test    install what development needs, fetch model files, check and test everything"
	@echo "make lint    formatting, types and layers only"
	@echo "make bench   measure speed and quality (bench/README.md says what and how)"
	@echo "make lock    choose the newest versions that pyproject.toml admits"
	@echo "make schema  write docs/schema/openapi.json again"

demo: $(VENV)/installed
	@$(BIN)/salon demo $(DEMO)

$(DEMO)/index/host/current: | $(VENV)/installed
	@$(BIN)/salon demo $(DEMO)

serve: $(DEMO)/index/host/current
	@$(BIN)/salon --house $(DEMO) serve

eval: $(if $(PART),eval-$(PART),eval-host eval-recall eval-grounding)

eval-host: $(DEMO)/index/host/current
	@$(BIN)/salon --house $(DEMO) index host
	@$(BIN)/salon --house $(DEMO) eval host --questions $(DEMO)/personas/host/questions.jsonl --no-model

eval-recall: $(VENV)/installed-dev
	@if [ -d "$(TEST_DATA)/corpora" ]; then $(BIN)/python -m bench recall; \
	else echo "No books at $(TEST_DATA): name the folder that has corpora/ with SALON_TEST_DATA."; fi

eval-grounding: $(VENV)/installed-dev
	@if [ -d "$(TEST_DATA)/bench" ]; then $(BIN)/python -m bench grounding; \
	else echo "No labelled answers at $(TEST_DATA): name the folder that has bench/ with SALON_TEST_DATA."; fi

test: $(VENV)/installed-dev
	@$(BIN)/salon models get $(MODELS)
	@$(BIN)/salon models get $(LARGE_MODEL) || echo "Without $(LARGE_MODEL) its tests are skipped."
	@$(MAKE) --no-print-directory lint
	@$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile

lint: $(VENV)/installed-dev
	@$(BIN)/ruff check --quiet .
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-logo

bench: $(VENV)/installed-bench
	@$(BIN)/python -m bench

schema: $(VENV)/installed
	@$(BIN)/python -m salon.surfaces.http.openapi docs/schema/openapi.json

# The interpreter is $(PYTHON) when named, else the first found that is new enough.
$(VENV)/pyvenv.cfg:
	@for python in $(PYTHON) $(if $(PYTHON),,python3 python3.13 python3.12 python3.11 python); do \
	  if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then \
	    echo "Making $(VENV) with $$("$$python" --version)"; \
	    "$$python" -m venv $(VENV) && exit 0; \
	    rm -rf $(VENV); \
	    echo "This Python cannot make a virtual environment (on Debian: apt install python3-venv)." >&2; \
	    exit 1; \
	  fi; \
	done; \
	echo "Salon needs Python 3.11 or newer, and none was found$(if $(PYTHON), at $(PYTHON))." >&2; \
	echo "Name one: make PYTHON=/path/to/python3.12" >&2; \
	exit 1

define install
	@echo "Installing from $(1), some hundred MB and a minute or two the first time"
	@$(BIN)/python -m pip install --quiet --require-hashes --only-binary :all: -r $(1)
	@$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@
endef

$(VENV)/installed: requirements.lock pyproject.toml | $(VENV)/pyvenv.cfg
	$(call install,requirements.lock)

$(VENV)/installed-dev: requirements-dev.lock pyproject.toml | $(VENV)/pyvenv.cfg
	$(call install,requirements-dev.lock)
	@touch $(VENV)/installed

$(VENV)/installed-bench: requirements-bench.lock $(VENV)/installed-dev
	$(call install,requirements-bench.lock)

UV := $(VENV)/lock/bin/uv
COMPILE = $(UV) pip compile --quiet --universal --python-version 3.11 --generate-hashes --upgrade \
  --custom-compile-command 'make lock' pyproject.toml --group build

lock: | $(VENV)/pyvenv.cfg
	@test -x $(UV) || { $(BIN)/python -m venv $(VENV)/lock && $(VENV)/lock/bin/pip install --quiet uv; }
	@$(COMPILE) --output-file requirements.lock
	@$(COMPILE) --group dev --constraint requirements.lock --output-file requirements-dev.lock
	@$(COMPILE) --group bench --constraint requirements-dev.lock --output-file requirements-bench.lock

clean:
	rm -rf $(VENV) $(DEMO) .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
