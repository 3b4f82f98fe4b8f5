#include "fleet/serve.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <thread>
#include <utility>

#include "base/fd.hpp"
#include "base/mutex.hpp"
#include "base/signals.hpp"
#include "fleet/data_directory.hpp"
#include "fleet/limits.hpp"
#include "fleet/service.hpp"
#include "fleet/sqlite_store.hpp"
#include "fleet/upkeep.hpp"
#include "net/http_server.hpp"

namespace robot_council::fleet {

namespace {

// One thread for the service's own work, each piece at its time.
class Timers {
 public:
  Timers(Core& core, const base::Clock& clock)
      : upkeep_(core), clock_(clock), thread_([this] { run(); }) {}
  ~Timers() {
    {
      const base::MutexLock lock(mu_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Timers(const Timers&) = delete;
  Timers& operator=(const Timers&) = delete;
  Timers(Timers&&) = delete;
  Timers& operator=(Timers&&) = delete;

 private:
  struct Job {
    base::Milliseconds every;
    void (Upkeep::*work)();
    base::SteadyTime due;
  };

  void run() {
    const base::SteadyTime start = clock_.steady();
    std::vector<Job> jobs{{base::Milliseconds(kFlushContactsEvery), &Upkeep::flush_contacts, start},
                          {base::Milliseconds(kSweepEvery), &Upkeep::sweep, start},
                          {base::Milliseconds(kHour), &Upkeep::drop_expired_codes, start},
                          {base::Milliseconds(kDay), &Upkeep::retain, start}};
    for (Job& job : jobs) {
      job.due += job.every;
    }
    // The daily work runs at the start too: a service that is never up for a whole day would keep
    // everything.
    jobs.back().due = start + base::Milliseconds(kMinute);
    while (wait_for(std::min_element(jobs.begin(), jobs.end(), earlier)->due)) {
      const base::SteadyTime now = clock_.steady();
      for (Job& job : jobs) {
        if (job.due <= now) {
          (upkeep_.*job.work)();
          job.due = now + job.every;
        }
      }
    }
  }

  static bool earlier(const Job& a, const Job& b) { return a.due < b.due; }

  // False when the service stops.
  bool wait_for(base::SteadyTime due) {
    const base::MutexLock lock(mu_);
    while (!stop_ && clock_.steady() < due) {
      changed_.wait_until(mu_, due);
    }
    return !stop_;
  }

  Upkeep upkeep_;
  const base::Clock& clock_;
  base::Mutex mu_;
  base::CondVar changed_;
  bool stop_ RC_GUARDED_BY(mu_) = false;
  std::thread thread_;
};

// Raises the descriptor limit to the hard one and cuts --max-held to what fits (8.4).
void fit_descriptors(Settings& settings, base::Log& log) {
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
    return;
  }
  limit.rlim_cur = limit.rlim_max;
  if (::setrlimit(RLIMIT_NOFILE, &limit) != 0) {
    (void)::getrlimit(RLIMIT_NOFILE, &limit);
  }
  if (limit.rlim_cur == RLIM_INFINITY) {
    return;
  }
  const auto all = static_cast<std::size_t>(limit.rlim_cur);
  const std::size_t most = all > kDescriptorsBesideHeld ? all - kDescriptorsBesideHeld : 1;
  if (settings.max_held > most) {
    log.warning("--max-held is cut from " + std::to_string(settings.max_held) + " to " +
                std::to_string(most) + ": this process may open " + std::to_string(all) +
                " descriptors");
    settings.max_held = most;
  }
}

std::string address_of(const ServeOptions& options, std::uint16_t port) {
  const bool v6 = options.host.find(':') != std::string::npos;
  return "http://" + (v6 ? "[" + options.host + "]" : options.host) + ":" + std::to_string(port);
}

base::Status wait_for_signal(base::SignalReader& signals) {
  while (!signals.take()) {
    constexpr base::Milliseconds kTurn{
        60000};  // a deadline for its own sake: nothing but a signal ends this wait
    if (auto ready = base::wait_readable(signals.fd(), base::deadline_in(kTurn)); !ready) {
      return ready.error();
    }
  }
  return {};
}

net::ServerOptions server_options(const ServeOptions& options, const Settings& settings) {
  net::ServerOptions server;
  server.host = options.host;
  server.port = options.port;
  server.behind_proxy = options.behind_proxy;
  server.max_body = kMaxBody;
  server.max_parked = settings.max_held;
  if (!options.public_host.empty()) {
    server.more_hosts.push_back(options.public_host);
    server.more_origins.push_back(
        settings.public_url.substr(0, settings.public_url.find(options.public_host)) +
        options.public_host);
  }
  return server;
}

}  // namespace

base::Status serve(const ServeOptions& options, const base::Context& context,
                   const std::function<bool(const std::string&)>& listening) {
  base::ignore_sigpipe();
  auto signals = base::SignalReader::open({SIGTERM, SIGINT});
  if (!signals) {
    return signals.error();
  }
  auto data = DataDirectory::open(options.data);
  if (!data) {
    return data.error();
  }
  auto token = data->operator_token();
  if (!token) {
    return token.error();
  }
  Settings settings = options.settings;
  fit_descriptors(settings, context.log);
  auto store = open_sqlite_store(data->store_path(), context.log);
  if (!store) {
    return store.error();
  }
  auto server = net::HttpServer::open(server_options(options, settings), context.log);
  if (!server) {
    return server.error();
  }
  auto service = Service::open(*std::move(store), settings, *token, context);
  if (!service) {
    return service.error();
  }
  const std::string address = address_of(options, (*server)->port());
  (*service)->set_address(address);
  (*service)->install(**server);
  if (settings.auto_approve) {
    context.log.warning(
        "--auto-approve: every enrolment is approved without asking. Anyone who reaches this port "
        "joins the fleet");
  }
  if (auto written = data->write_url(address); !written) {
    return written;
  }
  if (auto started = (*server)->start(); !started) {
    data->remove_url();
    return started;
  }
  base::Status ended;
  {
    const Timers timers((*service)->core(), context.clock);
    context.log.info("the operator's page is " + (*service)->operator_page_address() +
                     "; sign in with the token in " + data->operator_token_path());
    if (listening("listening on " + address)) {
      ended = wait_for_signal(*signals);
    } else {
      ended = base::Error{base::Errc::io, "cannot write the address to stdout"};
    }
    (*server)->stop(kStopGrace);
  }
  Upkeep((*service)->core()).flush_contacts();
  data->remove_url();
  return ended;
}

}  // namespace robot_council::fleet
