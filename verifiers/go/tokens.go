package latchkey

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"math"
	"math/big"
	"regexp"
	"strings"
	"unicode/utf8"
)

const (
	clockSkew        = 60 // seconds
	maxTokenLife     = 86_400
	accessTokenLife  = 300
	maxSessionLength = 65_536 // bytes
	maxAccessLength  = 8_192
	maxKeys          = 64
	machinePrefix    = "machine:"
	chunkLength      = 3_800
	maxCandidates    = 8
)

var (
	sessionForm = regexp.MustCompile(`\A[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{85}[AQgw]\z`)
	accessForm  = regexp.MustCompile(`\A[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.(?:[A-Za-z0-9_-]{85}|[A-Za-z0-9_-]{341})[AQgw]\z`)
	handleForm  = regexp.MustCompile(`\A[A-Za-z0-9_-]{22,64}\z`)
	pidForm     = regexp.MustCompile(`\A[A-Za-z0-9_-]{12,64}\z`)
	bytes32     = regexp.MustCompile(`\A[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]\z`)
	bytes256    = regexp.MustCompile(`\A[A-Za-z0-9_-]{341}[AQgw]\z`)
	companyForm = regexp.MustCompile(`\A[a-z][a-z0-9-]{0,31}\z`)
	scopeForm   = regexp.MustCompile(`\A[\x21\x23-\x5B\x5D-\x7E]+(?: [\x21\x23-\x5B\x5D-\x7E]+)*\z`)
	chunkIndex  = regexp.MustCompile(`\A(?:0|[1-9][0-9]?)\z`)
	tokenForm   = regexp.MustCompile(`\A[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]{86}\z`)
	skippedForm = regexp.MustCompile(`;[ \t]*session_identifier="?lk\.`)
	keyForm     = regexp.MustCompile(`\A[a-z][a-z0-9]{1,11}_[0-9A-Za-z]{44}\z`)

	ofUsers      = []string{"auth_time", "acr", "amr", "grant", "sid", "key_pid", "company"}
	halfP256     = new(big.Int).Rsh(elliptic.P256().Params().N, 1)
	errJSON      = errors.New("latchkey: not JSON with each member once")
	errJWKS      = errors.New("latchkey: the JWKS is not an object with a list of keys")
	errPrivate   = errors.New("latchkey: the JWKS holds a private key; publish public keys only")
	errNoKey     = errors.New("latchkey: the JWKS holds no key to verify with")
	base64Digits = base64.RawURLEncoding
)

// RefusedError says why a text does not count. It is for logs, and never quotes the text.
type RefusedError struct{ Reason string }

func (e *RefusedError) Error() string { return "latchkey: refused: " + e.Reason }

func refused(reason string) error { return &RefusedError{reason} }

func reasonOf(err error) string {
	var refusal *RefusedError
	if errors.As(err, &refusal) {
		return refusal.Reason
	}
	return ""
}

// Claims are the content of a token, as JSON has it; numbers are float64.
type Claims map[string]any

func (c Claims) text(name string) string { text, _ := c[name].(string); return text }
func (c Claims) has(name string) bool    { _, found := c[name]; return found }
func (c Claims) time(name string) int64  { number, _ := c[name].(float64); return int64(number) }
func (c Claims) isTime(name string) bool { return isCount(c[name], 8_640_000_000_000) }
func (c Claims) is(name string, form *regexp.Regexp) bool {
	text, isText := c[name].(string)
	return isText && form.MatchString(text)
}
func (c Claims) may(name string, form *regexp.Regexp) bool { return !c.has(name) || c.is(name, form) }
func (c Claims) began() int64 {
	if c.has("began") {
		return c.time("began")
	}
	return c.time("auth_time")
}

// parseJSON reads JSON of which, if unique, no object has a member twice. Two names that differ in halves of characters alone
// count as one: Go cannot tell them apart.
func parseJSON(text []byte, unique bool) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if !utf8.Valid(text) || decoder.Decode(&value) != nil {
		return nil, errJSON
	}
	if _, err := decoder.Token(); err != io.EOF {
		return nil, errJSON
	}
	members := 0
	value = plain(value, &members)
	if unique && members != colons(text) {
		return nil, errJSON
	}
	return value, nil
}

