/**
 * Text from a service or a file on one line, made safe for a terminal: line breaks and tabs become
 * spaces, other control characters and invisible ones, such as those that turn the direction of
 * writing, become U+FFFD. The two joiners stay, which scripts and emoji need.
 */
export function printable(text: string): string {
  return text
    .replaceAll(/[\t\n\v\f\r\u0085\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(/(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}]/gu, '\ufffd')
}

/**
 * Text of several lines, made safe for a terminal: line breaks and tabs stay. A carriage return
 * stays only before a line feed, since alone it hides the text before it.
 */
export function printableLines(text: string): string {
  return text.replaceAll(
    /(?!\t|\r?\n)[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    '\ufffd',
  )
}

/**
 * A value as JSON on one line. Signs that a terminal could obey are escaped, so that the value stays
 * the same and hides nothing.
 *
 * @param indent spaces of each level, for people
 */
export function jsonOf(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    /(?!\n)(?![\u200c\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (sign) => [...unitsOf(sign)].join(''),
  )
}

function* unitsOf(sign: string): Iterable<string> {
  for (let at = 0; at < sign.length; at++) {
    yield `\\u${sign.charCodeAt(at).toString(16).padStart(4, '0')}`
  }
}
