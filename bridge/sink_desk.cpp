#include "bridge/sink_desk.hpp"

namespace robot_council::bridge {

base::Status SinkDesk::open(const sink::JoinInfo& join) {
  const base::MutexLock lock(mu_);
  store_.reset();
  base::Result<sink::BridgeStore> store = sink::BridgeStore::open(files_, join, context_);
  if (!store.ok()) {
    return store.error();
  }
  store_.emplace(*std::move(store));
  return {};
}

base::Result<sink::Appended> SinkDesk::append(const sink::Page& page) {
  const base::MutexLock lock(mu_);
  if (!store_) {
    return base::Error{base::Errc::invalid, "the sink is not open"};
  }
  return store_->append(page);
}

std::size_t SinkDesk::put_local(const std::string& type, const std::string& body) {
  const base::MutexLock lock(mu_);
  if (!store_) {
    return 0;
  }
  const base::Result<sink::Appended> added = store_->put_local({type, body});
  if (!added.ok()) {
    context_.log.error(added.error().what);
    return 0;
  }
  return added->local;
}

void SinkDesk::end_session(const std::vector<sink::LocalEntry>& local) {
  const base::MutexLock lock(mu_);
  if (!store_) {
    return;
  }
  const base::Status ended = store_->end_session(local);
  if (!ended.ok()) {
    context_.log.error(ended.error().what);
  }
  store_.reset();
}

void SinkDesk::seat_obtained() {
  const base::MutexLock lock(mu_);
  if (store_) {
    const base::Status told = store_->set_seat_held();
    if (!told.ok()) {
      context_.log.warning(told.error().what);
    }
  }
}

}  // namespace robot_council::bridge
