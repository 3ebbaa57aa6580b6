#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace berth::http::testing {

// The status line of the answer to a GET with this header Host, which no client of ours sends.
inline std::string answer_to_host(std::uint16_t port, const std::string& host,
                                  const std::string& path) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  EXPECT_EQ(connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  const std::string text =
      "GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  EXPECT_EQ(send(socket, text.data(), text.size(), 0), static_cast<ssize_t>(text.size()));
  char line[32] = "";
  EXPECT_GT(recv(socket, line, sizeof line - 1, MSG_WAITALL), 0);
  close(socket);
  return line;
}

}  // namespace berth::http::testing
