import { createTokenVerifier } from '@latchkey/session'
import { formatApiKey, parseApiKey } from '@latchkey/session/issue'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createAuth } from '../../../core.js'
import de from '../../../languages/tags/de.js'
import { durableLedger } from '../../../stores/durable-ledger.js'
import { drawSid, type Layout, placeOfPerson } from '../../../stores/ledger/placement.js'
import { memoryStore } from '../../../stores/memory.js'
import { Browser, claimsIn, configWith, locationOf } from '../../../test-support/browser.js'
import { FakeLedgers } from '../../../test-support/deployment.js'
import { faulty } from '../../../test-support/faulty.js'
import { claimsOf, issuer, resource } from '../../../test-support/oauth.js'
import { asStore } from '../../../test-support/own-ledger.js'
import { accountsAt } from '../../../test-support/people.js'
import type { AuthConfig } from '../../../types.js'
import { account } from '../../account/index.js'
import { people } from '../../people/index.js'
import { authorizationServer } from '../index.js'

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'
const KEY_TYPE = 'urn:latchkey:params:oauth:token-type:api-key'
const FORM = { name: 'CI', scope: 'notes:read' }

const server = authorizationServer({
  resources: {
    [resource]: {
      name: 'Notes API',
      scopes: { 'notes:read': 'Read your notes', 'notes:write': 'Change your notes' },
    },
  },
  keys: { prefix: 'acme' },
})

/** A service, and the browser of `ada`, who has just signed in. */
async function service(changes: Partial<AuthConfig> = {}) {
  const events: { event: string }[] = []
  const config = configWith({
    store: memoryStore(),
    providers: [accountsAt('one')],
    features: [account, people, server],
    logger: { error: () => {}, warn: () => {}, info: (event) => void events.push(event) },
    ...changes,
  })
  const auth = createAuth(config)
  const ada = new Browser(config, { answer: (request) => auth.fetch(request) })
  await ada.signIn('one', 'ada')
  const send = async (path: string, fields: Record<string, string>, headers = {}) => {
    const body = new URLSearchParams(fields)
    const response = await auth.fetch(new Request(issuer + path, { method: 'POST', body, headers }))
    return { status: response.status, body: (await response.json()) as Record<string, string> }
  }
  const create = (fields: Record<string, string> = FORM) =>
    ada.submit('/auth/keys/create', fields, { 'x-auth-return-redirect': '1' })
  return {
    config,
    auth,
    ada,
    events,
    create,
    async key(fields?: Record<string, string>) {
      return (await (await create(fields)).json()) as { id: string; key: string; url: string }
    },
    send,
    exchange: (key: string, fields: Record<string, string> = {}, headers = {}) =>
      send(
        '/oauth/token',
        {
          grant_type: TOKEN_EXCHANGE,
          subject_token: key,
          subject_token_type: KEY_TYPE,
          ...fields,
        },
        headers,
      ),
    revoke: (token: string) => send('/oauth/revoke', { token }),
    async listed() {
      const { keys } = (await (await ada.get('/auth/keys')).json()) as { keys: object[] }
      return keys
    },
  }
}

let made: Awaited<ReturnType<typeof service>>
beforeEach(async () => {
  made = await service()
})

it('if a form has no checked box, a page says so, and a script gets a sentence', async () => {
  const page = await made.ada.submit('/auth/keys/create', { name: 'CI' })
  expect(page.status).toBe(400)
  expect(page.headers.get('content-type')).toContain('text/html')
  const text = await page.text()
  expect(text).toContain('Choose what the key can do.')
  expect(text).toContain(`href="${issuer}/account/keys"`)
  const data = await made.create({ name: 'CI' })
  expect([data.status, await data.json()]).toMatchObject([400, { error: 'Configuration' }])
})

