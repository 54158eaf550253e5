import { pattern } from '../../lib/pattern.js'

/** Longer texts are refused. A Unicode spelling is seldom longer than the ASCII one. */
const MAX_INPUT = 320

/** Octets of a whole address (RFC 5321, 4.5.3.1.3 less the angle brackets). */
const MAX_ADDRESS = 254

/** Octets before the `@` (RFC 5321, 4.5.3.1.1). */
const MAX_LOCAL = 64

/** Printable ASCII, and visible letters, marks and numbers. Any other character is refused. */
const visible = pattern(
  String.raw`^(?:[!-~]|(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}])+$`,
  'u',
)

/**
 * A dot-atom (RFC 5322, 3.2.3) of lower-case letters. It excludes characters that other software
 * interprets: `%` and `!` are routes to many relays (Postfix rewrites `a%b@c` and `b!a@c` unless
 * told not to), `=?` begins an encoded word (RFC 2047), and a leading `-` is an option to a mail
 * program.
 */
const LOCAL = /^(?!-|.*=\?)[a-z0-9#$&'*+/=?^_`{|}~-]+(?:\.[a-z0-9#$&'*+/=?^_`{|}~-]+)*$/

/** At least two labels of letters, digits and hyphens (RFC 5890, 2.3.1); no IPv4 address. */
const DOMAIN =
  /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?!\d+$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/

/**
 * The one mailbox that a text names, in the one spelling that is stored, compared and mailed to:
 * ASCII, lower case, a dot-atom (RFC 5321, 4.1.2; RFC 5322, 3.4.1) and a domain whose labels are
 * A-labels if they need to be (RFC 5890 to 5892, UTS 46). `undefined` for anything else: lists,
 * groups, names, comments, quoted local parts, routes, address literals, and texts that only look
 * like another address (UTS 39). It never throws, and a second pass changes nothing.
 *
 * Tags (`+tag`) and the dots of Gmail stay: only the mailbox's host knows their meaning, and two
 * people may own `a.b@` and `ab@`. Case is folded: a host may tell `A@` from `a@`, but RFC 5321,
 * 2.4 advises against it, and the mail goes to the folded spelling alone.
 *
 * @example normalizeAddress(' Ana@BÜCHER.example') // 'ana@xn--bcher-kva.example'
 * @example normalizeAddress('ana@example.com,eve@example.org') // undefined
 */
export function normalizeAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_INPUT) return undefined
  const text = value.replace(/^[ \t]+|[ \t]+$/g, '')
  const normal = text.normalize('NFKC')
  // A mail library that normalizes must not get an `@`, a dot or a comma that was not there before.
  if (!visible().test(text) || specials(text) !== specials(normal)) return undefined
  const [givenLocal = '', givenDomain = '', ...more] = normal.split('@')
  const local = givenLocal.toLowerCase()
  const domain = asciiDomain(givenDomain)
  if (more.length > 0 || !domain || local.length > MAX_LOCAL || !LOCAL.test(local)) return undefined
  const address = `${local}@${domain}`
  return address.length > MAX_ADDRESS ? undefined : address
}

function specials(text: string): string {
  return text.replace(lettersAndDigits(), '')
}

const lettersAndDigits = pattern(String.raw`[\p{L}\p{M}\p{N}]`, 'gu')

/** UTS 46 maps case itself: `toLowerCase` would end a Greek word in another sigma than it does. */
function asciiDomain(value: string): string | undefined {
  // All other syntax of URLs is refused here: ports, paths, `%2e`, brackets.
  if (!/^[A-Za-z0-9.\-\P{ASCII}]+$/u.test(value)) return undefined
  const domain = hostname(value)
  if (!domain || !DOMAIN.test(domain)) return undefined
  const labels = domain.split('.').map((label) => (isALabel(label) ? decode(label) : label))
  // Encoding again proves the decoding, so the checks below judge the domain's real meaning.
  if (hostname(labels.join('.')) !== domain) return undefined
  const isUnderAscii = !isALabel(domain.slice(domain.lastIndexOf('.') + 1))
  const isHonest = (label: string) =>
    oneScript().test(label) && !(isUnderAscii && twins().test(label))
  return labels.every((label) => /^[a-z0-9-]+$/.test(label) || isHonest(label)) ? domain : undefined
}

