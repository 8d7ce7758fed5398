// The messages between coordinator and workers: one character for the type, then its content.
//
//   transport.send(0, make_message(MessageType::Finished, summary));
//
#pragma once
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/bytes.h"
#include "lpot/core/tensor.h"
#include "lpot/runtime/shape_dispatch.h"

namespace lpot {

enum class MessageType : char {
  Hello = 'h',  // the first message of a worker: its Peer
  // From the coordinator.
  Order = 'o',     // starts a round: what to do
  Job = 'j',       // a job of the round
  EndRound = 'f',  // no further job; open jobs need no answer
  Exit = 'q',      // ends the worker
  // From workers.
  Answer = 'a',       // the result of a job
  JobFailed = 'e',    // the error of a job
  OrderFailed = 'x',  // the error of the order itself, for example a model that cannot be read
  Finished = 'd'      // the reply to EndRound: the summary of the round
};

std::string make_message(MessageType, std::string_view content = {});

inline constexpr ByteReader::ErrorText kDamagedMessage{
    "distributed", "a message from another process is damaged. Start the same lpot version on every rank."};

// Serializes an error. It is restored with its type, and `prefix` is prepended to its message.
std::string to_bytes(const std::exception_ptr&);
std::exception_ptr error_from_bytes(std::string_view, const std::string& prefix = "");

void write(ByteWriter&, const Shapes&);
Shapes read_shapes(ByteReader&);
void write(ByteWriter&, const std::vector<Tensor>&);
std::vector<Tensor> read_tensors(ByteReader&);

}  // namespace lpot