it('the field of a name refuses in the browser what the service refuses', async () => {
  const page = await (await made.ada.get('/auth/account/keys')).text()
  const [, pattern = ''] = /name="name"[^>]* pattern="([^"]*)"/.exec(page) ?? []
  // As a browser compiles it.
  const field = new RegExp(`^(?:${pattern})$`, 'v')
  for (const name of ['CI', ' my laptop ', 'Zoë 🌈 李明', '-', '   ', 'a\u200db', 'a\u202eb']) {
    const { status } = await made.create({ ...FORM, name })
    expect([name, field.test(name)]).toEqual([name, status === 200])
  }
})

it('the one thing that a key can do is checked', async () => {
  const boxes = async ({ ada }: typeof made) => {
    const page = await (await ada.get('/auth/account/keys')).text()
    return page.match(/<input type="checkbox"[^>]*>/g)
  }
  for (const box of (await boxes(made)) ?? ['checked']) expect(box).not.toContain('checked')
  const one = authorizationServer({
    resources: { [resource]: { name: 'Notes API', scopes: { 'notes:read': 'Read your notes' } } },
    keys: { prefix: 'acme' },
  })
  const [only, ...more] = (await boxes(await service({ features: [account, people, one] }))) ?? []
  expect(only).toMatch(/ checked="" required=""/)
  expect(more).toEqual([])
})

it('a person makes a key, which is shown once, and lists it without its secret', async () => {
  const page = await made.ada.submit('/auth/keys/create', FORM)
  expect(page.status).toBe(200)
  const codes = [...(await page.text()).matchAll(/<code[^>]*>([^<]*)<\/code>/g)]
  expect(codes).toHaveLength(1)
  const key = codes[0]?.[1] ?? ''
  expect(parseApiKey(key)?.prefix).toBe('acme')
  const [listed, ...more] = await made.listed()
  expect(more).toEqual([])
  expect(listed).toEqual({
    id: expect.stringMatching(/^[\w-]{22,64}$/),
    name: 'CI',
    start: key.slice(0, 9),
    resource,
    scopes: ['notes:read'],
    created: expect.any(String),
    expires: expect.any(String),
    lastUsed: null,
  })
  const section = await (await made.ada.get('/auth/account/keys')).text()
  expect(section).toContain('CI')
  expect(section).not.toContain(key)
  expect(made.events.map(({ event }) => event)).toContain('key-created')
})

it('a verifier takes a key, by a token of five minutes', async () => {
  const { key } = await made.key({ name: 'CI', 'scope.notes:write': 'on' })
  const calls: string[] = []
  const verifier = createTokenVerifier({
    worker: {
      fetch(input: string | URL | Request, init?: RequestInit) {
        const request = new Request(input, init)
        calls.push(request.url)
        return made.auth.fetch(request)
      },
    },
    issuer,
    audience: resource,
  })
  const first = await verifier.read(`Bearer ${key}`, { scope: 'notes:write' })
  expect(first.token).toMatchObject({ sub: claimsIn(made.ada).sub, clientId: 'api-key' })
  const before = calls.length
  expect((await verifier.read(`Bearer ${key}`)).token).not.toBeNull()
  expect(calls.length).toBe(before)
  verifier.close()
})

it('the access token of a key has no session, and is as old as the key', async () => {
  const { key, id } = await made.key()
  const { status, body } = await made.exchange(key)
  expect([status, body]).toEqual([
    200,
    {
      access_token: expect.any(String),
      issued_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      token_type: 'Bearer',
      expires_in: 300,
      scope: 'notes:read',
    },
  ])
  const claims = claimsOf(body.access_token ?? '')
  expect(claims).toMatchObject({ aud: resource, client_id: 'api-key', acr: '1', grant: id })
  expect(claims.began).toBe(claims.auth_time)
  expect(claims).not.toHaveProperty('sid')
  expect(claims).not.toHaveProperty('pid')
})

