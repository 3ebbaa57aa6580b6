#pragma once

#include <cstdint>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "support/agenda.h"

namespace berth::world {

using namespace std::chrono_literals;

// The clock of a world, all that is to come in it, and its dice. The same seed gives the same log.
class Agenda final : public support::Agenda {
 public:
  explicit Agenda(std::uint64_t seed);

  std::uint64_t below(std::uint64_t limit) { return dice_() % limit; }
  bool happens(std::uint64_t per_mille) { return below(1000) < per_mille; }
  Duration between(Duration least, Duration most);

  // A line of the story. The digest is of all lines so far.
  void note(const std::string& line);
  // Each line goes there at once: a world may crash.
  void write_story(const std::string& file) { story_.open(file); }
  std::uint64_t digest() const { return digest_; }

 private:
  std::mt19937_64 dice_;
  std::ofstream story_;
  std::uint64_t digest_ = 14'695'981'039'346'656'037U;  // FNV-1a
};

// A process. Its tasks come only while it lives, and wait while it stands still.
class Life final : public Executor {
 public:
  explicit Life(Agenda& agenda) : agenda_(agenda) {}

  TimePoint now() const override { return agenda_.now(); }
  void after(Duration delay, Task task) override;
  Agenda& agenda() const { return agenda_; }
  void freeze(Duration length) { token_->frozen_until = agenda_.now() + length; }

 private:
  struct Token {
    TimePoint frozen_until;
  };
  static void run(Agenda& agenda, const std::weak_ptr<Token>& token, const Task& task);

  Agenda& agenda_;
  std::shared_ptr<Token> token_ = std::make_shared<Token>();
};

}  // namespace berth::world
