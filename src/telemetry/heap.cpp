#include "telemetry/heap.h"

#include <malloc.h>

#if defined(__has_feature)
#define BERTH_HAS_FEATURE(name) __has_feature(name)
#else
#define BERTH_HAS_FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
    BERTH_HAS_FEATURE(address_sanitizer) || BERTH_HAS_FEATURE(thread_sanitizer)
#define BERTH_HAS_SANITIZER_HEAP
// <sanitizer/allocator_interface.h>, which g++ does not bring.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes();
#endif

namespace berth::telemetry {

std::size_t heap_bytes() {
#ifdef BERTH_HAS_SANITIZER_HEAP
  return __sanitizer_get_current_allocated_bytes();
#else
  const auto heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
#endif
}

}  // namespace berth::telemetry
