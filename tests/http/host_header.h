#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

namespace berth::http::testing {

// The answer to a GET with this header Host, which no client of ours sends.
inline std::string reply_to_host(std::uint16_t port, const std::string& host,
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
  std::string reply;
  char part[1024];
  for (ssize_t got = 1; got > 0;) {
    got = recv(socket, part, sizeof part, 0);
    if (got > 0) reply.append(part, static_cast<std::size_t>(got));
  }
  close(socket);
  return reply;
}

// Its status line.
inline std::string answer_to_host(std::uint16_t port, const std::string& host,
                                  const std::string& path) {
  const std::string reply = reply_to_host(port, host, path);
  EXPECT_FALSE(reply.empty());
  return reply.substr(0, reply.find('\r'));
}

}  // namespace berth::http::testing
