// Small functions for strings and messages.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace lpot {

// The candidate most similar to `word`, or "" if none is similar: at most a third of the letters differ, ignoring case.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// " (did you mean 'relative'?)" or "", to append to a message.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

// Suggests up to three candidates, also those with the same prefix: " (did you mean 'a', 'b' or 'c'?)".
std::string did_you_mean_one_of(std::string_view word, const std::vector<std::string>& candidates);

std::string trim(std::string_view);
std::string lower(std::string_view);

}  // namespace lpot
