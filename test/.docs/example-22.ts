import * as oauth from 'oauth4webapi'

const issuer = new URL('https://auth.example.com/auth')
const client: oauth.Client = { client_id: 'notes' }
const redirectUri = 'https://notes.example.com/callback'

async function discover(): Promise<oauth.AuthorizationServer> {
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer))
}

/** Returns the address at which the user signs in: `location.assign(await signIn())`. */
export async function signIn(): Promise<string> {
  const server = await discover()
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  sessionStorage.setItem('sign-in', JSON.stringify({ verifier, state }))
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = String(
    new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      scope: 'openid profile notes:read',
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
  )
  return url.href
}

/** Returns the tokens, on the page of the redirect URI: `await finish(location.href)`. */
export async function finish(address: string): Promise<oauth.TokenEndpointResponse> {
  const { verifier, state } = JSON.parse(sessionStorage.getItem('sign-in') ?? '{}')
  sessionStorage.removeItem('sign-in')
  const server = await discover()
  const answer = oauth.validateAuthResponse(server, client, new URL(address), state)
  const tokens = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    redirectUri,
    verifier,
  )
  return oauth.processAuthorizationCodeResponse(server, client, tokens)
}

/** Returns new tokens, before the access token ends. Store the new refresh token. */
export async function refresh(refreshToken: string): Promise<oauth.TokenEndpointResponse> {
  const server = await discover()
  const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refreshToken)
  return oauth.processRefreshTokenResponse(server, client, answer)
}
