import type { Feature } from '../../service/feature.js'
import { accessTokenFor, accessTokenOf, accessTokenOfPerson } from './access-token.js'
import { connect, connectProved, disconnect } from './connections.js'
import { exportConnections } from './export.js'
import { providerRevocation } from './revocation.js'
import { newestTokens } from './session-tokens.js'
import { storedTokens } from './stored-tokens.js'

/** Tokens of providers are kept with the session, or beyond it, refreshed, given to the app, and revoked. */
export const connections: Feature = {
  name: 'connections',
  session: { proved: connectProved },
  person: { exported: exportConnections },
  operator: { operations: { getAccessTokenOf: accessTokenOfPerson, disconnect } },
  ports: {
    tokens: {
      toStore: storedTokens,
      connect,
      newest: newestTokens,
      accessToken: accessTokenOf,
      ofBrowser: accessTokenFor,
      revocation: providerRevocation,
    },
  },
}
