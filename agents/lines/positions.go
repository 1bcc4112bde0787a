package main

// A process `ahu positions`, which answers questions about positions, for programs that search.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
)

// Positions is the process.
type Positions struct {
	requests io.Writer
	answers  *bufio.Reader
}

// StartPositions starts the process. It ends with this one.
func StartPositions(program string) (*Positions, error) {
	command := exec.Command(program, "positions")
	command.Stderr = os.Stderr
	requests, err := command.StdinPipe()
	if err != nil {
		return nil, err
	}
	answers, err := command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &Positions{requests, bufio.NewReader(answers)}, command.Start()
}

// Ask sends a request, and reads the positions of the answer into `positions`, a pointer to a slice of structs with a field
// `Error string`. See docs/reference/positions.md for the fields of both.
func (p *Positions) Ask(request any, positions any) error {
	line, err := json.Marshal(request)
	if err != nil {
		return err
	}
	if _, err := p.requests.Write(append(line, '\n')); err != nil {
		return err
	}
	if line, err = p.answers.ReadBytes('\n'); err != nil {
		return err
	}
	answer := struct {
		Error     string
		Positions json.RawMessage
	}{}
	if err := json.Unmarshal(line, &answer); err != nil {
		return err
	}
	if answer.Error != "" {
		return fmt.Errorf("ahu positions: %s", answer.Error)
	}
	return json.Unmarshal(answer.Positions, positions)
}
