package latchkey

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// AccessToken is an access token that counts; of an API key the one that it was exchanged for.
type AccessToken struct {
	Sub, ClientID string
	Scopes        []string
	Expires       time.Time
	// Machine: no person's.
	Machine bool
	Token   string
	Claims  Claims
}

// Refusal says why a request is refused, and how to answer it.
type Refusal struct {
	// Status and Error are those of the answer.
	Status int
	Error  string
	// Reason is for the log.
	Reason string
	// Challenge is the value of WWW-Authenticate.
	Challenge string
}

// Needs are what a route demands of a token.
type Needs struct {
	// Scope has scopes with spaces between. It is needed if it is not nil.
	Scope *string
	// MaxAge is how long ago the user may have proved their identity. It is needed if it is not nil.
	MaxAge *time.Duration
	// ACR is "1" or "2", or nothing.
	ACR string
}

// Scope makes the needs of a route that demands scopes.
func Scope(scopes string) Needs { return Needs{Scope: &scopes} }

// ReadToken answers the access token, or the API key, of a request's Authorization header, or a refusal. The error is ErrUnavailable
// if it is unknown whether it counts.
func (v *Verifier) ReadToken(r *http.Request, needs Needs) (*AccessToken, *Refusal, error) {
	if v.audience == "" {
		return nil, nil, errors.New("latchkey: a verifier of access tokens needs an Audience")
	}
	claims, token, err := v.access(r.Context(), r.Header.Get("Authorization"))
	if err == nil {
		err = v.lackOf(claims, needs)
	}
	if reason := reasonOf(err); reason != "" {
		return nil, refusalOf(reason, needs), nil
	}
	if err != nil {
		return nil, nil, err
	}
	return &AccessToken{
		Sub: claims.text("sub"), ClientID: claims.text("client_id"), Scopes: strings.Fields(claims.text("scope")),
		Expires: time.Unix(claims.time("exp"), 0).UTC(), Machine: claims.has("machine"), Token: token, Claims: claims,
	}, nil, nil
}

// lackOf: needs that name nothing, or that are malformed, are never met.
func (v *Verifier) lackOf(claims Claims, needs Needs) error {
	if needs.Scope != nil {
		asked, held := scopesOf(needs), strings.Split(claims.text("scope"), " ")
		isMet := len(asked) > 0
		for _, scope := range asked {
			isMet = isMet && contains(held, scope)
		}
		if !isMet {
			return refused("scope")
		}
	}
	age := v.now().Unix() - claims.time("auth_time")
	if needs.MaxAge != nil && (!claims.has("auth_time") || age > int64(*needs.MaxAge/time.Second)) {
		return refused("max-age")
	}
	if needs.ACR != "" && !(claims.has("acr") && (needs.ACR == "1" || (needs.ACR == "2" && claims["acr"] == "2"))) {
		return refused("acr")
	}
	return nil
}

func (v *Verifier) access(ctx context.Context, authorization string) (Claims, string, error) {
	if len(authorization) < 7 || !strings.EqualFold(authorization[:7], "bearer ") {
		return nil, "", refused("no-token")
	}
	if len(authorization) > maxAccessLength+64 {
		return nil, "", refused("not-a-jws")
	}
	credential := strings.TrimLeft(authorization[7:], " ")
	if credential == "" {
		return nil, "", refused("no-token")
	}
	if v.exchange == nil || !isAPIKey(credential) {
		claims, err := v.accessOf(ctx, credential, nil)
		return claims, credential, err
	}
	held, err := v.exchange.of(credential, nil)
	if err != nil {
		return nil, "", err
	}
	claims, err := v.accessOf(ctx, held.token, &held)
	if err == nil && v.isStale(claims) && !v.now().Before(held.againAt) {
		if held, err = v.exchange.of(credential, &held); err != nil {
			return nil, "", err
		}
		claims, err = v.accessOf(ctx, held.token, &held)
	}
	return claims, held.token, err
}

