# Every target installs what it lacks (as root) or says exactly what to install. `make help` lists them.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

SETUP := tools/setup.sh
NODE := node_modules/.bin/node

.DEFAULT_GOAL := help
.PHONY: help run test lint bench pressure soak vendor format clean dataplane other-nginx setup-run setup-test setup-bench

help: ## these lines
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 20

run: setup-run dataplane ## the demo: example manifests, sample backends, nginx; prints URLs to try; Ctrl-C ends it (DEMO_CHECK=1: tries them and ends)
	@exec $(NODE) tools/demo.ts $(if $(DEMO_CHECK),--check)

test: setup-test dataplane other-nginx ## typecheck and every test that needs no cluster; ends with "N passed, N failed" (TESTS='cli model': files with one of these in their path)
	@exec $(NODE) tools/run-tests.ts $(TESTS)

lint: setup-test ## oxlint, formatting, types
	oxlint
	biome format
	tsc -p .

format: setup-test ## format every file
	biome format --write

bench: setup-bench dataplane ## CPU per request against hand-written nginx, and 10,000 Ingresses (SCALE=small: a quick one)
	@exec $(NODE) test/bench/bench.ts

pressure: setup-test dataplane other-nginx ## 20 of each fault, 1,000 changes under load and long runs of the random tests (about half an hour)
	@FAULTS=20 CHANGES=1000 FUZZ_SEED=random FUZZ_ROUNDS=40 REFERENCE_SEED=random exec $(NODE) tools/run-tests.ts alone

soak: setup-test dataplane ## 20 minutes of changes and load: memory and descriptors stay as they are (SOAK_MINUTES=3: a quick look)
	@exec $(NODE) test/soak/soak.ts

vendor: setup-test ## the locked npm packages into vendor/npm, from which every target installs without a network
	@tools/vendor.sh

other-nginx: setup-test ## the nginx of the other Debian release (12 or 13), which the tests run beside this machine's
	@$(NODE) tools/other-nginx.ts >/dev/null

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
