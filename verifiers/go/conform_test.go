package latchkey

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"sort"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestMain answers questions about tokens, one JSON object a line, if LATCHKEY_CONFORM is set: verifiers/README.md describes them. The
// first line of the input has the issuer, the audience and the key sets. The project's tests compare the answers with those of the
// other verifiers.
func TestMain(m *testing.M) {
	if os.Getenv("LATCHKEY_CONFORM") == "" {
		os.Exit(m.Run())
	}
	lines := bufio.NewReader(os.Stdin)
	var document head
	if err := readLine(lines, &document); err != nil {
		panic(err)
	}
	for {
		var asked question
		if err := readLine(lines, &asked); err == io.EOF {
			break
		} else if err != nil {
			panic(err)
		}
		line, _ := json.Marshal(document.answer(asked))
		os.Stdout.Write(append(line, '\n'))
	}
}

func readLine(lines *bufio.Reader, value any) error {
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return err
	}
	return json.Unmarshal(line, value)
}

type head struct {
	Issuer, Audience string
	JWKS             map[string]string
	keys             map[string]map[string]publicKey
	kept             *Verifier // of questions with an address, which asks a real service by a clock that the questions set
	now              atomic.Int64
}

type question struct {
	Kind, Header, Name, Text, Token, Keys, Of, Cookie, Issuer, Audience, ACR, Address, Skipped string
	Access                                                                                     bool
	Now                                                                                        int64
	Authorization, Scope                                                                       *string
	MaxAge                                                                                     *int64
	AMR                                                                                        []any
	Machine                                                                                    any
	Service                                                                                    map[string]*string
}

func (h *head) answer(asked question) any {
	answer, err := h.judged(asked)
	switch {
	case errors.Is(err, ErrUnavailable):
		return "unavailable"
	case err != nil && reasonOf(err) == "":
		return "invalid"
	case err != nil:
		return reasonOf(err)
	}
	return answer
}

func (h *head) judged(asked question) (any, error) {
	switch asked.Kind {
	case "cookie":
		return append([]string{}, sessionTokens(asked.Header, asked.Name)...), nil
	case "acr":
		return (&Session{Claims: Claims{"amr": asked.AMR}}).ACR(), nil
	case "api-key":
		return isAPIKey(asked.Text), nil
	case "jwks":
		kids := []string{}
		keys, err := importKeys([]byte(asked.Text), asked.Access)
		for kid := range keys {
			kids = append(kids, kid)
		}
		sort.Strings(kids)
		return kids, err
	case "feed":
		if h.keys[asked.Keys] == nil {
			keys, err := importKeys([]byte(h.JWKS[asked.Keys]), false)
			if err != nil {
				return nil, err
			}
			h.keys = map[string]map[string]publicKey{asked.Keys: keys}
		}
		_, err := readFeed(asked.Text, h.keys[asked.Keys], asked.Of)
		return "good", err
	}
	verifier, err := h.verifierOf(asked)
	if err != nil {
		return nil, err
	}
	switch asked.Kind {
	case "session":
		_, err := verifier.VerifySession(context.Background(), asked.Token)
		return "live", err
	case "read-session":
		reading, err := verifier.ReadSession(requestWith("Cookie", asked.Cookie, "Secure-Session-Skipped", asked.Skipped))
		switch {
		case reading.Expired:
			return "expired", err
		case reading.Session != nil:
			id, hasID := reading.Session.User["id"].(string)
			if !hasID {
				id = "none"
			}
			return reading.Session.Sub + " " + id, err
		}
		return "nobody", err
	}
	needs := Needs{Scope: asked.Scope, ACR: asked.ACR}
	if asked.MaxAge != nil {
		age := time.Duration(*asked.MaxAge) * time.Second
		needs.MaxAge = &age
	}
	authorization := ""
	if asked.Authorization != nil {
		authorization = *asked.Authorization
	}
	_, refusal, err := verifier.ReadToken(requestWith("Authorization", authorization), needs)
	if refusal != nil {
		return []string{refusal.Reason, refusal.Challenge}, nil
	}
	return []string{"live", ""}, err
}

func (h *head) verifierOf(asked question) (*Verifier, error) {
	if asked.Address == "" {
		return New(h.options(asked))
	}
	h.now.Store(asked.Now)
	if h.kept != nil {
		return h.kept, nil
	}
	now := func() time.Time { return time.Unix(h.now.Load(), 0) }
	options := Options{Service: asked.Address, Issuer: h.Issuer, Audience: h.Audience, Now: now, OnError: func(error) {}}
	var err error
	h.kept, err = New(options)
	return h.kept, err
}

func (h *head) options(asked question) Options {
	options := Options{
		Issuer: h.Issuer, Audience: h.Audience, OnError: func(error) {},
		Now: func() time.Time { return time.Unix(asked.Now, 0) },
	}
	switch asked.Machine {
	case true:
		options.Machines = MachinesToo
	case "only":
		options.Machines = MachinesAlone
	}
	switch {
	case asked.Keys != "" && asked.Kind == "access":
		options.AccessKeys = h.JWKS[asked.Keys]
	case asked.Keys != "":
		options.PublicKeys = h.JWKS[asked.Keys]
	default:
		options.Service = h.Issuer
		options.Client = &http.Client{Transport: answers{h, asked.Service}}
	}
	return options
}

// answers of the service, by path and query.
type answers struct {
	head    *head
	service map[string]*string
}

func (a answers) RoundTrip(request *http.Request) (*http.Response, error) {
	path := strings.TrimPrefix(request.URL.String(), a.head.Issuer)
	text, isNamed := a.service[path]
	if own := map[string]string{"/jwks.json": "session", "/oauth/jwks.json": "access"}[path]; own != "" && !isNamed {
		set := a.head.JWKS[own]
		text = &set
	}
	if text == nil {
		return &http.Response{StatusCode: 404, Body: http.NoBody}, nil
	}
	return &http.Response{StatusCode: 200, Body: io.NopCloser(bytes.NewBufferString(*text))}, nil
}

func requestWith(headers ...string) *http.Request {
	request := &http.Request{Header: http.Header{}}
	for at := 0; at < len(headers); at += 2 {
		request.Header.Set(headers[at], headers[at+1])
	}
	return request
}

func TestExpiresOfDistantSessions(t *testing.T) {
	session := sessionOf(Claims{"sub": "user-1", "sexp": float64(8_640_000_000_000), "session": map[string]any{}})
	if session.Expires.Year() < 9999 {
		t.Fatal("a session that lasts for long has ended")
	}
}
