// An app and an API on net/http. Start it beside a service:
//
//	AUTH_WORKER_URL=http://localhost:8787/auth AUDIENCE=http://localhost:8000/ PORT=8000 go run ./example
package main

import (
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"strings"

	latchkey "github.com/latchkey-auth/latchkey/verifiers/go"
)

func main() {
	verifier, err := latchkey.New(latchkey.Options{
		Service:  os.Getenv("AUTH_WORKER_URL"),
		Audience: os.Getenv("AUDIENCE"),
	})
	if err != nil {
		log.Fatal(err)
	}
	http.HandleFunc("/me", func(w http.ResponseWriter, r *http.Request) {
		session := sessionOf(verifier, w, r)
		if session != nil {
			answer(w, 200, map[string]any{"sub": session.Sub, "name": session.User["name"], "role": session.Data["role"]})
		}
	})
	http.HandleFunc("/notes", func(w http.ResponseWriter, r *http.Request) {
		token := tokenOf(verifier, w, r, latchkey.Scope("notes:read"))
		if token != nil {
			answer(w, 200, map[string]any{"sub": token.Sub, "client": token.ClientID})
		}
	})
	log.Fatal(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

// sessionOf answers the session of the request. A browser whose token has expired is sent to the service, and comes back. It is nil
// if the request was answered.
func sessionOf(verifier *latchkey.Verifier, w http.ResponseWriter, r *http.Request) *latchkey.Session {
	reading, err := verifier.ReadSession(r)
	switch {
	case err != nil:
		unavailable(w, err)
	case reading.Session != nil:
		return reading.Session
	case reading.Expired && r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html"):
		http.Redirect(w, r, verifier.RenewURL("http://"+r.Host+r.URL.RequestURI()), http.StatusFound)
	default:
		answer(w, 401, map[string]any{"error": "SessionRequired"})
	}
	return nil
}

// tokenOf answers the access token, or the API key, of the request. It is nil if the request was answered.
func tokenOf(verifier *latchkey.Verifier, w http.ResponseWriter, r *http.Request, needs latchkey.Needs) *latchkey.AccessToken {
	token, refusal, err := verifier.ReadToken(r, needs)
	switch {
	case err != nil:
		unavailable(w, err)
	case refusal != nil:
		w.Header().Set("WWW-Authenticate", refusal.Challenge)
		answer(w, refusal.Status, map[string]any{"error": refusal.Error})
	}
	return token
}

func unavailable(w http.ResponseWriter, err error) {
	if !errors.Is(err, latchkey.ErrUnavailable) {
		log.Print(err)
	}
	w.Header().Set("Retry-After", "5")
	answer(w, 503, map[string]any{"error": "unavailable"})
}

func answer(w http.ResponseWriter, status int, body map[string]any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		log.Print(err)
	}
}
