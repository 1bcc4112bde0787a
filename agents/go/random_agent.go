// An agent that chooses random legal actions. It is built from the protos alone, with the gRPC library of Go:
//
//	go mod tidy && go build
//	ahu play rappanui greedy agents/go/ahu-agent
//
// The script `build` uses Debian's packages instead of modules. The script `generate` makes the stubs in ahuv1.
//
// The environment names the seat, as for every agent program: AHU_ADDRESS, AHU_MATCH, AHU_SEAT, and AHU_TOKEN. A number as
// the first argument seeds the choices. With AHU_ADDRESS, and AHU_KEY or the file AHU_KEY_FILE, it competes: it asks for one
// seat after another until no more come.
package main

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/binary"
	"fmt"
	"log"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"example.org/ahu-agent/ahuv1"
)

const (
	// The deadline of a call, including its wait, since a connection can fall silent.
	deadline = 45 * time.Second
	// The first pause before a retry, and the longest. Each pause is twice the previous pause.
	firstPause   = 100 * time.Millisecond
	longestPause = 5 * time.Second
)

var (
	// The time for which the agent tries again while it cannot reach the server. An agent that competes has more.
	patience = time.Minute
	// The time that one call waits for a decision or a seat.
	wait = durationpb.New(30 * time.Second)
	// The content of an observation that the agent reads.
	formats = &ahuv1.ObservationFormats{LegalIds: true}
	// The codes of a call that failed with its connection. The server refuses a call with other codes.
	lost = map[codes.Code]bool{
		codes.Canceled: true, codes.DeadlineExceeded: true, codes.Internal: true, codes.Unavailable: true, codes.Unknown: true,
	}
)

// Returns the value, or ends the agent with the error.
func must[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

// The servers that AHU_ADDRESS names, with commas between them, and the place of the one that answered last: spares wait behind
// the one that works.
var servers []ahuv1.MatchServiceClient
var working int

// Sends a request until a server answers: every request of an agent may arrive twice.
func send[A any](token string, call func(context.Context, ahuv1.MatchServiceClient) (*A, error)) (*A, error) {
	authorized := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+token)
	end, pause := time.Now().Add(patience), firstPause
	for try := 1; ; try++ {
		limited, cancel := context.WithTimeout(authorized, deadline)
		response, err := call(limited, servers[working])
		cancel()
		if err == nil || !lost[status.Code(err)] || time.Now().After(end) {
			return response, err
		}
		if try == 1 {
			advice := ""
			if strings.Contains(err.Error(), "certificate") {
				advice = ": AHU_CA_FILE names a file with the authorities to trust"
			}
			log.Printf("trying again: %v%s", err, advice)
		}
		working = (working + 1) % len(servers)
		if try%len(servers) > 0 {
			continue
		}
		time.Sleep(pause)
		pause *= 2
		if pause > longestPause {
			pause = longestPause
		}
	}
}

// A seat of a match.
type seat struct {
	*ahuv1.AssignedSeat
}

// Returns what the seat knows once it has a decision, the match has ended, or `wait` is over.
func (s seat) observe() (*ahuv1.Observation, error) {
	request := &ahuv1.ObserveRequest{MatchId: s.MatchId, Seat: s.Seat, Formats: formats, Wait: wait}
	response, err := send(s.SeatToken, func(c context.Context, matches ahuv1.MatchServiceClient) (*ahuv1.ObserveResponse, error) {
		return matches.Observe(c, request)
	})
	return response.GetObservation(), err
}

// Answers a decision, and returns what the seat knows once it has its next decision.
func (s seat) step(decision, action uint32) (*ahuv1.Observation, error) {
	request := &ahuv1.StepRequest{MatchId: s.MatchId, Seat: s.Seat, DecisionId: decision, Formats: formats, Wait: wait}
	request.Action = &ahuv1.Action{ActionId: &action}
	response, err := send(s.SeatToken, func(c context.Context, matches ahuv1.MatchServiceClient) (*ahuv1.StepResponse, error) {
		return matches.Step(c, request)
	})
	return response.GetObservation(), err
}

// Returns the forfeit of the seat; nil without one.
func (s seat) forfeit(observation *ahuv1.Observation) *ahuv1.Forfeit {
	for _, forfeit := range observation.Forfeits {
		if forfeit.GetSeat() == *s.Seat {
			return forfeit
		}
	}
	return nil
}

// Returns one of the ids. The choice follows from the seed and the decision alone, so an agent that is started again in the
// middle of a match goes on as it would have.
func choose(ids []uint32, seed uint64, decision uint32) uint32 {
	hash := sha256.Sum256([]byte(fmt.Sprintf("%d %d", seed, decision)))
	return ids[binary.BigEndian.Uint64(hash[:8])%uint64(len(ids))]
}

