import { customFetch } from '@latchkey/worker'
import type { OAuthConfig } from '@latchkey/worker/types'

/** A provider at which every user is Ada. */
export const elsewhere: OAuthConfig = {
  id: 'elsewhere',
  name: 'Elsewhere',
  type: 'oauth',
  clientId: 'client',
  clientSecret: 'secret',
  authorization: 'https://elsewhere.example/authorize',
  token: 'https://elsewhere.example/token',
  userinfo: 'https://elsewhere.example/me',
  profile: () => ({ id: 'ada' }),
  [customFetch]: async (input) =>
    Response.json(
      String(input).endsWith('/token')
        ? { access_token: 'token', token_type: 'Bearer' }
        : { sub: 'ada' },
    ),
}
