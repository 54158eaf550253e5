import type { SessionClaims } from '@latchkey/session'
import { isRecord } from '@latchkey/session/internal'
import type { SafeRedirect } from '../../config/safe-redirect.js'
import { type Outcome, redirect } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { keepTarget, openTarget, ownPage, resolveCallbackUrl } from '../../http/targets.js'
import { randomToken } from '../../lib/base64url.js'
import { readPerson } from '../../person/documents.js'
import { signedIn } from '../../session/read.js'
import { flowId, newestFlow, type StartedFlow, startFlow } from '../../sign-in/flow-cookie.js'
import { isLately } from '../ways/fresh-post.js'
import { factorOf } from './demand.js'
import { type FactorFlow, findPendingSignIn } from './pending-sign-in.js'
import { KEY_LENGTH } from './totp.js'

/** A key that waits until a code of it is shown. */
export interface KeyFlow extends StartedFlow {
  readonly key: string
  /** The `sid` of a session, or the id of a sign-in that waits, that began it. */
  readonly of: string
}

/** Stands for the provider in the key's cookie. */
const SETUP = '/factor/setup'

/** Seconds. */
const MAX_AGE = 10 * 60

/** In the place of a flow's id: the session, and no sign-in that waits. */
export const SESSION = 'session'

/** A person who sets a second factor up: in a session, or before one begins. */
export type Asker = {
  readonly sub: string
  /** Binds the key's cookie to this person's session or sign-in. */
  readonly of: string
  /** The person's name in the authenticator app. */
  readonly name: string
} & ({ readonly flow: FactorFlow } | { readonly claims: SessionClaims })

/**
 * The person who asks: by the first factor in this browser just now, or else by a recent sign-in.
 *
 * @param chosen the id of a flow, or {@link SESSION}
 */
export async function askerOf(request: AuthRequest, chosen?: string): Promise<Asker | undefined> {
  const flow = chosen === SESSION ? undefined : await findPendingSignIn(request, chosen)
  if (flow) return { sub: flow.sub, of: flowId(flow), name: flow.name, flow }
  if (chosen !== undefined && chosen !== SESSION) return undefined
  const claims = await signedIn(request)
  if (!claims || !isLately(request, claims)) return undefined
  const user = isRecord(claims.session.user) ? claims.session.user : {}
  const name = [user.email, user.name].find((one) => typeof one === 'string') ?? ''
  return { sub: claims.sub, of: claims.sid, name: name as string, claims }
}

/**
 * Does the person have a factor? A sign-in that waits for a code of it must not set up another: if
 * the factor is removed meanwhile, the first factor alone would be enough to replace it.
 */
export async function isAskedForCode(request: AuthRequest, asker: Asker): Promise<boolean> {
  if ('flow' in asker && asker.flow.demand !== 'set-up') return true
  return factorOf((await readPerson(request, asker.sub)).person) !== undefined
}

/** The next page for a user with a factor. */
export function elsewhere(request: AuthRequest, asker: Asker): Outcome {
  const page = 'flow' in asker ? 'factor' : 'account'
  return redirect(ownPage(request, `${request.issuer}/${page}`))
}

export function setupPage(request: AuthRequest, callbackUrl: string | undefined): SafeRedirect {
  const query = callbackUrl === undefined ? '' : `?${new URLSearchParams({ callbackUrl })}`
  return ownPage(request, `${request.issuer}/factor/setup${query}`)
}

export async function targetOf(
  request: AuthRequest,
  asker: Asker,
  asked: string | undefined,
): Promise<SafeRedirect> {
  if ('flow' in asker) return openTarget(request, asker.flow)
  if (asked !== undefined) return resolveCallbackUrl(request, asked)
  return ownPage(request, `${request.issuer}/account`)
}

/** @param id of its flow; left out: the asker's newest flow */
export function findKey(
  request: AuthRequest,
  { of }: Asker,
  id?: string,
): Promise<KeyFlow | undefined> {
  const isTheirs = (flow: KeyFlow) => flow.of === of && (id === undefined || flowId(flow) === id)
  return newestFlow<KeyFlow>(request, SETUP, isTheirs)
}

export function startKey(
  request: AuthRequest,
  { of }: Asker,
  target: SafeRedirect,
): Promise<KeyFlow> {
  const start = {
    provider: SETUP,
    ...keepTarget(request, target),
    key: randomToken(KEY_LENGTH),
    of,
  }
  return startFlow(request, start, {}, MAX_AGE)
}