func (v *Verifier) accessOf(ctx context.Context, token string, held *heldKey) (Claims, error) {
	if held != nil && token == "" {
		return nil, refused("api-key")
	}
	claims, err := genuine(token, v.accessKeys, readAccessToken)
	if err != nil {
		return nil, err
	}
	if claims.time("nbf") > v.now().Unix()+clockSkew {
		return nil, refused("not-yet-valid")
	}
	if v.machines != MachinesToo && (v.machines == MachinesAlone) != claims.has("machine") {
		return nil, refused("machine")
	}
	// A clock that differs from the service's must not make a key cost more calls.
	until := claims.time("exp")
	if held != nil {
		until = held.until.Unix()
	}
	if err := v.faultOf(claims, until); err != nil || v.feed == nil {
		return claims, err
	}
	v.feed.refresh(ctx)
	names := []string{claims.text("jti")}
	if claims.has("grant") {
		names[0] = claims.text("grant")
	}
	if claims.has("sid") {
		names = append(names, claims.text("sid"))
	}
	if !v.hasEnded(claims) {
		if err := v.feed.makeSure(claims, names...); err != nil {
			return nil, err
		}
	}
	if err := v.faultOf(claims, until); err != nil {
		return nil, err
	}
	if held == nil && v.isStale(claims) {
		return nil, refused("stale")
	}
	return claims, nil
}

func (v *Verifier) faultOf(claims Claims, until int64) error {
	now := v.now().Unix()
	begin := until - (claims.time("exp") - claims.time("iat"))
	isTooOld := v.feed != nil && v.feed.read(func(_ *revocations, life int64) bool { return begin+life <= now })
	switch {
	case claims.text("iss") != v.issuer:
		return refused("issuer")
	case claims.text("aud") != v.audience:
		return refused("audience")
	case claims.time("iat") > now+clockSkew:
		return refused("issued-in-the-future")
	case until <= now || isTooOld:
		return refused("expired")
	case v.hasEnded(claims):
		return refused("grant-ended")
	}
	return nil
}

func (v *Verifier) hasEnded(claims Claims) bool {
	isPersonal := claims.has("pid") || claims.has("sid")
	return v.feed != nil && v.feed.read(func(list *revocations, _ int64) bool {
		return list.hasSid(claims.text("grant")) || (isPersonal && list.hasEnded(claims))
	})
}

func scopesOf(needs Needs) []string {
	var scopes []string
	if needs.Scope != nil {
		for _, scope := range strings.Split(*needs.Scope, " ") {
			if scope != "" {
				scopes = withOnce(scopes, scope)
			}
		}
	}
	return scopes
}

func contains(list []string, text string) bool { return len(withOnce(list, text)) == len(list) }

// refusalOf: RFC 6750, section 3, and RFC 9470, section 3.
func refusalOf(reason string, needs Needs) *Refusal {
	status, kind, text := 401, "invalid_token", "The access token is not valid here"
	switch reason {
	case "no-token":
		kind = "token_required"
	case "scope":
		status, kind, text = 403, "insufficient_scope", "The access token has not all of the scopes"
	case "max-age":
		kind, text = "insufficient_user_authentication", "More recent authentication is required"
	case "acr":
		kind, text = "insufficient_user_authentication", "A different authentication level is required"
	}
	var parameters, scopes []string
	if kind != "token_required" {
		parameters = append(parameters, `error="`+kind+`"`, `error_description="`+text+`"`)
	}
	for _, scope := range scopesOf(needs) {
		if scopeForm.MatchString(scope) {
			scopes = append(scopes, scope)
		}
	}
	switch {
	case kind != "insufficient_user_authentication":
		if len(scopes) > 0 {
			parameters = append(parameters, `scope="`+strings.Join(scopes, " ")+`"`)
		}
	default:
		if needs.MaxAge != nil {
			parameters = append(parameters, `max_age="`+strconv.FormatInt(int64(*needs.MaxAge/time.Second), 10)+`"`)
		}
		if needs.ACR == "1" || needs.ACR == "2" {
			parameters = append(parameters, `acr_values="`+needs.ACR+`"`)
		}
	}
	challenge := strings.TrimSpace("Bearer " + strings.Join(parameters, ", "))
	return &Refusal{Status: status, Error: kind, Reason: reason, Challenge: challenge}
}
