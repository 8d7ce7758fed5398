// Writes protobuf messages that have no generated classes: tf.train.Example, TensorBoard's events. Each function
// encodes one field with protobuf's CodedOutputStream; a message is the concatenation of its fields.
//
//   std::string event = proto::number(1, wall_time) + proto::block(3, "brain.Event:2");
//
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace lpot::proto {

// A string, bytes or a message.
std::string block(int field, std::string_view bytes);

std::string integer(int field, std::uint64_t value);
std::string number(int field, double value);
std::string number(int field, float value);

// Packed repeated fields.
std::string integers(int field, const std::vector<std::int64_t>& values);
std::string numbers(int field, const std::vector<double>& values);
std::string numbers(int field, const std::vector<float>& values);

}  // namespace lpot::proto
