import { describe, expect, it } from 'vitest'
import { PRESETS } from '../presets/preset-table.js'
import { resolveProviders } from '../sign-in/kinds.js'
import { everythingIn } from '../test-support/browser.js'
import { OAUTH_PRESETS, type OAuthRow, rowVendor } from '../test-support/oauth-presets.js'
import {
  client,
  OPENID_PRESETS,
  type OpenIdRow,
  rowIssuer,
  rowSignIn,
} from '../test-support/openid-presets.js'

// The behavior that all presets share. The test of a preset has the special behavior of its vendor.

const REFUSED = '/auth/signin OAuthCallbackError'
const CHALLENGE = /^[\w-]{43}$/
const PROOF = /^[\w.~-]{43,128}$/
const CLIENT = { clientId: 'the-client_id', clientSecret: 'the-client_secret' }
const CALLBACK = (id: string) => `http://localhost:8787/auth/callback/${id}`

/** Presets with tests of their own for all that is here, and for addresses in email-verified.test.ts. */
const APART = ['videoapp', 'microsoft-entra-id', 'oidc']

const oauth: readonly [string, OAuthRow][] = Object.entries(OAUTH_PRESETS)
const openid: readonly [string, OpenIdRow][] = Object.entries(OPENID_PRESETS)

it('every preset has its row', () => {
  const ids = PRESETS.map(([, preset]) => preset().id)
  expect(
    [...oauth, ...openid]
      .map(([id]) => id)
      .concat(APART)
      .toSorted(),
  ).toEqual(ids.toSorted())
})

it('attack: a reader of traces finds a token or a secret in an address that is asked', () => {
  const asks = (secret: string) =>
    oauth.flatMap(([id, { requests }]) => (requests.some((one) => one.includes(secret)) ? id : []))
  // docs/opentelemetry.md takes it out of this one.
  expect(asks('the-access-token')).toEqual(['hubspot'])
  for (const secret of ['the-code', 'the-client_secret', 'the-refresh']) {
    expect(asks(secret), secret).toEqual([])
  }
})

describe.each(PRESETS)('variables %s', (prefix, preset) => {
  const { id, type } = preset()
  const env = {
    [`${prefix}_ID`]: 'id-of-env',
    [`${prefix}_SECRET`]: 'secret-of-env',
    [`${prefix}_ISSUER`]: 'https://issuer.example',
  }

  it('give the client', () => {
    const { usable } = resolveProviders([preset()], env)
    const needsSecret = OAUTH_PRESETS[id as 'vk']?.secret !== 'none'
    expect(usable.get(id)).toMatchObject({
      type,
      clientId: 'id-of-env',
      ...(needsSecret && { clientSecret: 'secret-of-env' }),
    })
  })

  it.each(['ID', 'SECRET'])('_%s is named where it is missing', (name) => {
    if (name === 'SECRET' && OAUTH_PRESETS[id as 'vk']?.secret === 'none') return
    const { usable, misconfigured } = resolveProviders([preset()], {
      ...env,
      [`${prefix}_${name}`]: '',
    })
    expect([...usable.keys()]).toEqual([])
    // A secret of Apple is made of a key, which the message names in its place.
    const named = id === 'apple' && name === 'SECRET' ? 'PRIVATE_KEY' : name
    expect(misconfigured.get(id)?.message).toContain(`${prefix}_${named}`)
  })
})

