// A small SQuAD file and the vocabulary for it.
#pragma once
#include <string>

#include "tests/support/files.h"

namespace lpot {

// Every word is one token; some have the suffix token "##s".
inline std::string write_vocabulary(const TempFolder& folder) {
  std::string text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n";
  for (const char* word : {"who", "was", "duke", "?", "the", "man", "of", "normandy", "in", "1035", "##s",
                           ",",   ".",   "a",    "b", "c",   "d",   "e",  "f",        "g",  "h",    "where"})
    text += std::string(word) + "\n";
  return folder.write("vocab.txt", text);
}

inline const std::string kSquad = R"({"version": "1.1", "data": [
  {"title": "Normans", "paragraphs": [
    {"context": "The man was Duke of Normandy, in 1035.", "qas": [
      {"id": "q1", "question": "Who was duke?", "answers": [{"text": "The man", "answer_start": 0}]},
      {"id": "q2", "question": "Where?", "answers": [{"text": "Normandy", "answer_start": 20},
                                                     {"text": "in Normandy", "answer_start": 20}]}]}]},
  {"title": "Letters", "paragraphs": [
    {"context": "a b c d e f g h", "qas": [
      {"id": "q3", "question": "where", "answers": [{"text": "c", "answer_start": 4}]}]}]}]})";

}  // namespace lpot
