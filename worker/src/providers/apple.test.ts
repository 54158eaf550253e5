import { exportPKCS8, exportSPKI, generateKeyPair, jwtVerify } from 'jose'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { customFetch } from '../lib/symbols.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { connect } from '../sign-in/oauth/connection.js'
import { revokeTokens } from '../sign-in/oauth/refresh.js'
import type { ResolvedOAuthProvider } from '../sign-in/oauth/resolve.js'
import {
  Browser,
  configWith,
  errorOf,
  everythingIn,
  locationOf,
  origin,
  signInAt,
} from '../test-support/browser.js'
import { type TestIssuer, testIssuer } from '../test-support/issuer.js'
import apple from './apple.js'

/** As in Apple's documentation of the identity token. */
const claims = {
  sub: '001234.0123456789abcdef0123456789abcdef.1234',
  email: 'dpdcnf87nu@privaterelay.appleid.com',
  email_verified: 'true',
  is_private_email: 'true',
  auth_time: 1_700_000_000,
  nonce_supported: true,
}

const { publicKey, privateKey: key } = await generateKeyPair('ES256', { extractable: true })
const privateKey = await exportPKCS8(key)
const rsa = await generateKeyPair('RS256', { extractable: true })
const rsaKey = await exportPKCS8(rsa.privateKey)
const publicPem = await exportSPKI(publicKey)
const team = { teamId: 'A1B2C3D4E5', keyId: 'F6G7H8I9J0', privateKey }

let issuer: TestIssuer
let errors: Error[]

beforeEach(async () => {
  issuer = await testIssuer('https://appleid.apple.com', { clientId: 'com.example.web' })
  issuer.claims = claims
  errors = []
})

function browserFor(options: Parameters<typeof apple>[0] = team): Browser {
  const client = { clientId: 'com.example.web', [customFetch]: issuer.fetch }
  const logger = { error: (error: Error) => void errors.push(error) }
  return new Browser(configWith({ providers: [apple({ ...client, ...options })], logger }))
}

async function tokenRequests(): Promise<URLSearchParams[]> {
  const sent = issuer.requests.filter(({ url }) => url.endsWith('/token'))
  return Promise.all(sent.map(async (request) => new URLSearchParams(await request.text())))
}

describe('a sign-in', () => {
  it('takes the posted name', async () => {
    const browser = browserFor()
    const { searchParams } = await browser.start('apple')
    const [code, state] = ['nonce', 'state'].map((name) => searchParams.get(name) ?? '')
    const user = '{"name":{"firstName":"Ada","lastName":"Lovelace"},"email":"ada@example.com"}'
    const fields = { code, state, user } as Record<string, string>
    const posted = await browser.post('/auth/callback/apple', fields, {
      cookie: '',
      origin: 'https://appleid.apple.com',
      'sec-fetch-site': 'cross-site',
    })
    await browser.get(locationOf(posted).replace(origin, ''))
    expect((await browser.session())?.user).toMatchObject({
      name: 'Ada Lovelace',
      email: claims.email,
      image: null,
    })
  })

  it('has no name if Apple posts none, as at every sign-in after the first', async () => {
    const browser = browserFor()
    await signInAt(browser, 'apple')
    expect((await browser.session())?.user).toMatchObject({ name: null, email: claims.email })
  })
})

describe('the posted `user`', () => {
  const profiles: Record<string, unknown>[] = []
  const signInWith = async (user: string) => {
    const client = { clientId: 'com.example.web', [customFetch]: issuer.fetch }
    const signIn = ({ profile }: { profile?: object }) => profiles.push({ ...profile }) > 0
    const providers = [apple({ ...client, ...team })]
    const browser = new Browser(configWith({ providers, callbacks: { signIn } }))
    await signInAt(browser, 'apple', { user })
    return (await browser.session())?.user
  }

  it.each([
    '{"sub":"victim","id":"victim","email":"victim@example.com","email_verified":true}',
    '{"name":{"firstName":{"toString":1},"lastName":["x"]},"sub":"victim"}',
    '{"__proto__":{"email":"victim@example.com"},"name":{"__proto__":{"firstName":"x"}}}',
    '{"constructor":{"prototype":{"sub":"victim"}}}',
    '{"name":"Ada"}',
    '["victim"]',
    'null',
    '"victim"',
    '{',
    '[object Object]',
  ])('sets nothing but the name: %s', async (user) => {
    const own = await signInWith('')
    expect(await signInWith(user)).toEqual({ ...own, name: null })
    expect(profiles.at(-1)).toMatchObject({ sub: claims.sub, email: claims.email })
    expect(JSON.stringify(profiles.at(-1))).not.toContain('victim')
    expect({}).not.toHaveProperty('email')
  })

  it('a first name alone is the name', async () => {
    const user = await signInWith('{"name":{"firstName":"Ada","lastName":""}}')
    expect(user?.name).toBe('Ada')
  })
})

describe('booleans', () => {
  it.each([
    ['true', claims.email],
    [true, claims.email],
    ['false', null],
    [false, null],
    [undefined, null],
  ])('email_verified %j gives the address %j', async (email_verified, email) => {
    issuer.claims = { ...claims, email_verified }
    const browser = browserFor()
    await signInAt(browser, 'apple')
    expect((await browser.session())?.user?.email).toBe(email)
  })

  it.each(['yes', 1, 'TRUE'])('email_verified %j vouches for nothing', async (email_verified) => {
    issuer.claims = { ...claims, email_verified }
    const browser = browserFor()
    expect(errorOf(await signInAt(browser, 'apple'))).toBe('/inbox')
    expect((await browser.session())?.user?.email).toBeNull()
  })
})

