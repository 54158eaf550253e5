import { SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { type Browser, errorOf, locationOf, origin, secret } from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { clientSecret, issuer, resource } from '../../test-support/oauth.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { authorizationServer } from '../authorization-server/index.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1), waits: true })

/** A text that nothing may tell. */
const canaries = new Set<string>()
function canary(name: string): string {
  const text = `canary-${name}-${crypto.randomUUID()}`
  canaries.add(text)
  return text
}

/** An error with its causes, as a logger that writes everything shows it. */
function whole(given: unknown): string {
  if (!(given instanceof Error)) return JSON.stringify(given) ?? ''
  const { message, stack, cause, ...members } = given as Error & Record<string, unknown>
  return [message, stack, JSON.stringify(members), cause && whole(cause)].join('\n')
}

it('attack: a reader of the log, of addresses or of the ledger looks for secrets and names of a company’s people', async () => {
  const agents = { agent: { secret: clientSecret, redirectUris: ['https://agent.example/cb'] } }
  const server = authorizationServer({
    apps: agents,
    resources: { [resource]: { scopes: { 'notes:read': 'Read your notes' } } },
    trustedIssuers: { 'https://acme.idp.example': { company: 'acme', apps: ['agent'] } },
  })
  const entry = companyAt('acme', { join: true, factors: true })
  const world = await companyWorld([entry, companyAt('bolt', { only: true })], {
    features: [server],
    secondFactor: ({ amr }) => !amr.includes('mfa'),
  })
  canaries
    .add(entry.clientSecret ?? '')
    .add(secret)
    .add(clientSecret)
  const told: string[] = []
  const tell = (...given: unknown[]) => void told.push(given.map(whole).join(' '))
  Object.assign(world.config, { logger: { error: tell, warn: tell, info: tell, debug: tell } })
  const auth = createAuth(world.config)
  const idp = world.issuerOf('acme')
  const [published] = idp.jwks().keys as { kid: string }[]
  const now = () => Math.floor(Date.now() / 1000)
  const signed = async (claims: Record<string, unknown>, typ: string, changes: object = {}) => {
    const header = { alg: 'ES256', typ, kid: published?.kid ?? '', ...changes }
    const text = await new SignJWT(claims)
      .setProtectedHeader(header)
      .sign(idp.privateKey(), { crit: { x: true } } as never)
    canaries.add(text)
    return text
  }
  const ids = () => ({
    sub: canary('sub'),
    sid: canary('sid'),
    name: canary('name'),
    email: `${canary('address')}@acme.example`,
    picture: `https://pictures.example/${canary('picture')}`,
  })
  /** Our own addresses must not have one either. */
  const led = (answer: Response) => {
    const to = locationOf(answer)
    if (to.startsWith('/') || to.startsWith(origin)) told.push(to)
    return answer
  }
  const back = async (one: Browser, claims: Record<string, unknown>, more = {}) => {
    const start = led(await one.submit('/auth/signin/company-acme', { callbackUrl: '/inbox' }))
    canaries.add(new URL(locationOf(start)).searchParams.get('state') ?? '')
    canaries.add(new URL(locationOf(start)).searchParams.get('nonce') ?? '')
    return led(await world.comeBack(one, 'acme', start, claims, more))
  }

  // Good sign-ins: one that joins, one with a code of ours, one with two factors.
  const ada = ids()
  const old = canary('old')
  await world.signIn('one', old)
  const one = world.browser()
  expect(errorOf(await back(one, { ...ada, amr: ['mfa'] }))).toBe('/auth/company/join')
  const start = led(await one.submit('/auth/company/join', { choice: 'one' }))
  led(await world.backFrom(one, 'one', start, old))
  const two = world.browser()
  await back(two, ids())
  led(await two.submit('/auth/company/join', { choice: 'new' }))
  const { app, codes } = await setUpFactor(two)
  for (const code of [...codes, app.code()]) canaries.add(code)

  // Bad answers of the provider.
  const faults: Record<string, () => Response>[] = [
    {
      token: () =>
        Response.json(
          {
            error: 'invalid_grant',
            error_description: 'What a provider says of an error is logged.',
          },
          { status: 400 },
        ),
    },
    { token: () => new Response(canary('page'), { status: 500 }) },
    { token: () => Response.json({ access_token: canary('token'), id_token: canary('id') }) },
    { token: () => Response.json({ error: 'its-own-word' }) },
    { keys: () => new Response(canary('keys'), { status: 500 }) },
  ]
  for (const answers of faults) {
    idp.answers = answers
    expect((await back(world.browser(), ids())).status).toBe(302)
    pass(61)
  }
  idp.answers = {}
  for (const claims of [
    { ...ids(), email: `${canary('foreign')}@bolt.example` },
    { ...ids(), email: canary('none') },
    { ...ids(), email_verified: false },
    { ...ids(), iss: `https://${canary('host')}.example` },
    { ...ids(), aud: canary('audience') },
    { ...ids(), nonce: canary('nonce') },
    { ...ids(), sub: '' },
  ]) {
    await back(world.browser(), claims)
  }
  await back(world.browser(), ids(), { iss: `https://${canary('iss')}.example` })
  await back(world.browser(), ids(), { error: 'its-own-word', error_description: canary('text') })

  // Addresses that are typed, and sign-ins that begin at the provider.
  for (const domain of ['acme.example', 'bolt.example', 'private.example']) {
    led(await world.type(world.browser(), `${canary('typed')}@${domain}`))
    led(
      await world
        .browser()
        .submit('/auth/signin/email', { email: `${canary('mailed')}@${domain}` }),
    )
  }
  for (const iss of ['https://acme.idp.example', `https://${canary('stranger')}.example`]) {
    const query = new URLSearchParams({
      iss,
      login_hint: canary('hint'),
      target_link_uri: canary('target'),
    })
    led(await world.browser().get(`/auth/initiate/company-acme?${query}`))
  }

  // Logout tokens and assertions, good and bad.
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const times = () => ({ iss: idp.issuer, iat: now(), exp: now() + 120, jti: canary('jti') })
  const logout = () => ({ ...times(), aud: 'client-of-acme', events })
  const post = (logout_token: string) =>
    world.browser().post('/auth/backchannel-logout/company-acme', { logout_token })
  for (const claims of [
    { ...logout(), sid: canary('sid') },
    { ...logout(), sub: canary('sub') },
    { ...logout(), sub: ada.sub, sid: ada.sid },
    { ...logout(), sub: ada.sub },
    { ...logout(), aud: canary('audience'), sub: ada.sub },
    { ...logout(), nonce: canary('nonce'), sub: ada.sub },
    { ...logout(), events: { [canary('event')]: {} }, sub: ada.sub },
  ]) {
    const token = await signed(claims, 'logout+jwt')
    for (const text of [token, token.slice(0, -4)])
      expect([200, 400]).toContain((await post(text)).status)
  }
  await post(canary('logout'))
  for (const [claims, header] of [
    [{ sub: ada.sub }, {}],
    [{ sub: canary('sub') }, {}],
    [{ sub: canary('sub'), email: `${canary('address')}@bolt.example` }, {}],
    [{ sub: ada.sub, resource: `https://${canary('resource')}.example/` }, {}],
    [{ sub: ada.sub, client_id: canary('client') }, {}],
    [{ sub: ada.sub }, { kid: canary('kid') }],
    [{ sub: ada.sub }, { typ: canary('typ') }],
    [{ sub: ada.sub, scope: canary('scope') }, {}],
    [{ sub: ada.sub, iss: `https://${canary('issuer')}.example` }, {}],
  ] as const) {
    const all = {
      ...times(),
      email: ada.email,
      aud: issuer,
      client_id: 'agent',
      resource,
      scope: 'notes:read',
      ...claims,
    }
    const assertion = await signed(all, 'oauth-id-jag+jwt', header)
    const body = {
      ...{ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion },
      ...{ client_id: 'agent', client_secret: clientSecret },
    }
    const answer = await world.browser().post('/auth/oauth/token', body)
    const { access_token } = (await answer.json()) as { access_token?: string }
    if (access_token) canaries.add(access_token)
  }

  // A store that fails, and a block with the erasure after it.
  const three = world.browser()
  const gone = ids()
  for (const method of ['put', 'insertDocuments', 'startVerification', 'document'] as const) {
    world.faults.set(method, (...given) =>
      Promise.reject(new Error(`The store is down: ${given.length}`)),
    )
    await back(three, gone)
    world.faults.delete(method)
  }
  const sub = await auth.subOfCompany({ company: 'acme', subject: ada.sub })
  await auth.blockPerson({ sub: String(sub) })
  await back(world.browser(), ada)
  await auth.deletePerson(String(sub))

  for (const browser of [one, two, three])
    for (const value of browser.jar.values()) if (value.length > 20) canaries.add(value)
  canaries.delete('')
  expect(canaries.size).toBeGreaterThan(100)
  expect(told.length).toBeGreaterThan(50)
  const written = JSON.stringify(
    world.calls.filter(({ name }) => name !== 'get').map(({ args }) => args),
  )
  const found = [...canaries].filter((text) => told.some((line) => line.includes(text)))
  expect(found).toEqual([])
  expect([...canaries].filter((text) => written.includes(text))).toEqual([])
})