it.each([
  ['no name', { scope: 'notes:read' }],
  ['a blank name', { name: '  ', scope: 'notes:read' }],
  ['a name of 65 characters', { name: 'x'.repeat(65), scope: 'notes:read' }],
  ['a name that turns the text', { name: 'a\u202eb', scope: 'notes:read' }],
  ['no scope', { name: 'CI' }],
  ['a scope that is not of the resource', { name: 'CI', scope: 'openid' }],
  ['an unknown check box', { name: 'CI', scope: 'notes:read', 'scope.admin': 'on' }],
  ['an unknown resource', { ...FORM, resource: 'https://else.example/' }],
  ['no day', { ...FORM, days: '0' }],
  ['more than a year', { ...FORM, days: '366' }],
  ['half a day', { ...FORM, days: '0.5' }],
])('%s is refused with 400, and makes no key', async (_, fields) => {
  expect((await made.create(fields as Record<string, string>)).status).toBe(400)
  expect(await made.listed()).toEqual([])
})

it.each([false, null, 0, '', 'false'])('a check box that is %j is not checked', async (value) => {
  const csrfToken = await made.ada.csrfToken()
  const body = JSON.stringify({
    csrfToken,
    name: 'CI',
    scope: 'notes:read',
    'scope.notes:write': value,
  })
  const headers = { 'content-type': 'application/json' }
  await made.ada.send('/auth/keys/create', { method: 'POST', body, headers })
  expect(await made.listed()).toMatchObject([{ scopes: ['notes:read'] }])
})

it('a key needs a sign-in of the last five minutes', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const old = await service()
    vi.setSystemTime(Date.now() + 302_000)
    const answer = await old.create()
    const body = await answer.json()
    expect([answer.status, body]).toMatchObject([401, { error: 'FreshSignInRequired' }])
  } finally {
    vi.useRealTimers()
  }
})

it('a person has fifty keys at most', async () => {
  for (let at = 0; at < 50; at++) expect((await made.create()).status).toBe(200)
  const answer = await made.create()
  const body = (await answer.json()) as { error: string; code: string }
  expect([body.error, body.code]).toEqual(['AccessDenied', 'too_many_keys'])
  expect(await made.listed()).toHaveLength(50)
})

it('attack: rows without end, by a person who makes keys and ends them', async () => {
  const { store, calls } = faulty()
  const one = await service({ store })
  const { sub } = claimsIn(one.ada)
  const statuses = []
  for (let made = 0; made < 101; made++) {
    const answer = await one.create()
    statuses.push(answer.status)
    if (answer.status === 200 && made % 40 === 39) await one.auth.endKey(sub)
  }
  expect(statuses.filter((status) => status === 200)).toHaveLength(100)
  const writes = calls.filter(
    ({ name, args }) => name === 'liveDocument' && String(args[0]).startsWith('key'),
  )
  expect(writes).toHaveLength(100)
})

describe('an end', () => {
  it('by its person, of which a second click says the same', async () => {
    const [one, other] = [await made.key(), await made.key()]
    for (let clicks = 0; clicks < 2; clicks++) {
      const answer = await made.ada.submit('/auth/keys/remove', { key: one.id })
      expect(locationOf(answer)).toMatch(/\/auth\/account\/keys$/)
    }
    expect((await made.exchange(one.key)).body.error).toBe('invalid_grant')
    expect((await made.exchange(other.key)).status).toBe(200)
  })

  it('by any person who finds it, without a client', async () => {
    const { key } = await made.key()
    for (let times = 0; times < 2; times++) expect((await made.revoke(key)).status).toBe(200)
    expect((await made.exchange(key)).body.error).toBe('invalid_grant')
    expect(made.events.filter(({ event }) => event === 'keys-ended')).toHaveLength(1)
  })

  it('is in the feed, under the handle of its tokens', async () => {
    const { key, id } = await made.key()
    await made.revoke(key)
    const feed = await (await made.auth.fetch(new Request(`${issuer}/revocations`))).text()
    expect(JSON.stringify(claimsOf(feed))).toContain(id)
  })

  it('does not end the key of another person', async () => {
    const { id, key } = await made.key()
    const eve = new Browser(made.config, { answer: (request) => made.auth.fetch(request) })
    await eve.signIn('one', 'eve')
    expect(await (await eve.get('/auth/keys')).json()).toEqual({ keys: [] })
    await eve.submit('/auth/keys/remove', { key: id })
    expect((await made.exchange(key)).status).toBe(200)
  })

  it('does not come with "everywhere", and comes with an erasure', async () => {
    const { key } = await made.key()
    const { sub } = claimsIn(made.ada)
    await made.auth.endSessions({ sub })
    expect((await made.exchange(key)).status).toBe(200)
    await made.auth.deletePerson(sub)
    expect((await made.exchange(key)).body.error).toBe('invalid_grant')
    expect(await made.auth.listKeys(sub)).toEqual([])
  })
})

