# make quickstart | build | test | wheel | test-wheel | release | nightly | coverage | faults | audit | test-page | test-data | test-python | bench | bench-peers | bench-tune | bench-regret | bench-structure | bench-zoo | bench-onnx-export | docs | format | lint | asan | tsan | fuzz | clean
BUILD ?= build
JOBS ?= 2
CMAKE_FLAGS ?=
# Sources that the formatter and the linter read.
CPP = $(shell git ls-files '*.h' '*.cpp')

.PHONY: help setup setup-dev setup-test configure build quickstart wheel test-wheel release nightly coverage test test-page test-data test-python bench bench-peers bench-tune bench-regret bench-structure bench-zoo bench-onnx-export faults audit docs format lint asan tsan fuzz clean

help:
	@echo "make quickstart   set up, build, and tune a network on Fashion-MNIST"
	@echo "make build        set up and build $(BUILD)/bin/lpot"
	@echo "make test         set up, build and run the tests"
	@echo "make test-page    test the report and the dashboard in chromium"
	@echo "make test-data    run the tests on real models and data under LPOT_TEST_DATA"
	@echo "make test-python  build the Python package into .venv-python and run its tests (LPOT_TEST_DATA, LPOT_SEEDS: folders with test data)"
	@echo "make wheel        build self-contained wheels in dist/ (PYTHONS=\"3.11 3.13\")"
	@echo "make test-wheel   install the wheels in clean Debian roots and use them there, as root (ROOTS=\"bookworm trixie\")"
	@echo "make release      wheels, source archive, notes and checksums in dist/ (GPG_KEY=KEY: sign the checksums)"
	@echo "make faults       inject faults into tunings at random points and resume them (RUNS=500 SEED=1)"
	@echo "make audit        check the list of dependencies, their licences and the hashes of wheels"
	@echo "make bench        run the benchmarks"
	@echo "make bench-tune   compare tuning times with NNCF's accuracy control (TUNE=--no-peers: only lpot)"
	@echo "make bench-regret compare the models that strategies return with the fastest model of a long search (REGRET=--peers: also NNCF)"
	@echo "make bench-structure compare the executed int8 graphs of lpot and NNCF"
	@echo "make bench-zoo    compare lpot with NNCF and ONNX Runtime on more than 50 models from PyPI packages (ZOO=\"--models nsnet2\": only some)"
	@echo "make bench-onnx-export compare model.onnx with ONNX Runtime's static quantizer, in ONNX Runtime (EXPORT=\"--models resnet-20\": some models)"
	@echo "make bench-peers  compare lpot with NNCF, ONNX Runtime and PyTorch (PEERS=--reuse: reuse their models)"
	@echo "make docs         build the documentation site into site/ and check its links"
	@echo "make format lint  clang-format; layers, language, messages, clang-tidy, ruff and mypy (SINCE=REVISION: only changed files)"
	@echo "make asan         run the tests with address and undefined-behaviour sanitizers"
	@echo "make tsan         run the tests of data, evaluation, store, models built in the background and dashboard with the thread sanitizer"
	@echo "make fuzz         fuzz every file reader (SECONDS=n for each, or RUNS=n with a fixed seed; TARGETS=\"config npy\": only these)"
	@echo "make coverage     run the tests and list the least covered files (COVERAGE_TESTS=\"test_core test_config\": only these)"
	@echo "make nightly      lint, asan, tsan, fuzz, faults, test-wheel and coverage, with a summary (PARTS=\"lint tsan\": only these)"

setup:
	@scripts/setup.sh

setup-dev:
	@scripts/setup.sh --dev

setup-test:
	@scripts/setup.sh --test

configure: setup
	@cmake -S . -B $(BUILD) -G Ninja $(CMAKE_FLAGS) > $(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }

build: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot

quickstart: build
	$(BUILD)/bin/lpot tune examples/quickstart/quickstart.yaml --model examples/quickstart/fashion_cnn.onnx

test: configure
	@cmake --build $(BUILD) -j $(JOBS)
	ctest --test-dir $(BUILD) --output-on-failure -j $(JOBS) -LE data

# PICTURES=DIR keeps screenshots.
test-page: build
	@scripts/setup.sh --page
	python3 tests/page/test_page.py $(BUILD)/bin/lpot $(PICTURES)

faults: RUNS ?= 500
faults: SEED ?= 1
faults: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot faults
	python3 tests/faults/faults.py $(BUILD)/bin/lpot $(BUILD)/tests/libfaults.so --runs $(RUNS) --seed $(SEED)

audit:
	@python3 scripts/audit.py

test-data: setup-test configure
	@test -n "$(LPOT_TEST_DATA)" || { echo "make test-data: set LPOT_TEST_DATA to the folder with the data sets"; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS)
	LPOT_TEST_DATA="$(abspath $(LPOT_TEST_DATA))" ctest --test-dir $(BUILD) --output-on-failure -L data

# The Python versions of Debian 12 and 13.
PYTHONS ?= 3.11 3.13
wheel:
	@scripts/setup.sh --wheel
	.venv-wheel/bin/python scripts/build_wheel.py --pythons $(PYTHONS) --jobs $(JOBS)

ROOTS ?= bookworm trixie
test-wheel: wheel
	@scripts/setup.sh --roots
	@for root in $(ROOTS); do tests/wheel/run.sh $$root build-roots dist || exit 1; done

release: wheel
	python3 scripts/release.py

