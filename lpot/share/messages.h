// What the processes of a team say to each other: a letter for the kind, then what belongs to it.
#pragma once
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "lpot/core/bytes.h"
#include "lpot/core/tensor.h"
#include "lpot/runtime/routes.h"

namespace lpot {

enum class Say : char {
  Here = 'h',  // a helper that has come: what it is and where
  // Rank 0 to helpers.
  Order = 'o',  // a round begins: what is to be done
  Task = 'j',   // a job of it
  Over = 'f',   // the round is over
  Leave = 'q',  // nothing is left to do
  // Helpers to rank 0.
  Answer = 'a',
  Failed = 'e',   // a job
  Unable = 'x',   // to do anything of what was ordered
  Finished = 'd'  // the round: what is left to say
};

std::string say(Say, std::string_view rest = {});

inline constexpr ByteReader::Complaint kGarbled{"team",
                                                "a message of another process is garbled; are all the same lpot?"};

// An error as bytes, to be thrown elsewhere as what it was.
std::string to_bytes(const std::exception_ptr&);
// `before` goes in front of its message.
std::exception_ptr error_from_bytes(std::string_view, const std::string& before = "");

void write(ByteWriter&, const Shapes&);
Shapes read_shapes(ByteReader&);
void write(ByteWriter&, const std::vector<Tensor>&);
std::vector<Tensor> read_tensors(ByteReader&);

}  // namespace lpot
