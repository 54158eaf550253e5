/** A longer header is not read. Browsers send about 200 characters for each session. */
const MAX_LENGTH = 8_192

/** An item of a list, or a parameter behind it, and its value. Commas and semicolons in quotes part nothing. */
const PART = /(^|[,;])[ \t]*([^,;="]*)=?("(?:[^"\\]|\\.)*"|[^,;"]*)/g

/**
 * Does a `Secure-Session-Skipped` header name a session of ours, whatever the reason? The header is a list
 * (RFC 9651, 3.1) of reasons with the parameter `session_identifier` (Device Bound Session Credentials). One that is
 * too long names none.
 *
 * @example isSkipped('unreachable;session_identifier="lk.1"') // true
 */
export function isSkipped(header: string | null | undefined): boolean {
  if (!header || header.length > MAX_LENGTH) return false
  let isOurs = false
  for (const [, before, name, value = ''] of header.matchAll(PART)) {
    // The last one counts if a parameter comes twice (RFC 9651, 4.2.3.2).
    if (before === ';' && name === 'session_identifier') isOurs = /^"?lk\./.test(value)
    if (before === ',' && isOurs) break
  }
  return isOurs
}
