import { cookieNames, cookieValues } from '@latchkey/session/internal'
import { addCookie, nowInSeconds, ownCookieName, type RequestScope } from '../http/scope.js'
import { randomToken } from '../lib/random.js'
import type { Carried } from '../types.js'

/** A started sign-in, as its sealed cookie keeps it. */
export interface StartedFlow {
  /** Base of the service that started it: two mounts with one secret are two services. */
  readonly issuer: string
  readonly provider: string
  readonly state: string
  readonly callbackUrl: string
}

/** A sign-in at a provider. */
export interface Flow extends StartedFlow {
  readonly codeVerifier: string
  /** OpenID only: ties the ID token to this flow. */
  readonly nonce?: string
  /** `fromHono` only: what the middleware wants back. */
  readonly carried?: Carried
}

/** A person has this long to sign in at the provider. Seconds. */
const MAX_AGE = 15 * 60
/** Each started sign-in has a cookie; with more than this many the oldest go. */
const MAX_FLOWS = 5
/** Starts with the time in base 36, so that ids sort by age, then 64 random bits. */
const FLOW_ID = /^[0-9a-z]{9}-[A-Za-z0-9_-]{11}$/

/**
 * Keeps a started sign-in in a cookie of its own, so that several tabs work side by side.
 * The id of the cookie is the first part of `state`, which brings the callback back to it.
 */
export async function startFlow<Start extends Omit<StartedFlow, 'state' | 'issuer'>>(
  scope: RequestScope,
  flow: Start,
  maxAge = MAX_AGE,
): Promise<Start & StartedFlow> {
  const prefix = `${ownCookieName(scope, 'flow')}.`
  const time = scope.config.now().toString(36).padStart(9, '0')
  const id = `${time}-${randomToken(8)}`
  const started = { ...flow, issuer: scope.issuer, state: `${id}.${randomToken(32)}` }
  const sealed = await scope.config.keys.flow.seal(started, nowInSeconds(scope) + maxAge)
  const older = cookieNames(scope.cookieHeader).filter(
    (name) => name.startsWith(prefix) && FLOW_ID.test(name.slice(prefix.length)),
  )
  const surplus = older.sort().slice(0, Math.max(0, older.length - MAX_FLOWS + 1))
  for (const name of surplus) addCookie(scope, name, '', { maxAge: 0 })
  addCookie(scope, `${prefix}${id}`, sealed, { maxAge })
  return started
}

/** What a flow is called: the name of its cookie, and the first part of its `state`. No secret. */
export function flowId({ state }: Pick<StartedFlow, 'state'>): string {
  return state.split('.', 1)[0] ?? ''
}

/**
 * A sign-in that was started in this browser. `undefined` when it was started elsewhere, is too
 * old, or belongs to another provider.
 */
export async function findFlow<Kind extends StartedFlow>(
  scope: RequestScope,
  provider: string,
  id: string,
): Promise<Kind | undefined> {
  if (!FLOW_ID.test(id)) return undefined
  for (const cookie of cookieValues(scope.cookieHeader, cookieOf(scope, id))) {
    const flow = (await scope.config.keys.flow.open(cookie)) as Kind | undefined
    // `state` was sealed with its cookie's id in it, so a renamed cookie does not match.
    if (flow?.provider !== provider || flowId(flow) !== id) continue
    if (flow.issuer === scope.issuer) return flow
  }
  return undefined
}

/**
 * The started sign-in that a callback's `state` belongs to. Its cookie is removed: whatever
 * becomes of it, it is not used again.
 */
export async function takeFlow(
  scope: RequestScope,
  provider: string,
  state: string,
): Promise<Flow | undefined> {
  const flow = await findFlow<Flow>(scope, provider, flowId({ state }))
  if (flow?.state !== state) return undefined
  endFlow(scope, flow)
  return flow
}

/** Removes a flow's cookie. */
export function endFlow(scope: RequestScope, flow: Pick<StartedFlow, 'state'>): void {
  addCookie(scope, cookieOf(scope, flowId(flow)), '', { maxAge: 0 })
}

function cookieOf(scope: RequestScope, id: string): string {
  return `${ownCookieName(scope, 'flow')}.${id}`
}

/**
 * Uses a flow up: `true` once, for exactly one of any number of parallel callbacks.
 *
 * @throws {StoreUnavailable}
 */
export async function consumeFlow(scope: RequestScope, flow: Flow): Promise<boolean> {
  return scope.config.stores.ledger.consume(`flow:${flowId(flow)}`, nowInSeconds(scope) + MAX_AGE)
}
