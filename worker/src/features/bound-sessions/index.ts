import type { Feature } from '../../service/feature.js'
import { retriable } from './answer.js'
import { binding } from './binding.js'
import { refresh } from './refresh.js'
import { register } from './register.js'
import { type BoundSettings, boundWarnings, isOn, resolveBound, settingsOf } from './settings.js'
import { texts } from './texts.js'

/**
 * Binds sessions to keys that browsers cannot give away, so that a copied cookie ends with its token: W3C draft "Device Bound
 * Session Credentials" of February 2026 (docs/bound-sessions.md). Bound sessions go on when the option is switched off, as ones that
 * are not bound.
 */
export const boundSessions: Feature<BoundSettings> = {
  name: 'bound-sessions',
  configure: resolveBound,
  warn: boundWarnings,
  pages: {
    texts,
    codes: { 'AccessDenied unbound': 'unbound' },
    routes: {
      '/bound/register': { POST: retriable(register), isThere: isOn, isData: true },
      '/bound/refresh': { POST: retriable(refresh), isData: true },
    },
    wellKnown: {
      // The domain of a site names the hosts that may bind the sessions of the whole site (DBSC, "Site scoping").
      '/.well-known/device-bound-sessions': {
        GET: ({ origin }) => ({
          kind: 'json',
          body: { registering_origins: [origin] },
          cacheFor: 3_600,
        }),
        isThere: (request) => isOn(request) && settingsOf(request).site,
        isData: true,
      },
    },
  },
  session: {
    ended: ({ stores }, { sid, cnf }) =>
      cnf ? stores.ledger.forget(sid).then(() => {}) : undefined,
  },
  ports: (settings: BoundSettings) => (settings.isOn ? { binding } : {}),
}
