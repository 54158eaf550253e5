package latchkey

import (
	"context"
	"crypto/rand"
	"fmt"
	"math"
	"sync"
	"time"
)

const (
	serviceDelay = 7 // seconds: an isolate asks its ledger every four seconds, and caches keep the answer for two
	maxFeed      = 4 << 20
	maxLook      = 16 << 20
	maxPages     = 64
	longPages    = 4
	maxNames     = 480
	nameLength   = 8
	maxInUse     = 15_000
	lookBack     = 300 // seconds
	lookTime     = 3 * time.Second
	maxWait      = 2 * time.Second
)

// readFeed answers a page of the feed, or the answer to the question that of names.
func readFeed(text string, keys map[string]publicKey, of string) (Claims, error) {
	typ := "revocations+jwt"
	if of != "" {
		typ = "revocations-of+jwt"
	}
	content, err := readSigned(text, typ, keys, maxFeed, sessionForm)
	if err != nil {
		return nil, err
	}
	members, isObject := content.(map[string]any)
	feed := Claims(members)
	_, hasIssuer := feed["iss"].(string)
	isGood := isObject && hasIssuer && feed.has("of") == (of != "") && (of == "" || feed["of"] == of)
	for _, name := range []string{"since", "next", "window", "heard", "more", "names"} {
		isOptional := name == "heard" || name == "more" || name == "names"
		isGood = isGood && ((isOptional && !feed.has(name)) || isCount(feed[name], 1<<53-1))
	}
	for _, name := range []string{"sids", "users", "cutoffs", "stale"} {
		list, isList := feed[name].([]any)
		isOptional := name == "cutoffs" || name == "stale"
		isGood = isGood && ((isOptional && !feed.has(name)) || isList)
		for _, one := range list {
			isGood = isGood && isEntry(name, one)
		}
	}
	if !isGood {
		return nil, refused("claims")
	}
	return feed, nil
}

func isEntry(list string, value any) bool {
	if list == "sids" {
		_, isText := value.(string)
		return isText
	}
	members, _ := value.(map[string]any)
	entry := Claims(members)
	name := map[string]string{"users": "sub", "cutoffs": "pid", "stale": "sid"}[list]
	isGood := true
	switch {
	case list == "stale" && entry.has("pid"):
		name, isGood = "pid", !entry.has("sid")
	case list != "stale" && entry.has("except"):
		_, isGood = entry["except"].(string)
	}
	_, hasName := entry[name].(string)
	return isGood && hasName && isCount(entry["until"], 1<<53-1)
}

type named struct{ kind, name string }

type cutoff struct {
	until  int64
	spared string
	spares bool
}

// revocations are what was heard. No entry, in whatever order it comes, makes an ended session good again.
type revocations struct {
	sids    map[string]int64
	cutoffs map[named]cutoff
	latest  int64
	window  int64
}

func (r *revocations) add(feed Claims, now int64) {
	if window := feed.time("window"); window > r.window {
		r.window = window
	}
	before := now - r.window - clockSkew
	for sid, at := range r.sids {
		if at < before {
			delete(r.sids, sid)
		}
	}
	for name, one := range r.cutoffs {
		if one.until < before {
			delete(r.cutoffs, name)
		}
	}
	for list, kind := range map[string]string{"sids": "", "users": "sub", "cutoffs": "pid", "stale": "stale "} {
		entries, _ := feed[list].([]any)
		for _, value := range entries {
			if sid, isText := value.(string); isText {
				r.sids[sid] = now
				continue
			}
			entry := Claims(value.(map[string]any))
			name := named{kind, entry.text(kind)}
			if kind == "stale " {
				name = named{"stale sid", entry.text("sid")}
				if entry.has("pid") {
					name = named{"stale pid", entry.text("pid")}
				}
			}
			r.cut(name, cutoff{entry.time("until"), entry.text("except"), kind != "stale " && entry.has("except")})
			if kind == "pid" && entry.time("until") > r.latest {
				r.latest = entry.time("until")
			}
		}
	}
}

func (r *revocations) cut(name named, one cutoff) {
	known, isKnown := r.cutoffs[name]
	if isKnown && known.until > one.until {
		return
	}
	// Each of two cut-offs in one second ends the session that the other one spares.
	if isKnown && known.until == one.until && known != one {
		one.spared, one.spares = "", false
	}
	r.cutoffs[name] = one
}

func (r *revocations) isCut(name named, sid string, time int64) bool {
	one, isKnown := r.cutoffs[name]
	return isKnown && time <= one.until && !(one.spares && sid == one.spared)
}

