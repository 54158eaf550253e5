import * as oauth from 'oauth4webapi'

/** The app as a client of the authorization server. It has no hook of ours, and its tokens stay on the server. */
const { AUTH_WORKER_URL = '', ORIGIN = '', CLIENT_SECRET = '' } = process.env

const client = { client_id: 'kit' }
const redirectUri = `${ORIGIN}/callback`
export const resource = `${ORIGIN}/api`
// The service of the test is on this machine, without TLS.
const options = { [oauth.allowInsecureRequests]: true }

/** The browsers of the app, by their cookie: a sign-in that has begun, or the tokens of a user. */
export const browsers = new Map()

let server
async function discovered() {
  const issuer = new URL(AUTH_WORKER_URL)
  server ??= await oauth
    .discoveryRequest(issuer, options)
    .then((answer) => oauth.processDiscoveryResponse(issuer, answer))
  return server
}

/** @returns the address at the service, and what the app has to know when the user comes back */
export async function begin() {
  const { authorization_endpoint } = await discovered()
  const begun = {
    verifier: oauth.generateRandomCodeVerifier(),
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
  }
  const url = new URL(authorization_endpoint)
  url.search = new URLSearchParams({
    response_type: 'code',
    ...client,
    redirect_uri: redirectUri,
    scope: 'openid profile notes:read',
    resource,
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
  }).toString()
  return { url, begun }
}

export async function finish(address, { verifier, state, nonce }) {
  const as = await discovered()
  const parameters = oauth.validateAuthResponse(as, client, address, state)
  const proof = oauth.ClientSecretBasic(CLIENT_SECRET)
  const answer = await oauth.authorizationCodeGrantRequest(
    as,
    client,
    proof,
    parameters,
    redirectUri,
    verifier,
    options,
  )
  const checks = { expectedNonce: nonce, requireIdToken: true }
  const found = await oauth.processAuthorizationCodeResponse(as, client, answer, checks)
  return { user: oauth.getValidatedIdTokenClaims(found), access: found.access_token }
}
