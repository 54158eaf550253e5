import type { IncomingMessage } from 'node:http'
import {
  firstOf,
  type OriginFault,
  OriginJudge,
  type OriginPolicy,
  type PublicOrigin,
} from '@latchkey/session/adapter'
import type { ExpressRequest } from './types.js'

/** The public origin of each request. */
export class Origins {
  readonly #policy: OriginPolicy
  readonly #judge: OriginJudge

  constructor(policy: OriginPolicy) {
    this.#policy = policy
    this.#judge = new OriginJudge(policy)
  }

  /** The one of `AUTH_URL`. */
  get fixed(): PublicOrigin | undefined {
    return this.#judge.fixed
  }

  /** For any text, without an exception. */
  of(req: IncomingMessage & Partial<Pick<ExpressRequest, 'app'>>): PublicOrigin | OriginFault {
    const judge = this.#judge
    if (judge.fixed) return judge.fixed
    const { trustHost, trusted, isProduction } = this.#policy
    const scheme = (req.socket as { encrypted?: boolean }).encrypted ? 'https' : 'http'
    const { host = '' } = req.headers
    // The owner of the app has said that these headers come from a proxy, or may be believed.
    if (trustHost || isFromProxy(req)) {
      return judge.judge(claimedOrigin(req, scheme, host), trustHost !== false)
    }
    if (trusted.length > 0) {
      const found = judge.judge(claimedOrigin(req, scheme, host), false)
      if (found !== 'unknown-host') return found
    }
    return judge.judge({ scheme, host }, trustHost !== false && !isProduction)
  }
}

/** Express's own judgement, made by the app's setting `trust proxy`. */
function isFromProxy({ app, socket }: Parameters<Origins['of']>[0]): boolean {
  const trusts = app?.get('trust proxy fn')
  return typeof trusts === 'function' && trusts(socket.remoteAddress, 0) === true
}

function claimedOrigin({ headers }: IncomingMessage, scheme: string, host: string) {
  return {
    scheme: firstOf(headers['x-forwarded-proto']?.toString()) || scheme,
    host: firstOf(headers['x-forwarded-host']?.toString()) || host,
  }
}
