import { InvalidCheck } from '../errors.js'
import { type AuthRequest, nowInSeconds } from '../http/request.js'
import type { FoundWay } from '../person/found-way.js'
import { wayKey } from '../person/way-document.js'
import { FLOW_AGE, flowId, type StartedFlow } from './flow-cookie.js'

/**
 * Notes in this process that a flow was brought back, before its provider is asked.
 *
 * @throws {InvalidCheck} it was before
 * @throws {StoreUnavailable}
 */
export async function beginToUse(request: AuthRequest, flow: StartedFlow): Promise<void> {
  const now = nowInSeconds(request)
  const isFirst =
    request.usedFlows.use(flowId(flow), now, now + FLOW_AGE) &&
    (flow.withWay || (await consume(request, flow)))
  if (!isFirst) throw finishedBefore()
}

/**
 * Uses up a flow, for exactly one of any number of parallel callbacks.
 *
 * @param way the way to sign in that was proved with it, by its own name
 * @returns what the ledger knows of the way, and of its person
 * @throws {InvalidCheck} another one was first
 * @throws {StoreUnavailable}
 */
export async function useUp(
  request: AuthRequest,
  flow: StartedFlow,
  way: string,
): Promise<FoundWay> {
  const { ledger } = request.stores
  if (!flow.withWay) return { document: await ledger.document(wayKey(way)) }
  const entrance = await ledger.enter(nameOf(flow), endOf(request), wayKey(way))
  if (!entrance.isFirst) throw finishedBefore()
  return entrance
}

/**
 * Uses up a flow after its provider has refused. If the flow was finished elsewhere, that is the
 * reason: a code works once (RFC 6749, section 4.1.2).
 *
 * @param failure what was wrong
 * @returns what to tell the person
 */
export async function useUpFailed(
  request: AuthRequest,
  flow: StartedFlow,
  failure: unknown,
): Promise<unknown> {
  if (!flow.withWay) return failure
  const { ledger } = request.stores
  const isUsed = async () =>
    (await ledger.isConsumed(nameOf(flow))) || !(await consume(request, flow))
  // No user is signed in either way, so a ledger that fails changes only the message.
  return (await isUsed().catch(() => false)) ? finishedBefore(failure) : failure
}

function consume(request: AuthRequest, flow: StartedFlow): Promise<boolean> {
  return request.stores.ledger.consume(nameOf(flow), endOf(request))
}

function nameOf(flow: StartedFlow): string {
  return `flow:${flowId(flow)}`
}

/** The time at which a flow that is used now has expired anyway. */
function endOf(request: AuthRequest): number {
  return nowInSeconds(request) + FLOW_AGE
}

function finishedBefore(cause?: unknown): InvalidCheck {
  return new InvalidCheck('The sign-in was finished before.', cause === undefined ? {} : { cause })
}

/**
 * The limit is safe, because the provider takes no code twice, and the ledger lets no flow sign in
 * twice.
 */
const MOST = 10_000

/** The flows that were brought back to this process, so that a second answer to one costs its provider nothing. */
export class UsedFlows {
  /** When each could not be used any more anyway, the first one first. Seconds since the epoch. */
  readonly #ends = new Map<string, number>()

  /**
   * @param now seconds since the epoch, as `ends`
   * @returns `false`: it was used before
   */
  use(id: string, now: number, ends: number): boolean {
    if (this.#ends.has(id)) return false
    for (const [other, end] of this.#ends) {
      if (end > now && this.#ends.size < MOST) break
      this.#ends.delete(other)
    }
    this.#ends.set(id, ends)
    return true
  }
}
