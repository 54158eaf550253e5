import { encoded, type Signer, signed } from '../../scripts/generate/signer.ts'
import {
  AUDIENCE,
  accessClaims,
  feedContent,
  headerOf,
  NOW,
  type Question,
  sessionClaims,
  signers,
} from '../../scripts/generate/verifier-vectors.ts'

/** Numbers from a seed, from 0 up to 1 (mulberry32): the same ones on every machine. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

type Random = () => number
type Json = Record<string, unknown>

const pick = <Value>(random: Random, values: readonly Value[]): Value =>
  values[Math.floor(random() * values.length)] as Value

/** Values that a claim may have by mistake, or on purpose. */
const VALUES: readonly unknown[] = [
  ...[
    null,
    true,
    false,
    0,
    -1,
    1,
    1.5,
    NOW,
    NOW - 60,
    NOW + 60,
    NOW + 61,
    NOW + 86_400,
    2 ** 53,
    8.64e12,
    8.64e12 + 1,
  ],
  ...[
    '',
    'a',
    'user-2',
    '1',
    '2',
    `${NOW}`,
    'a'.repeat(22),
    'a'.repeat(64),
    'a'.repeat(65),
    'a b',
    'ü',
    '😀',
    '\u0000',
  ],
  ...[
    [],
    ['a'],
    [1],
    [''],
    ['mfa', 'mfa'],
    {},
    { jkt: 'A'.repeat(43) },
    { jkt: 'B' },
    { user: {} },
    { user: null },
  ],
  ...[
    AUDIENCE,
    [AUDIENCE],
    'https://example.com/auth',
    'https://example.com/auth/x',
    { a: { b: [null] } },
  ],
]

const NAMES = [
  'nbf',
  'aud',
  'began',
  'cnf',
  'pid',
  'key_pid',
  'sid',
  'scope',
  'of',
  'more',
  'names',
  'heard',
  'stale',
  '__proto__',
  'constructor',
]

/** Texts that take the place of a number: other spellings, and words. */
const NUMBERS = [
  '1e3',
  '1E+3',
  '-0',
  '0.0',
  '1.8e9',
  '1800000000.0',
  '18000000000e-1',
  '01',
  '+1',
  '.5',
  '1.',
  '1e',
  '0x10',
  'NaN',
  'Infinity',
  '1e999',
  '9'.repeat(40),
  '1_000',
]

