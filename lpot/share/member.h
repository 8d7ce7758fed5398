// What the processes of a team tell of themselves when they meet.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

struct Member {
  std::string version;
  std::string host;
  long process = 0;  // its number on the host
  std::string cpu_class;
  std::vector<int> cores;  // that it may use

  std::string describe() const;  // "process 4711 on node7"
};

Member this_process();
std::string to_bytes(const Member&);
Member member_from_bytes(std::string_view);

// How many threads each may have: the cores that it may use, shared out between those that may use the same ones.
std::vector<int> threads_of_each(const std::vector<Member>&);

}  // namespace lpot
