import type { SessionNeeds } from '@latchkey/session'
import { cookiePairs, cookieValues } from '@latchkey/session/internal'
import type { SafeRedirect } from '../config/safe-redirect.js'
import {
  addCookie,
  FLOW_ID,
  MAX_REMOVED,
  ourCookies,
  ownCookieName,
  roomFor,
  sizeOf,
} from '../http/cookies.js'
import { leadingTo, type Outcome } from '../http/outcome.js'
import type { Purpose, StepUpRequest } from '../http/purpose.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import { openTarget, resolveCallbackUrl, type StoredTarget } from '../http/targets.js'
import { randomToken } from '../lib/base64url.js'

/** A started sign-in, as its sealed cookie stores it. */
export interface StartedFlow extends StoredTarget {
  /** Base of the service that started it: two mounts with one secret are two services. */
  readonly issuer: string
  readonly provider: string
  readonly state: string
  /** The requested scope, if it differs from the provider's own. */
  readonly scope?: string
  /** It is used up together with the way. Absent: a version before began it, and may have used it up by itself. */
  readonly withWay?: true
  /** How fresh a sign-in was asked for. Seconds. */
  readonly maxAge?: number
  /** How strong a sign-in was asked for. */
  readonly acr?: SessionNeeds['acr']
  /** Set for a step-up, in which a signed-in user proves again who they are. */
  readonly again?: StepUpRequest
  /** Data of features, by their names. A flow with any of them signs no user in. */
  readonly features?: Readonly<Record<string, unknown>>
}

/** As versions up to 0.2 sealed it. */
interface FormerFlow extends StartedFlow {
  /** The `sid` of the session that it adds a way to, for the feature of this name. */
  readonly link?: string
}

const LINK_OF = 'ways'

/** The time that a person has to sign in at the provider. Seconds. */
export const FLOW_AGE = 15 * 60

/** The most cookies of started sign-ins; the oldest are removed beyond it. */
const MAX_FLOWS = 5

/** A larger cookie is not kept by browsers (RFC 6265bis, 5.6). Bytes. */
const MAX_COOKIE = 4_096

/**
 * More cookies of one name are not opened. Cookies of longer paths, which are not ours, come first.
 */
const MAX_CANDIDATES = 4

/**
 * Keeps a started sign-in in a cookie of its own, so that several tabs work side by side. The id of
 * the cookie is the first part of `state`, by which the callback finds it.
 */
export async function startFlow<
  Start extends Omit<StartedFlow, 'state' | 'issuer' | 'withWay' | 'again' | 'features'>,
>(
  request: AuthRequest,
  flow: Start,
  purpose: Partial<Purpose> = {},
  maxAge = FLOW_AGE,
): Promise<Start & StartedFlow> {
  const { flows, prefix } = ourCookies(request)
  const time = request.config.now().toString(36).padStart(9, '0')
  const id = `${time}-${randomToken(8)}`
  const { scope, maxAge: wanted, acr, stepUp, features } = purpose
  const asked = {
    ...(scope === undefined ? {} : { scope }),
    ...(features ? { features } : {}),
    ...(wanted === undefined ? {} : { maxAge: wanted }),
    ...(acr === undefined ? {} : { acr }),
    ...(stepUp ? { again: stepUp } : {}),
  }
  const issuer = ownerOf(request, asked)
  const state = `${id}.${randomToken(32)}`
  let started = { ...flow, ...asked, issuer, state, withWay: true as const }
  const seal = () => request.keys.flow.seal(started, nowInSeconds(request) + maxAge)
  let sealed = await seal()
  if (sizeOf(`${prefix}${id}`, sealed) > Math.min(roomFor(request), MAX_COOKIE)) {
    // A long target does not fit beside a large session: the user is signed in all the same, and
    // gets to the home page.
    const { asked: _, ...rest } = started
    started = { ...rest, callbackUrl: await resolveCallbackUrl(request) } as typeof started
    sealed = await seal()
  }
  const older = flowNames(request, flows)
  const surplus = Math.min(Math.max(0, older.length - MAX_FLOWS + 1), MAX_REMOVED)
  for (const name of older.slice(0, surplus)) addCookie(request, name, '', { maxAge: 0 })
  addCookie(request, `${prefix}${id}`, sealed, { maxAge })
  return started
}

/**
 * A flow's id: the end of its cookie's name, and the first part of its `state`. It is not a secret.
 */
export function flowId({ state }: Pick<StartedFlow, 'state'>): string {
  return state.split('.', 1)[0] ?? ''
}

