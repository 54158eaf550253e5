import type { Manifest } from '../../service/manifest.js'

export const manifest = {
  name: 'bound-sessions',
  use: '[Sessions bound to a key of the browser](bound-sessions.md), so that a copied cookie ends with its token (DBSC)',
  options: ['boundSessions'],
  variables: {
    AUTH_BOUND_SESSIONS:
      'Binds sessions to a key of their browser: `true`; with `required` a session that is not bound lasts for one token; with `site` the key renews the cookie of a whole domain. Several words have commas between them (docs/bound-sessions.md). Default: off.',
  },
  routes: ['/bound/register', '/bound/refresh'],
  texts: true,
  events: ['session-bound'],
  warnings: ['bound-proof-refused', 'bound-token-life', 'bound-sessions-domain'],
  denials: ['unbound'],
} as const satisfies Manifest
