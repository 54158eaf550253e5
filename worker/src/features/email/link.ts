import { answerWithin } from '@latchkey/session/internal'
import { ProviderMisconfigured } from '../../errors.js'
import type { Attempt } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { digest, randomToken } from '../../lib/base64url.js'
import { subjectOf } from '../../person/subject.js'
import type { ResolvedEmailProvider } from './resolve.js'

/** The deadline of the app's function that makes a token. Milliseconds. */
const TOKEN_TIMEOUT = 5_000

/** The part of the ledger that concerns an address: its user's id, so no address is in it. */
export async function ledgerKey(provider: string, address: string): Promise<string> {
  return keyOf(await subjectOf(provider, address))
}

export function keyOf(subject: string): string {
  return `email:${subject}`
}

/** Does a link work in the browser and session alone that asked for it? */
export function isForSession(token: string): boolean {
  return LINK.exec(token)?.[2] === HERE
}

/**
 * A link's secret. The app's own text comes before ours and never replaces it: an app's text may be
 * the same each time, and then any recipient could open any other person's link.
 *
 * @throws {ProviderMisconfigured}
 */
export async function makeToken({ id, makeToken }: ResolvedEmailProvider): Promise<string> {
  const random = randomToken(32)
  if (!makeToken) return random
  const option = `generateVerificationToken of provider "${id}"`
  let token: unknown
  try {
    token = await answerWithin(TOKEN_TIMEOUT, (async () => makeToken())())
  } catch (cause) {
    throw new ProviderMisconfigured(`${option} failed.`, { cause })
  }
  if (typeof token === 'string' && /^[A-Za-z0-9_-]{22,256}$/.test(token)) return token + random
  throw new ProviderMisconfigured(
    `${option} must return 22 to 256 characters of base64url. The six-digit code is made for you.`,
  )
}

/** Six digits, uniformly distributed. */
export function randomCode(): string {
  const [number = 0] = crypto.getRandomValues(new Uint32Array(1))
  // Numbers of the last, incomplete million would make small codes likelier.
  const limit = 4_294 * 1_000_000
  return number < limit ? String(number % 1_000_000).padStart(6, '0') : randomCode()
}

export async function parseLink(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  token: string,
): Promise<{ key: string; mark: string; hash: string } | undefined> {
  const [, subject, mark, secret] = LINK.exec(token) ?? []
  if (subject === undefined || mark === undefined || secret === undefined) return undefined
  return { key: keyOf(subject), mark, hash: await linkHash(request, provider, mark, secret) }
}

/** The person that the log names for an expired link. */
export function attemptByLink({ id }: ResolvedEmailProvider, token: string): Attempt {
  return { provider: id, claimed: LINK.exec(token)?.[1] }
}

/** Between the two parts of a link's token: the browsers that it works in. Versions without ways know the first one only. */
export const ANYWHERE = '.'

/** In the browser and session that asked: it adds an address, or steps up. */
export const HERE = '~'

const LINK = /^([A-Za-z0-9_-]{22})([.~])([A-Za-z0-9_-]{43,299})$/

/**
 * A link belongs to one provider and mount: another provider may have other rules, and another
 * mount with the same ledger other redirect targets. There it is unknown, so that they do not use
 * it up either.
 */
export function linkHash(
  { issuer }: AuthRequest,
  { id }: ResolvedEmailProvider,
  mark: string,
  secret: string,
): Promise<string> {
  return hashed(mark === HERE ? 'add' : 'link', issuer, id, secret)
}

/**
 * SHA-256 suffices for secrets that cannot be guessed; a code is hashed together with such a
 * secret.
 */
export function hashed(...parts: readonly string[]): Promise<string> {
  return digest(['latchkey/email/v1', ...parts])
}
