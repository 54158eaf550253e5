/** A piece of a dump in SQL, outside of comments. */
export interface Token {
  readonly kind: 'string' | 'name' | 'word' | 'sign'
  /** The text of a string or a quoted name, without its quotes; the digits of a number. */
  readonly text: string
  /** The letters before a string, such as `X` or `E`. */
  readonly prefix?: string
  /** The quote around a name. */
  readonly quote?: string
  /** The start of the next one. */
  readonly end: number
}

/** More would be needed to tell. */
export const UNFINISHED = 'unfinished' as const

const BLANK = /[\s\0]*/y
const WORD = /[\p{L}_@][\p{L}\p{N}_@$]*|(?:\d[\w.]*(?:[eE][+-]\d+)?)/uy
const DOLLAR = /\$(?:[A-Za-z_]\w*)?\$/y
/** A word that may be the prefix of a string: `X'6869'`, `E'a\nb'`, `N'…'`, `_utf8mb4'…'`, `U&'…'`. */
const PREFIX = /(?:[xXeEnNbB]|[uU]&|_\w+\s*)(?=')/y

/**
 * The token that begins at a place, or behind blanks and comments there.
 *
 * @param isMysql a backslash in a string stands for what follows, and `#` begins a comment
 * @param isWhole nothing comes after the text
 * @returns `undefined`: there is none any more
 */
export function tokenAt(
  text: string,
  at: number,
  isMysql: boolean,
  isWhole: boolean,
): Token | typeof UNFINISHED | undefined {
  const start = skipped(text, at, isMysql, isWhole)
  if (typeof start === 'string') return UNFINISHED
  if (start >= text.length) return isWhole ? undefined : UNFINISHED
  const first = text[start] as string
  const how = { isWhole, hasEscapes: isMysql }
  if (first === "'") return quoted(text, start + 1, 'string', { ...how, quote: "'" })
  if (first === '"' && isMysql) return quoted(text, start + 1, 'string', { ...how, quote: '"' })
  if (first === '"' || first === '`') {
    const token = quoted(text, start + 1, 'name', { isWhole, hasEscapes: false, quote: first })
    return token === UNFINISHED ? token : { ...token, quote: first }
  }
  // MySQL quotes nothing so, and ends procedures by it.
  if (first === '$' && !isMysql) {
    const tag = match(DOLLAR, text, start)
    if (tag === undefined) return sign(first, start)
    const end = text.indexOf(tag, start + tag.length)
    if (end < 0) return isWhole ? undefined : UNFINISHED
    const content = text.slice(start + tag.length, end)
    return { kind: 'string', text: content, end: end + tag.length }
  }
  const prefix = match(PREFIX, text, start)
  if (prefix !== undefined) {
    const hasEscapes = isMysql || /^e$/i.test(prefix)
    const quoting = { isWhole, hasEscapes, quote: "'" }
    const token = quoted(text, start + prefix.length + 1, 'string', quoting)
    return token === UNFINISHED ? token : { ...token, prefix: prefix.trim().toUpperCase() }
  }
  const word = match(WORD, text, start)
  if (word === undefined) return sign(first, start)
  const end = start + word.length
  // A word may go on, or be the prefix of a string.
  if (end + 1 >= text.length && !isWhole) return UNFINISHED
  return { kind: 'word', text: word, end }
}

function sign(text: string, start: number): Token {
  return { kind: 'sign', text, end: start + 1 }
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0] || undefined
}

/** Behind blanks and comments. */
function skipped(
  text: string,
  from: number,
  isMysql: boolean,
  isWhole: boolean,
): number | typeof UNFINISHED {
  for (let at = from; ; ) {
    BLANK.lastIndex = at
    at += BLANK.exec(text)?.[0].length ?? 0
    const two = text.slice(at, at + 2)
    if (two.length < 2 && !isWhole) return at < text.length ? UNFINISHED : at
    const isLine = two === '--' || (isMysql && two[0] === '#')
    if (!isLine && two !== '/*') return at
    const mark = isLine ? '\n' : '*/'
    const end = text.indexOf(mark, at + (isLine ? 0 : 2))
    if (end < 0) return isWhole ? text.length : UNFINISHED
    at = end + mark.length
  }
}

/**
 * The text between quotes; two quotes stand for one.
 * @param start behind the first one
 */
function quoted(
  text: string,
  start: number,
  kind: Token['kind'],
  how: Quoting,
): Token | typeof UNFINISHED {
  const { quote, hasEscapes, isWhole } = how
  const parts: string[] = []
  for (let at = start; ; ) {
    const end = hasEscapes ? indexOfEither(text, quote, at) : text.indexOf(quote, at)
    // The next character decides.
    if (end < 0 || (end + 1 >= text.length && !(isWhole && text[end] === quote))) return UNFINISHED
    parts.push(text.slice(at, end))
    const next = text[end + 1] ?? ''
    const isEscape = text[end] !== quote
    if (!isEscape && next !== quote) return { kind, text: parts.join(''), end: end + 1 }
    parts.push(isEscape ? (ESCAPED[next] ?? next) : quote)
    at = end + 2
  }
}

interface Quoting {
  readonly quote: string
  /** Does a backslash stand for what follows? */
  readonly hasEscapes: boolean
  readonly isWhole: boolean
}

/** The index of the next quote or backslash. */
function indexOfEither(text: string, quote: string, at: number): number {
  const either = quote === "'" ? /['\\]/g : /["\\]/g
  either.lastIndex = at
  return either.exec(text)?.index ?? -1
}

const ESCAPED: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  0: '\0',
  Z: '\u001a',
}
