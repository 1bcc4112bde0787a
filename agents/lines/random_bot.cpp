// Plays a random legal action. Build it with: c++ -O2 -o random_bot agents/lines/random_bot.cpp
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <vector>

int main() {
    const char* seed = std::getenv("AHU_AGENT_SEED");
    std::mt19937_64 random(seed ? std::strtoull(seed, nullptr, 10) : std::random_device{}());
    const std::string id = "{\"action_id\":";
    for (std::string line; std::getline(std::cin, line);) {
        if (line.rfind("{\"type\":\"decide\",", 0) != 0) continue;
        // The list of legal actions: [{"action_id":5,"text":"meld F7"}, ...]. Quotes within a text have a backslash.
        const std::size_t end = line.find("],\"typed\":");
        std::vector<long> legal;
        for (std::size_t at = line.find(id, line.find("\"legal\":[")); at < end; at = line.find(id, at + 1))
            legal.push_back(std::strtol(line.c_str() + at + id.size(), nullptr, 10));
        std::cout << legal[random() % legal.size()] << std::endl;
    }
}
