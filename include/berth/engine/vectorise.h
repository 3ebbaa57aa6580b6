#pragma once

// Compiles a free function with a loop over plain arrays once for each instruction set; the loader
// picks one. Results are the same, since all numbers are integers. Sanitizers run before the loader
// can choose, and clang 14 vectorises without it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BERTH_VECTORISED \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define BERTH_VECTORISED
#endif
