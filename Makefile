# Every target works on a fresh clone that has Node 20.19 or later and make.
SHELL := /bin/sh
BIN := node_modules/.bin
SOURCES := $(shell find runner schemas/endpoint.schema.json -type f 2>/dev/null)

.PHONY: serve test validate build check bench clean help
.DEFAULT_GOAL := help

help: ## Show this list
	@grep -E '^[a-z]+:.*##' Makefile | sed 's/:.*## /\t/' | expand -t 12

serve: build ## Serve the endpoints; writes sample logs once. Flags: make serve ARGS="--port 9000"
	@node dist/main.js sample --once
	@exec node dist/main.js serve $(ARGS)

validate: build ## Check every manifest and every variant of its query
	@node dist/main.js validate $(ARGS)

test: build ## Run the whole suite and print its coverage
	@node test/run.mjs $(ARGS)

build: dist/.built ## Compile to dist/

check: node_modules/.installed ## Types, lint, format and architecture
	$(BIN)/tsc --noEmit
	$(BIN)/biome check --error-on-warnings
	$(BIN)/depcruise --config test/architecture.cjs runner

bench: build ## Measure, and write bench/RESULTS.md
	@node --import tsx bench/run.ts $(ARGS)

clean: ## Remove what was built and installed; data/ stays
	rm -rf dist coverage node_modules

dist/.built: node_modules/.installed tsconfig.json tsconfig.build.json $(SOURCES)
	@rm -rf dist
	@$(BIN)/tsc -p tsconfig.build.json
	@chmod +x dist/main.js
	@touch $@

node_modules/.installed: package.json package-lock.json
	@npm ci --no-audit --no-fund --loglevel=error
	@touch $@