func (r *revocations) hasSid(sid string) bool { _, isThere := r.sids[sid]; return isThere }

// hasEnded: is the session of these claims over?
func (r *revocations) hasEnded(c Claims) bool {
	sid, began := c.text("sid"), c.began()
	return r.hasSid(sid) || r.isCut(named{"sub", c.text("sub")}, sid, began) ||
		(c.has("pid") && r.isCut(named{"pid", c.text("pid")}, sid, began))
}

// isStale: was this token issued before the claims of its person or session were refreshed?
func (r *revocations) isStale(c Claims) bool {
	return r.isCut(named{"stale sid", c.text("sid")}, "", c.time("iat")) ||
		r.isCut(named{"stale pid", pidOf(c)}, "", c.time("iat"))
}

// isInDoubt: a token without a pid may be that of somebody whose sessions have ended. The service knows.
func (r *revocations) isInDoubt(c Claims) bool {
	return !c.has("pid") && c.began() <= r.latest && c.time("iat") <= r.latest+clockSkew
}

func pidOf(c Claims) string {
	if c.has("pid") {
		return c.text("pid")
	}
	return c.text("key_pid")
}

// feedReader keeps revocations up to date, beside the reads. While the service is silent they stay as they are: a token counts for
// its own short life. A feed too long to be read is not: the service is asked about each session.
type feedReader struct {
	ask      func(ctx context.Context, path string, limit int64) (string, error)
	keys     func(look bool) (map[string]publicKey, error)
	issuer   string
	maxDelay int64
	now      func() time.Time
	tell     func(error)

	mutex     sync.RWMutex
	list      revocations
	life      int64 // how long a token counts at most, in seconds
	next      int64 // up to then the list has all endings; 0: it lacks some
	covered   int64
	lookAt    time.Time
	settledAt time.Time
	failedAt  time.Time
	looking   chan struct{} // closed when the look under way is over
	asked     map[string]time.Time
	asking    chan struct{} // has room for those that ask at once
}

func (f *feedReader) limit() time.Duration {
	return time.Duration(f.maxDelay-serviceDelay) * time.Second
}

func (f *feedReader) read(use func(list *revocations, life int64) bool) bool {
	f.mutex.RLock()
	defer f.mutex.RUnlock()
	return use(&f.list, f.life)
}

// refresh looks at the feed, if that is due, and waits for it two seconds at most, if the last look is too old.
func (f *feedReader) refresh(ctx context.Context) {
	f.mutex.Lock()
	now := f.now()
	if now.After(f.lookAt) || now.Equal(f.lookAt) || now.Before(f.settledAt) {
		f.lookAt = now.Add(lookTime + timeout) // for others, and if this look never ends
		f.looking = make(chan struct{})
		go f.look(f.looking)
	}
	looking, age := f.looking, now.Sub(f.settledAt)
	f.mutex.Unlock()
	if age >= 0 && age < f.limit() {
		return
	}
	timer := time.NewTimer(maxWait)
	defer timer.Stop()
	select {
	case <-looking:
	case <-timer.C:
	case <-ctx.Done():
	}
}

func (f *feedReader) look(done chan struct{}) {
	// Twice as often as needed, so that one look may fail.
	wait := f.limit() / 2
	ctx, cancel := context.WithTimeout(context.Background(), lookTime)
	defer cancel()
	isLong, err := f.readPages(ctx)
	if err != nil {
		f.tell(err)
	}
	if isLong {
		wait = lookBack * time.Second
	}
	f.mutex.Lock()
	f.settledAt = f.now()
	f.lookAt = f.settledAt.Add(wait)
	f.mutex.Unlock()
	close(done)
}

func (f *feedReader) readPages(ctx context.Context) (isLong bool, err error) {
	asked := int64(0)
	f.mutex.RLock()
	if f.next > clockSkew {
		asked = f.next - clockSkew
	}
	f.mutex.RUnlock()
	since, length, least, window := asked, 0, int64(math.MaxInt64), int64(math.MaxInt64)
	for pages := 1; pages <= maxPages && length < maxLook; pages++ {
		path := "/revocations?pages=1"
		if since > 0 {
			path = fmt.Sprintf("/revocations?since=%d&pages=1", since)
		}
		text, err := f.ask(ctx, path, maxFeed)
		if err != nil {
			return false, err
		}
		page, err := f.hear(text, "")
		if err != nil {
			return false, err
		}
		length += len(text)
		least, window = min(least, page.time("next")), min(window, page.time("window"))
		// Somebody in between may have asked for less.
		if page.time("since") > since && page.time("since") > page.time("next")-page.time("window")-clockSkew {
			return false, unavailable("the revocation feed was refused: a part of it is missing")
		}
		if !page.has("more") {
			f.finish(asked, least, window)
			return false, nil
		}
		more := page.time("more")
		if more <= since {
			return false, unavailable("the revocation feed was refused: it does not go on")
		}
		if page.time("names") >= maxNames && pages >= longPages {
			f.mutex.Lock()
			f.next, f.life = 0, min(f.life, page.time("window"))
			f.mutex.Unlock()
			return true, nil
		}
		since = min(more, least)
	}
	return false, unavailable("the revocation feed is too long to be read")
}