describe('the client secret', () => {
  it.each([
    ['as it is in the file', privateKey],
    ['with line breaks as variables carry them', privateKey.replaceAll('\n', '\\n')],
    ['with line breaks of Windows and space around', `\n ${privateKey.replaceAll('\n', '\r\n')} `],
  ])('is signed with the team’s key %s', async (_, text) => {
    await signInAt(browserFor({ ...team, privateKey: text }), 'apple')
    const [sent] = await tokenRequests()
    const { payload, protectedHeader } = await jwtVerify(
      sent?.get('client_secret') ?? '',
      publicKey,
      { issuer: team.teamId, subject: 'com.example.web', audience: 'https://appleid.apple.com' },
    )
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: team.keyId })
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(300)
  })

  it('is signed again for each request, with a key that is imported once', async () => {
    const importKey = vi.spyOn(crypto.subtle, 'importKey')
    const env = { AUTH_APPLE_ID: 'com.example.web' }
    const { usable } = await resolveProviders([apple(team)], env)
    const { clientSecret } = usable.get('apple') as ResolvedOAuthProvider
    if (typeof clientSecret !== 'function') throw new Error('The secret is not made.')
    expect(await clientSecret()).not.toBe(await clientSecret())
    expect(importKey.mock.calls.filter(([format]) => format === 'pkcs8')).toHaveLength(1)
    importKey.mockRestore()
  })

  it('is made for revocation as well', async () => {
    const options = { clientId: 'com.example.web', [customFetch]: issuer.fetch, ...team }
    const { usable } = await resolveProviders([apple(options)], {})
    issuer.metadata = { revocation_endpoint: undefined }
    const provider = usable.get('apple') as ResolvedOAuthProvider
    await revokeTokens(await connect(provider, Date.now()), { refresh_token: 'the-refresh-token' })
    const sent = issuer.requests.at(-1)
    expect(sent?.url).toBe('https://appleid.apple.com/auth/revoke')
    const form = new URLSearchParams(await sent?.text())
    expect(form.get('token')).toBe('the-refresh-token')
    await jwtVerify(form.get('client_secret') ?? '', publicKey, { issuer: team.teamId })
  })

  it.each([
    ['no PEM', 'c2VjcmV0LWtleS1tYXRlcmlhbA=='],
    ['cut off', privateKey.slice(0, 80)],
    ['garbled', privateKey.replace(/[A-Za-z]/g, 'é')],
    ['of another kind', rsaKey],
    ['public', publicPem],
  ])(
    'a key that is %s ends the sign-in with an error that does not quote it',
    async (_, broken) => {
      const answer = await signInAt(browserFor({ ...team, privateKey: broken }), 'apple')
      expect(errorOf(answer)).toBe('/auth/signin OAuthCallbackError')
      const logged = everythingIn(errors)
      expect(logged).toContain('private key of provider "apple"')
      for (const line of broken.split('\n').filter((text) => text.length > 8)) {
        expect(logged).not.toContain(line)
      }
    },
  )
})

describe('the environment', () => {
  const all = {
    AUTH_APPLE_ID: 'com.example.web',
    AUTH_APPLE_TEAM_ID: team.teamId,
    AUTH_APPLE_KEY_ID: team.keyId,
    AUTH_APPLE_PRIVATE_KEY: privateKey,
  }
  const resolve = async (env: Record<string, string>, options = {}) =>
    await resolveProviders([apple(options)], env)
  const secretIn = async (env: Record<string, string>, options = {}) =>
    ((await resolve(env, options)).usable.get('apple') as ResolvedOAuthProvider).clientSecret

  it('gives the key, or a secret that was made elsewhere', async () => {
    expect(await secretIn(all)).toBeTypeOf('function')
    expect(await secretIn({ AUTH_APPLE_ID: 'x', AUTH_APPLE_SECRET: 'ready-made' })).toBe(
      'ready-made',
    )
    expect(await secretIn(all, { clientSecret: 'of-the-options' })).toBe('of-the-options')
  })

  it('gives the parts of the key that the options leave open', async () => {
    const { AUTH_APPLE_PRIVATE_KEY, AUTH_APPLE_ID } = all
    const { teamId, keyId } = team
    expect(await secretIn({ AUTH_APPLE_PRIVATE_KEY, AUTH_APPLE_ID }, { teamId, keyId })).toBeTypeOf(
      'function',
    )
  })

  it('an incomplete key is an error that names the variables and quotes none', async () => {
    const { AUTH_APPLE_KEY_ID: _, ...half } = all
    const error = (await resolve(half)).misconfigured.get('apple')
    expect(error?.message).toContain(
      'AUTH_APPLE_TEAM_ID, AUTH_APPLE_KEY_ID, AUTH_APPLE_PRIVATE_KEY',
    )
    expect(everythingIn(error)).not.toContain(privateKey.slice(30, 60))
  })

  it('the log of a provider does not hold the key', async () => {
    expect(everythingIn((await resolve(all)).usable.get('apple'))).not.toContain(
      privateKey.slice(30, 60),
    )
    expect(everythingIn(apple(team))).not.toContain(privateKey.slice(30, 60))
  })
})
