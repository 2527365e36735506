# Two commands do everything: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin
DEMO ?= demo

.PHONY: demo install test coverage test-ci test-long lint bench mutants lock clean
.DEFAULT_GOAL := demo

# Installed once, and again whenever a lock file or pyproject.toml changes.
.venv/.run: requirements.lock pyproject.toml
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.dev: .venv/.run requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	@touch $@

# The program alone, as the workflows ask for it.
install: .venv/.run

# Probe, grade, render and verify fourteen nights on the embedded router with real recorded answers; offline.
demo: .venv/.run
	$(BIN)/bitdepth demo --out $(DEMO)

test: .venv/.dev
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder

# Every branch of the pure modules, by all tests; on demand, because tracing takes half as long again.
coverage: .venv/.dev
	$(BIN)/python -m pytest --numprocesses 2 --dist loadfile --no-loadscope-reorder --cov=generator --cov-report=
	$(BIN)/python -m coverage report --fail-under=100 --include="$$(cat tests/pure_modules.txt | paste -sd, -)"

# The tests that only .ci/run adds: up to half an hour more.
test-ci: .venv/.dev
	$(BIN)/python -m pytest --ci -m ci --numprocesses 2 --dist worksteal

# Every test, in full numbers.
test-long: .venv/.dev
	$(BIN)/python -m pytest --ci --long

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Ours beside others on the same records in one run, at a small size; prints one table of ratios. Best on a quiet machine.
bench: .venv/.dev
	$(BIN)/python -m tests.benchmarks.all --out bench.md

# Mutates the method's code and runs the tests that reach each mutant; long, on demand. See tests/mutation/NOTES.md.
mutants: .venv/.dev
	$(BIN)/python -m tests.mutation.run

# Needs uv (`pip install uv`). Writes no registry's address.
lock:
	uv pip compile --universal --generate-hashes --no-header --no-annotate --quiet pyproject.toml --group build -o requirements.lock
	uv pip compile --universal --generate-hashes --no-header --no-annotate --quiet pyproject.toml --group dev -c requirements.lock -o requirements-dev.lock

clean:
	rm -rf .venv demo site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