// plain makes floats of numbers, whatever their length, and counts members.
func plain(value any, members *int) any {
	switch value := value.(type) {
	case json.Number:
		number, _ := value.Float64()
		return number
	case []any:
		for at := range value {
			value[at] = plain(value[at], members)
		}
	case map[string]any:
		*members += len(value)
		for name := range value {
			value[name] = plain(value[name], members)
		}
	}
	return value
}

// colons counts those outside texts, of which each member has one.
func colons(text []byte) int {
	count, isText := 0, false
	for at := 0; at < len(text); at++ {
		switch {
		case text[at] == '"':
			isText = !isText
		case text[at] == '\\':
			at++
		case text[at] == ':' && !isText:
			count++
		}
	}
	return count
}

// readSigned answers the JSON object or list that one of the keys has signed as this typ, in its one canonical encoding.
func readSigned(text, typ string, keys map[string]publicKey, most int, form *regexp.Regexp) (any, error) {
	if len(text) > most {
		return nil, refused("not-a-jws")
	}
	// Another encoding of the same signature verifies too, and would be another key in every deny-list.
	if !form.MatchString(text) {
		if strings.Count(text, ".") == 2 {
			return nil, refused("not-canonical")
		}
		return nil, refused("not-a-jws")
	}
	parts := strings.Split(text, ".")
	encoded, err := base64Digits.DecodeString(parts[0])
	if err != nil {
		return nil, refused("header")
	}
	// One character for each byte.
	characters := make([]rune, len(encoded))
	for at, one := range encoded {
		characters[at] = rune(one)
	}
	value, err := parseJSON([]byte(string(characters)), true)
	members, _ := value.(map[string]any)
	header := Claims(members)
	alg, isAlg := header["alg"].(string)
	kid, isKid := header["kid"].(string)
	if err != nil || len(header) != 3 || header["typ"] != typ || !isAlg || !isKid {
		return nil, refused("header")
	}
	if alg != "EdDSA" && (form == sessionForm || (alg != "ES256" && alg != "RS256")) {
		return nil, refused("header")
	}
	key, isKnown := keys[kid]
	if !isKnown {
		return nil, refused("unknown-key")
	}
	if key.alg != alg {
		return nil, refused("header")
	}
	signature, err := base64Digits.DecodeString(parts[2])
	if err != nil || !isSignedBy(key.key, text[:len(text)-len(parts[2])-1], signature) {
		return nil, refused("bad-signature")
	}
	payload, err := base64Digits.DecodeString(parts[1])
	if err != nil {
		return nil, refused("claims")
	}
	content, err := parseJSON(payload, true)
	switch content.(type) {
	case map[string]any, []any:
	default:
		return nil, refused("claims")
	}
	if err != nil {
		return nil, refused("claims")
	}
	// A holder of one of the two spellings of an ES256 signature can write the other.
	if alg == "ES256" && new(big.Int).SetBytes(signature[32:]).Cmp(halfP256) > 0 {
		return nil, refused("not-canonical")
	}
	return content, nil
}