# The extension is built in the same build tree, so that no source is compiled twice. `pip install .` builds the same package.
test-python:
	@scripts/setup.sh --python
	@cmake -S . -B $(BUILD) -G Ninja -DLPOT_PYTHON=ON -DPython_EXECUTABLE=$(abspath .venv-python/bin/python) $(CMAKE_FLAGS) > $(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS) --target lpot lpot_core_module
	@cmake --install $(BUILD) --component python --prefix $$(.venv-python/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))') > /dev/null
	$(if $(LPOT_TEST_DATA),LPOT_TEST_DATA="$(abspath $(LPOT_TEST_DATA))") $(if $(LPOT_SEEDS),LPOT_SEEDS="$(abspath $(LPOT_SEEDS))") .venv-python/bin/python -m pytest python/tests

bench: setup-dev build
	@cmake --build $(BUILD) -j $(JOBS)
	.venv/bin/python benchmarks/run.py --build $(BUILD)

# HELD=benchmarks/as_avx2.py limits the benchmark to the AVX2 instructions of the CPU.
bench-peers: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot cpuid_mask
	@scripts/setup.sh --peers
	$(HELD) .venv-peers/bin/python benchmarks/peers --build $(BUILD) $(PEERS)

bench-tune: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot cpuid_mask
	@scripts/setup.sh --peers
	.venv-peers/bin/python benchmarks/tune.py --build $(BUILD) $(TUNE)

bench-onnx-export: configure
	@scripts/setup.sh --zoo
	@cmake --build $(BUILD) -j $(JOBS) --target lpot
	.venv-peers/bin/python benchmarks/onnx_export.py --build $(BUILD) $(EXPORT)

# HELD=benchmarks/as_avx2.py limits the benchmark to the AVX2 instructions of the CPU.
bench-regret: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot bench_oracle cpuid_mask
	@scripts/setup.sh --peers
	$(HELD) .venv-peers/bin/python benchmarks/regret.py --build $(BUILD) $(REGRET)

bench-structure: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot
	@scripts/setup.sh --peers
	$(HELD) .venv-peers/bin/python benchmarks/structure.py --build $(BUILD)

# HELD=benchmarks/as_avx2.py limits the benchmark to the AVX2 instructions of the CPU.
bench-zoo: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot cpuid_mask
	@scripts/setup.sh --zoo
	$(HELD) .venv-peers/bin/python benchmarks/zoo --build $(BUILD) $(ZOO)

# --strict: a broken link is an error.
docs:
	@scripts/setup.sh --docs
	@python3 scripts/build_docs.py
	NO_MKDOCS_2_WARNING=1 .venv-docs/bin/mkdocs build --strict --config-file mkdocs.yml

format: setup-dev
	clang-format -i $(CPP)
	.venv/bin/ruff format --quiet scripts benchmarks examples tests python

lint: setup-dev
	python3 scripts/lint.py --jobs $(JOBS) $(if $(SINCE),--since $(SINCE)) $(if $(CHECKS),--only $(CHECKS))

asan: setup
	cmake --preset asan > build-asan-configure.log 2>&1 || { cat build-asan-configure.log; exit 1; }
	cmake --build build-asan -j $(JOBS)
	TBB_ENABLE_SANITIZERS=1 ctest --test-dir build-asan --output-on-failure -LE data

# OpenVINO and TBB are not instrumented: tests/tsan.supp lists the suppressed reports and the reasons. TBB must not load
# its libraries with RTLD_DEEPBIND, which crashes a process with sanitizers.
TSAN_TESTS = test_data test_store test_evaluate test_tune test_cli
tsan: setup
	cmake --preset tsan > build-tsan-configure.log 2>&1 || { cat build-tsan-configure.log; exit 1; }
	cmake --build build-tsan -j $(JOBS) --target $(TSAN_TESTS)
	TBB_ENABLE_SANITIZERS=1 TSAN_OPTIONS="suppressions=$(abspath tests/tsan.supp):die_after_fork=0:ignore_noninstrumented_modules=1" ctest --test-dir build-tsan --output-on-failure -R '^(data|store|evaluate)\.|^tune\.(NextModelTest|Threads|.*ThreadsTest)|^cli\.Serve'

# Deletes the counters of earlier runs, because gcov would add them.
coverage: setup-dev
	cmake --preset coverage > build-coverage-configure.log 2>&1 || { cat build-coverage-configure.log; exit 1; }
	cmake --build build-coverage -j $(JOBS) $(addprefix --target ,$(COVERAGE_TESTS))
	find build-coverage -name '*.gcda' -delete
	ctest --test-dir build-coverage --output-on-failure -j $(JOBS) -LE data $(if $(COVERAGE_TESTS),-R '^($(subst $() ,|,$(patsubst test_%,%,$(COVERAGE_TESTS))))\.')
	.venv/bin/python scripts/coverage.py build-coverage

# SUMMARY=FILE: the file for the summary.
nightly:
	python3 scripts/nightly.py $(if $(PARTS),--parts $(PARTS)) $(if $(SUMMARY),--summary $(SUMMARY))

# Findings are written to build-fuzz/findings/TARGET. When the defect is fixed, move the file to tests/fuzz/cases/TARGET.
SECONDS = 60
TARGETS = $(sort $(filter-out support,$(basename $(notdir $(wildcard tests/fuzz/targets/*.cpp)))))
fuzz:
	@scripts/setup.sh --fuzz
	@cmake -S tests/fuzz -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 > build-fuzz-configure.log 2>&1 || { cat build-fuzz-configure.log; exit 1; }
	@cmake --build build-fuzz -j $(JOBS) --target $(addprefix fuzz_,$(TARGETS))
	@python3 tests/fuzz/seeds.py build-fuzz/seeds
	@printf '%s\n' $(TARGETS) | xargs -P $(JOBS) -I TARGET tests/fuzz/run.sh build-fuzz TARGET $(if $(RUNS),-seed=1 -runs=$(RUNS),-max_total_time=$(SECONDS))

clean:
	rm -rf build build-*
