# Every target installs what it lacks (as root) or says exactly what to install. `make help` lists them.
export PATH := $(CURDIR)/node_modules/.bin:$(PATH)

SETUP := tools/setup.sh
NODE := node_modules/.bin/node

.DEFAULT_GOAL := help
.PHONY: help run test lint bench pressure soak vendor format clean dataplane other-nginx cluster cluster-down e2e-try setup-run setup-test setup-bench setup-cluster controller package setup-controller setup-package

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

cluster: setup-cluster ## builds (once, 15 to 40 minutes) and starts a real Kubernetes on this machine, left running (NODES=1; CLUSTER=1: another one beside it)
	@exec $(NODE) test/cluster/up.ts

cluster-down: setup-cluster ## ends that cluster and checks that nothing is left of it
	@exec $(NODE) test/cluster/down.ts

e2e-try: setup-test setup-cluster setup-package dataplane ## weir in a real cluster of its own, from the image and by helm; ends with "N passed, N failed" (KUBECONFIG=FILE: in that one; TESTS='roll-outs')
	@exec $(NODE) tools/e2e.ts $(TESTS)

vendor: setup-test ## the locked npm packages into vendor/npm, from which every target installs without a network
	@tools/vendor.sh

other-nginx: setup-test ## the nginx of the other Debian release (12 or 13), which the tests run beside this machine's
	@$(NODE) tools/other-nginx.ts >/dev/null

controller: setup-controller ## dist/weir: the whole program as one executable file
	@exec $(NODE) tools/build-executable.ts

package: controller setup-package ## dist/weir-image.tar: an OCI image with nginx in it, made without a Docker daemon, and tried where this is root
	@$(NODE) tools/build-image.ts
	@exec $(NODE) tools/try-image.ts

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

setup-cluster:
	@$(SETUP) cluster

setup-controller:
	@$(SETUP) controller

setup-package:
	@$(SETUP) package
