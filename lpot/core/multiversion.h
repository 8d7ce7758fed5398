// Compiles a function for the baseline CPU and for CPUs with AVX2. The version is selected when the program starts.
// Both versions give bit-identical results if the file is compiled with -ffp-contract=off.
//
//   LPOT_FOR_EVERY_CPU void add_row(const std::vector<float>& row, float* sums) {
//     for (std::size_t i = 0; i < row.size(); ++i) sums[i] += row[i];
//   }
//
#pragma once

// Sanitizers are not initialized when the version is selected.
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__) && !defined(__clang__)
#define LPOT_FOR_EVERY_CPU __attribute__((target_clones("default", "arch=haswell")))
#else
#define LPOT_FOR_EVERY_CPU
#endif
