// One family of errors. A message names the operation, the place, the value and the cure:
//
//   try {
//     throw DataError("CIFAR10", "test_batch.bin: 3072 bytes; expected a multiple of 3073. Download the file again.");
//   } catch (const Error& error) {
//     std::cerr << error.what() << "\n";  // [CIFAR10] test_batch.bin: 3072 bytes; ...
//   }
//
#pragma once
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace lpot {

class Error : public std::runtime_error {
 public:
  Error(std::string_view operation, std::string_view message)
      : std::runtime_error("[" + std::string(operation) + "] " + std::string(message)) {}
};

// An invalid or unsupported configuration.
struct ConfigError : Error {
  using Error::Error;
};

// A model that cannot be read, converted, compiled or run.
struct ModelError : Error {
  using Error::Error;
};

// Data that cannot be read, or that do not match the model or metric.
struct DataError : Error {
  using Error::Error;
};

// A workspace, store or output file that cannot be read or written, or that belongs to another study.
struct StoreError : Error {
  using Error::Error;
};

// A function of the caller that failed or returned an invalid value: an evaluation, a strategy, a data set.
struct CallerError : Error {
  using Error::Error;
};

// Another process of a distributed run that has ended or is not compatible.
struct DistributedError : Error {
  using Error::Error;
};

// Not an error: the caller's Observer asked a long stage to stop.
struct Interrupted : std::exception {
  const char* what() const noexcept override { return "stopped on request"; }
};

}  // namespace lpot
