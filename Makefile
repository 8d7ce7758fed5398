# make quickstart | build | test | faults | audit | test-page | test-data | test-python | bench | bench-peers | bench-tune | bench-regret | bench-structure | bench-zoo | docs | format | lint | lint-python | asan | tsan | fuzz | clean
BUILD ?= build
JOBS ?= 2
CMAKE_FLAGS ?=
# Sources that the formatter and the linter look at.
CPP = $(shell git ls-files '*.h' '*.cpp')

.PHONY: help setup setup-dev setup-test configure build quickstart test test-page test-data test-python bench bench-peers bench-tune bench-regret bench-structure bench-zoo faults audit docs format lint lint-python asan tsan fuzz clean

help:
	@echo "make quickstart   set up, build, and tune a network on Fashion-MNIST"
	@echo "make build        set up and build $(BUILD)/bin/lpot"
	@echo "make test         set up, build and run the tests"
	@echo "make test-page    test the report and the dashboard in chromium"
	@echo "make test-data    run the tests on real models and data under LPOT_TEST_DATA"
	@echo "make test-python  build the Python package into .venv-python and run its tests (LPOT_TEST_DATA, LPOT_SEEDS: folders with test data)"
	@echo "make faults       inject faults into tunings at random points and resume them (RUNS=500 SEED=1)"
	@echo "make audit        check the list of dependencies, their licences and the hashes of wheels"
	@echo "make bench        run the benchmarks"
	@echo "make bench-tune   compare tuning times with NNCF's accuracy control (TUNE=--no-peers: only lpot)"
	@echo "make bench-regret compare the models that strategies return with the fastest of a long search (REGRET=--peers: NNCF too)"
	@echo "make bench-structure compare the executed int8 graphs of lpot and NNCF"
	@echo "make bench-zoo    compare lpot with NNCF and ONNX Runtime on more than 50 models of packages (ZOO=\"--models nsnet2\": some of them)"
	@echo "make bench-peers  compare lpot with NNCF, ONNX Runtime and PyTorch (PEERS=--reuse: reuse their models)"
	@echo "make docs         build the documentation site into site/ and check its links"
	@echo "make format lint  clang-format; layers, language, messages, clang-tidy, ruff and mypy (make lint-python: only the last two)"
	@echo "make asan         run the tests with address and undefined-behaviour sanitizers"
	@echo "make tsan         run the tests of data, evaluation, store, models built in the background and dashboard with the thread sanitizer"
	@echo "make fuzz         feed every reader of files with hostile bytes (SECONDS=n for each, or RUNS=n of a fixed seed; TARGETS=\"config npy\": those alone)"

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

# The extension is built in the same tree as the rest, so that nothing is compiled twice; `pip install .` makes the same package.
test-python:
	@scripts/setup.sh --python
	@cmake -S . -B $(BUILD) -G Ninja -DLPOT_PYTHON=ON -DPython_EXECUTABLE=$(abspath .venv-python/bin/python) $(CMAKE_FLAGS) > $(BUILD)-configure.log 2>&1 || { cat $(BUILD)-configure.log; exit 1; }
	@cmake --build $(BUILD) -j $(JOBS) --target lpot lpot_core_module
	@cmake --install $(BUILD) --component python --prefix $$(.venv-python/bin/python -c 'import sysconfig; print(sysconfig.get_path("platlib"))') > /dev/null
	$(if $(LPOT_TEST_DATA),LPOT_TEST_DATA="$(abspath $(LPOT_TEST_DATA))") $(if $(LPOT_SEEDS),LPOT_SEEDS="$(abspath $(LPOT_SEEDS))") .venv-python/bin/python -m pytest python/tests

bench: setup-dev build
	@cmake --build $(BUILD) -j $(JOBS)
	.venv/bin/python benchmarks/run.py --build $(BUILD)

# HELD=benchmarks/as_avx2.py: as if the CPU had no more than AVX2.
bench-peers: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot cpuid_mask
	@scripts/setup.sh --peers
	$(HELD) .venv-peers/bin/python benchmarks/peers --build $(BUILD) $(PEERS)

