#include "cli/mpi_transport.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "lpot/core/error.h"

#if LPOT_HAS_MPI
#include <mpi.h>

#include <algorithm>
#include <list>
#include <map>
#include <utility>
#include <vector>
#endif

namespace lpot::cli {
namespace {

// The number of processes that Open MPI, MPICH or Slurm set in the environment; 1 if none of them started this process.
int processes_started() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"})
    if (const char* value = std::getenv(name)) return std::atoi(value);
  return 1;
}

#if LPOT_HAS_MPI
constexpr std::size_t kMostAtOnce = std::size_t{256} << 20;  // bytes of one message of MPI, which counts them in an int
constexpr int kLast = 0, kMore = 1;                          // tags

// All calls come from the thread that constructed it. Messages are stored until they are sent, because MPI_Send may
// busy-wait until the receiver polls for messages, which it does only between two batches.
class MpiTransport : public Transport {
 public:
  MpiTransport() {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~MpiTransport() override {
    for (Sending& one : sending_)
      MPI_Waitall(static_cast<int>(one.parts.size()), one.parts.data(), MPI_STATUSES_IGNORE);
    MPI_Finalize();
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, const std::string& bytes) override {
    Sending& sending = sending_.emplace_back(Sending{bytes, {}});
    std::size_t sent = 0;
    do {
      const std::size_t count = std::min(kMostAtOnce, bytes.size() - sent);
      const bool is_last = sent + count == bytes.size();
      MPI_Isend(sending.bytes.data() + sent, static_cast<int>(count), MPI_CHAR, to, is_last ? kLast : kMore,
                MPI_COMM_WORLD, &sending.parts.emplace_back());
      sent += count;
    } while (sent < bytes.size());
    release_sent();
  }

  std::optional<Message> receive() override {
    release_sent();
    while (true) {
      int has_arrived = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &has_arrived, &status);
      if (has_arrived == 0) return std::nullopt;
      int count = 0;
      MPI_Get_count(&status, MPI_CHAR, &count);
      std::string& bytes = received_parts_[status.MPI_SOURCE];
      const std::size_t before = bytes.size();
      bytes.resize(before + static_cast<std::size_t>(count));
      MPI_Recv(bytes.data() + before, count, MPI_CHAR, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
      if (status.MPI_TAG == kLast) return Message{status.MPI_SOURCE, std::exchange(bytes, {})};
    }
  }

 private:
  struct Sending {
    std::string bytes;
    std::vector<MPI_Request> parts;
  };

  void release_sent() {
    std::erase_if(sending_, [](Sending& one) {
      int is_sent = 0;
      MPI_Testall(static_cast<int>(one.parts.size()), one.parts.data(), &is_sent, MPI_STATUSES_IGNORE);
      return is_sent != 0;
    });
  }

  int rank_ = 0, size_ = 1;
  std::list<Sending> sending_;                 // a list, because the bytes must not move
  std::map<int, std::string> received_parts_;  // of messages that are not complete yet, by sender
};
#endif

}  // namespace

std::unique_ptr<Transport> make_mpi_transport() {
  const int processes = processes_started();
  if (processes <= 1) return nullptr;
#if LPOT_HAS_MPI
  return std::make_unique<MpiTransport>();
#else
  const char* rank = std::getenv("OMPI_COMM_WORLD_RANK");
  if (rank && std::atoi(rank) > 0) exit_without_waiting(1);  // only rank 0 prints the message
  throw DistributedError("distributed",
                         fmt::format("{} processes were started, but this lpot was built without MPI; start one, or "
                                     "build with libopenmpi-dev installed and -DLPOT_MPI=ON",
                                     processes));
#endif
}

void exit_without_waiting(int code) {
  std::fflush(nullptr);
  std::_Exit(code);
}

}  // namespace lpot::cli
