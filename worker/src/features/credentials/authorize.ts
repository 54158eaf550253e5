import { answerWithin, isRecord } from '@latchkey/session/internal'
import { AuthError, CredentialsFailed, CredentialsSignin } from '../../errors.js'
import type { Fields } from '../../http/body.js'
import { ownDetail } from '../../lib/printable.js'
import { accountId, addressAsId, subjectOf, vouchedUser } from '../../person/subject.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { CredentialsConfig } from '../../types.js'

/** How long `authorize` may take, in milliseconds. */
const TIMEOUT = 10_000

/** Our own fields of the form, which `authorize` does not get. */
const OWN_FIELDS = new Set(['csrfToken', 'callbackUrl', 'maxAge', 'acr'])

/**
 * Asks the app for the user of these credentials. An unknown user and a wrong password end in the
 * same error.
 *
 * @throws {CredentialsSignin} when they are wrong, with the app's `code`
 * @throws {CredentialsFailed} when `authorize` throws anything else, hangs, or names no user
 */
export async function authorizeCredentials(
  provider: CredentialsConfig,
  fields: Fields,
  request: Request,
  timeout = TIMEOUT,
): Promise<SignedIn> {
  const entries = Object.entries(fields).filter(([name]) => !OWN_FIELDS.has(name))
  const credentials = Object.fromEntries(entries)
  const user = await askApp(provider, credentials, request, timeout)
  if (!user) {
    throw new CredentialsSignin('The credentials belong to no user.', {
      cause: ownDetail({ provider: provider.id }),
    })
  }
  const id = isRecord(user) ? idOf(user) : undefined
  if (id === undefined) {
    throw new CredentialsFailed(
      `authorize of "${provider.id}" returned a user without an id, and without an email that can take its place.`,
    )
  }
  const userId = await subjectOf(provider.id, id)
  const account = { provider: provider.id, type: provider.type, providerAccountId: id, userId }
  return { user: vouchedUser(user, userId), account, credentials }
}

/**
 * A user without an id is known by their address, as the app says it. An id that is undefined comes
 * from a missing row.
 */
function idOf(user: Record<string, unknown>): string | undefined {
  return 'id' in user ? accountId(user.id) : addressAsId(user.email)
}

async function askApp(
  provider: CredentialsConfig,
  credentials: Record<string, unknown>,
  request: Request,
  timeout: number,
): Promise<Awaited<ReturnType<CredentialsConfig['authorize']>>> {
  // The body was already read; the app gets the same request with its fields as JSON.
  const headers = new Headers(request.headers)
  headers.set('content-type', 'application/json')
  headers.delete('content-length')
  const replay = new Request(request.url, {
    method: 'POST',
    headers,
    body: JSON.stringify(credentials),
  })
  try {
    const answer = Promise.resolve(provider.authorize(credentials, replay))
    return await answerWithin(timeout, answer)
  } catch (error) {
    if (error instanceof AuthError) throw error
    throw new CredentialsFailed(`authorize of "${provider.id}" failed.`, { cause: error })
  }
}
