// The dashboard: serves the report's page on 127.0.0.1. The page polls for the studies of the store.
//
// All served files have fixed names, so a request cannot read another file. Requests with another Host header are
// refused, because a foreign page could resolve its own name to 127.0.0.1 and read the answers (DNS rebinding).
#include <fmt/format.h>
#include <httplib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/verbs.h"
#include "lpot/core/error.h"
#include "lpot/core/json.h"
#include "lpot/report/faster_trial.h"
#include "lpot/report/html.h"
#include "lpot/report/output_formats.h"
#include "lpot/report/study_view.h"
#include "lpot/store/study_record.h"
#include "lpot/tune/status.h"
#include "lpot/tune/workspace.h"

namespace lpot::cli {
namespace {

namespace fs = std::filesystem;

// The files of the best model that the page offers.
std::vector<std::string> served_files() {
  std::vector<std::string> files{"model.xml", "model.bin"};
  for (const OutputFormat& format : output_formats()) {
    files.emplace_back(format.file);
    files.push_back(files.back() + ".data");  // of large models
  }
  files.insert(files.end(), {"deploy.yaml", "result.json"});
  return files;
}

// Stops a server at Ctrl-C. A thread waits for the signal, because a signal handler may run before the server listens,
// and the signal would be lost.
class StopsAtSignal {
 public:
  explicit StopsAtSignal(httplib::Server& server) {
    sigset_t ends;
    sigemptyset(&ends);
    for (const int signal : {SIGINT, SIGTERM}) {
      std::signal(signal, SIG_DFL);  // shells ignore it for background processes
      sigaddset(&ends, signal);
    }
    pthread_sigmask(SIG_BLOCK, &ends, nullptr);
    waiting_ = std::thread([this, &server, ends] {
      int signal = 0;
      sigwait(&ends, &signal);
      while (!server.is_running() && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      server.stop();
    });
  }
  ~StopsAtSignal() {
    ended_ = true;
    // Ends sigwait if no signal arrived. The signal is blocked, so it does not end the thread.
    pthread_kill(waiting_.native_handle(), SIGTERM);  // NOLINT(bugprone-bad-signal-to-kill-thread)
    waiting_.join();
  }
  StopsAtSignal(const StopsAtSignal&) = delete;
  StopsAtSignal& operator=(const StopsAtSignal&) = delete;

 private:
  std::atomic<bool> ended_ = false;
  std::thread waiting_;
};

// The path of a file of the best model; none when it does not exist or is a link out of the workspace.
std::optional<fs::path> file_of(const fs::path& workspace, const std::string& name) {
  const std::vector<std::string> files = served_files();
  if (std::find(files.begin(), files.end(), name) == files.end()) return std::nullopt;
  std::error_code error;
  const fs::path path = fs::canonical(workspace / "best" / name, error);
  const fs::path folder = fs::canonical(workspace, error);
  const bool is_inside =
      !error && std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first == folder.end();
  return is_inside && fs::is_regular_file(path, error) ? std::optional(path) : std::nullopt;
}

OrderedJson studies_json(const fs::path& workspace) {
  OrderedJson json{{"studies", OrderedJson::array()}, {"files", OrderedJson::array()}};
  const auto store = open_sqlite_store_read_only(store_path(workspace));
  for (const StudyEntry& entry : store->studies()) {
    const StudyRecord record(*store, entry.id);
    const std::vector<Trial> trials = record.trials();
    const auto exact = std::count_if(trials.begin(), trials.end(),
                                     [](const Trial& trial) { return trial.result && trial.result->complete; });
    const std::optional<StudyEnd> end = record.end(trials.size());
    // Changes whenever the view does.
    const std::string stamp =
        fmt::format("{} {} {} {} {} {}", trials.size(), exact, record.probes().size(), end ? end->reason : "",
                    record.about().has_value(), record.diagnosis().has_value());
    json["studies"].push_back({{"study", entry.id},
                               {"name", entry.identity.model_name},
                               {"trials", trials.size()},
                               {"ended", end.has_value()},
                               {"has_baseline", record.baseline().has_value()},
                               {"stamp", stamp},
                               {"progress", read_status(workspace, entry.id)}});
  }
  for (const std::string& name : served_files())
    if (file_of(workspace, name)) json["files"].push_back(name);
  return json;
}

void send_json(httplib::Response& answer, const OrderedJson& json) {
  answer.set_content(dump_json(json), "application/json");
}

void add_routes(httplib::Server& server, const fs::path& workspace) {
  const auto fixed = [&](const char* path, std::string text, const char* type) {
    server.Get(path, [text = std::move(text), type](const httplib::Request&, httplib::Response& answer) {
      answer.set_content(text, type);
    });
  };
  fixed("/", dashboard_html(), "text/html; charset=utf-8");
  fixed("/page\\.css", std::string(kPageCss), "text/css; charset=utf-8");
  fixed("/page\\.js", std::string(kPageJs), "text/javascript; charset=utf-8");
  server.Get("/api/studies", [workspace](const httplib::Request&, httplib::Response& answer) {
    send_json(answer, studies_json(workspace));
  });
  server.Get("/api/studies/([0-9]{1,9})", [workspace](const httplib::Request& request, httplib::Response& answer) {
    const auto store = open_sqlite_store_read_only(store_path(workspace));
    const StudyId wanted = std::stol(request.matches[1]);
    for (const StudyEntry& record : store->studies())
      if (record.id == wanted) return send_json(answer, report_view(*store, record));
    answer.status = 404;
  });
  server.Get("/files/([a-z.]{1,20})", [workspace](const httplib::Request& request, httplib::Response& answer) {
    const auto path = file_of(workspace, request.matches[1]);
    if (!path) {
      answer.status = 404;
      return;
    }
    // Sent in pieces, because a model may be large.
    const auto file = std::make_shared<std::ifstream>(*path, std::ios::binary);
    answer.set_header("Content-Disposition", "attachment; filename=" + request.matches[1].str());
    answer.set_content_provider(fs::file_size(*path), "application/octet-stream",
                                [file](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                  std::string piece(std::min<std::size_t>(length, 1 << 20), '\0');
                                  file->seekg(static_cast<std::streamoff>(offset));
                                  file->read(piece.data(), static_cast<std::streamsize>(piece.size()));
                                  return file->gcount() > 0 &&
                                         sink.write(piece.data(), static_cast<std::size_t>(file->gcount()));
                                });
  });
}

void add_defences(httplib::Server& server, const std::shared_ptr<int>& port) {
  server.set_pre_routing_handler([port](const httplib::Request& request, httplib::Response& answer) {
    const std::string host = request.get_header_value("Host");
    const bool is_ours = host == fmt::format("127.0.0.1:{}", *port) || host == fmt::format("localhost:{}", *port);
    if (is_ours && (request.method == "GET" || request.method == "HEAD"))
      return httplib::Server::HandlerResponse::Unhandled;
    answer.status = is_ours ? 405 : 403;
    answer.set_content(is_ours ? "only GET is allowed\n" : "use 127.0.0.1 or localhost as the host\n", "text/plain");
    return httplib::Server::HandlerResponse::Handled;
  });
  server.set_exception_handler([](const httplib::Request&, httplib::Response& answer, std::exception_ptr caught) {
    answer.status = 500;
    try {
      std::rethrow_exception(std::move(caught));
    } catch (const std::exception& error) {
      send_json(answer, {{"error", error.what()}});
    }
  });
  server.set_default_headers({{"Content-Security-Policy",
                               "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src "
                               "data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"},
                              {"X-Content-Type-Options", "nosniff"},
                              {"Referrer-Policy", "no-referrer"},
                              {"Cross-Origin-Resource-Policy", "same-origin"},
                              {"Cache-Control", "no-store"}});
}

int run_serve(const std::string& folder, int asked_port, const Context& context) {
  const fs::path workspace = folder;
  if (!fs::is_directory(workspace))
    throw StoreError("serve", fmt::format("{}: no such folder; give the workspace of a study", folder));
  open_sqlite_store_read_only(store_path(workspace));  // reports a missing or damaged store at once
  httplib::Server server;
  const auto port = std::make_shared<int>(asked_port);
  add_defences(server, port);
  add_routes(server, workspace);
  // Without this option, a second server could bind the same port.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes));
  });
  if (asked_port == 0)
    *port = server.bind_to_any_port("127.0.0.1");
  else if (!server.bind_to_port("127.0.0.1", asked_port))
    *port = -1;
  if (*port < 0)
    throw ConfigError("serve",
                      fmt::format("cannot listen on port {} of 127.0.0.1; another program may use it. Give another "
                                  "port with --port, or --port 0 for any free port",
                                  asked_port));
  const StopsAtSignal stops(server);
  const std::string address = fmt::format("http://127.0.0.1:{}/", *port);
  if (context.common.json)
    fmt::print("{}\n", dump_json(OrderedJson{{"address", address}}));
  else
    fmt::print("{}  (stop with Ctrl-C)\n", address);
  std::fflush(stdout);
  server.listen_after_bind();
  return kSuccess;
}

}  // namespace

void add_serve(CLI::App& app, Context& context) {
  const auto workspace = std::make_shared<std::string>();
  const auto port = std::make_shared<int>(8642);
  CLI::App* command =
      add_verb(app, context, "serve", "Show the studies of a workspace in a browser, also while they run",
               "  lpot serve lpot_workspace/resnet20-onnx\n"
               "  lpot serve lpot_workspace/resnet20-onnx --port 0");
  command->add_option("workspace", *workspace, "Folder of the workspace")->required();
  command->add_option("--port", *port, "Port on 127.0.0.1; 0: any free port")
      ->check(CLI::Range(0, 65535))
      ->capture_default_str();
  command->callback([workspace, port, &context] {
    context.run = [workspace, port, &context] { return run_serve(*workspace, *port, context); };
  });
}

}  // namespace lpot::cli
