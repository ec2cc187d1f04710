.PHONY: demo test test-all setup check quick-check format benchmark release-check sanitize docs
bin := .venv/bin
# Whose code is looked at; what people leave beside it, pages and scripts, is theirs.
code := benchmarks examples notebooks progtf scripts tests
# Types are checked while the tests run.
tests := scripts/beside.sh $(bin)/pyright -- $(bin)/pytest -n auto --dist loadgroup --no-loadscope-reorder --durations 10

demo: setup
	@$(bin)/python scripts/demo.py

test: quick-check
	@$(tests) -m "not long"

test-all: quick-check
	@echo "Beyond make test, twice as many random examples of every property, and:"
	@$(bin)/pytest --collect-only -qq -m long | sed -E 's/^([^:]+): ([0-9]+)$$/  \2 of \1/'
	@HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-same} $(tests)

check: quick-check
	@$(bin)/pyright

quick-check: setup
	@$(bin)/ruff format --check $(code)
	@$(bin)/ruff check $(code)
	@$(bin)/lint-imports
	@echo "$$(cat progtf/exact/kernel/*.py | wc -l) lines, $$(cat progtf/exact/kernel/*.py | grep -c .) of them not blank, are what a proof has to trust"
	@$(bin)/codespell $$(git ls-files)

format: setup
	@$(bin)/ruff format $(code)
	@$(bin)/ruff check --fix $(code)

benchmark: setup
	@$(bin)/python -m benchmarks

docs: setup
	@test -d js/node_modules/pyodide || npm ci --silent --prefix js
	@echo "Making the pages, and those of the programs in them: about a minute ..."
	@NO_MKDOCS_2_WARNING=1 $(bin)/python -m mkdocs build --quiet
	@echo "out/site: .venv/bin/python -m http.server --directory out/site"

release-check: setup
	@$(bin)/python scripts/release_check.py

# The engine in C once more, by a compiler that watches every index and every overflow.
sanitize: setup
	@$(bin)/python scripts/native.py sanitized
	@ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1 LD_PRELOAD=$$(cc -print-file-name=libasan.so) \
	  $(bin)/pytest -q -n 0 tests/running/test_native.py tests/running/test_recall.py tests/running/test_stream.py; status=$$?; $(bin)/python scripts/native.py; exit $$status

setup:
	@scripts/setup.sh
