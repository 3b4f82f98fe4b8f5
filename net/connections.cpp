#include "net/connections.hpp"

namespace robot_council::net {

Connection& Connections::add(base::Fd fd, std::string peer) {
  auto connection = std::make_unique<Connection>();
  connection->id = ++last_;
  connection->fd = std::move(fd);
  connection->peer = std::move(peer);
  by_stage_.at(static_cast<std::size_t>(Stage::reading)).insert(connection->id);
  return *(all_[last_] = std::move(connection));
}

Connection* Connections::find(RequestId id) {
  const auto found = all_.find(id);
  return found == all_.end() ? nullptr : found->second.get();
}

void Connections::erase(RequestId id) {
  Connection* connection = find(id);
  if (connection == nullptr) {
    return;
  }
  set_deadline(*connection, std::nullopt);
  by_stage_.at(static_cast<std::size_t>(connection->stage)).erase(id);
  all_.erase(id);
}

void Connections::set_stage(Connection& connection, Stage stage) {
  by_stage_.at(static_cast<std::size_t>(connection.stage)).erase(connection.id);
  connection.stage = stage;
  by_stage_.at(static_cast<std::size_t>(stage)).insert(connection.id);
}

void Connections::set_deadline(Connection& connection, std::optional<base::SteadyTime> deadline) {
  if (connection.deadline) {
    deadlines_.erase({*connection.deadline, connection.id});
  }
  connection.deadline = deadline;
  if (deadline) {
    deadlines_.insert({*deadline, connection.id});
  }
}

std::optional<base::SteadyTime> Connections::next_deadline() const {
  return deadlines_.empty() ? std::nullopt
                            : std::optional<base::SteadyTime>(deadlines_.begin()->first);
}

Connection* Connections::expired(base::SteadyTime now) {
  return deadlines_.empty() || deadlines_.begin()->first > now ? nullptr
                                                               : find(deadlines_.begin()->second);
}

Connection* Connections::oldest(Stage stage) {
  const std::set<RequestId>& ids = by_stage_.at(static_cast<std::size_t>(stage));
  return ids.empty() ? nullptr : find(*ids.begin());
}

}  // namespace robot_council::net