/** Changes the text of an object without a parser: other spellings, a member twice, white space, damaged JSON. */
function respelled(random: Random, text: string): string {
  const change = Math.floor(random() * 9)
  const at = Math.floor(random() * (text.length + 1))
  if (change === 0)
    return text.replace(
      /"(\w)(\w*)":/,
      (_, first: string, rest: string) => `"\\u00${first.charCodeAt(0).toString(16)}${rest}":`,
    )
  if (change === 1)
    return text.replace(
      '{',
      `{"${pick(random, ['iss', 'sub', 'exp', 'alg', 'typ', 'new', 'n\\u0065w'])}":1,`,
    )
  if (change === 2) return text.replace(/\d+/, pick(random, NUMBERS))
  if (change === 3)
    return text.replaceAll(
      /([{,:])/g,
      `$1${pick(random, [' ', '\n', '\t', '\r', '\f', '\u00a0', ''])}`,
    )
  if (change === 4) return text.slice(0, at)
  if (change === 5)
    return (
      text.slice(0, at) +
      pick(random, ['"', '\\', ',', ':', '{', '}', '[', ']', '\u0001', '\u2028', '\ufeff', 'é']) +
      text.slice(at)
    )
  if (change === 6)
    return `${text}${pick(random, [' ', '\n', '\u0000', '{}', ',', '//', '\ufeff'])}`
  if (change === 7)
    return pick(random, ['null', '[]', '""', '1', 'true', '', '{}', '[{}]', '{"a":1}'])
  return text.replace(
    /:"(\w)/,
    (_, one: string) => `:"\\u00${one.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** An object with a member that is another one, is missing or is new; a list keeps its place. */
function changed(random: Random, content: Json): Json {
  const names = [...Object.keys(content), ...NAMES]
  const result = { ...content }
  for (let count = random() < 0.8 ? 1 : 2; count > 0; count--) {
    const name = pick(random, names)
    const value = result[name]
    if (Array.isArray(value) && random() < 0.5) result[name] = [...value, pick(random, ENTRIES)]
    else if (typeof value === 'number' && random() < 0.5)
      result[name] =
        value + pick(random, [-301, -300, -61, -60, -1, 1, 60, 61, 300, 301, 86_400, 86_401, 0.5])
    else if (random() < 0.2) delete result[name]
    else result[name] = pick(random, VALUES)
  }
  return result
}

/** Entries of the lists of a feed. */
const ENTRIES: readonly unknown[] = [
  ...[
    { pid: 'p', until: 1 },
    { sid: 's', until: 1 },
    { sub: 's', until: 1 },
    { pid: 'p', sid: 's', until: 1 },
    { pid: 'p', until: 1, except: 's' },
  ],
  ...[
    { pid: 'p', until: '1' },
    { pid: 'p', until: 1, except: null },
    { pid: 1, until: 1 },
    { until: 1 },
    'a',
    1,
    null,
    [],
    {},
  ],
]

const ALPHABET = 'ABCXYZabcxyz0189-_+/=. \n\té'

/** Changes the text of a token, so that its signature no longer fits, or has another spelling. */
function damaged(random: Random, token: string): string {
  const at = Math.floor(random() * token.length)
  const parts = token.split('.')
  const change = Math.floor(random() * 8)
  if (change === 0) return token.slice(0, at) + pick(random, [...ALPHABET]) + token.slice(at + 1)
  if (change === 1) return token.slice(0, at) + pick(random, [...ALPHABET]) + token.slice(at)
  if (change === 2) return token.slice(0, at) + token.slice(at + 1)
  if (change === 3) return token.slice(0, -1) + pick(random, [...ALPHABET])
  if (change === 4)
    return pick(random, [`${token}=`, `${token}\n`, ` ${token}`, `${token}.`, `.${token}`])
  if (change === 5) return [parts[1], parts[0], parts[2]].join('.')
  if (change === 6)
    return [parts[0], parts[1], encoded(Buffer.alloc(pick(random, [0, 63, 64, 65, 256])))].join('.')
  // The other case of a letter, which base64 tells apart.
  return token.slice(0, at) + swapped(token[at] ?? '') + token.slice(at + 1)
}

const swapped = (letter: string) =>
  letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()

const KINDS = [
  {
    kind: 'session',
    typ: 'session+jwt',
    content: sessionClaims as Json,
    by: [signers.session, signers.former],
  },
  {
    kind: 'access',
    typ: 'at+jwt',
    content: accessClaims as Json,
    by: [signers.access, signers.access, signers.es256, signers.rs256],
  },
  { kind: 'feed', typ: 'revocations+jwt', content: feedContent as Json, by: [signers.session] },
] as const

/** A token or a feed: most are signed by the right key after something was changed, the others are damaged behind it. */
export function mutated(random: Random): Question {
  const { kind, typ, content, by } = pick(random, KINDS)
  const key: Signer = pick(random, by)
  const how = random()
  const full =
    kind === 'feed' && random() < 0.5
      ? { ...content, stale: [], more: 5, names: 480, cutoffs: [] }
      : content
  let header: Json | string = headerOf(key, typ)
  let payload: Json | string = full
  if (how < 0.45) payload = changed(random, full)
  else if (how < 0.7)
    payload = respelled(random, JSON.stringify(random() < 0.5 ? full : changed(random, full)))
  else if (how < 0.76) header = changed(random, header)
  else if (how < 0.82) header = respelled(random, JSON.stringify(header))
  const signer = random() < 0.97 ? key : signers.stranger
  const good = signed(header, payload, signer)
  const token = how < 0.84 ? good : damaged(random, good)
  const now = pick(random, [NOW, NOW, NOW, NOW - 160, NOW - 161, NOW + 199, NOW + 200])
  if (kind === 'feed')
    return { kind, text: token, keys: 'session', ...(random() < 0.1 ? { of: 'abcdefgh' } : {}) }
  if (kind === 'session') return { kind, token, keys: 'session', now }
  const needs = pick(random, [{}, {}, { scope: 'notes:read' }, { maxAge: 100 }, { acr: '2' }])
  return { kind, authorization: `Bearer ${token}`, keys: 'access', now, ...needs }
}
