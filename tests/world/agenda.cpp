#include "world/agenda.h"

#include <fmt/format.h>

namespace berth::world {
namespace {

constexpr TimePoint kBegin(std::chrono::hours(500'000));

}  // namespace

Agenda::Agenda(std::uint64_t seed) : support::Agenda(kBegin), dice_(seed) {}

Duration Agenda::between(Duration least, Duration most) {
  return least + Duration(below(static_cast<std::uint64_t>((most - least).count()) + 1));
}

void Agenda::note(const std::string& line) {
  const std::string whole =
      fmt::format("{:9.3f} {}", std::chrono::duration<double>(now() - kBegin).count(), line);
  for (const char c : whole)
    digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  if (story_.is_open()) story_ << whole << std::endl;
}

void Life::after(Duration delay, Task task) {
  agenda_.after(delay, [&agenda = agenda_, token = std::weak_ptr(token_), task = std::move(task)] {
    run(agenda, token, task);
  });
}

void Life::run(Agenda& agenda, const std::weak_ptr<Token>& token, const Task& task) {
  const auto alive = token.lock();
  if (!alive) return;
  const Duration still = alive->frozen_until - agenda.now();
  if (still <= Duration()) return task();
  agenda.after(still, [&agenda, token, task] { run(agenda, token, task); });
}

}  // namespace berth::world
