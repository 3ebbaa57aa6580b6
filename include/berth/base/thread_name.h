#pragma once

#include <string>
#include <thread>  // declares pthread_setname_np, too

namespace berth {

// Names the calling thread for `top -H`, perf and debuggers. Linux keeps the first 15 characters.
inline void name_thread(const std::string& name) {
  pthread_setname_np(pthread_self(), name.substr(0, 15).c_str());
}

}  // namespace berth
