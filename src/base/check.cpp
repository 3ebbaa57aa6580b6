#include "berth/base/check.h"

#include <cstdio>
#include <cstdlib>

namespace berth {

void check_failed(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "berth: broken invariant `%s` at %s:%d\n", condition, file, line);
  std::fflush(stderr);
  std::abort();
}

}  // namespace berth
