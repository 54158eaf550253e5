import type { Feature } from '../../service/feature.js'
import { openid as kind } from './kind.js'

/**
 * OpenID Connect: discovery, and ID tokens that are verified in full. Presets of OpenID providers bring it; a plain object
 * with `type: 'oidc'`, or one that leaves endpoints to discovery, needs it.
 */
export const openid: Feature = { name: 'openid', signIn: { kinds: { oauth: kind, oidc: kind } } }