// Plays the seat until the match has ended or the seat has forfeited.
func (s seat) play() error {
	seed := uint64(time.Now().UnixNano())
	if s.AgentSeed != nil {
		seed = *s.AgentSeed
	}
	observation, err := s.observe()
	for err == nil && !observation.Done {
		decision := observation.Decision
		if decision == nil {
			observation, err = s.observe()
			continue
		}
		next, refusal := s.step(decision.DecisionId, choose(decision.LegalIds, seed, decision.DecisionId))
		if refusal != nil {
			// The match may have gone on without this answer, because the time was up. Otherwise the answer is wrong.
			next, err = s.observe()
			if err == nil && next.GetDecision().GetDecisionId() == decision.DecisionId {
				return refusal
			}
			log.Printf("seat %d: %s", *s.Seat, status.Convert(refusal).Message())
		}
		observation = next
	}
	if err != nil {
		return err
	}

	if forfeit := s.forfeit(observation); forfeit != nil {
		fmt.Printf("seat %d: forfeited (%s)\n", *s.Seat, forfeit.Cause)
	} else if result := observation.Result; result != nil {
		fmt.Printf("seat %d: %d points, place %d\n", *s.Seat, result.Scores[*s.Seat], result.Ranks[*s.Seat])
	} else {
		fmt.Printf("seat %d: %s (%s)\n", *s.Seat, observation.State, observation.EndReason)
	}
	return nil
}

// Returns true if a call was refused since the server does not know the seat.
func isUnknown(err error) bool {
	code := status.Code(err)
	return code == codes.NotFound || code == codes.Unauthenticated || code == codes.PermissionDenied
}

// Plays one seat after another until no more come.
func compete(key string) {
	for {
		response := must(send(key, func(c context.Context, matches ahuv1.MatchServiceClient) (*ahuv1.AwaitSeatResponse, error) {
			return matches.AwaitSeat(c, &ahuv1.AwaitSeatRequest{Wait: wait, Agent: os.Getenv("AHU_AGENT")})
		}))
		if response.Dismissal != nil {
			fmt.Printf("no more seats: %s\n", response.Dismissal.Message)
			if response.Dismissal.Reason == ahuv1.DismissalReason_DISMISSAL_REASON_LIMIT {
				// A supervisor starts the agent again later.
				os.Exit(75)
			}
			return
		}
		if response.Assigned == nil {
			continue
		}
		// A server that was restored from a backup may lack the match. The next call for a seat tries the key.
		if err := (seat{response.Assigned}).play(); isUnknown(err) {
			log.Printf("the server has lost a match: %v", err)
		} else if err != nil {
			log.Fatal(err)
		}
	}
}

// Returns a variable of the environment.
func variable(name string) string {
	value, ok := os.LookupEnv(name)
	if !ok {
		log.Fatalf("expected the variable %s, as `ahu play` sets it", name)
	}
	return value
}

// Returns the seat that the environment names.
func seatOfEnvironment() *ahuv1.AssignedSeat {
	number := uint32(must(strconv.ParseUint(variable("AHU_SEAT"), 10, 32)))
	assigned := &ahuv1.AssignedSeat{MatchId: variable("AHU_MATCH"), Seat: &number, SeatToken: variable("AHU_TOKEN")}
	if len(os.Args) > 1 {
		seed := must(strconv.ParseUint(os.Args[1], 10, 64))
		assigned.AgentSeed = &seed
	}
	return assigned
}

// Returns the content of the file that a variable of the environment names; nothing if it names none.
func content(variable string) []byte {
	file := os.Getenv(variable)
	if file == "" {
		return nil
	}
	bytes, err := os.ReadFile(file)
	if err != nil {
		log.Fatalf("%s: %v", variable, err)
	}
	return bytes
}

// Returns the security of a channel. With TLS, AHU_CA_FILE may name a file with the authorities to trust.
func secured(isSecure bool) grpc.DialOption {
	if !isSecure {
		return grpc.WithInsecure()
	}
	var authorities *x509.CertPool
	if certificates := content("AHU_CA_FILE"); certificates != nil {
		authorities = x509.NewCertPool()
		if !authorities.AppendCertsFromPEM(certificates) {
			log.Fatal("expected certificates in PEM in the file AHU_CA_FILE, got none")
		}
	}
	return grpc.WithTransportCredentials(credentials.NewClientTLSFromCert(authorities, ""))
}

// Returns a channel to the server at an address, which connects on first use, and again after a lost connection.
func channel(named string, options ...grpc.DialOption) *grpc.ClientConn {
	named = strings.TrimPrefix(named, "http://")
	address := strings.TrimPrefix(named, "https://")
	options = append(options, secured(address != named))
	host, _, _ := net.SplitHostPort(address)
	if strings.HasPrefix(address, "unix:") || strings.EqualFold(host, "localhost") || net.ParseIP(host).IsUnspecified() {
		// The proxies that environment variables name are for other machines. The library knows the other addresses of this one.
		options = append(options, grpc.WithNoProxy())
	}
	return must(grpc.Dial(address, options...))
}

func main() {
	// Look for a server that is away every few seconds, instead of every two minutes, and notice that one has gone.
	retry := grpc.ConnectParams{Backoff: backoff.DefaultConfig, MinConnectTimeout: longestPause}
	retry.Backoff.MaxDelay = longestPause
	alive := grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 2 * longestPause, Timeout: longestPause})
	for _, address := range strings.Split(variable("AHU_ADDRESS"), ",") {
		servers = append(servers, ahuv1.NewMatchServiceClient(channel(address, grpc.WithConnectParams(retry), alive)))
	}
	key := os.Getenv("AHU_KEY")
	if key == "" {
		key = strings.Trim(string(content("AHU_KEY_FILE")), "\ufeff \r\n")
	}
	if key != "" {
		patience = 24 * time.Hour
		compete(key)
		return
	}
	if err := (seat{seatOfEnvironment()}).play(); err != nil {
		log.Fatal(err)
	}
}
