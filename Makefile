# The two commands of the README. Both set up what they need, and are safe to repeat.
.PHONY: demo test

demo:
	@scripts/setup.sh
	@mkdir -p demo
	.venv/bin/forerun optimize examples/lz.c -o demo/lz.o --budget 200 --explain

test:
	@scripts/setup.sh dev
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy & types=$$!; .venv/bin/pytest -n auto --maxprocesses 4 --dist loadfile; tests=$$?; wait $$types && exit $$tests
