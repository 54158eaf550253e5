package latchkey

import (
	"strconv"
	"strings"
)

// sessionTokens answers the texts of a Cookie header that may be session tokens, eight at most: each may cost a signature check.
func sessionTokens(header, name string) []string {
	var whole []string
	first, last := map[string]string{}, map[string]string{}
	for _, pair := range strings.Split(header, ";") {
		before, value, hasValue := strings.Cut(pair, "=")
		// Other spaces are part of a name: no browser protects "\u2000__Host-…" as it protects the name without it.
		other, value := strings.Trim(before, " \t"), strings.Trim(value, " \t")
		if !hasValue || other == "" {
			continue
		}
		if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
		}
		if other == name && value != "" {
			whole = withOnce(whole, value)
		}
		if strings.HasPrefix(other, name+".") && chunkIndex.MatchString(other[len(name)+1:]) {
			if _, isKnown := first[other]; !isKnown {
				first[other] = value
			}
			last[other] = value
		}
	}
	var chunked []string
	if all := joined(first, name, false); all != "" {
		chunked = append(chunked, all)
	}
	for _, text := range []string{joined(first, name, true), joined(last, name, true)} {
		if tokenForm.MatchString(text) {
			chunked = withOnce(chunked, text)
		}
	}
	most := maxCandidates - 1
	if len(chunked) > 1 {
		most = maxCandidates - len(chunked)
	}
	if len(whole) > most {
		whole = whole[len(whole)-most:]
	}
	return append(whole, chunked...)
}

func withOnce(list []string, text string) []string {
	for _, one := range list {
		if one == text {
			return list
		}
	}
	return append(list, text)
}

// joined ends, if toShort, with the first chunk that is not full: those behind it are left from another token.
func joined(chunks map[string]string, name string, toShort bool) string {
	text := ""
	for index := 0; ; index++ {
		chunk, isThere := chunks[name+"."+strconv.Itoa(index)]
		if text += chunk; !isThere || (toShort && len(chunk) < chunkLength) {
			return text
		}
	}
}
