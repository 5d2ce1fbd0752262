# Every target installs what it lacks (as root) or says exactly what to install. `make help` lists them.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

SETUP := tools/setup.sh
NODE := node_modules/.bin/node

.DEFAULT_GOAL := help
.PHONY: help run test lint bench vendor format clean dataplane setup-run setup-test setup-bench

help: ## these lines
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

run: setup-run dataplane ## the demo: example manifests, sample backends, nginx; prints URLs to try; Ctrl-C ends it
	@exec $(NODE) tools/demo.ts $(if $(DEMO_CHECK),--check)

test: setup-test dataplane ## typecheck and every test that needs no cluster; ends with "N passed, N failed"
	@exec $(NODE) tools/run-tests.ts $(TESTS)

lint: setup-test ## oxlint, formatting, types
	oxlint
	biome format
	tsc -p .

format: setup-test ## format every file
	biome format --write

bench: setup-bench dataplane ## CPU per request against hand-written nginx, and 10,000 Ingresses (SCALE=small: a quick one)
	@exec $(NODE) test/bench/bench.ts

vendor: setup-test ## the locked npm packages into vendor/npm, from which every target installs without a network
	@tools/vendor.sh

dataplane: setup-run ## compile nginx's program from TypeScript to Lua
	@$(NODE) tools/build-dataplane.ts >/dev/null

clean: ## remove what was built and generated
	rm -rf build dist coverage

setup-run:
	@$(SETUP) run

setup-test:
	@$(SETUP) test

setup-bench:
	@$(SETUP) bench
