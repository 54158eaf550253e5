import { answerWithin, elapsed } from '@latchkey/session/internal'
import { json, type Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'

/** A store that has not answered by then counts as away. Milliseconds. */
const PATIENCE = 2_000
/** A stranger who calls the route without end has the store asked once in so many milliseconds. */
const INTERVAL = 1_000
/** How often a call that came before the first answer looks for it. */
const POLL = 50

/** What a process knows of its store. */
interface Known {
  /** When it was asked, in milliseconds. */
  askedAt: number
  /** Has it answered? `undefined`: the first answer is under way. */
  isUp: boolean | undefined
}

/** By the endings of a store: a configuration may be made for each request. */
const stores = new WeakMap<object, Known>()

/**
 * `GET /health`: 200 if the store answers, otherwise 503. Calls within one second get the same answer. They do not wait for each
 * other's question, because in a Worker a request must not wait for the work of another one.
 */
export async function health(request: AuthRequest): Promise<Outcome> {
  const { revocations, config } = request
  const known = stores.get(revocations) ?? { askedAt: Number.NEGATIVE_INFINITY, isUp: undefined }
  stores.set(revocations, known)
  if (elapsed(known.askedAt, config.now()) >= INTERVAL) {
    known.askedAt = config.now()
    known.isUp = await answers(request)
  }
  for (let waited = 0; known.isUp === undefined && waited < PATIENCE; waited += POLL) {
    await new Promise((resolve) => setTimeout(resolve, POLL))
  }
  return known.isUp ? json({ status: 'ok' }) : json({ status: 'unavailable' }, 503)
}

/** A read of a row that is never there. */
async function answers({ stores }: AuthRequest): Promise<boolean> {
  try {
    await answerWithin(PATIENCE, stores.ledger.isConsumed('health'))
    return true
  } catch {
    // Each request that needs the store logs why.
    return false
  }
}