/** When a flow was started. Milliseconds since the epoch. */
export function startOf(flow: Pick<StartedFlow, 'state'>): number {
  return Number.parseInt(flowId(flow), 36)
}

/**
 * Goes on with a flow: a refusal keeps the target and the needs of the sign-in, so that the user
 * can try again.
 */
export function resuming(
  request: AuthRequest,
  flow: StoredTarget & SessionNeeds,
  handle: (target: SafeRedirect) => Promise<Outcome>,
): Promise<Outcome> {
  const go = async () => {
    const target = await openTarget(request, flow)
    return leadingTo(target, () => handle(target), flow)
  }
  return leadingTo(undefined, go, flow)
}

/**
 * As {@link resuming}, for work that has no need of the target: it is judged for a refusal alone, unless that leads to a page of
 * the flow.
 */
export async function keepingTarget(
  request: AuthRequest,
  flow: StoredTarget & SessionNeeds,
  handle: () => Promise<Outcome>,
): Promise<Outcome> {
  const outcome = await leadingTo(undefined, handle, flow)
  const isPlaced = outcome.kind !== 'refusal' || (outcome.callbackUrl ?? outcome.page)
  if (isPlaced) return outcome
  const stored = await openTarget(request, flow).catch(() => undefined)
  return leadingTo(stored, () => outcome)
}

/**
 * A sign-in that was started in this browser. `undefined` when it was started elsewhere, is too
 * old, or belongs to another provider.
 */
export async function findFlow<Kind extends StartedFlow>(
  request: AuthRequest,
  provider: string,
  id: string,
): Promise<Kind | undefined> {
  if (!FLOW_ID.test(id)) return undefined
  const cookies = cookieValues(request.cookieHeader, cookieOf(request, id))
  for (const cookie of cookies.slice(-MAX_CANDIDATES)) {
    const flow = upgraded((await request.keys.flow.open(cookie)) as Kind | undefined)
    // `state` was sealed with its cookie's id in it, so a renamed cookie does not match.
    if (flow?.provider !== provider || flowId(flow) !== id) continue
    if (flow.issuer === ownerOf(request, flow)) return flow
  }
  return undefined
}

/** A flow as this version knows it. */
function upgraded<Kind extends StartedFlow>(flow: Kind | undefined): Kind | undefined {
  const { link, ...rest } = (flow ?? {}) as Kind & FormerFlow
  return link === undefined ? flow : ({ ...rest, features: { [LINK_OF]: { sid: link } } } as Kind)
}

/** The most started sign-ins of a browser that are opened in a search. */
const MAX_SEARCHED = 10

/** The names of a browser's flows, each once, the oldest first. */
function flowNames({ cookieHeader }: AuthRequest, isFlow: (name: string) => boolean): string[] {
  const names = cookiePairs(cookieHeader ?? '').map(([name]) => name)
  return [...new Set(names.filter(isFlow))].sort()
}

/** The newest flow of this browser that `isMeant` accepts. */
export async function newestFlow<Kind extends StartedFlow>(
  request: AuthRequest,
  provider: string,
  isMeant: (flow: Kind) => boolean,
): Promise<Kind | undefined> {
  const { flows, prefix } = ourCookies(request)
  const names = flowNames(request, flows).reverse()
  for (const name of names.slice(0, MAX_SEARCHED)) {
    const flow = await findFlow<Kind>(request, provider, name.slice(prefix.length))
    if (flow && isMeant(flow)) return flow
  }
  return undefined
}

/**
 * The mount that a flow names as its own. A flow that adds a way or steps up names a mount that
 * does not exist: an older version of the service, which does not know such flows, then signs no
 * user in by it.
 */
function ownerOf({ issuer }: AuthRequest, flow: Pick<StartedFlow, 'features' | 'again'>): string {
  if (flow.features) return `${issuer}/${Object.keys(flow.features).sort().join()}`
  return flow.again === undefined ? issuer : `${issuer}/again`
}

/** The started sign-in that a callback's `state` belongs to. */
export async function startedFlow<Kind extends StartedFlow>(
  request: AuthRequest,
  provider: string,
  state: string,
): Promise<Kind | undefined> {
  const flow = await findFlow<Kind>(request, provider, flowId({ state }))
  return flow?.state === state ? flow : undefined
}

/** Removes a flow's cookie. */
export function endFlow(request: AuthRequest, flow: Pick<StartedFlow, 'state'>): void {
  addCookie(request, cookieOf(request, flowId(flow)), '', { maxAge: 0 })
}

function cookieOf(request: AuthRequest, id: string): string {
  return `${ownCookieName(request, 'flow')}.${id}`
}
