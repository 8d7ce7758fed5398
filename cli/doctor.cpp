#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/verbs.h"
#include "lpot/core/json.h"
#include "lpot/core/machine.h"
#include "lpot/core/version.h"
#include "lpot/report/table.h"
#include "lpot/runtime/openvino_version.h"
#include "lpot/runtime/precision.h"

namespace lpot::cli {
namespace {

// "int8 with VNNI, bf16 (default), f32".
std::vector<std::string> precision_texts(const Cpu& cpu) {
  std::vector<std::string> texts{cpu.amx    ? "int8 with AMX"
                                 : cpu.vnni ? "int8 with VNNI"
                                            : "int8 without VNNI (sums of 16 bits)"};
  for (const InferencePrecision precision : supported_precisions())
    texts.push_back(fmt::format("{}{}", to_string(precision),
                                precision == default_precision() ? " (default for everything that is not int8)" : ""));
  return texts;
}

OrderedJson doctor_json(const Machine& machine) {
  OrderedJson limits = OrderedJson::array();
  for (const SpeedLimit& limit : speed_limits(machine))
    limits.push_back({{"finding", limit.finding}, {"advice", limit.advice}});
  OrderedJson precisions = OrderedJson::array();
  for (const InferencePrecision precision : supported_precisions()) precisions.push_back(to_string(precision));
  const auto number = [](const auto& value) { return value ? OrderedJson(*value) : OrderedJson(nullptr); };
  return {{"lpot", kVersion},
          {"openvino", openvino_version()},
          {"cpu", machine.cpu.name},
          {"cpu_class", machine.cpu.cpu_class()},
          {"vnni", machine.cpu.vnni},
          {"amx", machine.cpu.amx},
          {"precisions", precisions},
          {"default_precision", to_string(default_precision())},
          {"threads", machine.cpu.cores},
          {"logical_cores", machine.logical_cores},
          {"threads_per_core", machine.threads_per_core},
          {"cgroup_cpus", number(machine.cgroup_cpus)},
          {"memory_bytes", machine.memory_bytes},
          {"available_bytes", machine.available_bytes},
          {"cgroup_memory_bytes", number(machine.cgroup_bytes)},
          {"governor", machine.governor},
          {"is_virtual", machine.is_virtual},
          {"busy_share", machine.busy_share},
          {"is_quiet", machine.busy_share <= kQuietShare},
          {"limits", limits}};
}

std::string memory_text(const Machine& machine) {
  std::string text =
      fmt::format("{} free of {}", format_bytes(machine.available_bytes), format_bytes(machine.memory_bytes));
  if (machine.cgroup_bytes) text += fmt::format("; this process may use {}", format_bytes(*machine.cgroup_bytes));
  return text;
}

void print_doctor(const Machine& machine) {
  const Cpu& cpu = machine.cpu;
  fmt::print("lpot        {}, OpenVINO {}\n", kVersion, openvino_version());
  fmt::print("CPU         {}{}\n", cpu.name, machine.is_virtual ? " (virtual machine)" : "");
  fmt::print("class       {}\n", cpu.cpu_class());
  fmt::print("precisions  {}\n", fmt::join(precision_texts(cpu), ", "));
  fmt::print("threads     {} of {} cores{}\n", cpu.cores, machine.logical_cores,
             machine.threads_per_core > 1 ? fmt::format(", {} hyper-threads per core", machine.threads_per_core) : "");
  fmt::print("memory      {}\n", memory_text(machine));
  fmt::print("load        other programs use {:.0f}% of the CPU time: {}\n", 100 * machine.busy_share,
             machine.busy_share <= kQuietShare ? "the machine is quiet" : "the machine is busy");
  const std::vector<SpeedLimit> limits = speed_limits(machine);
  fmt::print("\n{}\n", limits.empty() ? "Nothing limits the speed." : "What limits the speed:");
  for (const SpeedLimit& limit : limits) fmt::print("- {} {}\n", limit.finding, limit.advice);
}

int run_doctor(const Context& context) {
  const Machine machine = inspect_machine();
  if (context.common.json)
    fmt::print("{}\n", doctor_json(machine).dump(2));
  else
    print_doctor(machine);
  return kSuccess;
}

}  // namespace

void add_doctor(CLI::App& app, Context& context) {
  CLI::App* command = add_verb(app, context, "doctor", "Show the CPU, its precisions, and what limits speed",
                               "  lpot doctor\n  lpot doctor --json");
  command->callback([&context] { context.run = [&context] { return run_doctor(context); }; });
}

}  // namespace lpot::cli
