#pragma once

// Only cpprest_transport.cpp may include this header. They are the only two files that include
// cpprestsdk, which is slow to compile and whose macros and namespaces must not spread.

namespace berth::kubeapi {
// API-6: without this, the unobserved failure of a chain of tasks would end the process.
void note_unobserved_failure();
}  // namespace berth::kubeapi

#define _TURN_OFF_PLATFORM_STRING
#define _REPORT_PPLTASK_UNOBSERVED_EXCEPTION() ::berth::kubeapi::note_unobserved_failure()

#include <cpprest/astreambuf.h>
#include <cpprest/http_client.h>

#include <memory>
#include <string_view>
#include <utility>

#include "kubeapi/transport.h"

namespace berth::kubeapi {

// API-1: bodies arrive here straight from the socket. The library reads no more until the task of
// _putn is done, so a slow reader slows the server. A failed task of _putn would have a thread of
// the library's pool wait for another one, so an answer that is dropped is cancelled instead.
class CpprestSink final : public concurrency::streams::details::streambuf_state_manager<uint8_t> {
 public:
  CpprestSink(std::shared_ptr<AnswerSink> sink, pplx::cancellation_token_source answer)
      : streambuf_state_manager(std::ios_base::out),
        sink_(std::move(sink)),
        answer_(std::move(answer)) {}
  ~CpprestSink() override { m_stream_can_write = false; }

  bool can_seek() const override { return false; }
  bool has_size() const override { return false; }
  size_t buffer_size(std::ios_base::openmode) const override { return 0; }
  void set_buffer_size(size_t, std::ios_base::openmode) override {}
  size_t in_avail() const override { return 0; }
  pos_type getpos(std::ios_base::openmode) const override { return traits::eof(); }
  pos_type seekpos(pos_type, std::ios_base::openmode) override { return traits::eof(); }
  pos_type seekoff(off_type, std::ios_base::seekdir, std::ios_base::openmode) override {
    return traits::eof();
  }
  bool acquire(uint8_t*& bytes, size_t& count) override {
    bytes = nullptr;
    count = 0;
    return false;
  }
  void release(uint8_t*, size_t) override {}

 protected:
  pplx::task<size_t> _putn(const uint8_t* bytes, size_t count) override {
    pplx::task_completion_event<size_t> taken;
    sink_->body({reinterpret_cast<const char*>(bytes), count},
                [taken, count, answer = answer_](bool go_on) {
                  if (!go_on) answer.cancel();
                  taken.set(count);
                });
    return pplx::create_task(taken);
  }
  pplx::task<int_type> _putc(uint8_t byte) override {
    auto kept = std::make_shared<uint8_t>(byte);
    return _putn(kept.get(), 1).then([kept](size_t) -> int_type { return *kept; });
  }
  pplx::task<bool> _sync() override { return pplx::task_from_result(true); }

  pplx::task<int_type> _bumpc() override { return nothing(); }
  int_type _sbumpc() override { return traits::eof(); }
  pplx::task<int_type> _getc() override { return nothing(); }
  int_type _sgetc() override { return traits::eof(); }
  pplx::task<int_type> _nextc() override { return nothing(); }
  pplx::task<int_type> _ungetc() override { return nothing(); }
  pplx::task<size_t> _getn(uint8_t*, size_t) override { return pplx::task_from_result<size_t>(0); }
  size_t _scopy(uint8_t*, size_t) override { return 0; }
  uint8_t* _alloc(size_t) override { return nullptr; }
  void _commit(size_t) override {}

 private:
  static pplx::task<int_type> nothing() {
    return pplx::task_from_result<int_type>(static_cast<int_type>(traits::eof()));
  }

  std::shared_ptr<AnswerSink> sink_;
  pplx::cancellation_token_source answer_;
};

}  // namespace berth::kubeapi
