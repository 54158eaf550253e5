package latchkey

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"hash/crc32"
	"math/big"
	"strings"
)

type publicKey struct {
	alg string
	key crypto.PublicKey
}

// importKeys reads the public keys of sessions, or of access tokens, of a JWKS. Entries of another kind or form are skipped
// (RFC 7517, section 5), and the kid is computed (RFC 7638).
func importKeys(text []byte, access bool) (map[string]publicKey, error) {
	value, err := parseJSON(text, false)
	document, _ := value.(map[string]any)
	entries, isList := document["keys"].([]any)
	if err != nil || !isList {
		return nil, errJWKS
	}
	keys, count, hasAny := map[string]publicKey{}, 0, false
	for _, entry := range entries {
		members, isObject := entry.(map[string]any)
		if !isObject {
			continue
		}
		if count++; access && count > maxKeys {
			break
		}
		jwk := Claims(members)
		if jwk.has("d") || jwk.has("k") {
			return nil, errPrivate
		}
		alg := jwk.text("alg")
		if !access && (!jwk.has("alg") || alg == "Ed25519") {
			alg = "EdDSA"
		}
		if (jwk.has("use") && jwk["use"] != "sig") || (!access && alg != "EdDSA") {
			continue
		}
		point, key := importKey(alg, jwk)
		hasAny = hasAny || point != ""
		if key != nil {
			digest := sha256.Sum256([]byte(point))
			keys[base64Digits.EncodeToString(digest[:])] = publicKey{alg, key}
		}
	}
	if !hasAny {
		return nil, errNoKey
	}
	return keys, nil
}

// importKey answers the members of a key in the order of its thumbprint, and the key, unless it is not on its curve.
func importKey(alg string, jwk Claims) (string, crypto.PublicKey) {
	number := func(name string) *big.Int {
		decoded, _ := base64Digits.DecodeString(jwk.text(name))
		return new(big.Int).SetBytes(decoded)
	}
	switch {
	case alg == "EdDSA" && jwk["kty"] == "OKP" && jwk["crv"] == "Ed25519" && jwk.is("x", bytes32):
		key, _ := base64Digits.DecodeString(jwk.text("x"))
		return `{"crv":"Ed25519","kty":"OKP","x":"` + jwk.text("x") + `"}`, ed25519.PublicKey(key)
	case alg == "ES256" && jwk["kty"] == "EC" && jwk["crv"] == "P-256" && jwk.is("x", bytes32) && jwk.is("y", bytes32):
		point := `{"crv":"P-256","kty":"EC","x":"` + jwk.text("x") + `","y":"` + jwk.text("y") + `"}`
		if !elliptic.P256().IsOnCurve(number("x"), number("y")) {
			return point, nil
		}
		return point, &ecdsa.PublicKey{Curve: elliptic.P256(), X: number("x"), Y: number("y")}
	case alg == "RS256" && jwk["kty"] == "RSA" && jwk["e"] == "AQAB" && jwk.is("n", bytes256):
		return `{"e":"AQAB","kty":"RSA","n":"` + jwk.text("n") + `"}`, &rsa.PublicKey{N: number("n"), E: 65_537}
	}
	return "", nil
}

const keyDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// isAPIKey: has an API key its form and its checksum? Only the service knows if it is genuine.
func isAPIKey(text string) bool {
	if !keyForm.MatchString(text) {
		return false
	}
	number := func(digits string) *big.Int {
		sum := new(big.Int)
		for _, digit := range digits {
			sum.Mul(sum, big.NewInt(62)).Add(sum, big.NewInt(int64(strings.IndexRune(keyDigits, digit))))
		}
		return sum
	}
	end := len(text) - 6
	checksum := big.NewInt(int64(crc32.ChecksumIEEE([]byte(text[:end]))))
	// 38 digits can be more than 28 bytes: another spelling of the same key.
	return number(text[end:]).Cmp(checksum) == 0 && number(text[end-38:end]).BitLen() <= 224
}
