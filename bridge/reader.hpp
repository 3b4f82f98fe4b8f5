#pragma once

#include <atomic>
#include <thread>

#include "base/fd.hpp"
#include "base/result.hpp"
#include "bridge/framing.hpp"
#include "bridge/inbox.hpp"

namespace robot_council::bridge {

// The thread that turns stdin into messages. Reads only while the waiting room has space. Ends at
// end of file, after a Content-Length header, or when told to; its last event is EndOfInput or
// ContentLengthFraming.
class Reader {
 public:
  // `fd` is not owned.
  [[nodiscard]] static base::Result<std::unique_ptr<Reader>> start(int fd, Inbox& inbox,
                                                                   WaitingRoom& room);
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  Reader(Reader&&) = delete;
  Reader& operator=(Reader&&) = delete;
  ~Reader();

  // Ends the thread: what is in the pipe at this moment (at most kFinalReads reads) is still handed
  // over.
  void finish();
  // Ends the thread at once.
  void stop();

 private:
  enum class Order : unsigned char { go, finish, stop };
  Reader(int fd, base::Pipe wake, Inbox& inbox, WaitingRoom& room)
      : fd_(fd), wake_(std::move(wake)), inbox_(inbox), room_(room) {}
  void run();
  // False: the stream ended.
  bool read_once(std::string& buffer);
  bool hand_over();
  void order(Order order);

  int fd_;
  base::Pipe wake_;
  Inbox& inbox_;
  WaitingRoom& room_;
  LineFramer framer_;
  std::atomic<Order> order_{Order::go};
  std::thread thread_;
};

}  // namespace robot_council::bridge
