import * as oauth from 'oauth4webapi'

/** The page: signs a user in at the service, calls the API, and signs out. It has no secret and sets no cookie. */

interface Tokens {
  readonly access: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

const issuer = new URL(document.documentElement.dataset.issuer ?? '')
const client: oauth.Client = { client_id: 'spa' }
const redirectUri = `${location.origin}/`
const resource = `${location.origin}/api`
// The service of this example is on this machine, without TLS. Leave this out where it has https.
const options = { [oauth.allowInsecureRequests]: issuer.protocol === 'http:' }

const server = await oauth
  .discoveryRequest(issuer, options)
  .then((answer) => oauth.processDiscoveryResponse(issuer, answer))

/** The access token is in memory alone. A reload gets another one by the refresh token of this tab. */
let tokens: Tokens | undefined

async function signIn(): Promise<void> {
  const verifier = oauth.generateRandomCodeVerifier()
  const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
  sessionStorage.setItem('sign-in', JSON.stringify({ verifier, state, nonce }))
  const url = new URL(server.authorization_endpoint ?? '')
  url.search = String(
    new URLSearchParams({
      response_type: 'code',
      client_id: client.client_id,
      redirect_uri: redirectUri,
      scope: 'openid notes:read',
      resource,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }),
  )
  location.assign(url)
}

/** The service has sent the browser back here, with a code or with an error. */
async function finish(address: URL): Promise<void> {
  const begun = sessionStorage.getItem('sign-in')
  sessionStorage.removeItem('sign-in')
  history.replaceState(null, '', '/')
  if (begun === null) return
  const { verifier, state, nonce } = JSON.parse(begun) as Record<string, string>
  const parameters = oauth.validateAuthResponse(server, client, address, state)
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri,
    verifier ?? '',
    options,
  )
  const found = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    ...(nonce !== undefined && { expectedNonce: nonce }),
    requireIdToken: true,
  })
  keep(found)
}

async function refresh(token: string): Promise<void> {
  const answer = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, options)
  keep(await oauth.processRefreshTokenResponse(server, client, answer))
}

function keep(found: oauth.TokenEndpointResponse): void {
  tokens = { access: found.access_token, until: Date.now() + (found.expires_in ?? 0) * 1000 }
  if (found.refresh_token) sessionStorage.setItem('refresh', found.refresh_token)
  // The service signs out without a question if it gets the ID token of this browser's session.
  if (found.id_token) sessionStorage.setItem('id-token', found.id_token)
}

async function callApi(): Promise<void> {
  const refreshToken = sessionStorage.getItem('refresh')
  if (refreshToken && (tokens?.until ?? 0) < Date.now() + 10_000) await refresh(refreshToken)
  const headers = { authorization: `Bearer ${tokens?.access}` }
  const answer = await fetch('/api/notes', { headers })
  at('answer').textContent = `${answer.status} ${await answer.text()}`
  if (answer.status === 401) forget()
}

async function signOut(): Promise<void> {
  const refreshToken = sessionStorage.getItem('refresh')
  const hint = sessionStorage.getItem('id-token')
  forget()
  // Ends the access of this app. The next lines sign the browser out at the service as well.
  if (refreshToken) {
    await oauth.processRevocationResponse(
      await oauth.revocationRequest(server, client, oauth.None(), refreshToken, options),
    )
  }
  const url = new URL(server.end_session_endpoint ?? '')
  url.searchParams.set('post_logout_redirect_uri', redirectUri)
  url.searchParams.set('client_id', client.client_id)
  if (hint) url.searchParams.set('id_token_hint', hint)
  location.assign(url)
}

function forget(): void {
  tokens = undefined
  sessionStorage.clear()
  show()
}

function show(): void {
  const isSignedIn = tokens !== undefined
  at('state').textContent = isSignedIn ? 'You are signed in.' : 'You are signed out.'
  at('sign-in').hidden = isSignedIn
  for (const id of ['call', 'sign-out']) at(id).hidden = !isSignedIn
}

function at(id: string): HTMLElement {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no #${id}.`)
  return found
}

/** An error of OAuth, such as `access_denied` or `invalid_grant`: the user signs in again. */
async function attempt(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isRefused =
      error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError
    at('answer').textContent = isRefused ? error.error : String(error)
    if (isRefused) forget()
  }
}

at('sign-in').addEventListener('click', () => attempt(signIn))
at('call').addEventListener('click', () => attempt(callApi))
at('sign-out').addEventListener('click', () => attempt(signOut))

await attempt(async () => {
  const address = new URL(location.href)
  const refreshToken = sessionStorage.getItem('refresh')
  if (address.searchParams.has('state')) await finish(address)
  else if (refreshToken) await refresh(refreshToken)
})
show()
