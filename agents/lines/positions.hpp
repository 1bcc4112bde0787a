// A process `ahu positions`, which answers questions about positions, for programs that search.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

class Positions {
    FILE* requests;
    FILE* answers;

public:
    // Starts the process of this program. It ends with this one.
    explicit Positions(const char* program) {
        int in[2], out[2];
        if (pipe(in) || pipe(out)) throw std::runtime_error("no pipes");
        if (fork() == 0) {
            dup2(in[0], 0), dup2(out[1], 1);
            for (int end : {in[0], in[1], out[0], out[1]}) close(end);
            execlp(program, program, "positions", nullptr);
            _exit(127);
        }
        close(in[0]), close(out[1]);
        requests = fdopen(in[1], "w"), answers = fdopen(out[0], "r");
    }

    // Sends a request, a line of JSON without its end, and returns the line of the answer. Throws if it has an error, also
    // one of a position. See docs/reference/positions.md for the fields of both.
    std::string ask(const std::string& request) {
        std::fprintf(requests, "%s\n", request.c_str());
        std::fflush(requests);
        std::string answer;
        for (int letter; (letter = std::getc(answers)) != '\n'; answer += static_cast<char>(letter))
            if (letter == EOF) throw std::runtime_error("ahu positions has ended");
        if (answer.find("\"error\":") != std::string::npos) throw std::runtime_error(answer);
        return answer;
    }
};

// Returns the first list of numbers after each `"name":` of a line of JSON, such as the scores of each rollout of one game.
inline std::vector<std::vector<double>> lists(const std::string& line, const std::string& name) {
    std::vector<std::vector<double>> found;
    const std::string key = "\"" + name + "\":";
    for (std::size_t at = line.find(key); at != std::string::npos; at = line.find(key, at + 1)) {
        const char* next = line.c_str() + line.find_first_not_of("[", at + key.size());
        std::vector<double> numbers;
        for (char* end; *next != ']'; next = end + (*end == ',')) numbers.push_back(std::strtod(next, &end));
        found.push_back(numbers);
    }
    return found;
}

// Returns the text of a field of a line of JSON, without escapes; empty if there is none.
inline std::string text(const std::string& line, const std::string& name) {
    const std::string key = "\"" + name + "\":\"";
    const std::size_t at = line.find(key);
    return at == std::string::npos ? "" : line.substr(at + key.size(), line.find('"', at + key.size()) - at - key.size());
}
