# Everything a person does with this repository. `make help` lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help

JOBS ?= $(shell nproc)
IMG ?= sluice:latest
PYTEST := /usr/bin/python3 -B -m pytest -q -p no:cacheprovider
ALL_SOURCES = $(shell git ls-files -co --exclude-standard 'src/*.cpp' 'src/*.hpp' 'tests/*.cpp' 'tests/*.hpp' 'bench/*.cpp' 'bench/*.hpp' 'examples/*.cpp' 'examples/*.hpp')
CONTROLPLANE := tools/controlplane/build

.PHONY: help
help: ## List what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-13s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: setup
setup: ## Install the Debian packages that are missing
	@tools/setup/packages

.PHONY: build
build: setup ## Build build/release/sluice
	@tools/build release sluice

.PHONY: demo
demo: build ## Watch a rollout go through its gates
	@build/release/sluice demo

.PHONY: test
test: setup ## Run every test, on a real control plane that is built and cached
	@tools/test all

.PHONY: test-deep
test-deep: setup ## Run what is too long for every day, from a seed of the day (SEED=N)
	@tools/test deep

.PHONY: test-fast
test-fast: setup ## Run the tests that need no control plane
	@tools/test fast

.PHONY: test-cluster
test-cluster: build ## Run the tests on the real control plane only
	@$(CONTROLPLANE) >/dev/null && $(PYTEST) tests/cluster

.PHONY: bench
bench: setup ## Measure memory, decoding and decisions
	@tools/build bench all && $(CONTROLPLANE) >/dev/null && /usr/bin/python3 -B bench/run

.PHONY: run
run: build ## Run the operator on this machine against the cluster of your kubeconfig
	@tools/deploy/run

.PHONY: manifests
manifests: build ## Print the manifests that install Sluice
	@build/release/sluice manifests

.PHONY: image
image: build ## Pack an image for docker load, as build/sluice-image.tar (IMG=name:tag)
	@tools/image $(IMG) build/sluice-image.tar

.PHONY: docker-build
docker-build: build ## Build the image IMG, with docker if it runs here
	@tools/docker build $(IMG)

.PHONY: docker-push
docker-push: ## Push the image IMG to its registry, with docker if it runs here
	@tools/docker push $(IMG)

.PHONY: install
install: build ## Install rights, policies and definitions into the cluster
	@NAMESPACES=$(NAMESPACES) tools/deploy/install

.PHONY: uninstall
uninstall: build ## Remove them; refuses while custom resources exist (FORCE=1)
	@FORCE=$(FORCE) tools/deploy/uninstall

.PHONY: deploy
deploy: build ## Install and start the operator in the cluster (IMG=registry/sluice:tag)
	@IMG=$(IMG) NAMESPACES=$(NAMESPACES) tools/deploy/deploy

.PHONY: undeploy
undeploy: build ## Stop the operator; workloads keep running, frozen
	@tools/deploy/undeploy

.PHONY: format
format: setup ## Format the C++ sources
	@clang-format-19 -i $(ALL_SOURCES)

.PHONY: lint
lint: setup ## Check the C++ sources with clang-tidy
	@tools/build release sluice && tools/lint

.PHONY: clean
clean: ## Remove everything that was built
	@rm -rf build
