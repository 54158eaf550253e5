/** A longer header is not read. Browsers send about 60 characters for each session. */
const MAX_LENGTH = 8_192

/** Identifiers of our sessions begin with it. */
const OURS = 'lk.'

/**
 * Does a `Secure-Session-Skipped` header name a session of ours, whatever the reason? The header is a list
 * (RFC 9651, 3.1) of reasons with the parameter `session_identifier` (Device Bound Session Credentials).
 * A header that is malformed or too long names none.
 *
 * @example isSkipped('unreachable;session_identifier="lk.1"') // true
 */
export function isSkipped(header: string | null | undefined): boolean {
  if (!header || header.length > MAX_LENGTH || !header.includes(OURS)) return false
  let isOurs = false
  let isNamed = false
  for (const part of partsOf(header) ?? []) {
    if (!part.startsWith(';')) {
      isOurs ||= isNamed
      isNamed = false
      continue
    }
    const [key, value] = pairOf(part.slice(1))
    // Of a parameter that comes twice the last one counts (RFC 9651, 4.2.3.2).
    if (key === 'session_identifier') isNamed = value.startsWith(OURS)
  }
  return isOurs || isNamed
}

/**
 * The items of a list, and behind each its parameters, which begin with a semicolon; commas and semicolons in
 * quotes part nothing.
 *
 * @returns `undefined` if quotes do not end
 */
function partsOf(header: string): string[] | undefined {
  const parts: string[] = []
  let start = 0
  let isQuoted = false
  for (let at = 0; at < header.length; at++) {
    const character = header[at]
    if (isQuoted && character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === ',' || character === ';')) {
      parts.push(header.slice(start, at))
      start = character === ';' ? at : at + 1
    }
  }
  parts.push(header.slice(start))
  return isQuoted ? undefined : parts
}

function pairOf(parameter: string): [key: string, value: string] {
  const at = parameter.indexOf('=')
  if (at === -1) return [parameter.trim(), '']
  return [
    parameter.slice(0, at).trim(),
    parameter
      .slice(at + 1)
      .trim()
      .replace(/^"/, ''),
  ]
}