bench-tune: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot cpuid_mask
	@scripts/setup.sh --peers
	.venv-peers/bin/python benchmarks/tune.py --build $(BUILD) $(TUNE)

bench-regret: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot bench_oracle
	@scripts/setup.sh --peers
	.venv-peers/bin/python benchmarks/regret.py --build $(BUILD) $(REGRET)

bench-structure: configure
	@cmake --build $(BUILD) -j $(JOBS) --target lpot
	@scripts/setup.sh --peers
	$(HELD) .venv-peers/bin/python benchmarks/structure.py --build $(BUILD)

# HELD=benchmarks/as_avx2.py: as if the CPU had no more than AVX2.
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

# The types of the package are checked strictly, those of the scripts by default rules.
lint-python: setup-dev
	.venv/bin/ruff check scripts benchmarks examples tests python
	.venv/bin/mypy --strict -p lpot -p ilit
	.venv/bin/mypy scripts

# clang-tidy cannot read g++'s precompiled headers, so it gets compile commands without them.
lint: setup-dev
	clang-format --dry-run --Werror $(CPP)
	python3 scripts/check_layers.py
	python3 scripts/check_language.py
	python3 scripts/list_messages.py --check --strict
	@$(MAKE) --no-print-directory lint-python
	@cmake -S . -B build-lint -G Ninja -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON -DLPOT_TESTS=OFF > /dev/null
	printf '%s\n' $(filter lpot/%.cpp cli/%.cpp,$(CPP)) | xargs -P $(JOBS) -n 4 clang-tidy --quiet -p build-lint --extra-arg=-Wno-unknown-warning-option

asan: setup
	cmake -S . -B build-asan -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DLPOT_SANITIZE=ON -DLPOT_BENCHMARKS=OFF > build-asan-configure.log 2>&1 || { cat build-asan-configure.log; exit 1; }
	cmake --build build-asan -j $(JOBS)
	TBB_ENABLE_SANITIZERS=1 ctest --test-dir build-asan --output-on-failure -LE data

# OpenVINO and TBB are not instrumented: tests/tsan.supp says what of them is left out, and why. TBB must not load its
# parts with RTLD_DEEPBIND, which ends a process with sanitizers.
TSAN_TESTS = test_data test_store test_evaluate test_tune test_cli
tsan: setup
	cmake -S . -B build-tsan -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DLPOT_SANITIZE_THREADS=ON -DLPOT_BENCHMARKS=OFF > build-tsan-configure.log 2>&1 || { cat build-tsan-configure.log; exit 1; }
	cmake --build build-tsan -j $(JOBS) --target $(TSAN_TESTS)
	TBB_ENABLE_SANITIZERS=1 TSAN_OPTIONS="suppressions=$(abspath tests/tsan.supp):die_after_fork=0:ignore_noninstrumented_modules=1" ctest --test-dir build-tsan --output-on-failure -R '^(data|store|evaluate)\.|^tune\.(NextModelTest|Threads|.*ThreadsTest)|^cli\.Serve'

# A finding is left in build-fuzz/findings/TARGET; once fixed, it belongs into tests/fuzz/cases/TARGET.
SECONDS = 60
TARGETS = $(sort $(filter-out support,$(basename $(notdir $(wildcard tests/fuzz/targets/*.cpp)))))
fuzz:
	@scripts/setup.sh --fuzz
	@cmake -S tests/fuzz -B build-fuzz -G Ninja -DCMAKE_CXX_COMPILER=clang++-14 > build-fuzz-configure.log 2>&1 || { cat build-fuzz-configure.log; exit 1; }
	@cmake --build build-fuzz -j $(JOBS) --target $(addprefix fuzz_,$(TARGETS))
	@python3 tests/fuzz/seeds.py build-fuzz/seeds
	@printf '%s\n' $(TARGETS) | xargs -P $(JOBS) -I TARGET tests/fuzz/run.sh build-fuzz TARGET $(if $(RUNS),-seed=1 -runs=$(RUNS),-max_total_time=$(SECONDS))

clean:
	rm -rf build build-asan build-tsan build-fuzz build-configure.log build-asan-configure.log build-tsan-configure.log build-fuzz-configure.log
