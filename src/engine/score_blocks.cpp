#include "engine/score_blocks.h"

#include "berth/engine/vectorise.h"

namespace berth::engine {

constexpr std::int32_t kInBlock = kScoreBlock;

// Loops over a whole block of scores, of a fixed length: so they become a few vector instructions.
BERTH_VECTORISED
std::int32_t highest_in_block(const std::int32_t* scores) {
  std::int32_t highest = scores[0];
  for (std::int32_t i = 0; i < kInBlock; ++i) highest = scores[i] > highest ? scores[i] : highest;
  return highest;
}

BERTH_VECTORISED
std::int32_t first_in_block(const std::int32_t* scores, std::int32_t score) {
  std::int32_t first = kInBlock;
  for (std::int32_t i = 0; i < kInBlock; ++i) {
    const std::int32_t here = scores[i] == score ? i : kInBlock;
    first = here < first ? here : first;
  }
  return first;
}

BERTH_VECTORISED
std::int32_t highest_of(const std::int32_t* scores, std::size_t count) {
  std::int32_t highest = kUnfit;
  for (std::size_t i = 0; i < count; ++i) highest = scores[i] > highest ? scores[i] : highest;
  return highest;
}

}  // namespace berth::engine