func (f *feedReader) finish(asked, least, window int64) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	if asked < least-window-clockSkew {
		f.covered = window
	} else if window > f.covered {
		f.next = 0 // tokens count for longer, and so do endings that were not asked for
		return
	}
	f.life = window
	if least > f.next {
		f.next = least
	}
}

// hear reads a feed. Every session that it names has ended, however old it is.
func (f *feedReader) hear(text, of string) (Claims, error) {
	keys, err := f.keys(false)
	if err != nil {
		return nil, err
	}
	feed, err := readFeed(text, keys, of)
	if reasonOf(err) == "unknown-key" {
		if keys, err = f.keys(true); err != nil {
			return nil, err
		}
		feed, err = readFeed(text, keys, of)
	}
	if err != nil {
		return nil, unavailable("the revocation feed was refused: " + reasonOf(err))
	}
	if feed.text("iss") != f.issuer {
		return nil, unavailable("the revocation feed was refused: it is that of another issuer")
	}
	now, heard := f.now().Unix(), feed.time("next")
	if feed.time("heard") > heard {
		heard = feed.time("heard")
	}
	f.mutex.Lock()
	f.list.add(feed, now)
	f.mutex.Unlock()
	if heard < now-f.maxDelay-clockSkew || heard > now+clockSkew {
		return nil, unavailable("the revocation feed was refused: it is not of now; a cache kept it, or the clocks differ")
	}
	return feed, nil
}

// makeSure asks about sessions and grants, if the list lacks endings.
func (f *feedReader) makeSure(c Claims, names ...string) error {
	for _, sid := range names {
		f.mutex.RLock()
		now, next, failedAt := f.now(), f.next, f.failedAt
		askedAt, isKnown := f.asked[sid]
		f.mutex.RUnlock()
		isCurrent := isKnown && now.Sub(askedAt) >= 0 && now.Sub(askedAt) < f.limit()
		if next > 0 || isCurrent || now.Unix()-c.time("iat") <= serviceDelay {
			continue
		}
		err := unavailable("the auth service did not say whether a session has ended")
		isPaused := now.Sub(failedAt) >= 0 && now.Sub(failedAt) < time.Second
		if !isPaused {
			err = f.askAbout(sid, pidOf(c))
		}
		f.mutex.Lock()
		if err != nil && !isPaused {
			f.failedAt = now
		}
		if err == nil || isKnown { // otherwise the last answer counts
			for name := range f.asked {
				if len(f.asked) < maxInUse {
					break
				}
				delete(f.asked, name)
			}
			f.asked[sid] = now
		}
		f.mutex.Unlock()
		if err != nil && !isKnown {
			return err
		}
	}
	return nil
}

func (f *feedReader) askAbout(sid, pid string) error {
	// Not that of a request: who disconnects must not make others wait.
	ctx, cancel := context.WithTimeout(context.Background(), maxWait)
	defer cancel()
	select {
	case f.asking <- struct{}{}:
		defer func() { <-f.asking }()
	case <-ctx.Done():
		return unavailable("too many sessions are asked about at once")
	}
	// A random name, so that no earlier answer fits the question.
	once := make([]byte, 6)
	if _, err := rand.Read(once); err != nil {
		return unavailable("there is no randomness")
	}
	of := base64Digits.EncodeToString(once)
	for _, name := range []string{sid, pid} {
		if len(name) >= nameLength {
			of += name[:nameLength]
		}
	}
	text, err := f.ask(ctx, "/revocations?of="+of+"&pages=1", maxFeed)
	if err != nil {
		return err
	}
	feed, err := f.hear(text, of)
	if err != nil {
		return err
	}
	f.mutex.Lock()
	f.life = min(f.life, feed.time("window"))
	f.mutex.Unlock()
	return nil
}

func min(one, other int64) int64 {
	if other < one {
		return other
	}
	return one
}
