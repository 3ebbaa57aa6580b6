#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/clock.h"

namespace berth::world {

using namespace std::chrono_literals;

// The clock of a world, all that is to come in it, and its dice. The same seed gives the same log.
class Agenda final : public Clock {
 public:
  using Task = std::function<void()>;

  explicit Agenda(std::uint64_t seed) : dice_(seed) {}

  TimePoint now() const override { return now_; }
  // Of tasks for one moment, the first that was given comes first.
  void after(Duration delay, Task task);
  // Goes to the next task and carries it out. False: there is none until then, and it is then.
  bool step(TimePoint until);
  std::uint64_t steps() const { return steps_; }

  std::uint64_t below(std::uint64_t limit) { return dice_() % limit; }
  bool happens(std::uint64_t per_mille) { return below(1000) < per_mille; }
  Duration between(Duration least, Duration most);

  // A line of the story. The digest is of all lines so far.
  void note(const std::string& line);
  void keep_story() { keeps_story_ = true; }
  const std::vector<std::string>& story() const { return story_; }
  std::uint64_t digest() const { return digest_; }

 private:
  struct Entry {
    TimePoint due;
    std::uint64_t number = 0;
    Task task;
    bool operator<(const Entry& other) const {  // the last in a heap comes first
      return std::pair(due, number) > std::pair(other.due, other.number);
    }
  };

  TimePoint now_ = TimePoint(std::chrono::hours(500'000));
  std::vector<Entry> entries_;  // a heap
  std::uint64_t last_number_ = 0;
  std::uint64_t steps_ = 0;
  std::mt19937_64 dice_;
  bool keeps_story_ = false;
  std::vector<std::string> story_;
  std::uint64_t digest_ = 14'695'981'039'346'656'037U;  // FNV-1a
};

// A process. Its tasks come only while it lives, and wait while it stands still.
class Life {
 public:
  explicit Life(Agenda& agenda) : agenda_(agenda) {}

  Agenda& agenda() const { return agenda_; }
  void after(Duration delay, Agenda::Task task) const;
  void freeze(Duration length) { token_->frozen_until = agenda_.now() + length; }

 private:
  struct Token {
    TimePoint frozen_until;
  };
  static void run(Agenda& agenda, const std::weak_ptr<Token>& token, const Agenda::Task& task);

  Agenda& agenda_;
  std::shared_ptr<Token> token_ = std::make_shared<Token>();
};

}  // namespace berth::world
