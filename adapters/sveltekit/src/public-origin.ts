import {
  type ClaimedOrigin,
  firstOf,
  type OriginFault,
  type OriginJudge,
  type OriginPolicy,
  type PublicOrigin,
} from '@latchkey/session/adapter'
import type { Surroundings } from './environment.js'
import type { KitEvent } from './types.js'

/**
 * The app as a browser sees it. `AUTH_URL` wins; then the headers of a proxy where the owner of the app
 * says that they may be believed; then the URL that Kit's adapter has made out, which outside of
 * Cloudflare and of development takes its host from the request: anybody can send any `Host`.
 */
export function publicOrigin(
  { url, request: { headers } }: KitEvent,
  judge: OriginJudge,
  { trustHost, trusted }: OriginPolicy,
  surroundings: Surroundings,
): PublicOrigin | OriginFault {
  if (judge.fixed) return judge.fixed
  const own: ClaimedOrigin = { scheme: url.protocol.slice(0, -1), host: url.host }
  const claimed = () => ({
    scheme: firstOf(headers.get('x-forwarded-proto')) || own.scheme,
    host: firstOf(headers.get('x-forwarded-host')) || own.host,
  })
  if (trustHost) return judge.judge(claimed(), true)
  if (trusted.length > 0) {
    const found = judge.judge(claimed(), false)
    if (found !== 'unknown-host') return found
  }
  const isVouchedFor =
    surroundings.isCloudflare ||
    isOrigin(surroundings.env.ORIGIN, url) ||
    (trustHost !== false && surroundings.isDevelopment)
  return judge.judge(own, isVouchedFor)
}

/** `ORIGIN` is the word of adapter-node for the app's public origin. */
function isOrigin(configured: unknown, { origin }: URL): boolean {
  if (configured === origin) return true
  if (typeof configured !== 'string' || !URL.canParse(configured)) return false
  return new URL(configured).origin === origin
}