describe.each(oauth)('%s', (id, row) => {
  const recorded = row.answers(row.address)

  /** The answers with another id. */
  const withId = (value: unknown) => {
    const [answer, ...path] = row.id
    return recorded.map((it, at) => (at === answer ? changed(it, path, value) : it))
  }

  const refusals: [string, readonly unknown[]][] = [
    ['no id', withId(undefined)],
    ['an id that is an object', withId({ toString: 'ada' })],
    ['an id that is a list', withId(['ada'])],
    ['an id that is a boolean', withId(true)],
    ['an id that is empty', withId('')],
    [
      'an error beside a token',
      [{ ...(recorded[0] as object), error: 'invalid_grant' }, ...recorded.slice(1)],
    ],
    ['an answer without a token', [{}, ...recorded.slice(1)]],
    [
      'a refusal of the code',
      [Response.json({ error: 'invalid_grant' }, { status: 400 }), ...recorded.slice(1)],
    ],
    ['a refusal at the end', withRefusal(recorded, row)],
    ...Object.entries(row.refused ?? {}).map(([name, change]): [string, readonly unknown[]] => [
      name,
      change(recorded),
    ]),
  ]

  it('asks for consent with these parameters, and no others', async () => {
    const { consent } = await rowVendor(row).signIn(row.back)
    const meant = new URL(row.consent)
    expect(consent.origin + consent.pathname).toBe(meant.origin + meant.pathname)
    expect(Object.fromEntries(consent.searchParams)).toEqual({
      ...Object.fromEntries(meant.searchParams),
      response_type: 'code',
      client_id: 'the-client_id',
      redirect_uri: CALLBACK(id),
      state: expect.any(String),
      code_challenge: expect.stringMatching(CHALLENGE),
      code_challenge_method: 'S256',
    })
  })

  it('signs in', async () => {
    const { signIn, seen } = rowVendor(row)
    const { end, user, account } = await signIn(row.back)
    expect(end).toBe('/inbox')
    expect(user).toMatchObject(row.user)
    expect(user?.emailVerified).toBe(row.user.email === null ? undefined : true)
    for (const [name, value] of Object.entries(row.account)) expect(account?.[name]).toEqual(value)
    expect(seen.map(({ method, url }) => `${method} ${url}`)).toEqual(row.requests)
  })

  it('shows its secret to the token endpoint alone, with a proof of the code', async () => {
    const { signIn, seen } = rowVendor(row)
    await signIn(row.back)
    const [asked, ...rest] = seen
    const { iss: _, ...back } = row.back ?? {}
    expect(asked?.form).toEqual({
      grant_type: 'authorization_code',
      code: 'the-code',
      redirect_uri: CALLBACK(id),
      ...back,
      ...((row.secret === 'post' || row.secret === 'none') && { client_id: 'the-client_id' }),
      ...(row.secret === 'post' && { client_secret: 'the-client_secret' }),
      ...(!row.isUnproved && { code_verifier: expect.stringMatching(PROOF) }),
    })
    expect(asked?.headers.get('content-type')).toContain('application/x-www-form-urlencoded')
    expect(asked?.headers.get('authorization')).toEqual(authorizationOf(row))
    for (const { headers, form, url } of rest) {
      expect(everythingIn([[...headers], form, url.href])).not.toContain('the-client_secret')
      const given = headers.get('authorization')
      const token = (recorded[0] as { access_token: string }).access_token
      const isInRequest = Object.values(form).includes(token) || url.pathname.endsWith(token)
      expect(given).toBe(isInRequest ? null : `Bearer ${token}`)
    }
    for (const { headers } of seen)
      expect(Object.fromEntries(headers)).toMatchObject(row.headers ?? {})
  })

  it('separates scopes as its vendor does', () => {
    const { usable } = resolveProviders([row.preset(CLIENT)], {})
    expect(usable.get(id)).toMatchObject({ scopeSeparator: row.scopeSeparator ?? ' ' })
  })

  it.each(refusals)('no user is signed in by %s', async (_, answers) => {
    const { signIn, errors } = rowVendor(row, answers)
    const { end, user } = await signIn(row.back)
    expect(end).toBe(REFUSED)
    expect(user).toBeUndefined()
    const { access_token } = recorded[0] as { access_token: string }
    // One token is a word of our own errors.
    if (access_token.length > 3) expect(everythingIn(errors)).not.toContain(access_token)
    expect(everythingIn(errors)).not.toContain('the-client_secret')
  })

  it.each(row.vouching)('%j is an address that the provider vouches for', async (address) => {
    const { user } = await rowVendor(row, row.answers(address)).signIn(row.back)
    expect(user).toMatchObject({ email: expect.stringMatching(/^ada@/i), emailVerified: true })
  })

  it.each(row.others)('%j does not count as verified, and is left out', async (address) => {
    const { user } = await rowVendor(row, row.answers(address)).signIn(row.back)
    expect(user).toMatchObject({ name: row.user.name, email: null })
    expect(user).not.toHaveProperty('emailVerified')
  })

  if (row.revokes) {
    const [at, token] = row.revokes
    it(`revokes the ${token}`, async () => {
      const given = recorded[0] as { access_token: string; refresh_token?: string }
      const request = await rowVendor(row).revoke(given)
      expect(request?.url.href).toBe(at)
      expect(request?.form).toEqual({
        token: given[token],
        ...(row.secret === 'post' && {
          client_id: 'the-client_id',
          client_secret: 'the-client_secret',
        }),
      })
      expect(request?.headers.get('authorization')).toEqual(authorizationOf(row))
      expect(Object.fromEntries(request?.headers ?? [])).toMatchObject(row.headers ?? {})
    })
  }
})

