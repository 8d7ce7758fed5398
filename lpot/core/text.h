// Small helpers for words and messages.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

// The candidate most like `word`, or "" when none is near: at most a third of the letters differ, case ignored.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// " (did you mean 'relative'?)" or "", to append to a message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// The same with up to three candidates, those included that begin as the word does: " (did you mean 'a', 'b' or 'c'?)".
std::string did_you_mean_one_of(std::string_view word, const std::vector<std::string>& candidates);

std::string trim(std::string_view);
std::string lower(std::string_view);

}  // namespace lpot
