#include "lpot/core/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/files.h"

namespace lpot {
namespace {

using testing::Contains;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

Machine fast_machine() {
  Machine machine;
  machine.cpu.avx2 = machine.cpu.avx512 = machine.cpu.vnni = true;
  machine.cpu.cores = machine.logical_cores = 8;
  machine.available_bytes = std::uint64_t{8} << 30;
  machine.governor = "performance";
  return machine;
}

auto has_finding(const std::string& text) { return Contains(Field(&SpeedLimit::finding, HasSubstr(text))); }

TEST(MachineText, ParsesTheFilesOfTheKernel) {
  EXPECT_EQ(parse_meminfo("MemTotal:  100 kB\nMemAvailable:    25 kB\n", "MemAvailable"), 25 * 1024u);
  EXPECT_EQ(parse_meminfo("MemTotal: x kB\n", "MemTotal"), std::nullopt);
  EXPECT_EQ(parse_cpu_max("150000 100000"), 1.5);
  EXPECT_EQ(parse_cpu_max("max 100000"), std::nullopt);
  EXPECT_EQ(parse_cpu_max(""), std::nullopt);
  EXPECT_EQ(count_cores("0-3,8"), 5);
  EXPECT_EQ(count_cores("5"), 1);
  EXPECT_EQ(count_cores(""), 0);
  EXPECT_EQ(count_cores("3-1,x"), 0);
}

TEST(InspectMachine, ReadsLimitsOfTheControlGroupAndTheOnesAboveIt) {
  const TempFolder root;
  root.write("proc/self/cgroup", "1:cpu:/\n0::/a/b\n");
  root.write("proc/meminfo", "MemTotal: 2048 kB\nMemAvailable: 1024 kB\n");
  root.write("proc/cpuinfo", "flags : fpu hypervisor\n");
  root.write("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
  root.write("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
  root.write("sys/fs/cgroup/a/b/memory.max", "1000000\n");
  root.write("sys/devices/system/cpu/online", "0-63\n");
  root.write("sys/devices/system/cpu/cpu0/topology/thread_siblings_list", "0,32\n");
  root.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n");
  const Machine machine = inspect_machine(0, root.path());
  EXPECT_EQ(machine.cgroup_cpus, 0.5);
  EXPECT_EQ(machine.cgroup_bytes, 1000000u);
  EXPECT_EQ(machine.memory_bytes, 2048u * 1024);
  EXPECT_EQ(machine.available_bytes, 1024u * 1024);
  EXPECT_EQ(machine.logical_cores, 64);
  EXPECT_EQ(machine.threads_per_core, 2);
  EXPECT_EQ(machine.governor, "powersave");
  EXPECT_TRUE(machine.is_virtual);
}

TEST(InspectMachine, ReadsTheOlderControlGroups) {
  const TempFolder root;
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n");
  root.write("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(inspect_machine(0, root.path()).cgroup_cpus, 3);
  root.write("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  EXPECT_EQ(inspect_machine(0, root.path()).cgroup_cpus, std::nullopt);
}

TEST(SpeedLimits, AreEmptyForAQuietFastMachine) { EXPECT_THAT(speed_limits(fast_machine()), IsEmpty()); }

TEST(SpeedLimits, NameEachCause) {
  Machine machine = fast_machine();
  machine.cpu.vnni = false;
  EXPECT_THAT(speed_limits(machine), has_finding("no VNNI"));
  machine = fast_machine();
  machine.isa_limit = "AVX2";
  EXPECT_THAT(speed_limits(machine), has_finding("ONEDNN_MAX_CPU_ISA=AVX2"));
  machine = fast_machine();
  machine.cgroup_cpus = 2.5;
  EXPECT_THAT(speed_limits(machine), has_finding("allows 2.5 cores, but 8 threads"));
  machine.cgroup_cpus = 8;
  EXPECT_THAT(speed_limits(machine), IsEmpty());
  machine.logical_cores = 16;
  EXPECT_THAT(speed_limits(machine), has_finding("8 of 16 cores"));
  machine = fast_machine();
  machine.threads_per_core = 2;
  EXPECT_THAT(speed_limits(machine), has_finding("2 hyper-threads"));
  machine = fast_machine();
  machine.governor = "powersave";
  EXPECT_THAT(speed_limits(machine), has_finding("governor is powersave"));
  machine = fast_machine();
  machine.busy_share = 0.4;
  EXPECT_THAT(speed_limits(machine), has_finding("40% of the CPU time"));
  machine = fast_machine();
  machine.available_bytes = 1 << 20;
  EXPECT_THAT(speed_limits(machine), has_finding("Less than 1 GB"));
}

}  // namespace
}  // namespace lpot
