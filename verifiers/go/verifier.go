// Package latchkey verifies Latchkey's sessions, access tokens and API keys: locally, with public keys, and it still refuses within
// seconds what has ended.
//
//	verifier, err := latchkey.New(latchkey.Options{Service: "https://example.com/auth"})
//	reading, err := verifier.ReadSession(r)
package latchkey

import (
	"context"
	"errors"
	"log"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Options say by which keys, for which issuer and for which audience to verify.
type Options struct {
	// Service is the URL of the service with its base path: it gives keys, the feed, and the answers about API keys.
	Service string
	// Issuer is its public address, if Service is another one.
	Issuer string
	// Audience is the resource that access tokens must be for, to the letter. Without it ReadToken takes none.
	Audience string
	// PublicKeys and AccessKeys are what /jwks.json and /oauth/jwks.json answer. Without a Service nothing is asked, and no ending
	// is heard.
	PublicKeys, AccessKeys string
	// Cookie is the name of the session cookie, if it is not the default one.
	Cookie string
	// Machines says whose access tokens count. The default: those of people.
	Machines Machines
	// MaxDelay is the time after which an ending counts here at the latest: 10 s to an hour. The default: 15 s.
	MaxDelay time.Duration
	// Client asks the service. The default has the standard transport.
	Client *http.Client
	// Now is the clock. The default: time.Now.
	Now func() time.Time
	// OnError hears errors of background work, which quote no token. The default: log.Print.
	OnError func(error)
}

// Machines says whose access tokens a verifier takes.
type Machines int

// People alone is the default.
const (
	PeopleAlone Machines = iota
	MachinesToo
	MachinesAlone
)

// Verifier reads sessions, access tokens and API keys. Make one and reuse it: it is safe for use at the same time.
type Verifier struct {
	issuer, audience, cookie string
	machines                 Machines
	now                      func() time.Time
	keys, accessKeys         *keySource
	feed                     *feedReader
	exchange                 *keyExchange
}

// New makes a verifier. It fails if the options do not say by which keys or for which issuer to verify.
func New(options Options) (*Verifier, error) {
	issuer := strings.TrimRight(options.Issuer, "/")
	address := strings.TrimRight(options.Service, "/")
	if issuer == "" {
		issuer = address
	}
	public, err := url.Parse(issuer)
	if err != nil || !isBaseURL(issuer) || (address != "" && !isBaseURL(address)) {
		return nil, errors.New("latchkey: Service and Issuer must be URLs such as https://example.com/auth")
	}
	if address == "" && options.PublicKeys == "" && options.AccessKeys == "" {
		return nil, errors.New("latchkey: a verifier needs a Service, or an Issuer and keys")
	}
	if options.MaxDelay == 0 {
		options.MaxDelay = 15 * time.Second
	}
	if options.MaxDelay < 10*time.Second || options.MaxDelay > time.Hour {
		return nil, errors.New("latchkey: MaxDelay must be 10 s to an hour")
	}
	if audience, err := url.Parse(options.Audience); options.Audience != "" && (err != nil || !audience.IsAbs() || strings.Contains(options.Audience, "#")) {
		return nil, errors.New("latchkey: Audience must be an absolute URI such as https://api.example.com/")
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Cookie == "" {
		options.Cookie = "auth.session-token"
		if public.Scheme == "https" {
			options.Cookie = "__Host-auth.session-token"
		}
	}
	client := http.Client{}
	if options.Client != nil {
		client = *options.Client
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	asked := &service{address, public, &client}
	tell := throttled(options.OnError, options.Now)
	v := &Verifier{issuer: issuer, audience: options.Audience, cookie: options.Cookie, machines: options.Machines, now: options.Now}
	if v.keys, err = sourceOf(asked, options.PublicKeys, "/jwks.json", options.Now, tell); err != nil {
		return nil, err
	}
	if v.accessKeys, err = sourceOf(asked, options.AccessKeys, "/oauth/jwks.json", options.Now, tell); err != nil {
		return nil, err
	}
	if address == "" {
		return v, nil
	}
	v.feed = &feedReader{
		ask: func(ctx context.Context, path string, limit int64) (string, error) {
			_, text, err := asked.ask(ctx, path, limit, nil)
			return text, err
		},
		keys: v.keys.get, issuer: issuer, maxDelay: int64(options.MaxDelay / time.Second), now: options.Now, tell: tell,
		list: revocations{sids: map[string]int64{}, cutoffs: map[named]cutoff{}, latest: -1},
		life: maxTokenLife, asked: map[string]time.Time{}, asking: make(chan struct{}, 6),
	}
	v.exchange = &keyExchange{
		call: func(key string) (string, error) { return asked.exchange(key, options.Audience) },
		now:  options.Now, good: map[[32]byte]heldKey{}, refused: map[[32]byte]heldKey{},
	}
	return v, nil
}

func sourceOf(asked *service, given, path string, now func() time.Time, tell func(error)) (*keySource, error) {
	isAccess := path != "/jwks.json"
	if given != "" {
		keys, err := importKeys([]byte(given), isAccess)
		return &keySource{keys: keys}, err
	}
	load := func() (map[string]publicKey, error) {
		_, text, err := asked.ask(context.Background(), path, maxJWKS, nil)
		if err != nil {
			return nil, err
		}
		return importKeys([]byte(text), isAccess)
	}
	return &keySource{load: load, now: now, tell: tell}, nil
}

// Session is a session that counts.
type Session struct {
	// Sub is the stable id of the user.
	Sub string
	// Expires is the session's own end.
	Expires time.Time
	// Data is what the service's session callback returned; User is in it.
	Data, User map[string]any
	// Claims are those of the token.
	Claims Claims
}

// Bound tells whether the session is bound to a key of its browser's device.
func (s *Session) Bound() bool { return s.Claims.has("cnf") }

// IsFresh tells whether the user has proved their identity within this time.
func (s *Session) IsFresh(maxAge time.Duration) bool {
	return time.Now().Unix()-s.Claims.time("auth_time") <= int64(maxAge/time.Second)
}

// ACR is "2" if the user signed in by two factors, or by a passkey that verified them. The first member of amr is a name from the
// configuration, and never counts as a method.
func (s *Session) ACR() string {
	amr, _ := s.Claims["amr"].([]any)
	for at, one := range amr {
		if at > 0 && (one == "mfa" || (one == "user" && amr[0] == "passkey")) {
			return "2"
		}
	}
	return "1"
}

// SessionReading is the result of reading a request's cookies.
type SessionReading struct {
	// Session is nil if nobody is signed in.
	Session *Session
	// Expired: the session may go on. Send the browser to RenewURL; nobody is signed in until then.
	Expired bool
}

// RenewURL is where the browser of an expired token gets a fresh one, or signs in.
func (v *Verifier) RenewURL(callbackURL string) string {
	return v.issuer + "/renew?callbackUrl=" + url.QueryEscape(callbackURL)
}

// ReadSession answers the session of a request, by its cookies. The error is ErrUnavailable if it is unknown whose request it is.
func (v *Verifier) ReadSession(r *http.Request) (SessionReading, error) {
	ctx, tokens := r.Context(), sessionTokens(strings.Join(r.Header["Cookie"], "; "), v.cookie)
	if len(tokens) == 0 && skippedForm.MatchString(strings.Join(r.Header["Secure-Session-Skipped"], ", ")) {
		return SessionReading{}, unavailable("the browser could not renew its bound session just now")
	}
	var live []Claims
	isUnsure, isOnePerson := false, true
	var unknown error
	for _, token := range tokens {
		claims, state, err := v.examine(ctx, token)
		switch {
		case errors.Is(err, ErrUnavailable):
			unknown = err
		case state == "live":
			live = append(live, claims)
			isOnePerson = isOnePerson && claims["sub"] == live[0]["sub"]
		case state == "expired":
			isUnsure = true
		}
	}
	// A sibling host may set a session of its own: sessions of several people sign nobody in.
	if len(live) > 0 && isOnePerson {
		if v.isStale(live[0]) {
			return SessionReading{Expired: true}, nil
		}
		return SessionReading{Session: sessionOf(live[0])}, nil
	}
	if unknown != nil && len(live) == 0 {
		return SessionReading{}, unknown
	}
	return SessionReading{Expired: isUnsure && len(live) == 0}, nil
}

// VerifySession answers the claims of one session token, or a RefusedError, also with the reasons expired and stale.
func (v *Verifier) VerifySession(ctx context.Context, token string) (Claims, error) {
	claims, state, err := v.examine(ctx, token)
	switch {
	case err != nil:
		return nil, err
	case state != "live":
		return nil, refused(state)
	case v.isStale(claims):
		return nil, refused("stale")
	}
	return claims, nil
}

// examine answers a state: live, or expired, if the session may go on.
func (v *Verifier) examine(ctx context.Context, token string) (Claims, string, error) {
	claims, err := genuine(token, v.keys, readSessionToken)
	if err != nil {
		return nil, "", err
	}
	now := v.now().Unix()
	switch {
	case claims.text("iss") != v.issuer:
		return nil, "", refused("issuer")
	case claims.time("iat") > now+clockSkew:
		return nil, "", refused("issued-in-the-future")
	case claims.time("sexp") <= now:
		return nil, "", refused("session-ended")
	case claims.time("nbf") > now+clockSkew:
		return nil, "", refused("not-yet-valid")
	case claims.has("cnf") && claims.time("exp") <= now: // only its browser renews a bound session
		return nil, "", refused("expired")
	}
	counts := func(life int64) bool { return claims.time("exp") > now && claims.time("iat")+life > now }
	if v.feed == nil {
		if counts(maxTokenLife) {
			return claims, "live", nil
		}
		return claims, "expired", nil
	}
	v.feed.refresh(ctx)
	for round := 0; round < 2; round++ {
		hasEnded := v.feed.read(func(list *revocations, _ int64) bool { return list.hasEnded(claims) })
		mayCount := v.feed.read(func(list *revocations, life int64) bool { return counts(life) })
		isInDoubt := v.feed.read(func(list *revocations, _ int64) bool { return list.isInDoubt(claims) })
		switch {
		case hasEnded:
			return nil, "", refused("ended")
		case !mayCount || (round == 1 && isInDoubt):
			return claims, "expired", nil
		case round == 1:
			return claims, "live", nil
		}
		if err := v.feed.makeSure(claims, claims.text("sid")); err != nil {
			return nil, "", err
		}
	}
	return claims, "expired", nil
}

func (v *Verifier) isStale(claims Claims) bool {
	return v.feed != nil && !claims.has("machine") &&
		v.feed.read(func(list *revocations, _ int64) bool { return list.isStale(claims) })
}

func genuine(token string, source *keySource, read func(string, map[string]publicKey) (Claims, error)) (Claims, error) {
	keys, err := source.get(false)
	if err != nil {
		return nil, err
	}
	claims, err := read(token, keys)
	if reasonOf(err) != "unknown-key" {
		return claims, err
	}
	if keys, err = source.get(true); err != nil {
		return nil, err
	}
	return read(token, keys)
}

func sessionOf(claims Claims) *Session {
	data := map[string]any{}
	for name, value := range claims["session"].(map[string]any) {
		data[name] = value
	}
	user, isObject := data["user"].(map[string]any)
	if _, hasID := user["id"]; isObject && !hasID {
		withID := map[string]any{"id": claims.text("sub")}
		for name, value := range user {
			withID[name] = value
		}
		data["user"], user = withID, withID
	}
	return &Session{Sub: claims.text("sub"), Expires: time.Unix(claims.time("sexp"), 0).UTC(), Data: data, User: user, Claims: claims}
}

func isBaseURL(text string) bool {
	address, err := url.Parse(text)
	return err == nil && (address.Scheme == "https" || address.Scheme == "http") && address.Host != "" &&
		address.User == nil && !strings.ContainsAny(text, "?#")
}

// throttled tells each message once a minute: a service that is down fails every look.
func throttled(tell func(error), now func() time.Time) func(error) {
	var mutex sync.Mutex
	told := map[string]time.Time{}
	if tell == nil {
		tell = func(err error) { log.Print(err) }
	}
	return func(err error) {
		mutex.Lock()
		at, isTold := told[err.Error()]
		isDue := !isTold || now().Sub(at) >= time.Minute || now().Before(at)
		if isDue {
			if len(told) >= 50 {
				told = map[string]time.Time{}
			}
			told[err.Error()] = now()
		}
		mutex.Unlock()
		if isDue {
			tell(err)
		}
	}
}
