import { BoundedCache, within } from '@latchkey/session/internal'
import { StoreUnavailable } from '../../../errors.js'
import type { AuthRequest } from '../../../http/request.js'
import { isIssuer } from '../machines/read-workloads.js'
import { ServerFault } from '../oauth-error.js'
import { type Server, serverOf } from '../settings.js'
import { type TrustedIssuer, trustedIssuerIn } from './read-trusted-issuers.js'

/** How long the answer of the app's function is used. Milliseconds. */
const KEPT = 60_000
/** The most answers. */
const MAX_KEPT = 1_000
/** The function answers within this time. Milliseconds. */
const MAX_WAIT = 2_000

interface Kept {
  readonly entry: TrustedIssuer | undefined
  readonly at: number
}

const kept = new WeakMap<Server, BoundedCache<Kept>>()

/**
 * The trusted issuer that an assertion names: that of the configuration, or what the app's function answers. It is asked once in a
 * minute about each.
 *
 * @returns `undefined`: its assertions do not count
 * @throws {ServerFault} the function threw, or its answer cannot be used
 * @throws {StoreUnavailable} the function did not answer in time
 */
export async function trustedIssuerOf(
  request: AuthRequest,
  issuer: unknown,
): Promise<TrustedIssuer | undefined> {
  const server = serverOf(request)
  const { known, find } = server.trustedIssuers ?? {}
  if (!isIssuer(issuer)) return undefined
  const configured = known?.get(issuer)
  if (configured || !find) return configured
  const answers = kept.get(server) ?? new BoundedCache<Kept>(MAX_KEPT)
  kept.set(server, answers)
  const now = request.config.now()
  const answered = answers.get(issuer)
  if (answered && Math.abs(now - answered.at) < KEPT) return answered.entry
  const entry = entryOf(await asked(async () => find(issuer)), server)
  answers.set(issuer, { entry, at: now })
  return entry
}

async function asked(find: () => Promise<unknown>): Promise<unknown> {
  const answer = find().catch((error: unknown) => {
    throw new ServerFault('The function `trustedIssuers` threw.', { cause: error })
  })
  return within(MAX_WAIT, answer, (): never => {
    throw new StoreUnavailable('The function `trustedIssuers` did not answer in time.')
  })
}

function entryOf(answer: unknown, { apps }: Server): TrustedIssuer | undefined {
  if (answer === undefined) return undefined
  const entry = trustedIssuerIn(answer, apps)
  if (typeof entry !== 'string') return entry
  throw new ServerFault(`What the function \`trustedIssuers\` answers ${entry}.`)
}
