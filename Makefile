# `make app` opens BERTscope, `make test` tests it; each does the set-up first where it is missing.
BIN := .venv/bin
ARGS ?=
TEXT ?= ../shared/corpus
TASKS ?= ../shared/tasks

.PHONY: app test setup tools lock bundle display check lint types format evidence bench soak fuzz parity tour gallery film strings model tiny german tuned class-demo demo-seeds clean

app: setup  ## open the window; arguments: make app ARGS="FOLDER --theme dark"
	@$(BIN)/bertscope $(ARGS)

test: tools display  ## the quick tests: no display, network or GPU needed
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest $(ARGS)  # else each worker and program compiles all anew

setup:  ## .venv with pinned packages, and the system libraries Qt needs
	@sh scripts/setup.sh

tools:  ## the same, and what only tests, lint and translations need
	@sh scripts/setup.sh test

display: tools  ## Xvfb for the tests that drive a real window; without it they are left out
	@$(BIN)/python scripts/display_for_tests.py

check: lint types test

lint: tools
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

types: tools
	@$(BIN)/mypy

format: tools  ## puts right what `make lint` complains about, where it can
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

model: setup  ## the built-in model from nothing, in hours: make model TEXT=../shared/corpus ARGS="--tasks ../shared/tasks"
	@$(BIN)/python scripts/make_model.py bertscope-mini $(TEXT) $(ARGS)

tiny: setup  ## the tiny model and its snapshots from nothing, in minutes: make tiny TEXT=../shared/corpus
	@$(BIN)/python scripts/make_model.py bertscope-tiny $(TEXT) $(ARGS)

german: setup  ## the German toy from nothing, its text too, in a quarter of an hour
	@$(BIN)/python assets/corpus/make_geschichten.py build/german
	@$(BIN)/python scripts/make_model.py bertscope-tiny-de build/german $(ARGS)

tuned: setup  ## the three fine-tuned models, in minutes; after each change of the built-in one: make tuned TASKS=../shared/tasks
	@$(BIN)/python scripts/make_tuned.py $(TASKS) $(ARGS)

class-demo: setup  ## the finished class demo that ships, in a minute
	@$(BIN)/python scripts/make_class_demo.py $(ARGS)

demo-seeds: setup  ## both demos with ten seeds, alone and beside a busy core, into docs/class-demo.md; half an hour
	@$(BIN)/python -m benchmarks.class_demo --write $(ARGS)

evidence: tools  ## the slow tests
	@$(BIN)/python -m pytest -m slow $(ARGS)

bench: tools
	@$(BIN)/python -m benchmarks $(ARGS)

soak: tools  ## ten minutes of random typing, clicking and switching; ARGS="--minutes 60 --seed 7"
	@$(BIN)/python -m benchmarks.random_use $(ARGS)

fuzz: tools  ## damaged files for every reader, ten minutes each; ARGS="--minutes 1 --seed 7 config session"
	@$(BIN)/python -m benchmarks.fuzz $(ARGS)

parity: tools  ## every family and head against transformers, as the table in docs/parity.md
	@$(BIN)/python -m benchmarks.parity

film: setup  ## the film strip at the top of the README, from the run that ships
	@$(BIN)/python -m scripts.film_picture docs/images/film-strip.webp

strings: tools  ## for translators: gathers the texts of the window, says what is missing
	@$(BIN)/python -m scripts.translations

tour: setup  ## a picture of every room, in build/tour
	@$(BIN)/python -m scripts.tour build/tour $(ARGS)

gallery: setup  ## every view for three kinds of model, at 16 and 512 tokens, in build/gallery; some seven minutes
	@$(BIN)/python -m scripts.gallery build/gallery

lock: tools  ## after a change of pyproject.toml: requirements/*.txt; a newer package: ARGS="--upgrade-package NAME"
	@$(BIN)/python -m pip install --quiet uv
	@$(BIN)/python scripts/lock.py $(ARGS)

bundle: setup  ## a folder that runs without Python and a Debian package of it, in build/bundle (docs/bundle.md); a few minutes
	@$(BIN)/python scripts/make_bundle.py

clean:  ## everything that can be made again, .venv too
	rm -rf .venv .venv.lock build .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info
