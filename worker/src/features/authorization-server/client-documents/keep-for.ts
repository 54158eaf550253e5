/** How long a document is kept at least, and at most. Seconds. */
const LEAST = 5 * 60
const MOST = 24 * 60 * 60

/**
 * How long a document is kept, by its `Cache-Control` (RFC 9111, section 5.2.2).
 *
 * @returns seconds, five minutes at least and a day at most
 */
export function keepFor(headers: Headers): number {
  const said = (headers.get('cache-control') ?? '').toLowerCase()
  if (/(?:^|,)\s*no-(?:store|cache)\b/.test(said)) return LEAST
  const age = /(?:^|,)\s*max-age="?(\d{1,9})\b/.exec(said)?.[1]
  return Math.min(MOST, Math.max(LEAST, Number(age ?? 0)))
}