func isSignedBy(key crypto.PublicKey, input string, signature []byte) bool {
	digest := sha256.Sum256([]byte(input))
	switch key := key.(type) {
	case ed25519.PublicKey:
		return ed25519.Verify(key, []byte(input), signature)
	case *ecdsa.PublicKey:
		if len(signature) != 64 {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		return ecdsa.Verify(key, digest[:], r, s)
	case *rsa.PublicKey:
		// Older versions of Go take a signature to which the modulus is added.
		isBelow := new(big.Int).SetBytes(signature).Cmp(key.N) < 0
		return isBelow && rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil
	}
	return false
}

// isCount: a whole number that is not negative, in any spelling that JSON has for it.
func isCount(value any, most float64) bool {
	number, isNumber := value.(float64)
	return isNumber && number >= 0 && number <= most && number == math.Trunc(number)
}

// isText: 1 to 2,048 units of UTF-16, which the service counts.
func isText(value any) bool {
	text, isText := value.(string)
	units := 0
	for _, one := range text {
		if units++; one > 0xffff {
			units++
		}
	}
	return isText && units > 0 && units <= 2048
}

// readSessionToken answers the claims of a genuine session token, of any issuer and time.
func readSessionToken(token string, keys map[string]publicKey) (Claims, error) {
	content, err := readSigned(token, "session+jwt", keys, maxSessionLength, sessionForm)
	if err != nil {
		return nil, err
	}
	members, isObject := content.(map[string]any)
	c := Claims(members)
	_, hasSession := c["session"].(map[string]any)
	isGood := isObject && hasSession && isText(c["iss"]) && isText(c["sub"]) && c.is("sid", handleForm) &&
		!strings.HasPrefix(c.text("sub"), machinePrefix) && !c.has("aud") && isGoodAmr(c["amr"]) &&
		c.isTime("iat") && c.isTime("exp") && c.isTime("auth_time") && c.isTime("sexp")
	if !isGood {
		return nil, refused("claims")
	}
	iat, exp, authTime := c.time("iat"), c.time("exp"), c.time("auth_time")
	// auth_time may come from another machine's clock than iat.
	isGood = iat < exp && exp <= c.time("sexp") && authTime <= iat+clockSkew && exp-iat <= maxTokenLife &&
		(!c.has("began") || (c.isTime("began") && c.time("began") <= authTime)) && c.may("pid", pidForm) &&
		c.may("company", companyForm) && isGoodConfirmation(c) && (!c.has("nbf") || c.isTime("nbf"))
	if !isGood {
		return nil, refused("claims")
	}
	return c, nil
}

func isGoodAmr(value any) bool {
	list, _ := value.([]any)
	for _, one := range list {
		if !isText(one) {
			return false
		}
	}
	return len(list) > 0
}

// isGoodConfirmation: a token that says anything else of its key must not pass for one that is not bound.
func isGoodConfirmation(c Claims) bool {
	cnf, _ := c["cnf"].(map[string]any)
	return !c.has("cnf") || (len(cnf) == 1 && Claims(cnf).is("jkt", bytes32))
}

// readAccessToken answers the claims of a genuine access token, of any issuer, audience and time.
func readAccessToken(token string, keys map[string]publicKey) (Claims, error) {
	if !accessForm.MatchString(token) {
		return nil, refused("not-a-jws")
	}
	content, err := readSigned(token, "at+jwt", keys, maxAccessLength, accessForm)
	if err != nil {
		return nil, err
	}
	members, _ := content.(map[string]any)
	c := Claims(members)
	for _, name := range []string{"iss", "sub", "aud", "client_id", "jti"} {
		if !isText(c[name]) {
			return nil, refused("claims")
		}
	}
	iat, exp := c.time("iat"), c.time("exp")
	isGood := c.isTime("iat") && c.isTime("exp") && c.isTime("began") && iat < exp && exp <= iat+accessTokenLife &&
		c.time("began") <= iat+clockSkew && (!c.has("scope") || (isText(c["scope"]) && c.is("scope", scopeForm))) &&
		(!c.has("nbf") || c.isTime("nbf"))
	if c.has("machine") {
		isGood = isGood && c["machine"] == true && c.text("sub") == machinePrefix+c.text("client_id") &&
			c.is("pid", pidForm) && c.is("jti", handleForm)
		for _, name := range ofUsers {
			isGood = isGood && !c.has(name)
		}
	} else {
		isGood = isGood && !strings.HasPrefix(c.text("sub"), machinePrefix) && c.is("grant", handleForm) &&
			c.isTime("auth_time") && c.time("auth_time") <= iat+clockSkew && (c["acr"] == "1" || c["acr"] == "2") &&
			c.may("pid", pidForm) && c.may("key_pid", pidForm) && c.may("sid", handleForm) && c.may("company", companyForm)
	}
	if !isGood {
		return nil, refused("claims")
	}
	return c, nil
}
