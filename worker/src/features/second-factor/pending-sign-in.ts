import { CallbackFailed, InvalidCheck } from '../../errors.js'
import { hasEndedSince } from '../../http/ended-since.js'
import { type Outcome, redirect } from '../../http/outcome.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { keepTarget, ownPage } from '../../http/targets.js'
import { digest } from '../../lib/base64url.js'
import { wayOf } from '../../person/way-document.js'
import type { PendingSignIn } from '../../service/sign-in-hooks.js'
import type { SignedIn } from '../../session/signed-in.js'
import {
  endFlow,
  flowId,
  newestFlow,
  type StartedFlow,
  startFlow,
} from '../../sign-in/flow-cookie.js'
import { type Checked, checkPendingSignIn } from '../../sign-in/pending.js'
import { factorsOf } from './limits.js'

/**
 * The step that a sign-in still needs: a code, a code that may be left out, or the set-up of a
 * second factor.
 */
export type Demand = 'code' | 'either' | 'set-up'

/** A sign-in that waits in this browser for a second factor. */
export interface FactorFlow extends StartedFlow {
  readonly sub: string
  /** The person's name in their authenticator app and on our pages. */
  readonly name: string
  /** The id of the provider of the first factor. */
  readonly by: string
  /** The key in the ledger that counts tries to sign in as them. */
  readonly limited: string
  readonly demand: Demand
  /** It is kept under its person, so that it goes with them. Left out by the version before. */
  readonly isTheirs?: true
}

/** The kept part of the first factor: nothing that the person typed. */
type StoredSignIn = Omit<SignedIn, 'credentials' | 'authTime'> & {
  /** When it came. Seconds since the epoch. */
  readonly came: number
  /** Left out by versions up to 0.2. */
  readonly passed?: readonly string[]
}

/** The features that have let a sign-in pass, if a version up to 0.2 has kept it. */
const PASSED = ['second-factor']
/** Stands for the provider in the cookie. No path of ours can name it. */
const FACTOR = '/factor'

/** Seconds. */
const MAX_AGE = 10 * 60

/** The most of a provider's profile and tokens, as JSON. Characters. */
const MAX_PENDING = 256 * 1024

/** The limit of a name. Characters. */
const MAX_NAME = 64

/**
 * Keeps the proof of the first factor until the second one is there too. It is in the ledger,
 * sealed, for the same browser alone, and works once.
 *
 * @returns the next page
 * @throws {CallbackFailed} it cannot be kept
 * @throws {StoreUnavailable}
 */
export async function savePendingSignIn(
  request: AuthRequest,
  { signedIn: proved, purpose, limited, came, passed }: PendingSignIn,
  demand: Demand,
): Promise<Outcome> {
  const { authTime: _, ...signedIn } = proved
  const { user, account } = signedIn
  const sub = account.userId
  const flow: FactorFlow = await startFlow(
    request,
    {
      provider: FACTOR,
      ...keepTarget(request, purpose.target),
      sub,
      name: (user.email ?? user.name ?? '').slice(0, MAX_NAME),
      by: account.provider,
      limited: limited ?? (await factorsOf(sub)),
      demand,
      isTheirs: true,
    },
    purpose,
    MAX_AGE,
  )
  const pendingSignIn: StoredSignIn = { ...signedIn, came, passed }
  const expires = nowInSeconds(request) + MAX_AGE
  const sealer = await request.keys.sealer('factor')
  const sealed = await sealer.seal({ kept: asJson(pendingSignIn) }, expires)
  const link = await secretOf(flow)
  const name = await nameOf(flow)
  await request.stores.ledger.startVerification(name, { link, code: link, sealed, expires })
  const page = demand === 'set-up' ? 'factor/setup' : 'factor'
  return redirect(ownPage(request, `${request.issuer}/${page}`))
}

function asJson(pendingSignIn: StoredSignIn): string {
  let json: string
  try {
    json = JSON.stringify(pendingSignIn)
  } catch (error) {
    throw new CallbackFailed('A user that is not JSON cannot wait for a second factor.', {
      cause: error,
    })
  }
  if (json.length <= MAX_PENDING) return json
  throw new CallbackFailed('A profile is too large to wait for a second factor.')
}

/**
 * The sign-in that waits for a second factor in this browser.
 *
 * @param id of its flow; left out: the newest one
 */
export async function findPendingSignIn(
  request: AuthRequest,
  id?: string,
): Promise<FactorFlow | undefined> {
  const isMeant = (flow: FactorFlow) => id === undefined || flowId(flow) === id
  return newestFlow(request, FACTOR, isMeant)
}

/** Does it wait still? Nothing is used up. @throws {StoreUnavailable} */
export async function isWaiting(request: AuthRequest, flow: FactorFlow): Promise<boolean> {
  const { ledger } = request.stores
  return (await ledger.findVerification(await nameOf(flow), await secretOf(flow))) !== undefined
}

/**
 * Uses up a sign-in that waited, for exactly one of any number of callers, and checks that it still
 * counts: it has ended if the person's sessions have ended since the first factor came, or if the
 * way was taken from them.
 *
 * @throws {InvalidCheck} it was used, or is too old, or no longer counts
 * @throws {StoreUnavailable}
 */
export async function redeemPendingSignIn(
  request: AuthRequest,
  flow: FactorFlow,
): Promise<Redeemed> {
  const { ledger } = request.stores
  const link = await secretOf(flow)
  const redemption = await ledger.redeemVerification(await nameOf(flow), { link })
  endFlow(request, flow)
  if (redemption.state !== 'redeemed') {
    throw new InvalidCheck('A sign-in that waited was finished before, or too long ago.')
  }
  const sealer = await request.keys.sealer('factor')
  const opened = await sealer.open(redemption.sealed)
  if (typeof opened?.kept !== 'string') throw new InvalidCheck('A sign-in waited for too long.')
  const { came, passed = PASSED, ...signedIn } = JSON.parse(opened.kept) as StoredSignIn
  const { account, way = wayOf(account) } = signedIn
  const pending = { signedIn, limited: flow.limited, came, passed, way }
  const counting = await checkPendingSignIn(request, pending)
  return { ...counting, isOver: () => hasEndedSince(request, flow.sub, came) }
}

/** A sign-in that waited, and counts. */
export interface Redeemed extends Omit<PendingSignIn, 'purpose'>, Checked {
  /** The way's own name. */
  readonly way: string
  /** Has the person signed out everywhere since the first factor came, or been erased? */
  isOver(): Promise<boolean>
}

/** Names it in the ledger, below the name of its person's second factor, with which it is forgotten. */
async function nameOf(flow: FactorFlow): Promise<string> {
  const id = flowId(flow)
  return flow.isTheirs ? `${await factorsOf(flow.sub)}\n${id}` : `factor:${id}`
}

/** The hash of a secret that only the browser's cookie has. */
function secretOf({ state }: FactorFlow): Promise<string> {
  return digest(['latchkey/factor/v1', state])
}