function isALabel(label: string): boolean {
  return label.startsWith('xn--')
}

function hostname(domain: string): string | undefined {
  return URL.parse(`http://${domain}`)?.hostname
}

/**
 * One label in one script, as UTS 39 (5.2, Single Script) counts them: Japanese, Korean and Chinese
 * writing are one each. Only the scripts in everyday use (UAX 31, table 5). In scripts with letters
 * of their own for every accent a combining mark is refused, since it is hardly visible.
 */
const oneScript = pattern(() => {
  const scripts = [
    // No dotless i and no kra, which look like `i` and `k`, and no phonetic letters, for the same
    // reason.
    '(?:(?![ıĸ])[a-zß-öø-žơưșțəẠ-ỹ0-9-])+',
    ...['Armn', 'Cyrl', 'Geor', 'Grek', 'Hani Bopo', 'Hani Hira Kana', 'Hani Hang'].map(
      (names) => `(?!.*\\p{M})${inScripts(names)}`,
    ),
    ...'Arab Beng Deva Ethi Gujr Guru Hebr Khmr Knda Laoo Mlym Mymr Orya Sinh Taml Telu Thaa Thai Tibt'
      .split(' ')
      .map(inScripts),
  ]
  return `^(?!.*[^\\p{L}\\p{M}\\p{Nd}-])(?:${scripts.join('|')})$`
}, 'u')

function inScripts(names: string): string {
  return `[0-9\\-${names.replace(/\w+/g, '\\p{scx=$&}').replaceAll(' ', '')}]+`
}

/**
 * Cyrillic, Greek and Armenian letters that look like Latin ones; browsers distrust a label of
 * these alone.
 */
const twins = pattern(
  '^(?:[аԁеԍһіјкӏпорԛсгѕԝѡхуѵъьҽ0-9-]+|[αηικνορτυωγχ0-9-]+|[ագզէլհյոսցւքօ0-9-]+)$',
  'u',
)

/** Stands for an invalid label: a domain with it cannot be encoded again. */
const UNKNOWN = ' '

const PUNYCODE_DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** The Unicode form of an A-label (RFC 3492, 6.2). Platforms can encode, but offer no decoder. */
function decode(label: string): string {
  const end = label.lastIndexOf('-')
  const decoded = [...label.slice(4, Math.max(end, 4))]
  const digits = label.slice(end + 1)
  let code = 128
  let bias = 72
  let index = 0
  for (let at = 0; at < digits.length; ) {
    const before = index
    for (let weight = 1, k = 36; ; k += 36) {
      const digit = PUNYCODE_DIGITS.indexOf(digits[at++] ?? '-')
      if (digit < 0) return UNKNOWN
      index += digit * weight
      const threshold = Math.min(Math.max(k - bias, 1), 26)
      if (digit < threshold) break
      weight *= 36 - threshold
    }
    const length = decoded.length + 1
    bias = adapt(before === 0 ? index / 700 : (index - before) / 2, length)
    code += Math.floor(index / length)
    if (code > 0x10ffff) return UNKNOWN
    index %= length
    decoded.splice(index++, 0, String.fromCodePoint(code))
  }
  return decoded.join('')
}

/** The next bias (RFC 3492, 6.1). */
function adapt(damped: number, length: number): number {
  let delta = Math.floor(damped)
  delta += Math.floor(delta / length)
  let k = 0
  for (; delta > 455; k += 36) delta = Math.floor(delta / 35)
  return k + Math.floor((36 * delta) / (delta + 38))
}
