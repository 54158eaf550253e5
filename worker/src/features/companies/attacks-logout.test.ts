import { SignJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import { kvSessionStore } from '../../stores/kv.js'
import { drawSid } from '../../stores/ledger/placement.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import { BindingBrowser } from '../../test-support/binding-browser.js'
import { Browser, claimsIn, copyOf, errorOf, secret } from '../../test-support/browser.js'
import { companyAt, companyWorld } from '../../test-support/companies.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { fails } from '../../test-support/faulty.js'
import { FakeKv } from '../../test-support/kv.js'
import { resource, verifier } from '../../test-support/oauth.js'
import { answerIn, authorizePath, OPTIONS } from '../../test-support/oauth-people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import { authorizationServer } from '../authorization-server/index.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1), waits: true })

const EVENT = 'http://schemas.openid.net/event/backchannel-logout'
/** The life of a session's token. Seconds. */
const TOKEN = 300

type World = Awaited<ReturnType<typeof companyWorld>>

/** Claims of a good logout token of a company. */
function claimsOf(world: World, id: string, claims: Record<string, unknown> = {}) {
  const now = Math.floor(Date.now() / 1000)
  const all = {
    ...{ iss: world.issuerOf(id).issuer, aud: `client-of-${id}`, iat: now, exp: now + 120 },
    ...{ jti: crypto.randomUUID(), events: { [EVENT]: {} }, ...claims },
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
}

async function tokenOf(
  world: World,
  claims: Record<string, unknown>,
  { id = 'acme', header = {}, key }: { id?: string; header?: object; key?: unknown } = {},
): Promise<string> {
  const issuer = world.issuerOf(id)
  const [published] = issuer.jwks().keys as { kid: string }[]
  return new SignJWT(claimsOf(world, id, claims))
    .setProtectedHeader({ alg: 'ES256', typ: 'logout+jwt', kid: published?.kid ?? '', ...header })
    .sign((key ?? issuer.privateKey()) as never, { crit: { x: true } } as never)
}

const sendTo = (one: Browser, logout_token: string, id = 'acme') =>
  one.post(`/auth/backchannel-logout/company-${id}`, { logout_token })

const logOut = async (world: World, claims: Record<string, unknown>, id = 'acme') =>
  (await sendTo(world.browser(), await tokenOf(world, claims, { id }), id)).status

const isIn = async (one: Browser) => (await one.session()) !== null

const after = async (browsers: readonly Browser[], seconds = TOKEN) => {
  pass(seconds)
  return Promise.all(browsers.map(isIn))
}

describe('attack: a session outlives the logout of its person', () => {
  it('since the list of sessions does not show it yet', async () => {
    const kv = new FakeKv()
    const sessions = kvSessionStore(kv.at('here'))
    const inner = { ...memoryStore(), sessions }
    const world = await companyWorld(undefined, {}, { inner })
    const [one, other] = [await world.of('acme'), await world.of('acme', { sub: 'bob' })]
    expect(await logOut(world, { sub: 'ada' })).toBe(200)
    expect(await after([one, other])).toEqual([false, true])
    expect(world.lines).toContainEqual(
      expect.objectContaining({ event: 'sessions-ended', which: 'one', by: 'company' }),
    )
  })

  it('since it is one of more than a hundred', async () => {
    const kv = new FakeKv()
    const inner = { ...memoryStore(), sessions: kvSessionStore(kv.at('here')) }
    const world = await companyWorld(undefined, {}, { inner })
    const browsers: Browser[] = []
    for (let count = 0; count < 120; count++) browsers.push(await world.of('acme'))
    pass(61)
    expect(await logOut(world, { sub: 'ada' })).toBe(200)
    expect((await after(browsers)).filter(Boolean)).toEqual([])
  })

  it('since its person steps up again and again', async () => {
    const world = await companyWorld(undefined, {})
    const own = await world.signIn('one', 'ada')
    await world.comeBack(own, 'acme', await world.startAdding(own, 'company-acme'))
    const one = await world.of('acme')
    world.faults.set('list', async () => [])
    expect(await logOut(world, { sub: 'ada' })).toBe(200)
    const start = await one.submit('/auth/signin/company-acme', {
      maxAge: '60',
      callbackUrl: '/inbox',
    })
    const auth_time = Math.floor(Date.now() / 1000)
    await world.comeBack(one, 'acme', start, { auth_time })
    expect(await after([one], 0)).toEqual([false])
  })

  it('since the person has removed the company’s way from their account', async () => {
    const world = await companyWorld()
    const own = await world.signIn('one', 'ada')
    await world.comeBack(own, 'acme', await world.startAdding(own, 'company-acme'))
    const [one, two] = [
      await world.of('acme', { sid: 'op-1' }),
      await world.of('acme', { sid: 'op-2' }),
    ]
    const way = (await world.ways(one)).find(({ provider }) => provider === 'company-acme')
    expect(errorOf(await world.remove(one, way?.id ?? ''))).toBe('/auth/account')
    expect((await world.ways(own)).map(({ provider }) => provider)).toEqual(['one'])
    // A token with both names: at once.
    expect(await logOut(world, { sub: 'ada', sid: 'op-1' })).toBe(200)
    expect([await isIn(one), await isIn(two)]).toEqual([false, true])
    expect(await logOut(world, { sub: 'ada' })).toBe(200)
    expect(await after([two, own])).toEqual([false, true])
  })

  it('since the app names its people by their address, which a logout token has not', async () => {
    const subject = ({ user }: { user: { email?: string } }) => {
      if (user.email === undefined) throw new TypeError('There is no address.')
      return `own-${user.email}`
    }
    for (const name of [subject, ({ user }: never) => `own-${(user as { email: string }).email}`]) {
      const world = await companyWorld(undefined, { subject: name } as never)
      const [one, two] = [
        await world.of('acme', { sid: 'op-1' }),
        await world.of('acme', { sid: 'op-2' }),
      ]
      expect(claimsIn(one).sub).toBe('own-ada@acme.example')
      expect(await logOut(world, { sub: 'ada', sid: 'op-1' })).toBe(200)
      expect([await isIn(one), await isIn(two)]).toEqual([false, true])
      expect(await logOut(world, { sub: 'ada' })).toBe(200)
      expect(await after([two])).toEqual([false])
    }
  })

  it('since a sign-in after a rotation has noted the same session of the provider', async () => {
    const world = await companyWorld()
    const one = await world.of('acme', { sid: 'op-1' })
    const config = { ...world.config, secret: ['a-new-secret-of-the-tests-0123456789', secret] }
    const two = new Browser(config)
    expect(errorOf(await world.signInBy(two, 'acme', { sid: 'op-1' }))).toBe('/inbox')
    const token = await tokenOf(world, { sid: 'op-1' })
    expect((await sendTo(new Browser(config), token)).status).toBe(200)
    expect([await isIn(copyOf(one, config)), await isIn(two)]).toEqual([false, false])
  })

  it('since a step-up was in a later session of the provider', async () => {
    const world = await companyWorld()
    const one = await world.of('acme', { sid: 'op-1' })
    pass(600)
    const start = await one.submit('/auth/signin/company-acme', {
      maxAge: '60',
      callbackUrl: '/inbox',
    })
    const auth_time = Math.floor(Date.now() / 1000)
    expect(errorOf(await world.comeBack(one, 'acme', start, { auth_time, sid: 'op-2' }))).toBe(
      '/inbox',
    )
    expect(await logOut(world, { sid: 'op-2' })).toBe(200)
    expect(await isIn(one)).toBe(false)
  })

  it('by an app that it let in, though the list of sessions does not show it', async () => {
    const server = authorizationServer(OPTIONS)
    const world = await companyWorld(undefined, { features: [server] })
    const one = await world.of('acme')
    const post = async (fields: Record<string, string>) => {
      const body = { client_id: 'own', ...fields }
      return (await (await world.browser().post('/auth/oauth/token', body)).json()) as {
        refresh_token?: string
        error?: string
      }
    }
    const letIn = async (scope: string) => {
      const at = 'https://own.example/cb'
      const changes = { client_id: 'own', redirect_uri: at, resource, scope }
      const { code = '' } = answerIn(await one.get(authorizePath(changes)))
      const grant = { grant_type: 'authorization_code', code, code_verifier: verifier }
      return (await post({ ...grant, redirect_uri: at })).refresh_token ?? ''
    }
    const [online, offline] = [await letIn('notes:read'), await letIn('notes:read offline_access')]
    world.faults.set('list', async () => [])
    expect(await logOut(world, { sub: 'ada' })).toBe(200)
    const refresh = (refresh_token: string) => post({ grant_type: 'refresh_token', refresh_token })
    expect((await refresh(online)).error).toBe('invalid_grant')
    expect((await refresh(offline)).error).toBeUndefined()
  })

  it('since it waited for a second factor, or for the answer whether its person is new', async () => {
    const world = await companyWorld([companyAt('acme', { join: true })], {
      secondFactor: () => true,
    })
    const one = world.browser()
    await world.signInBy(one, 'acme', { sid: 'op-1' })
    expect(errorOf(await one.submit('/auth/company/join', { choice: 'new' }))).toBe(
      '/auth/factor/setup',
    )
    await setUpFactor(one)
    expect(claimsIn(one).company).toBe('acme')
    expect(await logOut(world, { sid: 'op-1', sub: 'ada' })).toBe(200)
    expect(await isIn(one)).toBe(false)
  })

  it('by proofs of its browser’s key', async () => {
    const world = await companyWorld(undefined, { boundSessions: true })
    const one = new BindingBrowser(world.config)
    const answer = await one.register(await world.signInBy(one, 'acme'))
    expect([answer.status, one.claims.company]).toEqual([200, 'acme'])
    world.faults.set('list', async () => [])
    expect(await logOut(world, { sub: 'ada' })).toBe(200)
    pass(TOKEN)
    await one.refresh()
    const renewed = await one.renew()
    expect(await renewed.json()).toEqual({ continue: false })
    expect(await isIn(one)).toBe(false)
  })

  it('since more than a thousand have the same session of the provider', async () => {
    const world = await companyWorld([companyAt('acme')])
    const browsers: Browser[] = []
    for (let count = 0; count < 1_002; count++) {
      browsers.push(await world.of('acme', { sid: 'op-1', sub: `person-${count}` }))
    }
    expect(await logOut(world, { sid: 'op-1' })).toBe(200)
    expect((await Promise.all(browsers.map(isIn))).filter(Boolean)).toEqual([])
  })
})

it('a logout ends no session that begins after it, and one of another company at the same issuer goes on', async () => {
  const world = await companyWorld([
    companyAt('acme', { clientId: 'client-of-acme' }),
    companyAt('labs', { issuer: 'https://acme.idp.example', clientId: 'client-of-acme' }),
  ])
  const labs = await world.of('labs', { email: 'ada@labs.example' })
  expect(await logOut(world, { sub: 'ada' })).toBe(200)
  pass(1)
  const one = await world.of('acme')
  expect(await after([one, labs])).toEqual([true, true])
})

it('two tokens for one person at once, and one token five times at once, count', async () => {
  const ledgers = new FakeLedgers()
  const inner: Stores = {
    sessions: memoryStore().sessions,
    ledger: durableLedger(ledgers.binding, [4]),
    drawSid: (sub, near) => drawSid([4], sub, near),
  }
  const world = await companyWorld(undefined, {}, { inner })
  const one = await world.of('acme')
  const [first, second] = [
    await tokenOf(world, { sub: 'ada' }),
    await tokenOf(world, { sub: 'ada' }),
  ]
  const answers = await Promise.all(
    [first, second, first, first, first].map((token) => sendTo(world.browser(), token)),
  )
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(await isIn(one)).toBe(false)
  pass(1)
  const later = await world.of('acme')
  for (const token of [first, second]) await sendTo(world.browser(), token)
  expect(await after([later])).toEqual([true])
})

it('a logout by sub costs three calls of the ledger and a row, and a renewal of a company’s session one more', async () => {
  const world = await companyWorld()
  const one = await world.of('acme')
  const ledger = () =>
    world.calls.filter(({ name }) => !['get', 'put', 'delete', 'list'].includes(name))
  const before = ledger().length
  await logOut(world, { sub: 'nobody' })
  expect(ledger().length - before).toBe(3)
  const renewal = async (browser: Browser) => {
    pass(TOKEN)
    const then = ledger().length
    await browser.session()
    return ledger().length - then
  }
  const other = await world.signIn('two', 'bob')
  expect((await renewal(one)) - (await renewal(other))).toBe(1)
})

it('a ledger that fails at a renewal lets no session of a company go on unasked', async () => {
  const world = await companyWorld()
  const one = await world.of('acme')
  await logOut(world, { sub: 'somebody' })
  world.faults.set('insertDocuments', fails)
  pass(TOKEN)
  expect((await one.get('/auth/session')).status).toBe(503)
})

it('an erasure leaves no note of a logout', async () => {
  const world = await companyWorld()
  const auth = createAuth(world.config)
  const one = await world.of('acme')
  const { sub } = claimsIn(one)
  await logOut(world, { sub: 'ada' })
  const key = `company\n${sub}\nacme`
  expect((await world.inner.ledger.document(key))?.content).toContain('until')
  await auth.deletePerson(sub)
  expect((await world.inner.ledger.document(key))?.content ?? null).toBeNull()
})

describe('attack: a logout token is refused', () => {
  const enc = (value: unknown) =>
    Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')

  it.each<[string, Record<string, unknown>]>([
    ['events as a list', { events: [EVENT] }],
    ['events as a text', { events: EVENT }],
    ['events as null', { events: null }],
    ['its event as a list', { events: { [EVENT]: [] } }],
    ['its event as null', { events: { [EVENT]: null } }],
    ['a nonce of null', { nonce: null }],
    ['sub of 256 characters', { sub: 's'.repeat(256) }],
    ['sid as a list', { sid: ['op-1'] }],
    ['sid of null beside a sub', { sid: null }],
    ['jti of a number', { jti: 7 }],
    ['iss as a list', { iss: ['https://acme.idp.example'] }],
    ['an audience that is an object', { aud: { 0: 'client-of-acme' } }],
    ['an audience beside a number', { aud: ['client-of-acme', 7] }],
    ['iat as a text', { iat: '1793491200' }],
    ['nbf in the future', { nbf: Math.floor(Date.UTC(2026, 10, 1) / 1000) + 120 }],
  ])('that has %s', async (_, claims) => {
    const world = await companyWorld()
    const one = await world.of('acme', { sid: 'op-1' })
    expect(await logOut(world, { sub: 'ada', ...claims })).toBe(400)
    expect(await isIn(one)).toBe(true)
  })

  it('that is signed with the secret of the client, or with the public key as a secret', async () => {
    const world = await companyWorld()
    const issuer = world.issuerOf('acme')
    const one = await world.of('acme')
    issuer.metadata = { id_token_signing_alg_values_supported: ['HS256', 'none', 'ES256'] }
    const later = await companyWorld()
    expect(later).toBeDefined()
    const [published] = issuer.jwks().keys
    const secrets = ['the-secret-of-acme-which-is-long', JSON.stringify(published)]
    for (const text of secrets) {
      const key = new TextEncoder().encode(text)
      const token = await tokenOf(world, { sub: 'ada' }, { header: { alg: 'HS256' }, key })
      expect((await sendTo(world.browser(), token)).status).toBe(400)
    }
    expect(await isIn(one)).toBe(true)
  })

  it('that the provider of another company has signed, with its own kid, with ours and with none', async () => {
    const world = await companyWorld()
    const one = await world.of('acme')
    const key = world.issuerOf('bolt').privateKey()
    for (const header of [{}, { kid: 'key-of-bolt' }, { kid: undefined }]) {
      const token = await tokenOf(world, { sub: 'ada' }, { header, key })
      expect((await sendTo(world.browser(), token)).status).toBe(400)
    }
    expect(await isIn(one)).toBe(true)
  })

  it('with crit, b64, or a member twice in its header or deep inside', async () => {
    const world = await companyWorld()
    const one = await world.of('acme')
    const good = await tokenOf(world, { sub: 'ada' })
    const [, body = ''] = good.split('.')
    const claims = Buffer.from(body, 'base64url').toString()
    const [published] = world.issuerOf('acme').jwks().keys as { kid: string }[]
    const head = { alg: 'ES256', kid: published?.kid }
    const key = world.issuerOf('acme').privateKey()
    const sign = async (header: string, payload: string) => {
      const text = `${enc(header)}.${enc(payload)}`
      const bytes = new TextEncoder().encode(text)
      const made = await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes)
      return `${text}.${Buffer.from(made).toString('base64url')}`
    }
    const header = JSON.stringify(head)
    const twice = claims.replace(`"${EVENT}":{}`, `"${EVENT}":{"a":1,"a":2}`)
    expect(twice).not.toBe(claims)
    for (const [head_, text] of [
      [JSON.stringify({ ...head, crit: ['x'], x: true }), claims],
      [JSON.stringify({ ...head, b64: false }), claims],
      [header.replace('{', '{"typ":"at+jwt","typ":"logout+jwt",'), claims],
      [header, twice],
      [header, `[${claims}]`],
      [header, '7'],
    ] as const) {
      expect((await sendTo(world.browser(), await sign(head_, text))).status).toBe(400)
    }
    expect(await isIn(one)).toBe(true)
    expect((await sendTo(world.browser(), await sign(header, claims))).status).toBe(200)
    expect(await isIn(one)).toBe(false)
  })

  it('that another company has signed: here it is refused, and at its own address it ends no session of this company', async () => {
    const world = await companyWorld()
    const one = await world.of('acme', { sid: 'op-1' })
    for (const claims of [{ sub: 'ada' }, { sid: 'op-1' }, { sub: 'ada', sid: 'op-1' }]) {
      const foreign = await tokenOf(world, claims, { id: 'bolt' })
      expect((await sendTo(world.browser(), foreign)).status).toBe(400)
      expect((await sendTo(world.browser(), foreign, 'bolt')).status).toBe(200)
    }
    expect(await after([one])).toEqual([true])
  })
})

