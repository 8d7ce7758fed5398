// lpot report, diagnose and serve.
#include <arpa/inet.h>
#include <sys/socket.h>

#include <map>
#include <set>
#include <sstream>

#include "tests/cli/support.h"

namespace lpot {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class ReportTest : public CliTest {
 protected:
  void tune() {
    write("conf.yaml", kTop1 + "tuning: {accuracy_criterion: {absolute: 1}, workspace: {path: w}}\n");
    const Outcome run = lpot({"tune", "conf.yaml", "--model", kModel, "--json"});
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_THAT(run.err, HasSubstr("report: w/report.html"));
  }
};

TEST_F(ReportTest, EveryStudyWritesItsReport) {
  tune();
  EXPECT_THAT(read_bytes(folder_ / "w/report.html"), AllOf(StartsWith("<!doctype html>"), HasSubstr("\"best\":1")));
  EXPECT_FALSE(exists("w/progress.json")) << "it is for a study that runs";

  const Json view = lpot({"report", "w", "--format", "json"}).json();
  EXPECT_EQ(view["state"], "ended");
  EXPECT_EQ(view["ops"].size(), 9u);
  EXPECT_EQ(view["trials"].size(), 1u);
  EXPECT_THAT(view["about"]["command"].get<std::string>(), StartsWith("lpot tune conf.yaml --model "));
  for (const Json& op : view["ops"]) EXPECT_GT(op["noise"], 0) << op;
  ASSERT_GT(view["tensors"].size(), 0u);
  for (const Json& tensor : view["tensors"]) EXPECT_LT(tensor["range"][0], tensor["range"][1]) << tensor;

  EXPECT_EQ(lpot({"report", "w", "--format", "md", "--output", "report.md"}).code, 0);
  EXPECT_THAT(read_bytes(folder_ / "report.md"), StartsWith("# net, study 1\n"));
  EXPECT_THAT(lpot({"report", "w"}).out, StartsWith("<!doctype html>"));
}

TEST_F(ReportTest, RejectsAMissingWorkspaceAndAnUnknownFormat) {
  expect_one_message(lpot({"report", "nowhere", "--quiet"}), {"nowhere/lpot.db: no such file"});
  EXPECT_EQ(lpot({"report", "w", "--format", "pdf"}).code, 2);
}

TEST_F(ReportTest, AnInterruptedStudyHasAReportToo) {
  write("conf.yaml", kUnreachable + "  strategy: {name: random}\n  workspace: {path: w}\n");
  const auto run = start({"tune", "conf.yaml", "--model", kModel});
  ASSERT_TRUE(run->wait_until([&] { return run->err().find("\n    2 ") != std::string::npos; }));
  run->kill(SIGINT);
  EXPECT_EQ(run->wait().code, 3);
  EXPECT_EQ(lpot({"report", "w", "--format", "json"}).json()["reason"], "it was interrupted");
  EXPECT_TRUE(exists("w/report.html"));
}

TEST_F(ReportTest, DiagnoseRanksTheOpsAndItsLinesAreConfigurations) {
  write("conf.yaml", kTop1);
  const Json ops = lpot({"diagnose", "conf.yaml", "--model", kModel, "--json"}).json();
  ASSERT_EQ(ops.size(), 9u);
  std::set<std::string> lines;
  double last = 0;
  for (const Json& op : ops) {
    EXPECT_GE(op["decibels"], last) << op;
    last = op["decibels"];
    for (const Json& finding : op["findings"]) lines.insert(finding["yaml"].get<std::string>());
  }
  EXPECT_FALSE(lines.empty());
  for (const std::string& line : lines) {
    write("more.yaml", line + "\n");
    const Outcome run = lpot({"tune", "conf.yaml", "more.yaml", "--model", kModel, "--dry-run"});
    EXPECT_EQ(run.code, 0) << line << "\n" << run.err;
  }
  EXPECT_THAT(lpot({"diagnose", "conf.yaml", "--model", kModel}).out,
              AllOf(HasSubstr("findings"), HasSubstr("/stem/conv/Conv")));
  EXPECT_FALSE(exists("lpot_workspace")) << "it writes nothing";
}

TEST_F(ReportTest, DiagnosePrintsOneLineForEachKindOfFinding) {
  write("conf.yaml", kTop1);
  std::map<std::string, std::size_t> counts;
  for (const Json& op : lpot({"diagnose", "conf.yaml", "--model", kModel, "--json"}).json())
    for (const Json& finding : op["findings"]) ++counts[finding["kind"].get<std::string>()];
  const std::string cpu = lpot({"bench", kModel, "--seconds", "0.01", "--json"}).json()["cpu_class"];
  const bool can_overflow = cpu == "avx2" || cpu == "avx512" || cpu == "generic";
  if (!can_overflow) counts.erase("saturation");
  ASSERT_FALSE(counts.empty());
  const Outcome run = lpot({"diagnose", "conf.yaml", "--model", kModel});
  for (const auto& [kind, count] : counts)
    EXPECT_THAT(run.out, HasSubstr("\n" + kind + ": " + std::to_string(count) + (count == 1 ? " op: " : " ops: ")));
  EXPECT_TRUE(can_overflow || run.out.find("half_range") == std::string::npos) << run.out;
  for (const char* column : {"dB", "fp32 ms", "int8 ms", "outliers", "dead", "findings"})
    EXPECT_THAT(run.out, HasSubstr(std::string("\n") + column + "  ")) << "no legend";
  std::istringstream table(run.out.substr(0, run.out.find("\n\n")));
  for (std::string line; std::getline(table, line);) EXPECT_LE(line.size(), 80u) << line;
}

// One request, and all that comes back.
std::string ask(int port, const std::string& request) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string answer;
  if (::connect(socket, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0 &&
      ::send(socket, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char piece[4096];
    for (ssize_t count; (count = ::recv(socket, piece, sizeof(piece), 0)) > 0;)
      answer.append(piece, static_cast<std::size_t>(count));
  }
  ::close(socket);
  return answer;
}

class ServeTest : public ReportTest {
 protected:
  void SetUp() override {
    tune();
    server_ = start({"serve", "w", "--port", "0", "--json"});
    ASSERT_TRUE(server_->wait_until([&] { return read_bytes(folder_ / ".out").find("address") != std::string::npos; }));
    const std::string address = Json::parse(read_bytes(folder_ / ".out"))["address"];
    port_ = std::stoi(address.substr(address.rfind(':') + 1));
  }

  std::string get(const std::string& path, std::string host = "", const std::string& method = "GET") const {
    if (host.empty()) host = "127.0.0.1:" + std::to_string(port_);
    return ask(port_, method + " " + path + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n");
  }

  static std::string body(const std::string& answer) { return answer.substr(answer.find("\r\n\r\n") + 4); }

  std::unique_ptr<Running> server_;
  int port_ = 0;
};

TEST_F(ServeTest, GivesThePageTheStudiesAndTheModel) {
  EXPECT_THAT(get("/"), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("Content-Security-Policy: default-src 'none'"),
                              HasSubstr("X-Content-Type-Options: nosniff"), HasSubstr("/page.js")));
  EXPECT_THAT(get("/page.js"), HasSubstr("'use strict'"));
  const Json list = Json::parse(body(get("/api/studies")));
  EXPECT_EQ(list["studies"][0]["trials"], 1);
  EXPECT_TRUE(list["studies"][0]["progress"].is_null());
  EXPECT_EQ(list["studies"][0]["has_baseline"], true);
  EXPECT_THAT(list["files"], testing::Contains("model.xml"));
  EXPECT_EQ(Json::parse(body(get("/api/studies/1")))["best"], 1);
  EXPECT_THAT(get("/api/studies/2"), StartsWith("HTTP/1.1 404"));
  EXPECT_EQ(body(get("/files/model.bin")), read_bytes(folder_ / "w/best/model.bin"));
}

TEST_F(ServeTest, RefusesTheNamesOfOtherHosts) {
  const std::string port = std::to_string(port_);
  EXPECT_THAT(get("/", "localhost:" + port), StartsWith("HTTP/1.1 200"));
  for (const std::string& host :
       std::vector<std::string>{"evil.example", "evil.example:" + port, "127.0.0.1", "127.0.0.1:1", "localhost"})
    EXPECT_THAT(get("/api/studies", host), AllOf(StartsWith("HTTP/1.1 403"), Not(HasSubstr("studies")))) << host;
  EXPECT_THAT(ask(port_, "GET /api/studies HTTP/1.0\r\n\r\n"), AllOf(HasSubstr(" 403 "), Not(HasSubstr("trials"))));
  EXPECT_THAT(get("/", "", "POST"), Not(StartsWith("HTTP/1.1 200")));
}

TEST_F(ServeTest, GivesNoOtherFileAndListsNoFolder) {
  write("w/best/secret.txt", "secret");
  for (const char* path : {"/files/", "/files", "/files/lpot.db", "/files/../lpot.db", "/files/..%2flpot.db",
                           "/files/%2e%2e/lock", "/../../etc/passwd", "/files/secret.txt", "/files/report.html",
                           "/lpot.db", "/api", "/files//etc/passwd", "/files/model.xml%00.txt"})
    EXPECT_THAT(get(path), Not(StartsWith("HTTP/1.1 200"))) << path;
  std::filesystem::remove(folder_ / "w/best/deploy.yaml");
  std::filesystem::create_symlink("/etc/passwd", folder_ / "w/best/deploy.yaml");
  EXPECT_THAT(get("/files/deploy.yaml"), StartsWith("HTTP/1.1 404")) << "a link out of the workspace";
}

TEST_F(ServeTest, EndsOnSigterm) {
  server_->kill(SIGTERM);
  EXPECT_EQ(server_->wait().code, 0);
}

TEST_F(CliTest, ServeRejectsAMissingFolder) {
  expect_one_message(lpot({"serve", "nowhere", "--quiet"}), {"nowhere: no such folder"});
}

}  // namespace
}  // namespace lpot
