#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

// Scores in blocks, each with its highest kept: so the best is found by walking down, and a change
// of one score is a change of few maxima.

namespace berth::engine {

constexpr std::size_t kScoreBlock = 64;
// Lower than every score.
constexpr std::int32_t kUnfit = std::numeric_limits<std::int32_t>::min();

// The highest of a whole block, and the position of the first with this score; one has it.
std::int32_t highest_in_block(const std::int32_t* scores);
std::int32_t first_in_block(const std::int32_t* scores, std::int32_t score);

// The highest of `count` scores; kUnfit if there are none.
std::int32_t highest_of(const std::int32_t* scores, std::size_t count);

}  // namespace berth::engine
