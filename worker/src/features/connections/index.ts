import {
  accessTokenFor,
  accessTokenOf,
  accessTokenOfPerson,
} from '../../provider-tokens/access-token.js'
import { connect, disconnect } from '../../provider-tokens/connections.js'
import { keptTokens } from '../../provider-tokens/kept-tokens.js'
import { providerRevocation } from '../../provider-tokens/revocation.js'
import { newestTokens } from '../../provider-tokens/session-tokens.js'
import type { Feature } from '../../service/feature.js'

/** Tokens of providers are kept with the session, or beyond it, refreshed, given to the app, and revoked. */
export const connections: Feature = {
  name: 'connections',
  tokens: {
    kept: keptTokens,
    connect,
    newest: newestTokens,
    accessToken: accessTokenOf,
    ofBrowser: accessTokenFor,
    revocation: providerRevocation,
  },
  operations: { getAccessTokenOf: accessTokenOfPerson, disconnect },
}
