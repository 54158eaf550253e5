import { base64url, importJWK, SignJWT } from 'jose'
import { UPGRADE } from './upgrade-time.js'

/** The key of a provider that exists only in this file. */
const KEY = {
  kty: 'EC',
  crv: 'P-256',
  x: 'hpej9_FbbaqbD1avvbuYkGgQnLUu2rg0X2sBs00Eq_Q',
  y: 'HX8jkzpPA2mQIAzoq75YWlasHKqRgA0piBhhCQiiLRA',
}
const PRIVATE = { ...KEY, d: 'WMMqntLwxNbl-Oovu8RfRzNXqgalVB5HihS7C7-pbfU' }

/**
 * A provider without memory: a code is `<person>~<nonce>~<PKCE challenge>`, and the tokens that it
 * gives count how often they were refreshed, `access.<person>.<count>`. So a refresh with an old
 * token is noticed.
 */
export function standIn() {
  const it = {
    /** Never answers. */
    isSilent: false,
    fetch: (async (input, init) => {
      if (it.isSilent) return new Promise<never>(() => {})
      return answer(new Request(input as string, init as RequestInit))
    }) as typeof fetch,
  }
  return it
}

const issuer = 'https://issuer.example'

async function answer(request: Request): Promise<Response> {
  const { pathname, search } = new URL(request.url)
  switch (pathname) {
    case '/.well-known/openid-configuration':
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
        id_token_signing_alg_values_supported: ['ES256'],
      })
    case '/keys':
      return Response.json({ keys: [{ ...KEY, kid: 'one', alg: 'ES256', use: 'sig' }] })
    case '/userinfo': {
      const [, person] = request.headers.get('authorization')?.split('.') ?? []
      return Response.json({ sub: person, name: person, email: `${person}@mail.example` })
    }
    case '/2/users/me': {
      const [, person] = request.headers.get('authorization')?.split('.') ?? []
      return Response.json({ data: { id: person, name: person } })
    }
    default:
      return tokens(new URLSearchParams((await request.text()) || search))
  }
}

async function tokens(form: URLSearchParams): Promise<Response> {
  const [person = '', nonce = '', challenge = ''] = (form.get('code') ?? '').split('~')
  const isRefresh = form.has('refresh_token')
  // A code works once (RFC 6749, 4.1.2), and this one was used before the other version came.
  if (person === 'finished' && Date.now() >= UPGRADE) {
    return Response.json({ error: 'invalid_grant', error_description: 'used' }, { status: 400 })
  }
  if (!isRefresh && challenge !== (await challengeOf(form.get('code_verifier') ?? ''))) {
    return Response.json({ error: 'invalid_grant', error_description: 'PKCE' }, { status: 400 })
  }
  const [, owner = person, count = '0'] = form.get('refresh_token')?.split('.') ?? []
  const serial = `${owner}.${Number(count) + 1}`
  return Response.json({
    access_token: `access.${serial}`,
    refresh_token: `refresh.${serial}`,
    token_type: 'Bearer',
    scope: 'basic',
    expires_in: 3600,
    ...(nonce === '' ? {} : { id_token: await idToken(person, nonce) }),
  })
}

/** RFC 7636, 4.2. */
async function challengeOf(verifier: string): Promise<string> {
  return base64url.encode(
    new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))),
  )
}

async function idToken(sub: string, nonce: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: issuer,
    aud: 'the-client-id',
    sub,
    name: sub,
    nonce,
    iat: now,
    exp: now + 300,
  }
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'one' })
    .sign(await importJWK(PRIVATE, 'ES256'))
}