it('attack: an erasure beside the making of a key, which is in another object, leaves none', async () => {
  const layout: Layout = { count: 8, regions: ['weur'] }
  const ledgers = new FakeLedgers()
  const { sessions } = memoryStore()
  const ledger = durableLedger(ledgers.binding, [layout])
  const store = asStore({ sessions, ledger, drawSid: (sub) => drawSid([layout], sub) })
  const one = await service({ store })
  for (let at = 0; ; at++) {
    await one.ada.signIn('one', `person-${at}`)
    const { sub } = claimsIn(one.ada)
    const own = placeOfPerson(layout, sub).name
    let isElsewhere = false
    ledgers.before.set('liveDocument', async (name) => {
      if (name === own) return
      isElsewhere = true
      ledgers.before.clear()
      await one.auth.deletePerson(sub)
    })
    const { status } = await one.create()
    // The home is random, and may be in the person's own object.
    if (!isElsewhere) continue
    expect(status).toBe(401)
    expect(await one.auth.listKeys(sub)).toEqual([])
    break
  }
})

it('attack: an erasure by an older version leaves no key that a later one has written', async () => {
  const { store, inner, faults } = faulty()
  const one = await service({ store })
  await one.key()
  const { sub } = claimsIn(one.ada)
  faults.set('documentsOf', async (...args) => {
    const found = await inner.ledger.documentsOf(...(args as [string, string[]]))
    return found?.map((document) => ({
      ...document,
      content: document.content?.replace('"v":1', '"v":2'),
    }))
  })
  await expect(one.auth.deletePerson(sub)).rejects.toThrow()
  await expect(one.auth.endKey(sub)).rejects.toThrow()
})

it('nobody gets 401, and without keys there is no such path', async () => {
  const stranger = new Browser(made.config, { answer: (request) => made.auth.fetch(request) })
  const answer = await stranger.get('/auth/keys')
  expect([answer.status, await answer.json()]).toEqual([401, { error: 'SignedOut' }])
  const without = await service({ features: [account, people, authorizationServer({ apps: {} })] })
  expect((await without.ada.get('/auth/keys')).status).toBe(404)
})

it('attack: 10,000 made-up keys reach no ledger', { timeout: 60_000 }, async () => {
  const { store, calls } = faulty()
  const one = await service({ store })
  const { key } = await one.key()
  const before = calls.length
  const { bytes = new Uint8Array(28) } = parseApiKey(key) ?? {}
  // Each has a good checksum: another text would not be looked at any further.
  const tries = Array.from({ length: 10_000 }, (_, at) => {
    const made = new Uint8Array(bytes)
    new DataView(made.buffer).setUint32(at % 2 === 0 ? 0 : 16, at)
    return formatApiKey({ prefix: 'acme', bytes: made })
  })
  const errors = await Promise.all(tries.map(async (text) => (await one.exchange(text)).body.error))
  expect(new Set(errors)).toEqual(new Set(['invalid_grant']))
  expect(calls.length).toBe(before)
})

