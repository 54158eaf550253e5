package latchkey

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

const (
	timeout      = 5 * time.Second
	freshKeys    = 300 * time.Second
	maxKeyAge    = 24 * time.Hour
	coolDown     = 30 * time.Second
	pause        = 2 * time.Second
	grace        = 10 * time.Second
	keyLife      = accessTokenLife * time.Second
	maxJWKS      = 64 << 10
	maxKept      = 10_000
	maxRefused   = 1_000
	maxASecond   = 100
	grantType    = "urn:ietf:params:oauth:grant-type:token-exchange"
	keyTokenType = "urn:latchkey:params:oauth:token-type:api-key"
)

// ErrUnavailable means that it is unknown whether a token counts, because the service does not answer: reply with 503, and let
// nobody in. Errors of reads match it by errors.Is.
var ErrUnavailable = errors.New("latchkey: the auth service is not available")

func unavailable(reason string) error { return fmt.Errorf("%w: %s", ErrUnavailable, reason) }

// service is the auth service at an address. Everything that is asked of it has a bound.
type service struct {
	address string
	issuer  *url.URL
	client  *http.Client
}

// ask answers the status and the text. It follows no redirect, which would take a key to another server.
func (s *service) ask(ctx context.Context, path string, limit int64, form url.Values) (int, string, error) {
	if s.address == "" {
		return 0, "", unavailable("the verifier has no service to ask")
	}
	name, _, _ := strings.Cut(path, "?")
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	method, body := http.MethodGet, io.Reader(nil)
	if form != nil {
		method, body = http.MethodPost, strings.NewReader(form.Encode())
	}
	request, err := http.NewRequestWithContext(ctx, method, s.address+path, body)
	if err != nil {
		return 0, "", unavailable("the auth service cannot be reached")
	}
	request.Header.Set("Accept", "application/json, application/jwt")
	request.Header.Set("User-Agent", "latchkey-verifier-go")
	// The origin that the service answers for, if it is not reached by its public URL.
	request.Header.Set("X-Forwarded-Host", s.issuer.Host)
	request.Header.Set("X-Forwarded-Proto", s.issuer.Scheme)
	if form != nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	answer, err := s.client.Do(request)
	if err != nil { // its text may quote the request
		return 0, "", unavailable("the auth service cannot be reached")
	}
	defer answer.Body.Close()
	if answer.StatusCode != 200 && !(form != nil && (answer.StatusCode == 400 || answer.StatusCode == 401)) {
		return 0, "", unavailable(fmt.Sprintf("the auth service answered %s with status %d", name, answer.StatusCode))
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err != nil || int64(len(text)) > limit {
		return 0, "", unavailable("the auth service answered " + name + " with something else")
	}
	return answer.StatusCode, string(text), nil
}

// exchange answers the access token of an API key (RFC 8693); none if the service refuses the key.
func (s *service) exchange(key, audience string) (string, error) {
	form := url.Values{
		"grant_type": {grantType}, "subject_token": {key}, "subject_token_type": {keyTokenType}, "resource": {audience},
	}
	status, text, err := s.ask(context.Background(), "/oauth/token", 2*maxAccessLength, form)
	if err != nil || status != 200 {
		return "", err
	}
	value, _ := parseJSON([]byte(text), false)
	members, _ := value.(map[string]any)
	token, isText := members["access_token"].(string)
	if !isText {
		return "", unavailable("the auth service answered /oauth/token with something else")
	}
	return token, nil
}

// keySource has the keys that the service publishes, read again after five minutes. While it is silent the last ones are used for
// a day.
type keySource struct {
	load func() (map[string]publicKey, error) // nil: the keys are given, and never change
	now  func() time.Time
	tell func(error)

	asking    sync.Mutex // held by the read that asks
	mutex     sync.Mutex
	keys      map[string]publicKey
	learnedAt time.Time
	askedAt   time.Time
}

// get answers the keys; look is for one that is not among them, at most every 30 seconds.
func (k *keySource) get(look bool) (map[string]publicKey, error) {
	if k.load == nil {
		return k.keys, nil
	}
	keys, age, _ := k.usable()
	must := look || keys == nil
	// One read asks. The others wait for it only if they cannot do without.
	if must || age < 0 || age >= freshKeys {
		if must {
			k.asking.Lock()
			k.askIfDue()
			k.asking.Unlock()
		} else if k.asking.TryLock() {
			k.askIfDue()
			k.asking.Unlock()
		}
	}
	keys, _, hasAnswer := k.usable()
	if keys == nil || (look && !hasAnswer) {
		return nil, unavailable("the keys of the auth service cannot be looked up now")
	}
	return keys, nil
}

func (k *keySource) askIfDue() {
	wait := coolDown
	if keys, _, _ := k.usable(); keys == nil {
		wait = pause
	}
	k.mutex.Lock()
	since := k.now().Sub(k.askedAt)
	isDue := since < 0 || since >= wait
	if isDue {
		k.askedAt = k.now()
	}
	k.mutex.Unlock()
	if !isDue {
		return
	}
	keys, err := k.load()
	if err != nil {
		k.tell(err)
		return
	}
	k.mutex.Lock()
	k.keys, k.learnedAt = keys, k.now()
	k.mutex.Unlock()
}

// usable answers the keys that may be used, their age, and whether the last question was answered.
func (k *keySource) usable() (map[string]publicKey, time.Duration, bool) {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	age := k.now().Sub(k.learnedAt)
	if k.keys == nil || age < 0 || age >= maxKeyAge {
		return nil, age, false
	}
	return k.keys, age, !k.learnedAt.Before(k.askedAt)
}

// heldKey is the service's answer about an API key: a token, or none if it refuses the key or did not answer.
type heldKey struct {
	token   string
	until   time.Time
	againAt time.Time
	failed  bool
}

// keyExchange exchanges API keys for access tokens: one call for a key in five minutes, whatever the answer.
type keyExchange struct {
	call func(key string) (string, error)
	now  func() time.Time

	locks   [64]sync.Mutex // by the digest of a key
	mutex   sync.Mutex
	good    map[[32]byte]heldKey // apart, so that made-up keys push out no good ones
	refused map[[32]byte]heldKey
	second  int64
	calls   int
}

// of answers for a key; stale is the answer that a refresh of claims has made old.
func (x *keyExchange) of(key string, stale *heldKey) (heldKey, error) {
	name := sha256.Sum256([]byte(key))
	lock := &x.locks[name[0]%64]
	lock.Lock()
	defer lock.Unlock()
	now := x.now()
	x.mutex.Lock()
	known, isGood := x.good[name]
	held, isHeld := known, isGood
	if !isGood {
		held, isHeld = x.refused[name]
	}
	x.mutex.Unlock()
	if left := held.until.Sub(now); isHeld && left > 0 && left <= keyLife && (stale == nil || held != *stale) {
		if held.failed {
			return heldKey{}, unavailable("an API key could not be looked up a moment ago")
		}
		return held, nil
	}
	token, err := "", x.count(now.Unix(), isGood)
	if err == nil {
		token, err = x.call(key)
	}
	again := time.Time{}
	if stale != nil {
		again = now.Add(pause)
	}
	switch left := known.until.Add(grace).Sub(now); {
	case err == nil:
		held = heldKey{token: token, until: now.Add(keyLife), againAt: again}
		x.keep(name, held)
		return held, nil
	case !isGood:
		x.keep(name, heldKey{until: now.Add(pause), failed: true})
	case stale != nil && known == *stale: // without a new answer it counts until its end
		known.againAt = again
		x.keep(name, known)
		return known, nil
	case left > 0 && left <= grace:
		known.until = known.until.Add(grace)
		return known, nil
	}
	return heldKey{}, err
}

func (x *keyExchange) keep(name [32]byte, held heldKey) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	kept, most := x.good, maxKept
	delete(x.refused, name)
	if held.token == "" {
		kept, most = x.refused, maxRefused
		delete(x.good, name)
	}
	for other := range kept {
		if len(kept) < most {
			break
		}
		delete(kept, other)
	}
	kept[name] = held
}

// count: a checksum is not secret, so that a stranger can make up any number of keys.
func (x *keyExchange) count(second int64, isGood bool) error {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	if x.second != second {
		x.second, x.calls = second, 0
	}
	if isGood {
		return nil
	}
	if x.calls++; x.calls > maxASecond {
		return unavailable("too many API keys came at once to ask about each")
	}
	return nil
}
