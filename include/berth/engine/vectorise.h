#pragma once

// Put before a free function whose loop over plain arrays is worth compiling once per instruction
// set; the loader picks. Results are the same: only integers. Sanitizers run before the loader's
// choice can, and clang 14 vectorises without.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define BERTH_VECTORISED \
  __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default"), optimize("O3")))
#else
#define BERTH_VECTORISED
#endif
