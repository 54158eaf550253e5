import { CallbackFailed, OAuthCallbackError, StoreUnavailable } from '../../errors.js'
import { readBytes } from '../../http/body.js'
import { timeLimit } from '../../http/limited-fetch.js'
import { logEvent } from '../../http/log-event.js'
import { tryProvider } from '../../http/network-limit.js'
import { json, type Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { BadRequest } from '../../lib/bad-request.js'
import { digest } from '../../lib/base64url.js'
import { companyIn } from '../../lib/company-id.js'
import { end, endedOf } from '../../session/end.js'
import { connect } from '../../sign-in/oauth/connection.js'
import { MAX_LISTED, type SessionRecord } from '../../stores/ports.js'
import { noteLogout, readNote } from './logged-out.js'
import { type LogoutToken, LogoutTokenFault, verifyLogoutToken } from './logout-token.js'
import { type CompanyProvider, findProvider, subAt } from './provider.js'
import { noteEndAtProvider, readAtProvider } from './session-rows.js'
import { personAt } from './sub-of-company.js'
import { warn } from './warn.js'

/** From the first byte of a question to the provider to the last one of its answer. Milliseconds. */
const MAX_WAIT = 10_000

/** One answer for all that is wrong: nobody learns from it what is (OpenID Connect Back-Channel Logout 1.0, section 2.8). */
const REFUSED = json({ error: 'invalid_request' }, 400)
const DONE: Outcome = { kind: 'empty' }

/**
 * POST /backchannel-logout/company-<id>: the company's provider says that a session of its own, or all of a person, are over. It is
 * answered without a cookie, and once for each token.
 *
 * @throws {StoreUnavailable} the token counts afterwards
 */
export async function backchannelLogout(request: AuthRequest, id: string): Promise<Outcome> {
  const provider = await findProvider(request, id)
  if (!provider) return REFUSED
  let token: LogoutToken
  try {
    token = await tokenIn(request, provider)
  } catch (error) {
    if (!(error instanceof LogoutTokenFault)) throw error
    const { message } = error
    await warn(request, 'logout-token-refused', `A logout token of ${id} was refused. ${message}`)
    return REFUSED
  }
  await endBy(request, provider, token)
  return DONE
}

async function tokenIn(request: AuthRequest, provider: CompanyProvider): Promise<LogoutToken> {
  const text = await textIn(request.original)
  // Anybody can send a token, for which a provider that does not answer would be asked without end.
  const attempt = await tryProvider(request, 'logout')
  if (attempt.wait > 0) {
    const error = new StoreUnavailable('Too much that a network asked a provider for has failed.')
    throw Object.assign(error, { retryAfter: attempt.wait })
  }
  try {
    const connection = await connect(provider, request.config.now(), timeLimit(MAX_WAIT))
    const token = await verifyLogoutToken(connection, text)
    attempt.forgive()
    return token
  } catch (cause) {
    if (cause instanceof LogoutTokenFault) attempt.forgive()
    else await attempt.fail()
    if (!(cause instanceof OAuthCallbackError)) throw cause
    throw new StoreUnavailable('A company’s provider cannot be asked now.', { cause: cause.cause })
  }
}

/** A form with one `logout_token`. @throws {LogoutTokenFault} */
async function textIn(original: Request): Promise<string> {
  const type = original.headers.get('content-type') ?? ''
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type))
    throw new LogoutTokenFault('It is not a form.')
  let bytes: Uint8Array
  try {
    bytes = await readBytes(original)
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error
    throw new LogoutTokenFault('The form is too long.')
  }
  const tokens = new URLSearchParams(new TextDecoder().decode(bytes)).getAll('logout_token')
  const [text = ''] = tokens
  if (tokens.length === 1) return text
  throw new LogoutTokenFault('The form has not one token.')
}

async function endBy(
  request: AuthRequest,
  provider: CompanyProvider,
  token: LogoutToken,
): Promise<void> {
  const { issuer } = provider.company
  const used = await digest(['latchkey/company-logout/v1', issuer, token.jti], 18)
  const { sub, sid } = token
  if (sid !== undefined) return endSession(request, provider, { ...token, sid, used })
  if (sub !== undefined) return endAccount(request, provider, { ...token, sub, used })
}

interface Counting extends LogoutToken {
  /** The digest of its `jti`. */
  readonly used: string
}

/** Ends what belongs to one session of the provider. */
async function endSession(
  request: AuthRequest,
  { id, company }: CompanyProvider,
  { sub: subject, sid, used, until }: Counting & { readonly sid: string },
): Promise<void> {
  const { issuer } = company
  const { sessions, ends } = await readAtProvider(request, issuer, sid)
  if (ends.has(used)) return
  const way = subject === undefined ? undefined : await subAt(company, subject)
  for (const one of sessions) {
    // A token with both names one account, which may belong to another person by now.
    if (way !== undefined && one.way !== way) continue
    await end(request, [{ ...one, amr: [id] }], undefined)
    await logEvent(request, { event: 'company-logout', sub: one.sub, provider: id, which: 'one' })
  }
  // Last: a fault before this leaves the token for another try.
  await noteEndAtProvider(request, issuer, sid, used, until)
}

/** Ends all that began with an account of the provider. */
async function endAccount(
  request: AuthRequest,
  { id, company }: CompanyProvider,
  { sub: subject, ...token }: Counting & { readonly sub: string },
): Promise<void> {
  const account = { way: await subAt(company, subject), company: company.id }
  const note = await readNote(request, account)
  if (Object.hasOwn(note.used, token.used)) return
  try {
    await endAllOf(request, id, await personAt(request, company, subject))
  } catch (error) {
    // The app cannot name the person of the account. Its sessions end all the same when they are to be renewed.
    if (!(error instanceof CallbackFailed)) throw error
    request.config.logger.error(error)
  }
  await noteLogout(request, account, note, token)
}

/** Ends all sessions of a person that a company began, as far as they are listed. The other sessions go on, and so do grants of apps. */
async function endAllOf(request: AuthRequest, provider: string, sub: string): Promise<void> {
  const seen = new Map<string, SessionRecord>()
  for (;;) {
    const part = { most: MAX_LISTED, except: new Set(seen.keys()) }
    const page = await request.stores.sessions.list(sub, part)
    const fresh = page.filter(({ sid }) => !seen.has(sid))
    if (fresh.length === 0) break
    for (const one of fresh) seen.set(one.sid, one)
  }
  const own = [...seen.values()].filter((one) => one.provider === provider)
  await end(request, own.map(endedOf), undefined)
  const company = companyIn(provider) ?? ''
  for (const loggedOut of request.features.hooks('person', 'loggedOut')) {
    await loggedOut(request, sub, { company })
  }
  await logEvent(request, { event: 'company-logout', sub, provider, which: 'all' })
}
