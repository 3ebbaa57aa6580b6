#include "hostile/heap.h"

#include <malloc.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace berth::hostile::heap {

namespace {

std::atomic<std::size_t> now{0};
std::atomic<std::size_t> most{0};
std::atomic<std::size_t> limit{std::size_t{8} << 30};

void* take(std::size_t size, std::size_t alignment) {
  void* at = alignment == 0
                 ? std::malloc(size == 0 ? 1 : size)
                 : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (at == nullptr) throw std::bad_alloc();
  const std::size_t is = now += malloc_usable_size(at);
  if (is > limit) {
    std::fprintf(stderr, "the test takes more than %zu bytes\n", limit.load());
    std::_Exit(99);
  }
  std::size_t before = most;
  while (is > before && !most.compare_exchange_weak(before, is)) {
  }
  return at;
}

void give_back(void* at) {
  if (at == nullptr) return;
  now -= malloc_usable_size(at);
  std::free(at);
}

}  // namespace

std::size_t bytes() { return now; }
std::size_t peak() { return most; }
void reset_peak() { most = now.load(); }
void set_limit(std::size_t bytes) { limit = bytes; }

}  // namespace berth::hostile::heap

using berth::hostile::heap::give_back;
using berth::hostile::heap::take;

void* operator new(std::size_t size) { return take(size, 0); }
void* operator new[](std::size_t size) { return take(size, 0); }
void* operator new(std::size_t size, std::align_val_t alignment) {
  return take(size, static_cast<std::size_t>(alignment));
}
void* operator new[](std::size_t size, std::align_val_t alignment) {
  return take(size, static_cast<std::size_t>(alignment));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return take(size, 0); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return take(size, 0); }
void operator delete(void* at) noexcept { give_back(at); }
void operator delete[](void* at) noexcept { give_back(at); }
void operator delete(void* at, std::size_t) noexcept { give_back(at); }
void operator delete[](void* at, std::size_t) noexcept { give_back(at); }
void operator delete(void* at, std::align_val_t) noexcept { give_back(at); }
void operator delete[](void* at, std::align_val_t) noexcept { give_back(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { give_back(at); }
void operator delete[](void* at, std::size_t, std::align_val_t) noexcept { give_back(at); }