it('attack: made-up keys that a stranger shows an API keep neither its good keys nor its apps out', async () => {
  const { key } = await made.key()
  const { bytes = new Uint8Array(28) } = parseApiKey(key) ?? {}
  const madeUp = formatApiKey({ prefix: 'acme', bytes: bytes.map((one) => one ^ 1) })
  // The network of the API, which its stranger chooses as little as its neighbors.
  const from = { 'cf-connecting-ip': '192.0.2.1' }
  for (let tries = 0; tries < 310; tries++) {
    expect((await made.exchange(madeUp, {}, from)).body.error).toBe('invalid_grant')
  }
  expect((await made.exchange(key, {}, from)).status).toBe(200)
  const app = { grant_type: 'refresh_token', client_id: 'nobody' }
  expect((await made.send('/oauth/token', app, from)).body.error).toBe('invalid_client')
})

it('attack: a key that has ended asks the ledger 300 times a minute at most', async () => {
  const { store, calls } = faulty()
  const one = await service({ store })
  const { key } = await one.key()
  await one.revoke(key)
  const before = calls.length
  const errors = []
  for (let tries = 0; tries < 310; tries++) errors.push((await one.exchange(key)).body.error)
  expect(errors.slice(0, 300)).toEqual(Array.from({ length: 300 }, () => 'invalid_grant'))
  expect(errors.slice(300)).toEqual(Array.from({ length: 10 }, () => 'temporarily_unavailable'))
  expect((await one.revoke(key)).status).toBe(503)
  expect(calls.length - before).toBe(300)
})

it('attack: a key with a good checksum that another secret has made reaches no ledger', async () => {
  const { store, calls } = faulty()
  const one = await service({ store })
  const other = await service({ secret: 'another-secret-of-the-tests-0123456789abcd' })
  const { key } = await other.key()
  const before = calls.length
  expect((await one.exchange(key)).body.error).toBe('invalid_grant')
  expect(calls.length).toBe(before)
})

it('attack: a key is not taken for another resource', async () => {
  const { key } = await made.key()
  const { body } = await made.exchange(key, { resource: 'https://else.example/' })
  expect(body.error).toBe('invalid_target')
})

it.each([
  ['no key', { subject_token: '' }],
  ['another type', { subject_token_type: 'urn:ietf:params:oauth:token-type:jwt' }],
  ['another wish', { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }],
])('an exchange with %s is invalid_request', async (_, fields) => {
  const { key } = await made.key()
  expect((await made.exchange(key, fields as Record<string, string>)).body.error).toBe(
    'invalid_request',
  )
})

it('the operator makes, lists and ends keys', async () => {
  const { sub } = claimsIn(made.ada)
  const { id, key } = await made.auth.createKey(sub, {
    name: 'Job',
    scopes: ['notes:write'],
    days: 1,
  })
  expect((await made.exchange(key)).status).toBe(200)
  expect(await made.auth.listKeys(sub)).toMatchObject([{ id, name: 'Job' }])
  expect(await made.auth.exportPerson(sub)).toMatchObject({ keys: [{ id }] })
  await expect(made.auth.createKey(sub, { name: '', scopes: [] })).rejects.toThrow(TypeError)
  await made.auth.endKey(sub)
  expect((await made.exchange(key)).body.error).toBe('invalid_grant')
})

it('a use is noted once a day, and to the day', async () => {
  const { store, calls } = faulty()
  const one = await service({ store })
  const { key } = await one.key()
  const count = async () => {
    const before = calls.length
    await one.exchange(key)
    return calls.length - before
  }
  expect([await count(), await count(), await count()]).toEqual([3, 2, 2])
  expect(await one.listed()).toMatchObject([
    { lastUsed: `${new Date().toISOString().slice(0, 10)}T00:00:00.000Z` },
  ])
})

