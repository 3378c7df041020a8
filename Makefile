# Every target works on a fresh clone that has Node 20.19 or later and make.
SHELL := /bin/sh
BIN := node_modules/.bin
ENGINE ?= $(or $(SLUICE_ENGINE),duckdb)
SOURCES := $(shell find explorer googlesql googlesql-duckdb runner authoring cli schemas/endpoint.schema.json schemas/test.schema.json tools/alone.mjs tools/build.mjs tools/build-explorer.mjs tools/build-macros.mjs tools/bundle-program.mjs tools/third-party-licenses.mjs -type f 2>/dev/null)

.PHONY: serve test validate build check bench soak storm oracle fuzz clean help
.DEFAULT_GOAL := help

help: ## Show this list
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 12

serve: build ## Serve the endpoints; writes sample logs once. Flags: make serve ARGS="--port 9000", ENGINE=bigquery
	@case " $(ENGINE) $(ARGS) " in *" bigquery "* | *" --engine=bigquery "* | *" --data"[=\ ]*) ;; *) node dist/cli/main.js sample --if-empty ;; esac
	@exec env SLUICE_ENGINE="$(ENGINE)" node dist/cli/main.js serve $(ARGS)

validate: build ## Check every manifest and every variant of its query
	@SLUICE_ENGINE="$(ENGINE)" node dist/cli/main.js validate $(ARGS)

test: build ## Run the tests but for those that take long; ALL=1 runs them too, and SLUICE_TEST_COVERAGE=on with it prints the coverage
	@node test/run.mjs $(or $(ARGS),$(if $(ALL),,--without-left-out))

build: dist/.built ## Compile to dist/

check: node_modules/.installed ## Types, lint, format, architecture, and that nothing is unused
	$(BIN)/tsc --noEmit
	$(BIN)/tsc -p explorer
	$(BIN)/biome check --error-on-warnings
	$(BIN)/depcruise --config test/architecture.cjs explorer googlesql googlesql-duckdb runner authoring cli tools
	$(BIN)/knip --no-progress --treat-config-hints-as-errors

bench: build ## Measure, and write bench/RESULTS.md
	@node --import tsx bench/run.ts $(ARGS)

soak: build ## Ten minutes of two replicas over a Redis that fails; needs redis-server. ARGS="--minutes 3"
	@node --import tsx bench/soak.ts $(ARGS)

storm: build ## A million different keys: what memory the cache takes
	@node --import tsx bench/storm.ts

oracle: node_modules/.installed ## Hold the GoogleSQL cases against the reference implementation (fetches 350 MB once)
	@node --import tsx tools/oracle/run.ts $(ARGS)

fuzz: node_modules/.installed ## Hold random queries against the reference implementation. ARGS="--seed 1 --count 50000 --family windows"
	@node --import tsx tools/fuzz/run.ts $(ARGS)

clean: ## Remove what was built and installed; data/ stays
	rm -rf dist coverage node_modules

dist/.built: node_modules/.installed tsconfig.json tsconfig.build.json $(SOURCES)
	@node tools/build.mjs --if-stale

node_modules/.installed: package.json package-lock.json
	@node tools/install.mjs
