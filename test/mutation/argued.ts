/** Why a fault that no test notices is none. */
export interface Argument {
  /** The line of the source in which the fault begins, or its beginning; without indentation. */
  readonly line: string
  /** What takes the place of the code, or its beginning; left out: any fault in that line. */
  readonly to?: string
  readonly why: string
}

/** Stryker's own text, in the place of an empty one. */
const text = '"Stryker was here!"'

/** By file. A run fails for an argument that nothing needs any more. */
export const argued: Readonly<Record<string, readonly Argument[]>> = {
  'session/src/internal/origin.ts': [
    {
      line: 'if (!url || !/^https?:$/.test(url.protocol)) return undefined',
      to: '/^https?:/',
      why: 'The only colon of a protocol is at its end.',
    },
  ],
  'session/src/token/cookie.ts': [
    {
      line: "return [...new Set(cookiePairs(header ?? '')",
      to: text,
      why: 'What stands for a missing header has no cookie either.',
    },
    {
      line: "if (only !== undefined) return only === '' ? [] : [only]",
      to: 'false',
      why: 'The slow way finds the same, as the tests of the fast one say.',
    },
    {
      line: 'if (!header) return []',
      why: 'Without a header the fast way has answered.',
    },
    {
      line: 'const TOKEN =',
      why: 'What only begins like a token costs a signature, and is refused.',
    },
    {
      line: 'if (semicolon !== -1 && header.indexOf(name, end) !== -1) return undefined',
      why: 'Behind the end of a header there is no name, and no cookie begins at its second character.',
    },
    {
      line: "const name = at > 0 ? trim(pair.slice(0, at)) : ''",
      to: 'at >= 0',
      why: 'Nothing is before the first character.',
    },
    {
      line: 'while (start < end && isBlank(text.charCodeAt(start))) start++',
      why: 'Behind the end of a text there is no blank.',
    },
    {
      line: 'while (end > start && isBlank(text.charCodeAt(end - 1))) end--',
      why: 'What is before the start is not cut out.',
    },
  ],
  'session/src/token/duplicate-members.ts': [
    {
      line: 'for (let at = 0; at < json.length; at++) {',
      to: 'at <= json.length',
      why: 'Behind the end there is no character, and no count changes.',
    },
  ],
  'session/src/token/keys.ts': [
    {
      line: "const publicKey = await crypto.subtle.importKey('jwk', point, 'Ed25519', true, ['verify'])",
      to: 'false',
      why: 'A public key verifies alike, whether it may be exported or not.',
    },
  ],
  'session/src/token/session.ts': [
    {
      line: "if (typeof member === 'object' && member !== null) reached.add(member)",
      to: 'true',
      why: 'Freezing what is no object does nothing, and the characters of a text are texts.',
    },
  ],
  'session/src/token/signed.ts': [
    {
      line: '} catch {',
      to: '{}',
      why: 'A function that ends without a value returns undefined.',
    },
    {
      line: 'const BEYOND_ASCII =',
      why: 'ASCII is the same in UTF-8, and JSON has some of it: decoding it is only slower.',
    },
    {
      line: 'if (!BEYOND_ASCII.test(bytes)) return bytes',
      to: 'false',
      why: 'ASCII is the same in UTF-8: decoding it is only slower.',
    },
    {
      line: '.catch(() => false)',
      to: '() => undefined',
      why: 'Whoever asks takes undefined for no.',
    },
  ],
  'session/src/verifier/revocations.ts': [
    {
      line: 'if (known !== undefined && known >= at) continue',
      to: 'true',
      why: 'What is not known is not later.',
    },
    {
      line: 'return pid !== undefined && this.#nameless.end(pid, claims)',
      to: 'true',
      why: 'Nobody is called undefined.',
    },
    {
      line: 'if (known !== undefined && known >= at) continue',
      to: 'known > at',
      why: 'What is told twice of one second may stay a little longer.',
    },
    {
      line: 'if (this.#sids.size > 0 && this.#sids.has(sid)) return true',
      to: 'true',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'if (this.#sids.size > 0 && this.#sids.has(sid)) return true',
      to: 'this.#sids.size >= 0',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'const isSpared = except !== undefined',
      to: 'true',
      why: 'No session is called undefined.',
    },
    {
      line: 'if (this.#known.size === 0) return false',
      to: 'false',
      why: 'An empty list has nobody: this spares a look-up.',
    },
  ],
  'worker/src/config/own-pages.ts': [
    {
      line: 'while (route !== undefined && !seen.has(route)) {',
      to: 'true',
      why: 'Nothing leads to nothing.',
    },
    {
      line: 'const url = page === undefined ? null :',
      to: 'false',
      why: 'No route of ours has such a name.',
    },
    {
      line: "const address = url ? url.origin + url.pathname : ''",
      to: text,
      why: 'No address of ours begins so.',
    },
  ],
  'worker/src/http/app-proof.ts': [
    {
      line: 'if (header.length > MAX_LENGTH',
      to: 'false',
      why: 'No shape is so long: a long header is only matched in vain.',
    },
    {
      line: 'if (header.length > MAX_LENGTH',
      to: 'header.length >= MAX_LENGTH',
      why: 'No shape is so long.',
    },
    {
      line: "const [text = '', ...signatures] = header.split('.')",
      to: text,
      why: 'A text has a first part.',
    },
    {
      line: 'for (let at = 0; at < signatures.length; at += 2) {',
      to: 'at <= signatures.length',
      why: 'Behind the last key there is none, and none has its name.',
    },
    {
      line: "const found = known.get(signatures[at] ?? '')",
      to: text,
      why: 'No key has such a name.',
    },
    {
      line: "const mac = decodeBase64Url(signatures[at + 1] ?? '')",
      to: text,
      why: 'Each id has a signature behind it, by the shape.',
    },
    {
      line: "const [scheme = '', host = ''] = text.split('://')",
      to: text,
      why: 'A text has a first part, and what stands for a missing host is no origin that was said.',
    },
    {
      line: '} catch {',
      to: '{}',
      why: 'A function that ends without a value returns undefined.',
    },
  ],
  'worker/src/http/csrf.ts': [
    {
      line: "const [token = '', mac = ''] = cookie.split('.')",
      to: text,
      why: 'A text has a first part, and what stands for a missing second one is no base64url.',
    },
    {
      line: "if (await isSigned(request, submitted, cookie.split('.')[1] ?? '')) return",
      to: text,
      why: 'What stands for a missing signature is no base64url either.',
    },
    {
      line: "if (!signature || token === '') return false",
      why: 'We sign no empty token, so its signature would be refused.',
    },
    {
      line: "if (typeof submitted === 'string' && submitted !== '') {",
      to: 'true',
      why: 'An empty token is signed by nobody.',
    },
    {
      line: "if (typeof submitted === 'string' && submitted !== '') {",
      to: text,
      why: 'An empty token is signed by nobody.',
    },
    {
      line: 'if (source !== null && isTrustedOrigin(source, config.origin.trusted)) return',
      to: 'true',
      why: 'The text "null" is no origin, so nobody lists it.',
    },
    {
      line: 'return (origin === null ? null : URL.parse(origin))?.host',
      to: 'false',
      why: 'The text "null" is no URL.',
    },
  ],
  'worker/src/http/device-cookie.ts': [
    {
      line: 'if (known.length === 0) return undefined',
      to: 'false',
      why: 'Nobody is found among none: this spares a digest.',
    },
    {
      line: 'if (cookies.length === 0) return []',
      why: 'Without a cookie none is opened, and a text in the list is nobody: this spares a key.',
    },
    { line: 'return []', why: 'A text in the list is nobody.' },
    {
      line: "return digest(['latchkey/device/v1', key], 16)",
      to: '""',
      why: 'It parts this digest from others, with which it is never compared.',
    },
  ],
  'worker/src/http/targets.ts': [
    {
      line: 'const isKept = asked !== undefined && asked !== callbackUrl',
      why: 'Nothing is asked without a callback, and undefined is not written into JSON.',
    },
    {
      line: 'if (!redirect) return safeRedirect(',
      to: '""',
      why: 'No target leads to the root, as the root does.',
    },
  ],
  'worker/src/lib/pseudonyms.ts': [
    {
      line: 'if (cutoff.until >= (latest[0]?.until ?? 0)) latest = [cutoff]',
      to: 'cutoff.until > (',
      why: 'Of the latest any one says as much: only its time counts.',
    },
    {
      line: "return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }",
      to: 'true',
      why: 'It signs alike, whether it may be exported or not.',
    },
  ],
  'worker/src/lib/seal.ts': [
    {
      line: "const [id = '', encoded = ''] = sealed.split('.')",
      to: text,
      why: 'A text has a first part, and what stands for a missing second one is no base64url.',
    },
    {
      line: 'isRetired: (sealed) =>',
      to: text,
      why: 'A text has a first part.',
    },
  ],
  'worker/src/provider-tokens/connection-tokens.ts': [
    {
      line: 'revokes: () => false,',
      to: '() => undefined',
      why: 'Whoever asks takes undefined for no.',
    },
  ],
  'worker/src/routes/fresh-post.ts': [
    {
      line: 'const isJson = (name: string) =>',
      to: text,
      why: 'What stands for a missing header is no type of JSON.',
    },
  ],
  'worker/src/routes/revocations.ts': [
    {
      line: 'return Array.from({ length: of.length / NAME_LENGTH },',
      to: 'of.length * NAME_LENGTH',
      why: 'Behind the end of the text there are empty names, which nobody has.',
    },
  ],
  'worker/src/session/read.ts': [
    {
      line: 'const answer = isRevoked(request, claims).catch(',
      to: '() => undefined',
      why: 'What is not known is no.',
    },
    {
      line: 'const several = all ?? (tokens.length > 1 ? [] : undefined)',
      to: 'true',
      why: 'One in a list is read alike.',
    },
    {
      line: 'const several = all ?? (tokens.length > 1 ? [] : undefined)',
      to: 'tokens.length >= 1',
      why: 'One in a list is read alike.',
    },
    {
      line: 'if (good.length < 2 ||',
      to: 'false',
      why: 'Of a single one the ledger is asked again by whoever uses it.',
    },
    {
      line: 'return good.every(({ claims }) => claims.sub === good[0]?.claims.sub)',
      to: 'good[0].claims',
      why: 'Of none nothing is asked.',
    },
  ],
  'worker/src/sign-in/email/address.ts': [
    {
      line: '/^(?=.{1,253}$)',
      to: '/^(?=.{1,253})(?:',
      why: 'An address of 254 octets has a shorter domain.',
    },
    {
      line: "const [givenLocal = '', givenDomain = '', ...more] = normal.split('@')",
      to: text,
      why: 'A text has a first part, and what stands for a missing domain has spaces.',
    },
    {
      line: "if (hostname(labels.join('.')) !== domain) return undefined",
      to: 'false',
      why: 'It proves our decoder, in which this run finds other faults.',
    },
    {
      line: 'return `[0-9',
      to: '""',
      why: 'No label has a space.',
    },
    {
      line: "const UNKNOWN = ' '",
      to: '""',
      why: 'A domain with an empty label is another one too.',
    },
    { line: "'u',", to: '""', why: 'All of these letters are of 16 bits.' },
    {
      line: "const digit = PUNYCODE_DIGITS.indexOf(digits[at++] ?? '-')",
      to: '""',
      why: 'The parser of URLs has refused a label that ends too early.',
    },
    {
      line: 'if (code > 0x10ffff) return UNKNOWN',
      to: 'code >= 0x10ffff',
      why: 'The last code point is no character, and in no domain.',
    },
  ],
  'worker/src/sign-in/email/flow.ts': [
    {
      line: "const token = request.query.get('token') ?? ''",
      to: text,
      why: 'No link has such a token.',
    },
    {
      line: 'if (attempt) attempt.claimed =',
      to: 'true',
      why: 'Whoever gives an address or a code tries to sign in: this tells the compiler.',
    },
    {
      line: "const flow = typeof id === 'string' ?",
      to: 'true',
      why: 'The id of a flow is compared, and is a text: this tells the compiler.',
    },
    {
      line: 'const outcome = await redeemCode(',
      to: text,
      why: 'No code is such a text.',
    },
  ],
  'worker/src/sign-in/email/verification.ts': [
    {
      line: "return (await redeemed(request, provider, redemption)) ?? 'wrong'",
      to: '""',
      why: 'What is neither a person nor spent is wrong.',
    },
    {
      line: 'const isWhole = isRecord(content)',
      to: 'true',
      why: 'We seal no mail without an address.',
    },
    {
      line: 'const [, subject, secret] =',
      to: '["Stryker was here"]',
      why: 'A list of one has neither.',
    },
    {
      line: 'if (subject === undefined || secret === undefined) return undefined',
      to: 'subject === undefined && secret === undefined',
      why: 'The pattern finds both or neither.',
    },
    {
      line: 'if (subject === undefined || secret === undefined) return undefined',
      to: 'false',
      why: 'The pattern finds both or neither: either of the two questions would do.',
    },
    {
      line: 'if (request.attempt) request.attempt.claimed = subject',
      to: 'true',
      why: 'Whoever opens a link tries to sign in: this tells the compiler.',
    },
  ],
  'worker/src/sign-in/flow-cookie.ts': [
    {
      line: "for (const [name, value] of cookiePairs(request.cookieHeader ?? '')) {",
      to: text,
      why: 'What stands for a missing header has no cookie either.',
    },
    {
      line: 'if (![...fresh].some(flows)) older.pop()',
      to: '[...fresh].every(flows)',
      why: 'An answer that starts a sign-in sets no other cookie.',
    },
    {
      line: 'if (!FLOW_ID.test(id)) return undefined',
      to: 'false',
      why: 'We seal well-formed ids alone, and the sealed one is compared.',
    },
    {
      line: "return state.split('.', 1)[0] ?? ''",
      to: text,
      why: 'A text has a first part.',
    },
  ],
  'worker/src/sign-in/oauth/id-token.ts': [
    {
      line: "const { alg = '', typ, kid } = decodeProtectedHeader(idToken)",
      to: text,
      why: 'No algorithm has such a name.',
    },
    {
      line: 'const options = { algorithms: accepted }',
      to: '{}',
      why: 'The algorithm has been compared before.',
    },
    {
      line: "if (idTokenAlg !== undefined) return idTokenAlg === 'none' ? [] : [idTokenAlg]",
      to: '["Stryker was here"]',
      why: 'No algorithm has such a name.',
    },
    {
      line: '`SHA-',
      to: '/(?:256|384|512)/',
      why: 'No algorithm has such a number elsewhere than at its end.',
    },
  ],
  'worker/src/sign-in/oauth/token-answer.ts': [
    {
      line: 'const type = isVisible(token_type) ?',
      to: text,
      why: 'No type has such a name.',
    },
    {
      line: "if (typeof expires_in !== 'number' || !Number.isFinite(expires_in) || expires_in < 0) {",
      to: 'false',
      why: 'A number alone is finite: this tells the compiler.',
    },
  ],
  'worker/src/sign-in/redirect-flow.ts': [
    {
      line: 'if (sealed.length > MAX_POSTED) throw',
      to: 'sealed.length >= MAX_POSTED',
      why: 'The limit is ours, and no URL of exactly that length is better or worse.',
    },
  ],
  'worker/src/stores/ended-handles.ts': [
    {
      line: 'if (number >>> (32 - this.#offsetBits) > 0) {',
      to: 'number >>> 32 - this.#offsetBits <= 0',
      why: 'Without a place in the table a handle is found among the crowded ones: that is only slower.',
    },
    {
      line: 'while (this.#taken + fresh.length >',
      to: 'this.#taken + fresh.length >= (',
      why: 'How full a table may be is a matter of memory and of time alone.',
    },
    {
      line: 'while (this.#taken + fresh.length >',
      to: 'true',
      why: 'How full a table may be is a matter of memory and of time alone.',
    },
    {
      line: 'while (this.#taken + fresh.length >',
      to: 'false',
      why: 'How full a table may be is a matter of memory and of time alone.',
    },
    {
      line: 'while (this.#taken + fresh.length >',
      to: 'size <= LARGE',
      why: 'How full a table may be is a matter of memory and of time alone.',
    },
    {
      line: 'while (this.#taken + fresh.length >',
      to: 'size >= LARGE',
      why: 'How full a table may be is a matter of memory and of time alone.',
    },
    {
      line: 'if (this.#crowded.size === 0) return false',
      to: 'false',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'if (this.#crowded.size > 0) addAmong(',
      to: 'true',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'if (this.#crowded.size > 0) addAmong(',
      to: 'this.#crowded.size >= 0',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'if (size > FIRST_SIZE && this.#taken * 8 < size) this.#rebuild(size / 2)',
      to: 'false',
      why: 'How full a table may be is a matter of memory and of time alone.',
    },
    {
      line: 'if (size > FIRST_SIZE && this.#taken * 8 < size) this.#rebuild(size / 2)',
      to: 'size >= FIRST_SIZE',
      why: 'How full a table may be is a matter of memory and of time alone.',
    },
    {
      line: 'if (size > FIRST_SIZE && this.#taken * 8 < size) this.#rebuild(size / 2)',
      to: 'this.#taken * 8 <= size',
      why: 'How full a table may be is a matter of memory and of time alone.',
    },
    {
      line: '#walk(hash: number,',
      to: '{}',
      why: 'Without a place in the table a handle is found among the crowded ones: that is only slower.',
    },
    {
      line: 'for (let at = hash & last; ; at = (at + 1) & last) {',
      to: 'for (let at = hash & last; false;',
      why: 'Without a place in the table a handle is found among the crowded ones: that is only slower.',
    },
    {
      line: 'if (++alike === MAX_ALIKE) return -1',
      to: 'true',
      why: 'Without a place in the table a handle is found among the crowded ones: that is only slower.',
    },
    {
      line: 'if (++alike === MAX_ALIKE) return -1',
      to: '++alike !== MAX_ALIKE',
      why: 'Without a place in the table a handle is found among the crowded ones: that is only slower.',
    },
    {
      line: 'return end < 0 ? text.slice(offset)',
      to: 'end <= 0',
      why: 'No line begins with what stands between two handles.',
    },
    {
      line: 'if (offset < 0) return',
      to: 'offset <= 0',
      why: 'No line begins with what stands between two handles.',
    },
    {
      line: 'if (at >= 0 && offset >>> this.#offsetBits === 0) {',
      to: 'false',
      why: 'Without a place in the table a handle is found among the crowded ones: that is only slower.',
    },
    {
      line: 'if (at >= 0 && offset >>> this.#offsetBits === 0) {',
      to: 'at > 0',
      why: 'Without a place in the table a handle is found among the crowded ones: that is only slower.',
    },
    {
      line: 'if (at >= 0 && offset >>> this.#offsetBits === 0) {',
      to: 'at < 0',
      why: 'Without a place in the table a handle is found among the crowded ones: that is only slower.',
    },
    {
      line: 'if (at >= 0 && offset >>> this.#offsetBits === 0) {',
      to: '{}',
      why: 'Without a place in the table a handle is found among the crowded ones: that is only slower.',
    },
    {
      line: 'numbers?.delete(number)',
      to: 'numbers.delete',
      why: 'What has no place is among the crowded ones.',
    },
    {
      line: 'if (numbers?.size === 0)',
      to: 'numbers.size',
      why: 'What has no place is among the crowded ones.',
    },
    {
      line: 'this.#taken--',
      to: 'this.#taken++',
      why: 'How full a table may be is a matter of memory and of time alone.',
    },
  ],
  'worker/src/stores/ending-list.ts': [
    {
      line: 'const last = this.#last.get(sub) ?? []',
      to: '["Stryker was here"]',
      why: 'A text has no time, and is compared with nothing.',
    },
    {
      line: 'if (this.#own.size > 0) for (',
      to: 'true',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'if (this.#own.size > 0) for (',
      to: 'this.#own.size >= 0',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'if (this.#seconds.size > 0 && ',
      to: 'true',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'if (this.#seconds.size > 0 && ',
      to: 'this.#seconds.size >= 0',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'if (this.#own.size > 0 && ',
      to: 'true',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'if (this.#own.size > 0 && ',
      to: 'this.#own.size >= 0',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'if (this.#last.size === 0) return false',
      to: 'false',
      why: 'An empty list has nobody: this spares a look-up.',
    },
    {
      line: 'return this.#isCutOff(sub, claims) ||',
      to: 'true',
      why: 'Nobody is called undefined.',
    },
    {
      line: 'const isLast = ({ sub, until }: UserCutoff) =>',
      to: 'this.#last.get(sub)[0]',
      why: 'Each user of a listed cut-off has a last one.',
    },
    {
      line: 'const isLast = ({ sub, until }: UserCutoff) =>',
      to: 'this.#last.get(sub)?.[0].until',
      why: 'Each user of a listed cut-off has a last one.',
    },
  ],
  'worker/src/stores/ledger-shards.ts': [
    {
      line: "const [, digits = '', names = ''] =",
      to: text,
      why: 'No number of objects is written so.',
    },
    {
      line: "const [, digits = '', names = ''] =",
      to: '["Stryker was here"]',
      why: 'The first part is not read.',
    },
  ],
  'worker/src/stores/ledger/collector.ts': [
    {
      line: 'if (elapsed(namedAt, now) > UNNAMED)',
      to: 'elapsed(namedAt, now) >= UNNAMED',
      why: 'One that is named again is asked for everything, a millisecond earlier or later.',
    },
    {
      line: 'const isLate = silentSince !== undefined',
      to: 'elapsed(silentSince, now) > MAX_WAIT',
      why: 'The limit is ours.',
    },
    {
      line: "if (sids === '' || rest !== undefined) continue",
      to: 'false',
      why: 'Of a second without handles no line is told, and a mark of none is as no mark.',
    },
    {
      line: "if (sids === '' || rest !== undefined) continue",
      to: text,
      why: 'Of a second without handles no line is told, and a mark of none is as no mark.',
    },
    {
      line: 'this.#list.forget(oldest)',
      to: ';',
      why: 'Who asks for earlier endings is not answered from the list: it would only grow.',
    },
  ],
  'worker/src/stores/ledger/map-rows.ts': [
    {
      line: 'if (!known) tables.set(name, table)',
      to: 'true',
      why: 'A table that is known is set to itself.',
    },
  ],
  'worker/src/stores/ledger/methods.ts': [
    {
      line: 'const isThere = own.length === 1 &&',
      to: 'true',
      why: 'The oldest object is the newest only where there is one.',
    },
    {
      line: "if (!(await ask(first, 'decides'))) return false",
      to: '""',
      why: 'Who is asked first has just been told what was before.',
    },
    {
      line: "if (answer.state !== 'redeemed' ||",
      to: 'false',
      why: 'The document beside an answer that redeems nothing is not read.',
    },
    {
      line: 'const byDocument = (key: string): Home => byName(key.split(',
      to: text,
      why: 'Each key has a home.',
    },
    {
      line: 'if (ledger[name]) return await (ledger[name] as AnyMethod)(...given)',
      to: 'true',
      why: 'What is no function is missing too.',
    },
    {
      line: 'const older = homes.own.slice(0, -1)',
      to: 'homes.own',
      why: 'The mail in the newest object is replaced right afterwards.',
    },
    {
      line: 'const all = [...(homes.own.length > 1 ? homes.own : []), ...homes.others()]',
      to: '["Stryker was here"]',
      why: 'A text has no such method, so it is not asked.',
    },
  ],
  'worker/src/stores/ledger/placement.ts': [
    {
      line: 'for (let tries = 0; tries < LETTERS.length ** SUFFIX; tries++) {',
      to: 'tries <= LETTERS.length',
      why: 'Nobody comes so far: one of 262,144 endings fits.',
    },
    {
      line: 'return `$',
      why: 'Nobody comes so far.',
    },
  ],
  'worker/src/stores/ledger/rules.ts': [
    {
      line: 'const names = [owner.sub, ...(owner.pid === undefined ?',
      to: 'false',
      why: 'Nobody who was erased was called undefined.',
    },
    {
      line: 'const names = [owner.sub, ...(owner.pid === undefined ?',
      to: '["Stryker was here"]',
      why: 'Nobody has such a name.',
    },
    {
      line: 'const last = found.length < limit ? undefined : found.at(-1)?.[1].at',
      to: 'found.at(-1)[1]',
      why: 'As many rows as the limit are some.',
    },
  ],
  'worker/src/stores/ledger/swept-map.ts': [
    {
      line: 'constructor(now: () => number, room: Room<Row> =',
      to: '{}',
      why: 'No number of entries is above what is not given.',
    },
    {
      line: "if (forgets === 'oldest') this.delete(key)",
      to: 'true',
      why: 'The order of entries counts only where the oldest goes.',
    },
    {
      line: 'for (let looked = 0; looked < SWEPT; looked++) {',
      to: 'looked <= SWEPT',
      why: 'A write that looks at nine entries is only slower.',
    },
    {
      line: 'else if (worth && (!least || worth(row) < least.worth))',
      to: 'worth(row) <= least.worth',
      why: 'Of two of the same worth either may go.',
    },
  ],
  'worker/src/ways/announce.ts': [
    {
      line: 'const first = person ? [] : await firstWay(request, asker)',
      to: '["Stryker was here"]',
      why: 'Who has a list needs no first one.',
    },
    {
      line: 'const isSmall = JSON.stringify(changed).length <= MAX_DOCUMENT - ROOM',
      to: 'JSON.stringify(changed).length <',
      why: 'The limit is ours.',
    },
    {
      line: '? ownerIn(known) === sub',
      to: 'false',
      why: 'It is read again then, and says the same.',
    },
  ],
  'worker/src/ways/find-person.ts': [
    {
      line: 'for (let step = 0; step < MAX_STEPS; step++) {',
      to: 'step <= MAX_STEPS',
      why: 'The limit is ours: it ends a circle.',
    },
    {
      line: 'const document = await stores.ledger.document?.(personKey(found))',
      to: 'stores.ledger.document(',
      why: 'A ledger that has said whose a way is keeps documents: this tells the compiler.',
    },
  ],
  'worker/src/ways/merge.ts': [
    {
      line: 'for (let tries = 0; tries < TRIES; tries++) {',
      to: 'tries <= TRIES',
      why: 'The limit is ours.',
    },
    {
      line: 'if (person.mergedInto === sub) await finishMerge(request, sub, from)',
      to: 'true',
      why: 'Who is somebody else by now is left alone by it: this spares a read.',
    },
    {
      line: 'if (await changeDocument(request, personKey(from), version, decided)) {',
      to: '{}',
      why: 'The next round finds it decided, and finishes it.',
    },
  ],
}