describe('a key that ends soon', () => {
  const day = 24 * 60 * 60 * 1000
  const announced = (one: Awaited<ReturnType<typeof service>>) =>
    one.events.filter(({ event }) => event === 'key-ends-soon')

  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-01T12:00:00Z') })
    made = await service({ languages: [de] })
  })
  afterEach(() => void vi.useRealTimers())

  it('is announced once, at its first use of the last seven days, without a call more', async () => {
    const { store, calls } = faulty()
    const one = await service({ store })
    const { key } = await one.key({ ...FORM, days: '30' })
    const use = async (date: string) => {
      vi.setSystemTime(Date.parse(date))
      const before = calls.length
      expect((await one.exchange(key)).status).toBe(200)
      return [calls.length - before, announced(one).length]
    }
    expect(await use('2026-11-23T23:59:00Z')).toEqual([3, 0])
    expect(await use('2026-11-24T00:00:00Z')).toEqual([3, 1])
    expect(await use('2026-11-24T13:00:00Z')).toEqual([2, 1])
    expect(await use('2026-11-25T13:00:00Z')).toEqual([3, 1])
    expect(await use('2026-12-01T11:00:00Z')).toEqual([3, 1])
    expect(announced(one)).toMatchObject([{ person: expect.stringMatching(/^[\w-]{22,}$/) }])
    // The line has neither the key nor what its person calls it.
    expect(JSON.stringify(announced(one))).not.toMatch(/acme_|CI/)
  })

  it('is announced once if it is used many times at once', async () => {
    const { key } = await made.key({ ...FORM, days: '30' })
    vi.setSystemTime(Date.now() + 25 * day)
    await Promise.all(Array.from({ length: 20 }, () => made.exchange(key)))
    expect(announced(made)).toHaveLength(1)
  })

  it('is announced at the next use if the first one could not be written', async () => {
    const { store, inner, faults } = faulty()
    const one = await service({ store })
    const { key } = await one.key({ ...FORM, days: '30' })
    vi.setSystemTime(Date.now() + 25 * day)
    faults.set('liveDocument', async (...args) => {
      if (args[2] !== undefined) throw new Error('The store is down.')
      return inner.ledger.liveDocument(...(args as [string, never]))
    })
    expect((await one.exchange(key)).status).toBe(200)
    expect(announced(one)).toHaveLength(0)
    faults.clear()
    await one.exchange(key)
    expect(announced(one)).toHaveLength(1)
  })

  it('is not announced if it was made for a week, which its person knows', async () => {
    const { key } = await made.key({ ...FORM, days: '7' })
    for (let days = 0; days < 7; days++) {
      expect((await made.exchange(key)).status).toBe(200)
      vi.setSystemTime(Date.now() + day)
    }
    expect(announced(made)).toEqual([])
  })

  it.each([
    ['en', 22, 'Expires: <span dir="ltr">2026-12-01</span> ·'],
    ['en', 23, '(<strong>in 7 days</strong>)'],
    ['en', 29, '(<strong>tomorrow</strong>)'],
    ['de', 25, 'Läuft ab: <span dir="ltr">2026-12-01</span> (<strong>in 5 Tagen</strong>)'],
  ])(
    'is counted down on the page of the account, in %s after %i days',
    async (tag, after, says) => {
      await made.key({ ...FORM, days: '30' })
      vi.setSystemTime(Date.now() + after * day)
      await made.ada.signIn('one', 'ada')
      const answer = await made.ada.get('/auth/account/keys', { 'accept-language': tag })
      expect((await answer.text()).replace(/\s+/g, ' ')).toContain(says)
    },
  )

  it('attack: a stranger who shows made-up keys announces nothing', async () => {
    const { key } = await made.key({ ...FORM, days: '30' })
    vi.setSystemTime(Date.now() + 25 * day)
    const { bytes = new Uint8Array(28) } = parseApiKey(key) ?? {}
    await made.exchange(formatApiKey({ prefix: 'acme', bytes: bytes.map((one) => one ^ 1) }))
    expect(announced(made)).toEqual([])
  })
})
