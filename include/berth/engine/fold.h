#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "berth/engine/opinion.h"
#include "berth/engine/verdict.h"

// How the answers of several plugins become one. Answers come in the order of the configured tiers
// and, within a tier, of its plugins. DESIGN D3; where we differ from Volcano is said at the fold.

namespace berth::engine {

// One plugin's answer to one question. `object` is the plugin, known to `call`.
template <class Signature>
struct Answer;

template <class R, class... A>
struct Answer<R(A...)> {
  void* object;
  R (*call)(void* object, A... arguments);
  std::uint16_t tier;

  R operator()(A... arguments) const { return call(object, static_cast<A>(arguments)...); }
};

// A question: how answers become one, and what is asked.
template <class Fold_, class Signature_>
struct Point {
  using Fold = Fold_;
  using Signature = Signature_;
};

using Order = std::strong_ordering;

// The first plugin that tells the two apart decides; if none does, they are equal here and the
// asker ends the tie by (creation time, uid).
struct FirstDifference {
  template <class Answers, class... A>
  static Order apply(const Answers& answers, const A&... arguments) {
    for (const auto& answer : answers) {
      if (const Order order = answer(arguments...); order != Order::equal) return order;
    }
    return Order::equal;
  }
};

// All must pass; the first refusal is the reason. Also the fold of protections: over all tiers,
// never outvoted.
struct AllPass {
  template <class Answers, class... A>
  static Verdict apply(const Answers& answers, const A&... arguments) {
    for (const auto& answer : answers) {
      if (const Verdict verdict = answer(arguments...); !verdict) return verdict;
    }
    return pass();
  }
};

// One yes is enough.
struct AnyYes {
  template <class Answers, class... A>
  static bool apply(const Answers& answers, const A&... arguments) {
    return std::any_of(answers.begin(), answers.end(),
                       [&](const auto& answer) { return answer(arguments...); });
  }
};

// Tier by tier: a reject met anywhere is no at once; a tier in which somebody permits ends the
// question with yes; a tier of abstentions passes it on. Nobody against: yes.
struct TierVote {
  template <class Answers, class... A>
  static Verdict apply(const Answers& answers, const A&... arguments) {
    bool permitted = false;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (permitted && answers[i].tier != answers[i - 1].tier) break;
      const Vote vote = answers[i](arguments...);
      if (vote.kind == Vote::Kind::reject) return vote.why;
      permitted = permitted || vote.kind == Vote::Kind::permit;
    }
    return pass();
  }
};

// The intersection of the opinions in the first tier that has one. An empty intersection is an
// answer and ends the question; Volcano lets the next plugin or tier start afresh there, which
// loses vetoes (volcano-semantics 2.4). No opinion anywhere: nobody.
struct TierAgreement {
  template <class Answers, class Claimant>
  static TaskSet apply(const Answers& answers, const Claimant& claimant,
                       const TaskSet& candidates) {
    Opinion<TaskSet> agreed;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (agreed && answers[i].tier != answers[i - 1].tier) break;
      const Opinion<TaskSet> opinion = answers[i](claimant, candidates);
      if (!opinion) continue;
      if (!agreed) {
        agreed = *opinion;
        continue;
      }
      std::erase_if(*agreed, [&](TaskId task) {
        return std::find(opinion->begin(), opinion->end(), task) == opinion->end();
      });
    }
    return agreed.value_or(TaskSet{});
  }
};

// The first plugin that has an answer gives it; nobody: none.
struct FirstAnswer {
  template <class Answers, class... A>
  static auto apply(const Answers& answers, const A&... arguments) {
    decltype(answers.front()(arguments...)) found;
    for (const auto& answer : answers) {
      if ((found = answer(arguments...))) break;
    }
    return found;
  }
};

// Everybody is told or asked, in turn. Scores add themselves to a sum.
struct EachInTurn {
  template <class Answers, class... A>
  static void apply(const Answers& answers, const A&... arguments) {
    for (const auto& answer : answers) answer(arguments...);
  }
};

}  // namespace berth::engine