describe('attack: logout tokens of strangers make the service ask', () => {
  const reads = (world: World, name: string) =>
    world.issuerOf('acme').requests.filter(({ url }) => url.endsWith(`/${name}`)).length

  it('for keys with made-up ids: they are read once more in a minute', async () => {
    const world = await companyWorld()
    await world.of('acme')
    const before = reads(world, 'keys')
    for (let count = 0; count < 20; count++) {
      const token = await tokenOf(world, { sub: 'ada' }, { header: { kid: `made-up-${count}` } })
      expect((await sendTo(world.browser(), token)).status).toBe(400)
    }
    expect(reads(world, 'keys') - before).toBe(1)
  })

  it('in the name of one company after the other', async () => {
    const ids = Array.from({ length: 60 }, (_, at) => `c${at}`)
    const world = await companyWorld(ids.map((id) => companyAt(id)))
    const round = async () => {
      for (const id of ids) {
        const token = await tokenOf(world, { sub: 'ada' }, { id, header: { kid: 'made-up' } })
        expect((await sendTo(world.browser(), token, id)).status).toBe(400)
      }
      return ids.reduce((all, id) => all + world.issuerOf(id).requests.length, 0)
    }
    await round()
    // The ids are unknown: the keys of each are read once more.
    const second = await round()
    expect(second).toBeLessThanOrEqual(3 * ids.length)
    expect([await round(), await round()]).toEqual([second, second])
  })

  it.each(['keys', 'openid-configuration'])(
    'for %s that cannot be read: not more often than the limit of the network',
    async (name) => {
      const world = await companyWorld()
      world.issuerOf('acme').answers = { [name]: () => new Response('', { status: 500 }) }
      const statuses = new Set<number>()
      for (let count = 0; count < 400; count++) {
        const answer = await sendTo(world.browser(), await tokenOf(world, { sub: 'ada' }))
        statuses.add(answer.status)
      }
      expect([...statuses]).toEqual([503])
      expect(reads(world, name)).toBeLessThanOrEqual(300)
      world.issuerOf('acme').answers = {}
      // Sign-ins are counted apart, and the token counts once the limit is over.
      const one = await world.of('acme')
      expect(await isIn(one)).toBe(true)
      pass(60)
      expect(await logOut(world, { sub: 'ada' })).toBe(200)
    },
  )

  it('for many keys without an id: twenty are tried', async () => {
    const world = await companyWorld()
    const one = await world.of('acme')
    const issuer = world.issuerOf('bolt')
    const [own] = issuer.jwks().keys as Record<string, unknown>[]
    const foreign = world.issuerOf('acme').jwks().keys[0] as Record<string, unknown>
    const { kid: _, ...bare } = foreign
    const { kid: __, ...last } = own ?? {}
    const keys = [...Array.from({ length: 200 }, () => bare), last]
    issuer.answers = { keys: () => Response.json({ keys }) }
    const verify = crypto.subtle.verify.bind(crypto.subtle)
    let verified = 0
    crypto.subtle.verify = (async (...args: Parameters<typeof verify>) => {
      verified++
      return verify(...args)
    }) as never
    try {
      const token = await tokenOf(world, { sub: 'x' }, { id: 'bolt', header: { kid: undefined } })
      expect((await sendTo(world.browser(), token, 'bolt')).status).toBe(400)
    } finally {
      crypto.subtle.verify = verify
    }
    expect(verified).toBeLessThanOrEqual(20)
    expect(await isIn(one)).toBe(true)
  })
})
