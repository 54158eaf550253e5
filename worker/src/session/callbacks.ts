import { isRecord } from '@latchkey/session/internal'
import { AccessDenied, AuthError, CallbackFailed } from '../errors.js'
import type { AuthRequest } from '../http/request.js'
import type { Callbacks, Events, JWT } from '../types.js'
import type { SignedIn } from './signed-in.js'

/** Further arguments of the `signIn` callback. */
interface AskedMore {
  /** Set for a request for a mail, before the sign-in. */
  readonly email?: { readonly verificationRequest: true }
  /** The `sub` of a person who adds the way. */
  readonly addedTo?: string
}

/**
 * Asks the app whether this person may sign in.
 *
 * @returns a URL when the app redirects them elsewhere
 * @throws {AccessDenied} when the app refuses or its callback throws
 */
export async function askSignIn(
  { config }: AuthRequest,
  { user, account, profile, credentials }: SignedIn,
  more: AskedMore = {},
): Promise<string | undefined> {
  const { signIn } = config.callbacks
  if (!signIn) return undefined
  // Only `true` accepts: a callback that forgets to return anything refuses.
  const answer: unknown = await runCallback(AccessDenied, 'signIn', () =>
    signIn({
      user: { ...user },
      account: { ...account },
      ...(profile && { profile }),
      ...(credentials && { credentials }),
      ...more,
    }),
  )
  if (typeof answer === 'string') return answer
  if (answer !== true) throw new AccessDenied('The signIn callback refused.')
  return undefined
}

/** The value to store with the session; `null` when the app ends it. @throws {CallbackFailed} */
export async function runJwt(
  { config }: AuthRequest,
  params: Parameters<Callbacks['jwt']>[0],
): Promise<JWT | null> {
  const { jwt } = config.callbacks
  if (!jwt) return params.token
  const token = await runCallback(CallbackFailed, 'jwt', () => jwt(params))
  if (token === null) return null
  if (!isRecord(token)) throw new CallbackFailed('The jwt callback returned no object.')
  return token
}

/** Larger sessions would not fit the headers that servers accept. Bytes of JSON. */
const MAX_SESSION = 8_192

/**
 * The session in the token: the app's session without `expires`, as JSON; `null` when the app ends
 * it. A copy, since the callback may return an object that it keeps.
 *
 * @throws {CallbackFailed} also without a callback, when a name or a picture is too large
 */
export async function runSession(
  { config, features }: AuthRequest,
  params: Parameters<Callbacks['session']>[0],
): Promise<Record<string, unknown> | null> {
  const { session: callback } = config.callbacks
  const json = await runCallback(CallbackFailed, 'session', async () => {
    const answer = callback ? await callback(params) : params.session
    return answer === null ? null : JSON.stringify(answer)
  })
  if (json === null) return null
  const copy: unknown = JSON.parse(json ?? 'null')
  if (!isRecord(copy)) throw new CallbackFailed('The session callback returned no object.')
  const { expires: _, ...session } = copy
  // As the end of the session, it is the service's to say.
  if (features.ports.binding) delete session.bound
  const size = new TextEncoder().encode(JSON.stringify(session)).length
  if (size > MAX_SESSION) throw new CallbackFailed(`A session of ${size} bytes is too large.`)
  return session
}

/**
 * The session as it is before the app's `session` callback.
 *
 * @param vouched the address that the provider vouches for: none that the `jwt` callback has put in
 *   its place
 */
export function defaultSession(
  token: JWT,
  expires: number,
  vouched?: string,
): Parameters<Callbacks['session']>[0]['session'] {
  const { sub, name, email, picture } = token
  const user = {
    ...(sub ? { id: sub } : {}),
    name: name ?? null,
    email: email ?? null,
    image: picture ?? null,
    ...(vouched !== undefined && vouched === email ? { emailVerified: true } : {}),
  }
  return { user, expires: new Date(expires * 1000).toISOString() }
}

/** Calls an event of the app, whose failure is logged and changes nothing. */
export async function emit<Name extends keyof Events>(
  { config }: AuthRequest,
  name: Name,
  message: Parameters<Events[Name]>[0],
): Promise<void> {
  const handler = config.events[name] as ((message: unknown) => unknown) | undefined
  if (!handler) return
  try {
    await handler(message)
  } catch (error) {
    config.logger.error(new CallbackFailed(`The ${name} event handler threw.`, { cause: error }))
  }
}

/** Runs a function of the app, whose failure gets this type. */
export async function runCallback<Result>(
  Failure: new (message: string, options: ErrorOptions) => AuthError,
  name: string,
  callback: () => Result,
): Promise<Awaited<Result>> {
  try {
    return await callback()
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new Failure(`The ${name} callback threw.`, { cause: error })
  }
}
