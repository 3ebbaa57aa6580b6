#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <vector>

#include "berth/engine/opinion.h"
#include "berth/engine/verdict.h"

// Folds combine the answers of several plugins. Answers come in the order of the configured tiers
// and, within a tier, of its plugins. DESIGN D3. Each fold states its difference from Volcano.

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

// A question: its fold and its signature.
template <class Fold_, class Signature_>
struct Point {
  using Fold = Fold_;
  using Signature = Signature_;
};

using Order = std::strong_ordering;

// The first plugin that distinguishes the two decides. If none does, they are equal here, and the
// caller ends the tie by (creation time, uid).
struct FirstDifference {
  template <class Answers, class... A>
  static Order apply(const Answers& answers, const A&... arguments) {
    for (const auto& answer : answers) {
      if (const Order order = answer(arguments...); order != Order::equal) return order;
    }
    return Order::equal;
  }
};

// All must pass; the first refusal is the reason. Protections use this fold, too: over all tiers,
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

// Tier by tier. A reject is a no at once. A tier with a permit answers yes. A tier of abstentions
// passes the question on. Without any answer: yes.
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
// answer, and ends the question; Volcano continues with the next plugin or tier, which loses vetoes
// (volcano-semantics 2.4). Without any opinion: nobody.
struct TierAgreement {
  template <class Answers, class Claimant>
  static PartSet apply(const Answers& answers, const Claimant& claimant,
                       const PartSet& candidates) {
    Opinion<PartSet> agreed;
    for (std::size_t i = 0; i < answers.size(); ++i) {
      if (agreed && answers[i].tier != answers[i - 1].tier) break;
      const Opinion<PartSet> opinion = answers[i](claimant, candidates);
      if (!opinion) continue;
      if (!agreed) {
        agreed = *opinion;
        continue;
      }
      // Both are in the order of the candidates.
      auto next = opinion->begin();
      std::erase_if(*agreed, [&](const JobPart& part) {
        const auto found = std::find(next, opinion->end(), part);
        if (found == opinion->end()) return true;
        next = found + 1;
        return false;
      });
    }
    return agreed.value_or(PartSet{});
  }
};

// The first plugin with an answer gives it. Without one: none.
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

// Calls every plugin in turn. Scores add themselves to a sum.
struct EachInTurn {
  template <class Answers, class... A>
  static void apply(const Answers& answers, const A&... arguments) {
    for (const auto& answer : answers) answer(arguments...);
  }
};

}  // namespace berth::engine
