/** A line of the source and what takes the place of code in it: the beginning of each, or of the line. */
export type Fault = readonly [line: string, to?: string]

/** Stryker's own text, in the place of an empty one, and its list. */
const text = '"Stryker was here!"'
const list = '["Stryker was here"]'

/**
 * Faults that no test notices and that change nothing: for each file, the reasons with their
 * faults. A run fails if a test notices such a fault after all, or if the fault no longer exists.
 */
export const argued: Readonly<Record<string, Readonly<Record<string, readonly Fault[]>>>> = {
  'host/src/shared/check-needs.ts': {
    'No option has such a name.': [['export function checkNeeds(', list]],
  },
  'host/src/shared/origin.ts': {
    'The only colon of a protocol is at its end.': [
      ['if (!url || !/^https?:$/.test(url.protocol)) return undefined', '/^https?:/'],
    ],
    'A host that is not ours is not a host of this machine.': [
      ['return isListedOrigin(origin, patterns) || LOOPBACK', text],
    ],
    'A pattern of ports is recognized by its port, before its subdomains are looked at.': [
      [
        "if (local) return { scheme: 'http:', host: local, subdomains: false, ports: true }",
        'true',
      ],
    ],
  },
  'worker/src/features/operate/operator/route.ts': {
    'A request without the header has no key, whatever stands in its place.': [
      ['const key = await findOperatorKey(keysOf(request)', text],
    ],
    'The table of methods throws nothing else.': [
      ['if (error instanceof TypeError) return error', 'true'],
    ],
  },
  'session/src/verifier/mcp-resource.ts': {
    'Both paths are compared in one case.': [['return path', 'path.replace']],
  },
  'session/src/token/cookie.ts': {
    'The placeholder for a missing header has no cookie either.': [
      ["return [...new Set(cookiePairs(header ?? '')", text],
    ],
    'The slow way finds the same, as the tests of the fast one say.': [
      ["if (only !== undefined) return only === '' ? [] : [only]", 'false'],
    ],
    'Without a header the fast way has answered.': [['if (!header) return []']],
    'What only begins like a token costs a signature, and is refused.': [['const TOKEN =']],
    'Behind the end of a header there is no name, and no cookie begins at its second character.': [
      ['if (semicolon !== -1 && header.indexOf(name, end) !== -1) return undefined'],
    ],
    'Nothing is before the first character.': [
      ["const name = at > 0 ? trim(pair.slice(0, at)) : ''", 'at >= 0'],
    ],
    'Behind the end of a text there is no blank.': [
      ['while (start < end && isBlank(text.charCodeAt(start))) start++'],
    ],
    'Text before the start is not cut out.': [
      ['while (end > start && isBlank(text.charCodeAt(end - 1))) end--'],
    ],
  },
  'session/src/token/duplicate-members.ts': {
    'Behind the end there is no character, and no count changes.': [
      ['for (let at = 0; at < json.length; at++) {', 'at <= json.length'],
    ],
  },
  'session/src/token/keys.ts': {
    'A public key verifies alike, whether it may be exported or not.': [
      [
        "const publicKey = await crypto.subtle.importKey('jwk', point, 'Ed25519', true, ['verify'])",
        'false',
      ],
    ],
  },
  'session/src/token/session.ts': {
    'Freezing a value that is not an object does nothing, and the characters of a text are texts.':
      [["if (typeof member === 'object' && member !== null) reached.add(member)", 'true']],
  },
  'session/src/token/signed.ts': {
    'A function that ends without a value returns undefined.': [['} catch {', '{}']],
    'ASCII is the same in UTF-8, and JSON has some of it: decoding it is only slower.': [
      ['const BEYOND_ASCII ='],
    ],
    'ASCII is the same in UTF-8: decoding it is only slower.': [
      ['if (!BEYOND_ASCII.test(bytes)) return bytes', 'false'],
    ],
    'The caller takes undefined for no.': [['.catch(() => false)', '() => undefined']],
  },
  'session/src/token/skipped.ts': {
    'A part has a value, though it may be empty.': [
      ["for (const [, before, name, value = ''] of header.matchAll(PART)) {", text],
    ],
  },
  'session/src/verifier/revocations.ts': {
    'An unknown time is not later.': [['if (time !== undefined && time >= at) continue', 'true']],
    'No person has the id undefined.': [
      ['return pid !== undefined && this.#nameless.end(pid, claims)', 'true'],
    ],
    'An entry that comes twice in one second may stay a little longer.': [
      ['if (time !== undefined && time >= at) continue', 'time > at'],
    ],
    'An empty list has no match: this spares a look-up.': [
      ['if (this.#sids.size > 0 && this.#sids.has(sid)) return true', 'true'],
      ['if (this.#sids.size > 0 && this.#sids.has(sid)) return true', 'this.#sids.size >= 0'],
      ['if (this.#cutoffs.size === 0) return false', 'false'],
    ],
    'No session is called undefined.': [['const isSpared = except !== undefined', 'true']],
  },
  'worker/src/features/authorization-server/assertions/id-jag-grant.ts': {
    'A provider without an address of keys cannot be read before.': [
      ["if (address === undefined) throw new ServerFault('A trusted issuer publishes", 'false'],
      ["if (address === undefined) throw new ServerFault('A trusted issuer publishes", '""'],
    ],
    'The provider refuses an empty subject too, with the same word in the log.': [
      ["if (typeof sub !== 'string' || sub === '' ||", 'false'],
      ["if (typeof sub !== 'string' || sub === '' ||", text],
    ],
    'An end is there with the beginning: this tells the compiler.': [
      ['if (iat === undefined || exp === undefined ||', 'false'],
    ],
    'No resource has a name that is not a text.': [
      ["if (typeof named !== 'string' || !mayAskFor(app, named))", 'false'],
    ],
    'Without it the time of the assertion counts, which is the same.': [
      ["const isTime = typeof auth_time === 'number' &&", 'auth_time < Number'],
    ],
  },
  'worker/src/features/authorization-server/assertions/trusted-issuer.ts': {
    'Without trusted issuers no app can bring assertions.': [
      ['const configured = known?.get(', 'known.get'],
    ],
  },
  'worker/src/features/authorization-server/assertions/used-jti.ts': {
    'It parts this digest from others, with which it is never compared.': [
      ['return `jti:${await digest(', '""'],
    ],
  },
  'worker/src/features/authorization-server/assertions/asserted-grant.ts': {
    'Nothing is at most undefined.': [['if (ended !== undefined && asserted.began', 'true']],
    'A note is a text.': [["if (typeof document?.content !== 'string')", 'false']],
    'A lost answer leaves the bounds to the next grant that begins.': [
      ['if (answer.isChanged || answer.document.content', 'false'],
    ],
    'It parts these digests from others, with which they are never compared.': [
      ["return digest(['latchkey/asserted/v1'", '""'],
      ["const name = await digest(['latchkey/asserted/v1'", '""'],
    ],
  },
  'worker/src/features/authorization-server/machines/machine-token.ts': {
    'No resource is called undefined.': [['const resource = uri === undefined ?', 'false']],
  },
  'worker/src/features/authorization-server/machines/read-workloads.ts': {
    'No address is read from undefined.': [['const address = jwksUri === undefined ?', 'false']],
  },
  'worker/src/features/authorization-server/machines/workload-grant.ts': {
    'No app has the id undefined.': [['const app = id === undefined ||', 'false']],
    'Without an id it was refused before: this tells the compiler.': [
      ['if (workload.isReused || jti === undefined) return answer()', 'false'],
    ],
    'An app without workloads brings no token of a job.': [
      ['const ofIssuer = app.workloads?.filter(', list],
      ['const ofIssuer = app.workloads?.filter(', 'app.workloads.filter'],
    ],
  },
  'worker/src/features/bound-sessions/binding.ts': {
    'A time that is not there is as good as none.': [
      ['...(staleUntil === undefined ? {} : { staleUntil }),', 'false'],
    ],
  },
  'worker/src/features/bound-sessions/browser-key.ts': {
    'Each text has a first part.': [["const [first = '', y] = text.split('.')", text]],
    'It saves the decoding: no other length has 32 bytes, and no other value is decoded.': [
      ["return typeof value === 'string' && value.length === 43 &&", 'true'],
    ],
    'No member is there twice.': [['const members = Object.entries(key).sort(', 'one <= other']],
  },
  'worker/src/features/bound-sessions/challenge.ts': {
    'The limit is ours.': [['return full.length <= MAX_LENGTH ?', 'full.length < MAX_LENGTH']],
    'A challenge has the whole row or none: this tells the compiler.': [
      ['const [version, sub, began, key] = r ?? []', list],
      ['const isKnown = version !== undefined &&'],
    ],
  },
  'worker/src/features/bound-sessions/proof.ts': {
    'The placeholder for a missing part is not base64url.': [
      ["const [, first = '', second = ''] = COMPACT", text],
    ],
    'The first part is not read.': [["const [, first = '', second = ''] = COMPACT", list]],
    'The algorithm has been compared before.': [['return compactVerify(text, { ...key }', '{}']],
  },
  'worker/src/features/companies/logout-token.ts': {
    'Keys at no address cannot be read either.': [['if (address === undefined) throw', 'false']],
    'A number alone is finite, and no infinite time passes but an end, which is that of ten minutes then.':
      [["return typeof value === 'number' && Number.isFinite"]],
  },
  'worker/src/features/companies/provider.ts': {
    'A text has a first part, if only an empty one.': [["const [local = '', end, ...more]", text]],
    'No company has the id undefined.': [['company === undefined ? undefined : await', 'false']],
    'One that is made anew for each question is the same.': [
      ['if (known) return known', 'false'],
      ['made.set(company, provider)'],
    ],
    'The environment is empty.': [['fromEnvironment: (_env, own) => own']],
    'It parts this digest from others, with which it is never compared.': [
      ["bound: await digest(['latchkey/company/v1'", '""'],
    ],
    'No company has the domain undefined.': [
      ['domain !== undefined && company.domains.has(domain)', 'true'],
      ['return domain === undefined ? undefined : { local, domain }', 'false'],
    ],
    'A list of texts has nothing else.': [
      ["if (acr.length > 0) return typeof shown === 'string'", 'true'],
    ],
  },
  'worker/src/features/companies/read-company.ts': {
    'No issuer has a second scheme in its path.': [
      ['/^https:\\/\\/login\\.microsoftonline', '/https:'],
    ],
  },
  'worker/src/features/companies/domains.ts': {
    'No domain is called undefined.': [['return host !== undefined &&', 'true']],
    'The pattern matches any text at its beginning, if only nothing.': [
      ["const [end = ''] =", text],
      ["const [end = ''] =", list],
      ["const [end = ''] =", '/[A-Za-z0-9.'],
    ],
  },
  'worker/src/config/own-pages.ts': {
    'No route of ours has such a name.': [['const url = page === undefined ? null :', 'false']],
    'No address of ours begins so.': [
      ["const address = url ? url.origin + url.pathname : ''", text],
    ],
  },
  'worker/src/features/second-factor/demand.ts': {
    'The id of a provider is one factor, whatever it is.': [
      ['if (acrOf(signedIn.amr ?? [signedIn.account.provider])', '[]'],
    ],
  },
  'worker/src/features/second-factor/person-factor.ts': {
    'A person with a list needs no first one.': [['const first = before ? []', list]],
    'No person has such a way.': [["removed: Person['removed'] = []", list]],
  },
  'worker/src/features/second-factor/factor-key.ts': {
    'The caller that seals a key seals a text.': [
      ['const isTheirs = isRecord(content) && content.sub === sub', 'true'],
    ],
  },
  'worker/src/features/second-factor/totp.ts': {
    'It is imported for one code.': [['const imported = await crypto.subtle', 'true']],
    'Behind the end of two texts of one length there is nothing in either.': [
      ['for (let at = 0; at < right.length; at++) {', 'at <= right.length'],
    ],
  },
  'worker/src/features/app-proofs/app-proof.ts': {
    'No shape is so long: a long header is only matched in vain.': [
      ['if (header.length > MAX_LENGTH', 'false'],
    ],
    'No shape is so long.': [['if (header.length > MAX_LENGTH', 'header.length >= MAX_LENGTH']],
    'A text has a first part.': [["const [text = '', ...signatures] = header.split('.')", text]],
    'Behind the last key there is none, and none has its name.': [
      ['for (let at = 0; at < signatures.length; at += 2) {', 'at <= signatures.length'],
    ],
    'No key has such a name.': [["const key = keysByConfig.get(signatures[at] ?? '')", text]],
    'Each id has a signature behind it, by the shape.': [
      ["const mac = decodeBase64Url(signatures[at + 1] ?? '')", text],
    ],
    'A text has a first part, and the placeholder for a missing host is not an origin.': [
      ["const [scheme = '', host = ''] = text.split('://')", text],
    ],
    'A function that ends without a value returns undefined.': [['} catch {', '{}']],
  },
  'worker/src/features/turnstile/check-human.ts': {
    'A missing origin is in no list.': [
      ['const isTrusted = source !== null && isTrustedOrigin(', 'true'],
    ],
    'Our own origin and a trusted one are URLs.': [
      ['return pages.some((page) => URL.parse(page)?.hostname === hostname)', 'URL.parse(page).'],
    ],
    'No sign-in is checked if it is off: this tells the compiler.': [
      ['if (!turnstile) return', 'false'],
    ],
  },
  'worker/src/http/csrf.ts': {
    'A text has a first part, and the placeholder for a missing second one is not base64url.': [
      ["const [token = '', mac = ''] = cookie.split('.')", text],
    ],
    'The placeholder for a missing signature is not base64url either.': [
      ["if (await isSigned(request, submitted, parts[place] ?? ''))", text],
    ],
    'We sign no empty token, so its signature would be refused.': [
      ["if (!signature || token === '') return false"],
    ],
    'The text "null" is not an origin, so no list has it.': [
      ['if (source !== null && isTrustedOrigin(source, config.origin.trusted)) return', 'true'],
    ],
    'The text "null" is not a URL.': [
      ['return (origin === null ? null : URL.parse(origin))?.host', 'false'],
    ],
  },
  'worker/src/http/device-cookie.ts': {
    'An empty list has no match: this spares a digest.': [
      ['if (all.length === 0) return undefined', 'false'],
    ],
    'Without a cookie none is opened, and a text in the list stands for no person: this spares a key.':
      [['if (cookies.length === 0) return []']],
    'A text in the list stands for no person.': [['return []']],
    'It parts this digest from others, with which it is never compared.': [
      ["return digest(['latchkey/device/v1', key], 16)", '""'],
    ],
  },
  'worker/src/features/account-import/signed-request.ts': {
    'Nothing is before undefined: this tells the compiler.': [
      ['return config.importUntil !== undefined &&', 'true'],
    ],
    'No header is malformed like any other.': [
      ["const header = original.headers.get(IMPORT_HEADER) ?? ''", text],
    ],
    'What matches has every part: this tells the compiler.': [
      ["const [, statement = '', time, nonce, digest, host, id, mac = ''] = match", text],
    ],
  },
  'worker/src/http/targets.ts': {
    'Nothing is asked without a callback, and undefined is not written into JSON.': [
      ['const isStored = asked !== undefined && asked !== callbackUrl'],
    ],
    'No target leads to the root, as the root does.': [
      ['if (!redirect) return safeRedirect(', '""'],
    ],
  },
  'worker/src/lib/pseudonyms.ts': {
    'Among the latest any one says as much: only its time counts.': [
      ['if (cutoff.until >= (latest[0]?.until ?? 0)) latest = [cutoff]', 'cutoff.until > ('],
    ],
    'It signs alike, whether it may be exported or not.': [
      ["return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }", 'true'],
    ],
  },
  'worker/src/lib/seal.ts': {
    'A text has a first part, and the placeholder for a missing second one is not base64url.': [
      ["const [id = '', encoded = ''] = sealed.split('.')", text],
    ],
    'A text has a first part.': [['isRetired: (sealed) =>', text]],
  },
  'worker/src/features/old-sessions/authjs.ts': {
    'Each of the names has an opener.': [
      ['const opened = await Promise.all(short.map(', 'openers.get(name).open'],
    ],
  },
  'worker/src/features/old-sessions/better-auth-cookies.ts': {
    'A function that ends gives nothing back.': [['} catch {', '{}']],
    'The limit is ours.': [
      ['if (cookie.length > 3 * MAX_TOKEN) return', 'cookie.length >= 3'],
      ['if (cookie.length > MAX_COOKIE) return', 'cookie.length >= MAX'],
    ],
    'The first part is not read, and the other two are there together.': [
      ['const [, token, signature] = SIGNED', list],
      ['if (token === undefined || signature', 'token === undefined && signature'],
      ['if (token === undefined || signature', 'false'],
    ],
    'The error for a copy is caught, and the copy does not count.': [
      ['return isAfter(claims?.exp', 'claims.exp'],
      ['if (signature?.length !== 32) return false', 'signature.length'],
    ],
    'The platform takes no signature of another length.': [
      ['if (signature?.length !== 32) return false', 'false'],
    ],
    'No code hands the key out.': [["return crypto.subtle.importKey('raw'", 'true']],
    'There is one equals sign.': [["return base64.replaceAll('+', '-')", '/=/']],
    'It is what a thumbprint is made with where nothing is said.': [
      ["thumbprint: () => 'sha256'", '() => undefined'],
    ],
  },
  'worker/src/features/old-sessions/jwe.ts': {
    'The first part of a text without a dot is the whole.': [
      ["const [first = ''] = token.split('.', 1)", text],
    ],
    'A part that is not plain text has no claims either.': [
      ['if (plain) return parsed(plain)', 'true'],
    ],
    'Keys that are made once more are the same: that is only slower.': [
      ['if (keys) return keys', 'false'],
      ['this.#keys.set(enc, made)', ';'],
    ],
    'A function that ends gives nothing back.': [['} catch {', '{}']],
  },
  'worker/src/passwords/read-hash.ts': {
    'The first part is not read.': [
      ["const [, scheme = ''] = ", list],
      ['const [, cost] = ', list],
      ['const [, rounds, salt, text] = ', list],
      ["const [, salt = '', hex = ''] = ", list],
      ['const [, name, digits] = ', list],
    ],
    'A hash with one part has its neighbors: this tells the compiler.': [
      ["const [, , parameters = '', salt, key] = hash.split('$')", text],
      ["const [, salt = '', hex = ''] = ", text],
      ['const key = Uint8Array.from(hex.match(/../g) ?? []', list],
      ['if (!iterations || iterations > MAX_ITERATIONS || salt === undefined', 'false'],
    ],
    'A hash of better-auth has no dollar.': [['const read = READERS.get(scheme)', 'true']],
    'Text that is more than a number is not a number of iterations either way.': [
      ['const text = /^\\d+$/.test(parameters)', '/^\\d+/'],
    ],
    'No text is a number within bounds, and one part does not make three.': [
      ["const parts = text?.split(',') ?? []", list],
      ['if (parts.length !== names.length) return []', list],
    ],
    'A missing value is not base64, and throws.': [['if (text === undefined || ', 'false']],
    'Padding is at the end alone.': [['return Uint8Array.from(atob(', '/=+/']],
    'A function that ends gives nothing back.': [['} catch {', '{}']],
  },
  'worker/src/features/old-sessions/better-auth.ts': {
    'Each name has that of its copies.': [["const copy = copies[names.indexOf(name)] ?? ''", text]],
  },
  'worker/src/features/old-sessions/continue-session.ts': {
    'Only its presence counts, not its value.': [
      [".settleRefresh(name, 0, isUsed ? 'moved' : undefined)", '""'],
    ],
  },
  'worker/src/features/old-sessions/source.ts': {
    'Without a header there is none of the names.': [
      ["ordered.map((name) => source.find(cookieHeader ?? '', name, now)),", text],
    ],
  },
  'worker/src/passwords/verify-password.ts': {
    'Behind their ends both have nothing.': [
      ['for (let at = 0; at < stored.length; at++)', 'at <= stored.length'],
    ],
  },
  'worker/src/features/people/forget-person.ts': {
    'A guarded ledger has every method: this tells the compiler.': [
      ['await ledger.forget(await countedAs(sub))', 'ledger.forget(await countedAs(sub))'],
      ['await ledger.forget(sub, true)', 'ledger.forget(sub, true)'],
      ['if (holder === undefined || holder === sub)', 'ledger.forget(name)'],
    ],
  },
  'worker/src/features/people/erase.ts': {
    'No person has such a way.': [['for (const way of person?.removed ?? [])', list]],
    'No person has such an id.': [['for (const former of person?.were ?? [])', list]],
    'A guarded ledger has every method: this tells the compiler.': [
      ['if (!left) await ledger.forget', 'ledger.forget(way)'],
    ],
    'The sessions of an erased person have ended, and their list goes anyway.': [
      ['if (own !== sub && person?.mergedInto !== undefined) {', 'true'],
    ],
  },
  'worker/src/features/connections/connection-tokens.ts': {
    'The caller takes undefined for no.': [['revokes: () => false,', '() => undefined']],
  },
  'worker/src/session/read.ts': {
    'An unknown answer counts as no.': [
      ['const answer = isRevoked(request, claims).catch(', '() => undefined'],
    ],
    'One in a list is read alike.': [
      ['const several = all ?? (tokens.length > 1 ? [] : undefined)', 'true'],
      ['const several = all ?? (tokens.length > 1 ? [] : undefined)', 'tokens.length >= 1'],
    ],
    'For a single one, its user asks the ledger again.': [['if (good.length < 2 ||', 'false']],
    'For an empty list nothing is asked.': [
      ['return good.every(({ claims }) => claims.sub === good[0]?.claims.sub)', 'good[0].claims'],
    ],
  },
  'worker/src/person/subject.ts': {
    'Its letters are counted as well: this spares it for long texts.': [
      ["if (text.length > 2 * MAX_SUBJECT || text.trim() === '') return false", 'false'],
    ],
    'Letter by letter is the same.': [['const lower = email.replace(/[A-Z]+/g', '/[A-Z]/g']],
  },
  'worker/src/sign-in/caller-parameters.ts': {
    'No parameter has such a name.': [['more: readonly string[] = [],', list]],
    'One spelling is as good as the other.': [['return name.toLowerCase()', 'name.toUpperCase()']],
  },
  'worker/src/features/email/address.ts': {
    'An address of 254 octets has a shorter domain.': [['/^(?=.{1,253}$)', '/^(?=.{1,253})(?:']],
    'A text has a first part, and the placeholder for a missing domain has spaces.': [
      ["const [givenLocal = '', givenDomain = '', ...more] = normal.split('@')", text],
    ],
    'It proves our decoder, in which this run finds other faults.': [
      ["if (hostname(labels.join('.')) !== domain) return undefined", 'false'],
    ],
    'No label has a space.': [['return `[0-9', '""']],
    'A domain with an empty label is another one too.': [["const UNKNOWN = ' '", '""']],
    'All these letters have 16 bits.': [["'u',", '""']],
    'The parser of URLs has refused a label that ends too early.': [
      ["const digit = PUNYCODE_DIGITS.indexOf(digits[at++] ?? '-')", '""'],
    ],
    'The last code point is not a character, and in no domain.': [
      ['if (code > 0x10ffff) return UNKNOWN', 'code >= 0x10ffff'],
    ],
  },
  'worker/src/features/email/flow.ts': {
    'No link is written so.': [["const flowToken = isForSession(token) ? ''", text]],
    'No link has such a token.': [["const token = request.query.get('token') ?? ''", text]],
    'The id of a flow is compared, and is a text: this tells the compiler.': [
      ["const flow = typeof id === 'string' ?", 'true'],
    ],
    'No code is such a text.': [["const typed = typeof code === 'string' ?", text]],
  },
  'worker/src/features/email/verify-request.ts': {
    'A flow is looked for at a provider that is there.': [
      ['works: Math.max(0, Math.floor((provider?.maxAge', 'provider.maxAge'],
    ],
  },
  'worker/src/features/email/verification.ts': {
    'An answer without a person that is not spent is wrong.': [
      ["return (await redeemed(request, provider, redemption)) ?? 'wrong'", '""'],
    ],
    'We seal no mail without an address.': [['const isWhole = isRecord(content)', 'true']],
  },
  'worker/src/features/email/link.ts': {
    'A list of one has none of the three.': [['const [, subject, mark, secret] =', list]],
    'The pattern finds all three or none: any of the questions would do.': [
      [
        'if (subject === undefined || mark === undefined || secret === undefined) return undefined',
        '(subject === undefined || mark === undefined) &&',
      ],
      [
        'if (subject === undefined || mark === undefined || secret === undefined) return undefined',
        'subject === undefined && mark',
      ],
      [
        'if (subject === undefined || mark === undefined || secret === undefined) return undefined',
        'false',
      ],
    ],
  },
  'worker/src/sign-in/use-up.ts': {
    'A cause that is undefined is logged nowhere.': [
      ["return new InvalidCheck('The sign-in was finished before.', cause", 'false'],
    ],
    'A guarded ledger has every method: this tells the compiler.': [
      ['(await ledger.isConsumed(nameOf(flow)))', 'ledger.isConsumed(nameOf'],
    ],
    'The caller takes undefined for no.': [
      ['return (await isUsed().catch(() => false))', '() => undefined'],
    ],
  },
  'worker/src/http/cookies.ts': {
    'The placeholder for a missing header has no cookie either.': [
      ["for (const [name, value] of cookiePairs(request.cookieHeader ?? '')) {", text],
    ],
  },
  'worker/src/sign-in/flow-cookie.ts': {
    'JSON has no undefined values.': [
      ['...(scope === undefined ? {} : { scope }),', 'false'],
      ['...(wanted === undefined ?', 'false'],
      ['...(acr === undefined ?', 'false'],
    ],
    'An answer that starts a sign-in sets no other cookie.': [
      ['if (![...fresh].some(flows)) older.pop()', '[...fresh].every(flows)'],
    ],
    'We seal well-formed ids alone, and the sealed one is compared.': [
      ['if (!FLOW_ID.test(id)) return undefined', 'false'],
    ],
    'A text has a first part.': [["return state.split('.', 1)[0] ?? ''", text]],
  },
  'worker/src/features/passwords/judge.ts': {
    'A person with a password is there together with it: this tells the compiler.': [
      ['const read = sub === undefined || !kept'],
      ['if (sub !== undefined && kept && !read) {', 'sub !== undefined || kept'],
      ['if (sub !== undefined && kept && !read) {', 'true'],
    ],
    'A person who asks has an address, and its key.': [['{ claims: { sub }, name', text]],
    'No time to wait is none.': [['return { wait: 0 }', '{}']],
    'A document with a person has content.': [
      ['if (!person || contentOf(document)?.blocked', 'contentOf(document).blocked'],
    ],
  },
  'worker/src/features/passwords/set-password.ts': {
    'Every other word than these two goes on.': [
      ['const proof = before ? await hashing', '""'],
      ["return read ? 'kept' : 'proved'", '""'],
    ],
    'A password that is kept was there before: this tells the compiler.': [
      ['if (before) await finishChange(request, form, before)', 'true'],
    ],
    'The text is judged once more, and is the same.': [
      ["return found.text === password ? 'kept'", 'false'],
    ],
  },
  'worker/src/features/passwords/limits.ts': {
    'A request that is refused already counts no limits: that spares a write of the ledger.': [
      ['here.wait > 0', 'false'],
      ['? []', list],
    ],
    'Another label of a digest, or name of a count, parts them as well.': [
      ['return `password:', '""'],
      ["const CHANGES = { name: 'changes'", '""'],
      ["const MENTIONED = { name: 'mentioned'", '""'],
    ],
    'The day is asked once more, and answers the same.': [
      ['return isInRow ? { isTenth: true } : { isLost: true }', '{}'],
    ],
  },
  'worker/src/features/openid/id-token.ts': {
    'No algorithm has such a name.': [
      ["const { alg = '', typ, kid } = decodeProtectedHeader(idToken)", text],
      ["if (idTokenAlg !== undefined) return idTokenAlg === 'none' ? [] : [idTokenAlg]", list],
    ],
    'The algorithm has been compared before.': [['const options = { algorithms: accepted }', '{}']],
    'No algorithm has such a number elsewhere than at its end.': [['`SHA-', '/(?:256|384|512)/']],
  },
  'worker/src/sign-in/oauth/client.ts': {
    'No type has such a name.': [['const type = isVisible(token_type) ?', text]],
    'A number alone is finite: this tells the compiler.': [
      [
        "if (typeof expires_in !== 'number' || !Number.isFinite(expires_in) || expires_in < 0) {",
        'false',
      ],
    ],
  },
  'worker/src/features/passkeys/assertion.ts': {
    'Any counter is above one of zero.': [['const counts = counter !== 0 ||', 'false']],
  },
  'worker/src/features/passkeys/authenticator-data.ts': {
    'Bytes that end with a length have no key.': [
      ['if (bytes.length < id) return undefined', 'bytes.length <= id'],
    ],
    'No data is so short.': [['if (has(FLAGS.extensions)) at =', '+1']],
  },
  'worker/src/features/passkeys/cbor.ts': {
    'Nothing is not below any number, and is given back.': [
      ['if (value === undefined || value >= Number.MAX_SAFE_INTEGER)', 'false'],
    ],
    'A function that ends gives nothing back.': [['} catch {', '{}']],
  },
  'worker/src/features/passkeys/client-data.ts': {
    'A value that is not an object has no such members, or throws.': [
      ['if (!isRecord(data)) return undefined', 'false'],
    ],
    'A function that ends gives nothing back.': [['} catch {', '{}']],
  },
  'worker/src/features/passkeys/cose-key.ts': {
    'The platform imports no such key for an algorithm that is not its own, and no key from undefined.':
      [
        ['if (!jwk) return undefined', 'false'],
        ['if (alg === -7 && kty === 2', 'true'],
        ['if (alg === -8 && kty === 1', 'true'],
        ['if (alg === -257 && kty === 3', 'true'],
      ],
    'It is imported to be exported again.': [['const imported = await crypto.subtle', '[]']],
    'A function that ends gives nothing back.': [['} catch {', '{}']],
  },
  'worker/src/features/passkeys/registration.ts': {
    'A value that was read was there: this tells the compiler.': [
      ['if (!(read?.value instanceof Map) ||', 'bytes.length'],
    ],
    'The first match is at the start.': [["return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1"]],
  },
  'worker/src/features/passkeys/signature.ts': {
    'The platform takes nothing for nothing, and no number that is zero.': [
      ['if (!spki || !raw) return false', 'false'],
      ['if (!spki || !raw) return false', '!spki && !raw'],
      ['if (first === undefined || first > 0x7f) return false', 'false'],
    ],
    'It is imported for one signature.': [['const imported = await crypto.subtle', 'true']],
    'A number that is cut off does not end with the bytes.': [
      ['if (der[at] !== 0x02 || number.length !== length', 'false'],
    ],
  },
  'worker/src/features/second-factor/pending-sign-in.ts': {
    'The limit is ours.': [
      ['if (json.length <= MAX_PENDING) return json', 'json.length < MAX_KEPT'],
    ],
    'What the ledger has still opens: it ends at the same second, and the cookie needs the same secrets.':
      [
        ["if (typeof opened?.kept !== 'string') throw", 'false'],
        ["if (typeof opened?.kept !== 'string') throw", 'opened.kept'],
        ["if (typeof opened?.kept !== 'string') throw", '""'],
      ],
    'The id of a session is not empty either.': [
      ["const isOver = () => ledger.isRevoked(''", text],
    ],
    'No other hash of a state is kept anywhere.': [
      ["return digest(['latchkey/factor/v1', state])", '""'],
    ],
    'No provider is called nothing either.': [["const FACTOR = '/factor'", '""']],
  },
  'worker/src/sign-in/redirect-flow.ts': {
    'The limit is ours, and no URL of exactly that length is better or worse.': [
      ['if (sealed.length > MAX_POSTED) throw', 'sealed.length >= MAX_POSTED'],
    ],
  },
  'worker/src/features/previews/relay.ts': {
    'A text that is not ours opens as little as an empty one.': [
      ["const asked = await sealer.open(response.get('state') ?? '')", text],
      ["const flow = await findFlow(request, id, query.get(FLOW) ?? '')", text],
      ["const opened = await sealer?.open(query.get(PASSED) ?? '')", text],
      ["const { issuer = '', provider, state }", text],
    ],
  },
  'worker/src/stores/resharding-ledger.ts': {
    'There is a newest layout.': [
      ['const to = layouts.at(-1)?.count ?? 1', 'layouts.at(-1).count'],
    ],
    'The first object is in no region.': [
      ['const [first] = placesOf({ count, regions: [] })', list],
    ],
  },
  'worker/src/stores/revoked-handles.ts': {
    'Without a place in the table a handle is found among the crowded ones: that is only slower.': [
      ['if (number >>> (32 - this.#offsetBits) > 0) {', 'number >>> 32 - this.#offsetBits <= 0'],
      ['#walk(hash: number,', '{}'],
      ['if (marks[at] !== mark) continue', 'false'],
      ['for (let at = hash & last; ; at = (at + 1) & last) {', 'for (let at = hash & last; false;'],
      ['if (++alike === MAX_ALIKE) return -1', 'true'],
      ['if (++alike === MAX_ALIKE) return -1', '++alike !== MAX_ALIKE'],
      ['if (at >= 0 && offset >>> this.#offsetBits === 0) {', 'false'],
      ['if (at >= 0 && offset >>> this.#offsetBits === 0) {', 'at > 0'],
      ['if (at >= 0 && offset >>> this.#offsetBits === 0) {', 'at < 0'],
      ['if (at >= 0 && offset >>> this.#offsetBits === 0) {', '{}'],
    ],
    'How full a table may be is a matter of memory and of time alone.': [
      ['while (this.#taken + fresh.length >', 'this.#taken + fresh.length >= ('],
      ['while (this.#taken + fresh.length >', 'true'],
      ['while (this.#taken + fresh.length >', 'false'],
      ['while (this.#taken + fresh.length >', 'size <= LARGE'],
      ['while (this.#taken + fresh.length >', 'size >= LARGE'],
      ['if (size > FIRST_SIZE && this.#taken * 8 < size) this.#rebuild(size / 2)', 'false'],
      [
        'if (size > FIRST_SIZE && this.#taken * 8 < size) this.#rebuild(size / 2)',
        'size >= FIRST_SIZE',
      ],
      [
        'if (size > FIRST_SIZE && this.#taken * 8 < size) this.#rebuild(size / 2)',
        'this.#taken * 8 <= size',
      ],
      ['this.#taken--', 'this.#taken++'],
    ],
    'An empty list has no match: this spares a look-up.': [
      ['if (this.#crowded.size === 0) return false', 'false'],
      ['if (this.#crowded.size > 0) addAmong(', 'true'],
      ['if (this.#crowded.size > 0) addAmong(', 'this.#crowded.size >= 0'],
    ],
    'No line begins with the separator of two handles.': [
      ['return end < 0 ? text.slice(offset)', 'end <= 0'],
      ['if (offset < 0) return', 'offset <= 0'],
    ],
    'An object without a place is among the crowded ones.': [
      ['numbers?.delete(number)', 'numbers.delete'],
      ['if (numbers?.size === 0)', 'numbers.size'],
    ],
  },
  'worker/src/stores/revocation-timeline.ts': {
    'A text has no time, and is compared with nothing.': [
      ['const last = this.#last.get(sub) ?? []', list],
    ],
    'An empty list has no match: this spares a look-up.': [
      ['if (this.#own.size > 0) for (', 'true'],
      ['if (this.#own.size > 0) for (', 'this.#own.size >= 0'],
      ['if (this.#seconds.size > 0 && ', 'true'],
      ['if (this.#seconds.size > 0 && ', 'this.#seconds.size >= 0'],
      ['if (this.#own.size > 0 && ', 'true'],
      ['if (this.#own.size > 0 && ', 'this.#own.size >= 0'],
      ['if (this.#last.size === 0) return false', 'false'],
    ],
    'No person has the id undefined.': [['return this.#isCutOff(sub, claims) ||', 'true']],
    'Each user of a listed cut-off has a last one.': [
      ['const isLast = ({ sub, until }: UserCutoff) =>', 'this.#last.get(sub)[0]'],
      ['const isLast = ({ sub, until }: UserCutoff) =>', 'this.#last.get(sub)?.[0].until'],
    ],
  },
  'worker/src/stores/ledger-shards.ts': {
    'No number of objects is written so.': [["const [, digits = '', names = ''] =", text]],
    'The first part is not read.': [['/^\\s*(\\d{1,4})(?:@', list]],
  },
  'worker/src/stores/ledger/collector-answer.ts': {
    'A second without handles gets no line, and an empty mark counts as missing.': [
      ["if (sids === '' || rest !== undefined) continue", 'false'],
      ["if (sids === '' || rest !== undefined) continue", text],
    ],
  },
  'worker/src/stores/ledger/collector.ts': {
    'One that is named again is asked for everything, a millisecond earlier or later.': [
      ['if (elapsed(namedAt, now) > UNNAMED)', 'elapsed(namedAt, now) >= UNNAMED'],
    ],
    'The limit is ours.': [
      ['const isLate = silentSince !== undefined', 'elapsed(silentSince, now) > MAX_WAIT'],
    ],
    'A caller that asks for earlier endings is not answered from the list: it would only grow.': [
      ['this.#list.forget(oldest)', ';'],
    ],
  },
  'worker/src/stores/ledger/reshard.ts': {
    'An object that learns of a number has a handover until a step ends it, and steps follow one another.':
      [
        ['if (state?.count === before.count &&', 'state.count'],
        ['if (!state) return false'],
        ['if (this.#state?.seen !== state.seen)', 'this.#state.seen'],
      ],
    'Nothing comes after NULL.': [['const turn = after === null ? [] :', 'false']],
    'There is no such document.': [['const retries = turn.length > 0 ? [] :', list]],
  },
  'worker/src/stores/memory.ts': {
    'A table that is known is set to itself.': [['if (!existing) tables.set(name, table)', 'true']],
  },
  'worker/src/stores/ledger/placement.ts': {
    'The search ends earlier: one of 262,144 endings fits.': [
      [
        'for (let tries = 0; tries < LETTERS.length ** SUFFIX; tries++) {',
        'tries <= LETTERS.length',
      ],
    ],
    'The search ends earlier.': [['return `$']],
  },
  'worker/src/stores/ledger/rows.ts': {
    'Nothing is undefined too.': [['} catch {', '{}']],
  },
  'worker/src/stores/ledger/rules/documents.ts': {
    'One statement for many rows writes what one for each does.': [
      ["if (rows.putAll) rows.putAll('documents', added)", 'false'],
    ],
    'A document with a version is there.': [
      ["if (role === 'follows' && at === next.version)", 'document.content'],
    ],
  },
  'worker/src/stores/ledger/rules/endings.ts': {
    'No erased person had the id undefined.': [
      ['const names = [owner.sub, ...(owner.pid === undefined ?', 'false'],
    ],
    'No person has such a name.': [
      ['const names = [owner.sub, ...(owner.pid === undefined ?', list],
    ],
    'As many rows as the limit are some.': [
      ['const last = found.length < limit ? undefined : found.at(-1)?.[1].at', 'found.at(-1)[1]'],
    ],
  },
  'worker/src/stores/ledger/sharding/documents.ts': {
    'One object has given one answer.': [
      ['return { isFirst: true, document,', 'entrances[0].person'],
    ],
    'The oldest object is the newest only if there is one.': [
      ['const isThere = own.length === 1 &&', 'true'],
    ],
    'The object that is asked first has just received the previous decisions.': [
      ["if (!(await ask(first, 'decides'))) return false", '""'],
    ],
    'The document beside an answer that redeems nothing is not read.': [
      ["if (answer.state !== 'redeemed' ||", 'false'],
    ],
  },
  'worker/src/stores/ledger/sharding/endings.ts': {
    'A text has no such method, so it is not asked.': [
      ['const all = [...(homes.own.length > 1 ? homes.own : []), ...homes.others()]', list],
    ],
  },
  'worker/src/stores/ledger/sharding/insertions.ts': {
    'Every document is in as many objects: one for each number.': [
      ['const isOne = all.every(({ own }) => own.length === 1)', 'all.some('],
    ],
  },
  'worker/src/stores/ledger/methods.ts': {
    'The mail in the newest object is replaced right afterwards.': [
      ['const older = homes.own.slice(0, -1)', 'homes.own'],
    ],
  },
  'worker/src/stores/ledger/swept-map.ts': {
    'No number of entries is above a missing limit.': [
      ['constructor(now: () => number, room: Room<Row> =', '{}'],
    ],
    'The order of entries counts only if the oldest goes.': [
      ["if (forgets === 'oldest') this.delete(key)", 'true'],
    ],
    'A write that looks at nine entries is only slower.': [
      ['for (let looked = 0; looked < SWEPT; looked++) {', 'looked <= SWEPT'],
    ],
    'Either of two rows of the same worth may go.': [
      ['else if (worth && (!least || worth(row) < least.worth))', 'worth(row) <= least.worth'],
    ],
  },
  'worker/src/stores/recent-revocations.ts': {
    'Without erased users a search for a name finds none: this spares it.': [
      ['#knowsErased = false', 'true'],
      ['this.#knowsErased ||= cutoffs.some(', 'true'],
    ],
    'An absent value counts as false.': [['} catch {', '{}']],
  },
  'worker/src/features/ways/add.ts': {
    'A way that is claimed once more is theirs either way.': [
      ['const isListed = !person ||', 'false'],
    ],
    'A way that is not in a list is not in it afterwards either.': [
      ['person?.ways.some((one) => one.way === way) ?', 'true'],
    ],
    'No person has the id undefined.': [["if (itself === undefined) return 'nobody'", 'false']],
    'The limit is ours.': [['for (let steps = 0; steps < TRIES', 'steps <= TRIES']],
    'A signed-in person has not become another one: this spares a read.': [
      ['for (let steps = 0; steps < TRIES', 'true'],
    ],
  },
  'worker/src/features/ways/announce.ts': {
    'The provider is one that is usable.': [
      [
        'if (request.providers.usable.get(provider)?.type',
        'request.providers.usable.get(provider).type',
      ],
    ],
    'A person with a list needs no first one.': [['? []', list]],
    'The limit is ours.': [
      [
        'const isSmall = JSON.stringify(changed).length <= MAX_DOCUMENT - ROOM',
        'JSON.stringify(changed).length <',
      ],
    ],
    'It is read again then, and says the same.': [['? ownerIn(known) === sub', 'false']],
    'It was found by its passkey.': [
      ['const handle = person.handle ?? own?.passkey?.handle', 'own?.passkey.handle'],
    ],
    'JSON has no undefined values.': [['handle === undefined ? before', 'false']],
  },
  'worker/src/features/ways/changes.ts': {
    'It is read before it is used, and the owner of the way exists.': [
      ['let were: readonly string[] = []', list],
      ['were = person?.were ?? []', 'person.were'],
    ],
    'No person has such an id.': [['were = person?.were ?? []', list]],
    'There is a claim for each.': [
      ['return were.filter((_, at) => claims[at]?.way', 'claims[at].way'],
    ],
    'A text is no way.': [
      ['const pending = person?.ways.filter((way): way is Pending', list],
      ['const pending = both?.ways.filter((way) => isPending(way, from)) ?? []', list],
    ],
    'Where nothing is to be changed the same is written once more.': [
      ['if (!person?.ways.some((way) => isPending(way, from) &&', 'isPending(way, from) || '],
    ],
    'No person has the id undefined.': [['const isTaken = from !== undefined &&', 'true']],
    'The first look takes its place.': [['let pending: KeptWay ='], ['let isKept = false', 'true']],
    'A way that was not added or merged was removed.': [
      ['if (before && isChanged) await notify(', '""'],
    ],
    'After a removed way the person still has a list, so they are not freed.': [
      ['if (from === sub) continue', 'false'],
    ],
    'A way that is not pending is left alone below.': [
      ['const pending = both?.ways.filter((way) => isPending(way, from)) ?? []', 'both?.ways'],
    ],
    'An account that a person has, or has removed, is there.': [
      [
        'if (await changeDocument(request, key, document?.version ?? 0, { owner: sub }',
        'document.version',
      ],
      [
        'await changeDocument(request, wayKey(way), document?.version ?? 0, { removed: sub })',
        'document.version',
      ],
    ],
  },
  'worker/src/person/present-person.ts': {
    'A person that a document does not name does not exist: this spares a look.': [
      ["if ('removed' in entry) return false", 'false'],
      ["if ('removed' in entry) return false", '""'],
    ],
    'An existing person keeps their id: this spares a search.': [
      ['if (entry.owner === sub) return true', 'false'],
    ],
    'The limit is ours: it ends a circle.': [
      ['for (let step = 0; step < MAX_STEPS; step++) {', 'step <= MAX_STEPS'],
    ],
    'A ledger that has named the owner of a way keeps documents: this tells the compiler.': [
      [
        'const document = await stores.ledger.document(personKey(owner))',
        'stores.ledger.document(',
      ],
    ],
  },
  'worker/src/features/account-import/import-accounts.ts': {
    'Every account of a batch has a first one of its way, and a fate.': [
      ["if (first?.sub !== one.sub) return 'taken'", 'first.sub'],
      ["const fate = fates.get(one.way) ?? 'damaged'", '""'],
    ],
    'Guarded stores have every method: this tells the compiler.': [
      ['const isUnused =', 'request.stores.sessions.isEmpty()'],
    ],
  },
  'worker/src/features/account-import/claim-accounts.ts': {
    'Guarded stores have every method: this tells the compiler.': [
      ['return (await stores.ledger.insertDocuments', 'stores.ledger.insertDocuments(entries)'],
      ['return (await stores.ledger.insertDocuments', list],
    ],
    'Without entries no answer is read.': [['if (entries.length === 0) return []', list]],
    'A listed way gets its fate when it is claimed.': [
      ['for (const { way } of accounts.slice(MAX_WAYS))', 'accounts'],
    ],
  },
  'worker/src/features/ways/remove.ts': {
    'Nothing is listed under no name: this spares calls.': [
      ['if (way === undefined) return', 'false'],
    ],
  },
}
