.PHONY: demo test setup check format benchmark
bin := .venv/bin

demo: setup
	@$(bin)/python scripts/demo.py

test: check
	@$(bin)/pytest -n auto --dist loadgroup --durations 10

check: setup
	@$(bin)/ruff format --check .
	@$(bin)/ruff check .
	@$(bin)/pyright
	@$(bin)/lint-imports
	@$(bin)/codespell

format: setup
	@$(bin)/ruff format .
	@$(bin)/ruff check --fix .

benchmark: setup
	@$(bin)/python -m benchmarks

setup:
	@scripts/setup.sh
