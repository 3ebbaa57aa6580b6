#include "daemon/learned.h"

#include <mutex>
#include <utility>

namespace berth::daemon {

using ports::LearnedStore;

// Answers of the store, which come on other threads, and may outlive the term.
struct Learned::Mailbox {
  struct Texts {
    LearnedStore::Texts texts;
    LearnedStore::Fault fault;
  };
  std::mutex mutex;
  std::optional<Texts> texts;
  std::optional<LearnedStore::Fault> written;
};

Learned::Learned(Parts parts) : parts_(std::move(parts)) {}

void Learned::add(std::string key, Save save, Restore restore) {
  learned_.push_back({std::move(key), std::move(save), std::move(restore)});
}

// LEARN-1
void Learned::start_leading(std::uint64_t epoch, TimePoint now) {
  if (parts_.store == nullptr || learned_.empty()) return;
  epoch_ = epoch;
  has_read_ = is_writing_ = is_given_up_ = false;
  ends_at_.reset();
  written_.clear();
  complaint_.clear();
  mailbox_ = std::make_shared<Mailbox>();
  writes_at_ = now + kInterval;
  read();
}

void Learned::read() {
  reads_at_.reset();
  parts_.store->read([box = mailbox_, wake = parts_.wake](LearnedStore::Texts texts,
                                                          const LearnedStore::Fault& fault) {
    {
      const std::lock_guard lock(box->mutex);
      box->texts = {std::move(texts), fault};
    }
    wake();
  });
}

void Learned::follow_up(TimePoint now) {
  if (mailbox_ == nullptr) return;
  take_answers(now);
  if (epoch_ == 0 || is_given_up_) return;
  if (reads_at_ && now >= *reads_at_) read();
  if (has_read_ && !is_writing_ && now >= writes_at_) write(now);
}

void Learned::take_answers(TimePoint now) {
  std::optional<Mailbox::Texts> texts;
  std::optional<LearnedStore::Fault> written;
  {
    const std::lock_guard lock(mailbox_->mutex);
    texts = std::exchange(mailbox_->texts, {});
    written = std::exchange(mailbox_->written, {});
  }
  if (texts && epoch_ != 0) {
    if (texts->fault.why.empty()) {
      take_texts(texts->texts, now);
    } else if (texts->fault.may_pass) {  // LEARN-2
      reads_at_ = now + kReadAgain;
    } else {
      is_given_up_ = true;
      parts_.log("what was learned cannot be kept, learning begins anew: " + texts->fault.why);
    }
  }
  if (!written) return;
  is_writing_ = false;
  if (written->why.empty()) {
    for (auto& [key, text] : sent_) written_[key] = std::move(text);
  } else if (epoch_ != 0) {
    parts_.log("what was learned was not written: " + written->why);
    is_given_up_ = !written->may_pass;
  }
}

void Learned::take_texts(const LearnedStore::Texts& texts, TimePoint now) {
  has_read_ = true;
  written_ = texts;
  for (const Part& part : learned_) {
    const auto found = texts.find(part.key);
    if (found == texts.end()) continue;
    const Status restored = part.restore(found->second, now);
    if (restored) continue;
    parts_.log("what was learned cannot be read, learning of " + part.key +
               " begins anew: " + restored.error().to_string());
  }
}

// LEARN-3, LEARN-5
LearnedStore::Texts Learned::changed_texts(TimePoint now) {
  LearnedStore::Texts changed;
  std::size_t bytes = 0;
  std::string complaint;
  for (const Part& part : learned_) {
    std::string text = part.save(now);
    const auto before = written_.find(part.key);
    const bool is_known = before != written_.end();
    if (bytes + text.size() > kBytesMost) {
      complaint += (complaint.empty() ? "" : ", ") + part.key + " has " +
                   std::to_string(text.size()) + " bytes";
      bytes += is_known ? before->second.size() : 0;
      continue;
    }
    bytes += text.size();
    if (text.empty() || (is_known && before->second == text)) continue;
    changed[part.key] = std::move(text);
  }
  if (!complaint.empty() && complaint_.empty()) {
    parts_.log("what was learned is not written as a whole, since only " +
               std::to_string(kBytesMost) + " bytes may be kept: " + complaint);
  }
  complaint_ = complaint;
  return changed;
}

void Learned::write(TimePoint now) {
  writes_at_ = now + kInterval;
  sent_ = changed_texts(now);
  if (sent_.empty()) return;
  is_writing_ = true;
  parts_.store->write(sent_, epoch_,
                      [box = mailbox_, wake = parts_.wake](const LearnedStore::Fault& fault) {
                        {
                          const std::lock_guard lock(box->mutex);
                          box->written = fault;
                        }
                        wake();
                      });
}

// LEARN-4
void Learned::stop_leading(bool holds, TimePoint now) {
  if (epoch_ == 0) return;
  if (holds && has_read_ && !is_given_up_ && !is_writing_) write(now);
  if (holds && is_writing_) ends_at_ = now + kLastWrite;
  epoch_ = 0;
}

}  // namespace berth::daemon
