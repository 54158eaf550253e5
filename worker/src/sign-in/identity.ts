import { isRecord } from '@latchkey/session/internal'
import { InvalidConfiguration, OAuthAccountNotLinked, OAuthCallbackError } from '../errors.js'
import type { InTime } from '../http/limited-fetch.js'
import type { AuthRequest } from '../http/request.js'
import { ownDetail } from '../lib/printable.js'
import { asPerson, readPerson } from '../person/documents.js'
import type { FoundWay } from '../person/found-way.js'
import { accountId, addressAsId, subjectOf, vouchedUser } from '../person/subject.js'
import { ownSubOf, readWay, wayOf } from '../person/way-document.js'
import type { Identified } from '../service/sign-in-hooks.js'
import type { SignedIn } from '../session/signed-in.js'
import type { OIDCConfig, Profile, ProviderType, TokenSet } from '../types.js'
import { withVerification } from './email-verified.js'
import type { Exchanged } from './provider-answer.js'

/** A provider that describes people, with the options that read its profiles. */
export interface DescribingProvider
  extends Pick<OIDCConfig, 'id' | 'profile' | 'account' | 'issuerOf'> {
  readonly type: ProviderType
  readonly complete?: (signedIn: SignedIn) => Promise<SignedIn>
}

// Longer values are dropped, since they would make a cookie that servers refuse. In characters; an
// address has at most 254 (RFC 5321).
const MAX_NAME = 256

const MAX_EMAIL = 254

const MAX_IMAGE = 2_048

/**
 * The person that the provider describes. Every value is checked: the id must be a non-empty string
 * or a number, and an image an https URL. A member that only adds to the person, such as a name, is left out if it is
 * malformed, and refuses nobody.
 *
 * @param inTime the limit of the whole sign-in, which the provider's own functions may not exceed
 * @throws {OAuthCallbackError} when the provider gave no usable id
 */
export async function identityOf(
  provider: DescribingProvider,
  { tokens, profile: answer }: Exchanged,
  inTime: InTime,
): Promise<SignedIn> {
  const profile = withVerification(answer)
  const described: unknown = await mapProfile(provider, profile, tokens, inTime)
  if (!isRecord(described)) throw refusal(provider, 'profile() returned no user.')
  const id = idOf(provider, described, profile)
  if (id === undefined) throw refusal(provider, 'The profile has no usable id.')
  const userId = await subjectOf(provider.id, id, tenantOf(provider, profile))
  const checked = {
    ...described,
    id,
    name: textOrNull(described.name, MAX_NAME),
    email: textOrNull(described.email, MAX_EMAIL),
    image: httpsOrNull(described.image),
  }
  const user = vouchedUser(checked, userId)
  const kept = await tokensToStore(provider, tokens, inTime)
  const known = { provider: provider.id, type: provider.type, providerAccountId: id, userId }
  const account = { ...kept, ...known }
  const signedIn = { user, account, profile: profile as Profile }
  return provider.complete ? provider.complete(signedIn) : signedIn
}

/**
 * The account's id. One that `profile()` leaves out is the `sub` of the ID token (OpenID Connect Core, 2), the `id` of
 * what a plain OAuth provider answers, or the address that it vouches for.
 */
function idOf(
  { type }: DescribingProvider,
  described: Record<string, unknown>,
  profile: Record<string, unknown>,
): string | undefined {
  // An id that is present but undefined is a mistake of `profile()`: it has read a member that does
  // not exist.
  if ('id' in described) return accountId(described.id)
  const { email, emailVerified } = described
  const own = type === 'oidc' ? profile.sub : profile.id
  return accountId(own) ?? (emailVerified === true ? addressAsId(email) : undefined)
}

/** If a provider has many issuers, an id is unique within one of them only. */
function tenantOf({ issuerOf }: DescribingProvider, { iss }: Profile): string | undefined {
  return issuerOf ? String(iss) : undefined
}

async function tokensToStore(
  provider: DescribingProvider,
  tokens: TokenSet,
  inTime: InTime,
): Promise<Partial<TokenSet>> {
  if (!provider.account) return tokens
  try {
    return (await inTime(provider.account(tokens))) ?? {}
  } catch (error) {
    throw refusal(provider, 'account() could not read the tokens.', error)
  }
}

async function mapProfile(
  provider: DescribingProvider,
  profile: Record<string, unknown>,
  tokens: TokenSet,
  inTime: InTime,
): Promise<unknown> {
  const { profile: map } = provider
  if (!map) return defaultUser(profile)
  try {
    return await inTime(map(profile as Profile, tokens))
  } catch (error) {
    if (error instanceof OAuthCallbackError) throw error
    throw refusal(provider, 'profile() could not read the answer.', error)
  }
}

/**
 * The standard claims (OpenID Connect Core, section 5.1). An address that the provider calls
 * unverified may belong to anyone, and is left out.
 */
function defaultUser(profile: Record<string, unknown>): Record<string, unknown> {
  const { sub, id, name, nickname, preferred_username, email, email_verified, picture } = profile
  return {
    id: sub ?? id,
    name: name ?? nickname ?? preferred_username,
    email: email_verified === false ? null : email,
    emailVerified: email_verified,
    image: picture,
  }
}

function textOrNull(value: unknown, max: number): string | null {
  return typeof value === 'string' && value !== '' && value.length <= max ? value : null
}

function httpsOrNull(value: unknown): string | null {
  const url = typeof value === 'string' ? URL.parse(value) : null
  return url?.protocol === 'https:' && url.href.length <= MAX_IMAGE ? url.href : null
}

function refusal({ id }: DescribingProvider, reason: string, error?: unknown): OAuthCallbackError {
  const err = error instanceof Error ? { err: error } : {}
  return new OAuthCallbackError(`Sign-in with "${id}" failed.`, {
    cause: ownDetail({ provider: id, reason, ...err }),
  })
}

/**
 * The person that an account itself names, if no feature knows another one. If the ledger knows
 * more of the way than any feature here, the sign-in is refused, and not guessed.
 *
 * @throws {OAuthAccountNotLinked} the way was removed
 * @throws {InvalidConfiguration} the way is another person's, which the feature `ways` alone can
 * tell
 * @throws {StoreUnavailable}
 */
export async function identifyByAccount(
  request: AuthRequest,
  proved: SignedIn,
  { document, person }: FoundWay,
): Promise<Identified> {
  const way = readWay(document)
  if (!way) return { signedIn: proved }
  if ('removed' in way) throw wasRemoved()
  if (way.owner !== ownSubOf(wayOf(proved.account))) throw needsWays()
  const { owner } = way
  const known =
    person === undefined ? await readPerson(request, owner) : asPerson(request, person ?? undefined)
  return { signedIn: proved, document: known }
}

/** The refusal of a way that its person has removed. */
export function wasRemoved(): OAuthAccountNotLinked {
  return new OAuthAccountNotLinked('A way was used that its person removed.')
}

function needsWays(): InvalidConfiguration {
  return new InvalidConfiguration(
    'A way to sign in was added to a person: add the feature ways of @latchkey/worker/features/ways.',
  )
}
