import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { digest } from '../../lib/base64url.js'

/** Carries when a request was first made, for those that ask for a sign-in later than that. */
const NAME = 'latchkey_since'

/** How long it counts. Seconds. */
const LIFE = 60 * 60

/** A query without the mark that {@link withSince} has put at its end. */
export function withoutSince(query: string): string {
  return query.replace(new RegExp(`(?:^|&)${NAME}=[^&]*$`), '')
}

/** A query that says when it was first sent, sealed: an app that names a time of its own is not heard. */
export async function withSince(
  request: AuthRequest,
  query: string,
  came: number,
): Promise<string> {
  const sealer = await request.keys.sealer('authorize')
  const content = { came, of: await nameOf(query) }
  return `${query}&${NAME}=${await sealer.seal(content, nowInSeconds(request) + LIFE)}`
}

/** When a query was first sent. Seconds since the epoch; `undefined`: just now. */
export async function sinceIn(request: AuthRequest, query: string): Promise<number | undefined> {
  const plain = withoutSince(query)
  if (plain === query) return undefined
  const sealer = await request.keys.sealer('authorize')
  const { came, of } = (await sealer.open(query.slice(query.lastIndexOf('=') + 1))) ?? {}
  return typeof came === 'number' && of === (await nameOf(plain)) ? came : undefined
}

function nameOf(query: string): Promise<string> {
  return digest(['latchkey/authorize/v1', query], 9)
}
