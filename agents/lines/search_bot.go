// Searches: it samples games that it could be in, and lets greedy@2 play them to the end after each action. Half of the actions
// go on to the next round, in new games. Build it with: go build -o search_bot agents/lines/search_bot.go agents/lines/positions.go
// Play it with: ahu play rapanui_cards greedy "jsonl:./search_bot"
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sort"
)

const worlds = 16 // the sampled games of a round
type object = map[string]any

type turn struct {
	Type, View     string
	Seat, Decision int
	Legal          []struct {
		ActionID int `json:"action_id"`
	}
}

// Returns the lead over the best other seat at the end of a game, from 0 to 1.
func utility(scores []float64, seat int) float64 {
	best := math.Inf(-1)
	for other, score := range scores {
		if other != seat {
			best = math.Max(best, score)
		}
	}
	return 1 / (1 + math.Exp((best-scores[seat])/8))
}

// Returns the action that is best after the last round.
func choose(positions *Positions, turn turn) int {
	actions, sum := []int{}, map[int]float64{}
	for _, action := range turn.Legal {
		actions = append(actions, action.ActionID)
	}
	for round := 0; len(actions) > 1; round++ {
		asked := []object{}
		for _, action := range actions {
			for world := 0; world < worlds; world++ {
				sample, ply := (turn.Decision*100+round)*worlds+world, object{"seat": turn.Seat, "action": action}
				asked = append(asked, object{"sample": sample, "plies": []object{ply}})
			}
		}
		var answers []struct {
			Rollout struct{ Scores [][]float64 }
		}
		base, want := object{"view": turn.View}, object{"rollout": object{"bot": "greedy@2"}}
		if err := positions.Ask(object{"base": base, "want": want, "positions": asked}, &answers); err != nil {
			panic(err)
		}
		for index, answer := range answers {
			sum[actions[index/worlds]] += utility(answer.Rollout.Scores[0], turn.Seat)
		}
		sort.SliceStable(actions, func(a, b int) bool { return sum[actions[a]] > sum[actions[b]] })
		actions = actions[:(len(actions)+1)/2]
	}
	return actions[0]
}

func main() {
	positions, err := StartPositions(append(os.Args, "ahu")[1])
	if err != nil {
		panic(err)
	}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		turn := turn{}
		if json.Unmarshal(lines.Bytes(), &turn) == nil && turn.Type == "decide" {
			fmt.Println(choose(positions, turn))
		}
	}
}