describe.each(openid)('%s', (id, row) => {
  it('asks for consent with these parameters, and no others', async () => {
    const { browser } = await rowIssuer(row)
    const consent = await browser.start(id)
    expect(consent.origin + consent.pathname).toBe(`${row.issuer.replace(/\/$/, '')}/authorize`)
    expect(Object.fromEntries(consent.searchParams)).toEqual({
      ...row.asks,
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: CALLBACK(id),
      state: expect.any(String),
      nonce: expect.any(String),
      code_challenge: expect.stringMatching(CHALLENGE),
      code_challenge_method: 'S256',
    })
  })

  it('signs in', async () => {
    const { issuer, end, user, account } = await rowSignIn(row)
    const [discovery] = issuer.requests
    expect(discovery?.url).toBe(`${placeOf(row)}/.well-known/openid-configuration`)
    expect(end).toBe('/inbox')
    expect(user).toMatchObject(row.user)
    expect(user?.emailVerified).toBe(row.vouching.length === 0 ? undefined : true)
    expect(account?.providerAccountId).toBe(row.providerAccountId)
  })

  it('asks for user info only where the ID token may not describe the person', async () => {
    const { issuer } = await rowSignIn(row, { isTwice: true })
    const questions = issuer.requests.filter(({ url }) => url.endsWith('/userinfo'))
    expect(questions).toHaveLength(row.userinfo || row.asksAnyway ? 1 : 0)
  })

  it('shows its secret to the token endpoint alone, with a proof of the code', async () => {
    const { issuer } = await rowSignIn(row)
    const sent = await Promise.all(
      issuer.requests.map(async (request) => ({
        isToken: request.url.endsWith('/token'),
        given: request.headers.get('authorization') ?? '',
        form: Object.fromEntries(new URLSearchParams(await request.text())),
      })),
    )
    const basic = `Basic ${btoa(`${client.clientId}:${client.clientSecret}`)}`
    const asked = sent.filter(({ isToken }) => isToken)
    expect(asked).toHaveLength(1)
    expect(asked[0]?.given).toBe(row.secret === 'basic' ? basic : '')
    expect(asked[0]?.form).toEqual({
      grant_type: 'authorization_code',
      code: expect.any(String),
      redirect_uri: CALLBACK(id),
      code_verifier: expect.stringMatching(PROOF),
      ...(row.secret === 'post' && {
        client_id: client.clientId,
        client_secret: client.clientSecret,
      }),
    })
    for (const { isToken, given } of sent) if (!isToken) expect(given).not.toMatch(/Basic/)
  })

  it.each([
    ['of another issuer', { iss: 'https://evil.example' }],
    ['from another place at the same issuer', { iss: `${row.issuer}/other` }],
    ['for another client', { aud: 'another-client' }],
    ['of another request', { nonce: 'another-nonce' }],
    ['that is over', { exp: 1 }],
    ['without a subject', { sub: undefined }],
  ])('an ID token %s signs no user in', async (_, claims) => {
    const { end, user } = await rowSignIn(row, { claims })
    expect(end).toBe(REFUSED)
    expect(user).toBeUndefined()
  })

  it.each(row.vouching)('%j is an address that the provider vouches for', async (address) => {
    const { user } = await rowSignIn(row, { address, isTwice: true })
    expect(user).toMatchObject({ email: expect.stringMatching(/^ada@/i), emailVerified: true })
  })

  it.each(row.others)('%j does not count as verified', async (address) => {
    const { user } = await rowSignIn(row, { address, isTwice: true })
    expect(user).toBeDefined()
    expect(user).not.toHaveProperty('emailVerified')
    if (address.email_verified === false) expect(user?.email ?? null).toBeNull()
  })

  if (row.vouching.length > 0) {
    it('the name stays of a person whose address is not verified', async () => {
      const { user } = await rowSignIn(row, { address: { ...row.address, email_verified: false } })
      expect(user).toMatchObject({ name: row.user.name, email: null })
    })
  }

  it('its issuer is an option, a variable, or its own', () => {
    const prefix = PRESETS.find(([, preset]) => preset().id === id)?.[0]
    const { usable, misconfigured } = resolveProviders([row.preset(client)], {})
    const by = (env: Record<string, string>, options = {}) =>
      resolveProviders([row.preset({ ...client, ...options })], env).usable.get(id)
    if (row.ownIssuer === undefined) {
      expect(usable.get(id)).toMatchObject({ issuer: row.issuer })
      return
    }
    expect(misconfigured.get(id)?.message).toContain(`${prefix}_ISSUER`)
    expect(by({ [`${prefix}_ISSUER`]: row.ownIssuer })).toEqual(
      expect.objectContaining({
        issuer: (by({}, { issuer: row.ownIssuer }) as { issuer?: string }).issuer,
      }),
    )
  })
})

/** A copy with another value at a path. */
function changed(value: unknown, [name, ...path]: readonly string[], to: unknown): unknown {
  if (name === undefined) return to
  const members = value as Record<string, unknown>
  return { ...members, [name]: changed(members[name], path, to) }
}

/** The answer that describes the person is a refusal, though it describes one. */
function withRefusal(answers: readonly unknown[], { id: [at] }: OAuthRow): readonly unknown[] {
  return answers.map((it, index) => (index === at ? Response.json(it, { status: 403 }) : it))
}

/** Where an issuer has its document, by the option as it is given. */
function placeOf({ ownIssuer: given, issuer }: OpenIdRow): string {
  return (given ?? issuer).replace(/\/$/, '')
}

function authorizationOf({ secret }: OAuthRow): unknown {
  if (secret === 'plain basic') return `Basic ${btoa('the-client_id:the-client_secret')}`
  // RFC 6749, 2.3.1: both are encoded as in a form.
  return secret === 'basic' ? expect.stringMatching(/^Basic /) : null
}
