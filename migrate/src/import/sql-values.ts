import type { Value } from './rows.js'
import type { Token } from './sql-tokens.js'

/**
 * The value of an expression, as exports write them: a literal, with a cast perhaps, or in the functions that
 * SQLite's shell and D1 have for line breaks.
 *
 * @returns `undefined`: it is unknown
 */
export function literalOf(tokens: readonly Token[]): Value {
  const reading = { tokens, at: 0 }
  const value = expression(reading)
  const rest = tokens[reading.at]
  // Postgres: 'a'::text
  return rest === undefined || rest.text === ':' ? value : undefined
}

interface Reading {
  readonly tokens: readonly Token[]
  at: number
}

function expression(reading: Reading): Value {
  const token = reading.tokens[reading.at++]
  if (!token) return undefined
  if (token.kind === 'string') return textOf(token)
  if (token.text === '-' || token.text === '+') {
    const value = expression(reading)
    return typeof value === 'number' ? (token.text === '-' ? -value : value) : undefined
  }
  if (token.kind !== 'word') return undefined
  if (reading.tokens[reading.at]?.text === '(') return call(token.text.toLowerCase(), reading)
  return wordOf(token.text)
}

function wordOf(word: string): Value {
  switch (word.toLowerCase()) {
    case 'null':
      return null
    case 'true':
      return true
    case 'false':
      return false
  }
  if (/^0x(?:[0-9a-f]{2})+$/i.test(word)) return fromHex(word.slice(2))
  // An id may have more digits than a number holds.
  if (/^\d{16,}$/.test(word)) return word
  return /^\d/.test(word) && Number.isFinite(Number(word)) ? Number(word) : undefined
}

function textOf({ text, prefix }: Token): Value {
  return prefix === 'X' ? fromHex(text) : text
}

function fromHex(digits: string): Value {
  return Buffer.from(digits, 'hex').toString()
}

/** The functions of exports; each argument is an expression. */
function call(name: string, reading: Reading): Value {
  reading.at++
  const values: Value[] = []
  for (;;) {
    const token = reading.tokens[reading.at]
    if (!token) return undefined
    if (token.text === ')' && token.kind === 'sign') break
    if (token.kind === 'sign' && token.text === ',') reading.at++
    // CAST(X'6869' AS TEXT)
    else if (token.kind === 'word' && token.text.toLowerCase() === 'as') reading.at += 2
    else values.push(expression(reading))
  }
  reading.at++
  const [first, second, third] = values
  switch (name) {
    case 'cast':
      return first
    case 'char':
    case 'chr':
      return values.every((one) => typeof one === 'number')
        ? String.fromCodePoint(...(values as number[]))
        : undefined
    case 'replace':
      if (![first, second, third].every((one) => typeof one === 'string')) return undefined
      return (first as string).replaceAll(second as string, () => third as string)
    case 'unistr':
      return typeof first === 'string' ? unescaped(first) : undefined
  }
  return undefined
}

/** As SQLite's `unistr` reads it. */
function unescaped(text: string): string {
  return text.replace(
    /\\(?:\\|u([0-9a-f]{4})|\+([0-9a-f]{6})|U([0-9a-f]{8})|([0-9a-f]{4}))/gi,
    (_, ...[four, six, eight, plain]: (string | undefined)[]) => {
      const digits = four ?? six ?? eight ?? plain
      const code = digits === undefined ? 0x5c : Number.parseInt(digits, 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd'
    },
  )
}
