// Searches: it samples games that it could be in, and lets greedy@2 play them to the end after each action. Half of the actions
// go on to the next round, in new games. Build it with: c++ -O2 -std=c++17 -o search_bot agents/lines/search_bot.cpp
// Play it with: ahu play rapanui_cards greedy "jsonl:./search_bot"
#include "positions.hpp"

#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

constexpr int WORLDS = 16;  // the sampled games of a round

// Returns the lead over the best other seat at the end of a game, from 0 to 1.
double utility(const std::vector<double>& scores, std::size_t seat) {
    double best = -INFINITY;
    for (std::size_t other = 0; other < scores.size(); other++)
        if (other != seat) best = std::max(best, scores[other]);
    return 1 / (1 + std::exp((best - scores[seat]) / 8));
}

// Returns the number of a field of a line of JSON.
long number(const std::string& line, const std::string& name) {
    return std::strtol(line.c_str() + line.find("\"" + name + "\":") + name.size() + 3, nullptr, 10);
}

// Returns the action that is best after the last round.
long choose(Positions& positions, const std::string& turn) {
    const long seat = number(turn, "seat"), decision = number(turn, "decision");
    std::vector<long> actions;
    const std::string id = "{\"action_id\":";
    const std::size_t end = turn.find("],\"typed\":");
    for (std::size_t at = turn.find(id, turn.find("\"legal\":[")); at < end; at = turn.find(id, at + 1))
        actions.push_back(std::strtol(turn.c_str() + at + id.size(), nullptr, 10));
    std::map<long, double> sum;
    for (int round = 0; actions.size() > 1; round++) {
        std::string request = "{\"base\":{\"view\":\"" + text(turn, "view") +
                              "\"},\"want\":{\"rollout\":{\"bot\":\"greedy@2\"}},\"positions\":[";
        for (long action : actions)
            for (int world = 0; world < WORLDS; world++)
                request += "{\"sample\":" + std::to_string((decision * 100 + round) * WORLDS + world) +
                           ",\"plies\":[{\"seat\":" + std::to_string(seat) +
                           ",\"action\":" + std::to_string(action) + "}]},";
        request.back() = ']';
        const auto scores = lists(positions.ask(request + "}"), "scores");
        for (std::size_t game = 0; game < scores.size(); game++)
            sum[actions[game / WORLDS]] += utility(scores[game], seat);
        std::stable_sort(actions.begin(), actions.end(), [&](long a, long b) { return sum[a] > sum[b]; });
        actions.resize((actions.size() + 1) / 2);
    }
    return actions[0];
}

int main(int count, char** arguments) {
    Positions positions(count > 1 ? arguments[1] : "ahu");
    for (std::string line; std::getline(std::cin, line);)
        if (line.rfind("{\"type\":\"decide\",", 0) == 0) std::cout << choose(positions, line) << std::endl;
}
