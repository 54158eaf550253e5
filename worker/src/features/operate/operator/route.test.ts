import { describe, expect, it } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { newOperatorKey } from '../../../../../test/support/operator-key.js'
import { createAuth } from '../../../index.js'
import type { Feature } from '../../../service/feature.js'
import { OPERATIONS } from '../../../service/operations.js'
import { audited } from '../../../test-support/audited.js'
import { claimsIn, origin } from '../../../test-support/browser.js'
import { fails } from '../../../test-support/faulty.js'
import { people } from '../../../test-support/people.js'
import type { AuthConfig } from '../../../types.js'
import { operate } from '../index.js'

// Shortly before the end of a second, for which an ending waits.
clock({ start: Date.UTC(2026, 10, 1) + 990 })

const night = newOperatorKey('night', 'read')
const day = newOperatorKey('day', 'manage')

/** A service with the operator API, and its people. */
function deployment(changes: Partial<AuthConfig> = {}, keys = `${night.entry},${day.entry}`) {
  const given = people({ features: [operate()], ...changes })
  const auth = createAuth(given.config)
  const env = { AUTH_OPERATOR_KEYS: keys }
  const send = (path: string, init: RequestInit = {}) =>
    auth.fetch(new Request(`http://localhost:8787${path}`, init), env)
  const call = (method: string, body: unknown = {}, key = day.key, headers = {}) =>
    send(`/auth/operator/${method}`, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    })
  return { ...given, auth, send, call }
}

const told = async (answer: Response) => [answer.status, await answer.json()]

describe('a method of the operator API', () => {
  it('reads and changes what the method of createAuth() does', async () => {
    const here = deployment()
    const ada = await here.signIn('one', 'ada')
    const sub = here.subOf(ada)
    const ways = await here.auth.listWays(sub)
    expect(ways).toHaveLength(1)
    expect(await told(await here.call('listWays', { sub }, night.key))).toEqual([
      200,
      { result: ways },
    ])
    const [, exported] = await told(await here.call('exportPerson', { sub }))
    expect(exported).toMatchObject({ result: { sub, sessions: [{ provider: 'one' }] } })
    expect(await told(await here.call('disconnect', { sub, provider: 'one' }))).toEqual([
      200,
      { result: null },
    ])
    expect(await told(await here.call('resetFactors', { sub }))).toEqual([200, { result: null }])
    expect(await ada.session()).not.toBeNull()
    expect(await told(await here.call('endSessions', { sub }))).toEqual([200, { result: null }])
    expect(await (await ada.get('/auth/session?online=1')).json()).toBeNull()
    expect(await told(await here.call('deletePerson', { sub }))).toEqual([200, { result: null }])
    expect(await told(await here.call('exportPerson', { sub }))).toEqual([200, { result: null }])
  })

  it('spares the session that the body excepts', async () => {
    const here = deployment()
    const ada = await here.signIn('one', 'ada')
    const other = await here.signIn('one', 'ada')
    const { sub, sid } = claimsIn(ada)
    await here.call('endSessions', { sub, except: sid })
    expect(await (await ada.get('/auth/session?online=1')).json()).not.toBeNull()
    expect(await (await other.get('/auth/session?online=1')).json()).toBeNull()
  })

  it('is told to the features under the name of the key, before it runs', async () => {
    const heard: unknown[] = []
    const ear: Feature = {
      name: 'ear',
      operator: {
        async operated({ operator }, name, args) {
          heard.push([operator, name, args])
        },
      },
    }
    const here = deployment({ features: [operate(), ear] })
    await here.call('endSessions', { sub: 'ada' })
    await here.call('listWays', { sub: 'ada' }, night.key)
    await here.auth.listWays('ada')
    expect(heard).toEqual([
      ['day', 'endSessions', [{ sub: 'ada' }]],
      ['night', 'listWays', ['ada']],
      ['binding', 'listWays', ['ada']],
    ])
    // A refused call reaches no feature.
    await here.call('endSessions', {})
    await here.call('endSessions', { sub: 'ada' }, night.key)
    await here.call('endSessions', { sub: 'ada' }, `lkop_${'A'.repeat(43)}`)
    expect(heard).toHaveLength(3)
  })

  it('is not there without its part or its feature', async () => {
    const here = deployment()
    expect(await told(await here.call('audit'))).toEqual([404, { error: 'NotFound' }])
    expect(await told(await here.call('auditHeads'))).toEqual([404, { error: 'NotFound' }])
  })
})

describe('without a good entry in AUTH_OPERATOR_KEYS', () => {
  it.each([
    ['nothing is set', ''],
    ['every entry is malformed', `${night.key},day:manage`],
  ])('every path is as one that the service does not know: %s', async (_, keys) => {
    const here = deployment({}, keys)
    const unknown = await here.send('/auth/nothing', { method: 'POST' })
    for (const path of ['listWays', 'nothing', 'a/b', '']) {
      for (const method of ['POST', 'GET', 'PUT']) {
        const answer = await here.send(`/auth/operator/${path}`, {
          method,
          headers: { authorization: `Bearer ${night.key}` },
        })
        expect(answer.status).toBe(404)
        expect([...answer.headers]).toEqual([...unknown.headers])
      }
    }
  })

  it('attack: an entry with the key in its place opens nothing, and the log says its place alone', async () => {
    const lines: string[] = []
    const logger = { error() {}, warn: (...line: unknown[]) => void lines.push(line.join(' ')) }
    const here = deployment({ logger }, `night:read:${night.key},${day.entry}`)
    expect((await here.call('listWays', { sub: 'a' }, night.key)).status).toBe(401)
    expect((await here.call('listWays', { sub: 'a' }, day.key)).status).toBe(200)
    const told = lines.filter((line) => line.startsWith('operator-keys'))
    expect(told).toEqual([expect.stringContaining('entry 1 of the list')])
    expect(lines.join()).not.toContain(night.key.slice(0, 12))
  })
})

describe('the checks have one order', () => {
  const refusals: readonly (readonly [string, string, RequestInit, number, unknown])[] = [
    ['another method than POST', 'nothing', { method: 'GET' }, 405, undefined],
    ['no key', 'nothing', { method: 'POST' }, 401, { error: 'OperatorKeyRequired' }],
    ['another path', 'nothing', post(night.key, 'not JSON'), 404, { error: 'NotFound' }],
    ['no method', '', post(night.key), 404, { error: 'NotFound' }],
    ['a path below', 'listWays/x', post(night.key), 404, { error: 'NotFound' }],
    ['a slash at the end', 'listWays/', post(night.key), 404, { error: 'NotFound' }],
    ['an encoded name', 'list%57ays', post(night.key), 404, { error: 'NotFound' }],
    [
      'a method of createAuth() alone',
      'getAccessTokenOf',
      post(day.key),
      404,
      { error: 'NotFound' },
    ],
    ['a member of every object', 'toString', post(day.key), 404, { error: 'NotFound' }],
    [
      'a key that may only read',
      'deletePerson',
      post(night.key, 'not JSON', 'text/plain'),
      403,
      { error: 'ScopeRequired', scope: 'manage' },
    ],
    ['another type of body', 'deletePerson', post(day.key, '{', 'text/plain'), 415, anything()],
    [
      'a form',
      'listWays',
      post(day.key, 'sub=ada', 'application/x-www-form-urlencoded'),
      415,
      { error: 'BadRequest', message: 'Send JSON.' },
    ],
    ['a body that is too long', 'listWays', post(day.key, ' '.repeat(70_000)), 413, anything()],
    ['a body that is not JSON', 'listWays', post(day.key, '{'), 400, anything()],
    ['no body', 'listWays', post(day.key, ''), 400, anything()],
  ]

  it.each(refusals)('%s', async (_, path, init, status, body) => {
    const here = deployment()
    const answer = await here.send(`/auth/operator/${path}`, init)
    expect(answer.status).toBe(status)
    if (body === undefined) expect(answer.headers.get('allow')).toBe('POST')
    else expect(await answer.json()).toEqual(body)
    if (status === 401) expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
    expect(here.calls).toEqual([])
  })

  it.each(['HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('%s is 405', async (method) => {
    const answer = await deployment().send('/auth/operator/listWays', {
      method,
      headers: { authorization: `Bearer ${day.key}`, origin: 'https://evil.example' },
    })
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual(
      [],
    )
  })
})

describe('attack: a wrong key', () => {
  const wrong: Readonly<Record<string, RequestInit & { readonly query?: string }>> = {
    'no key': {},
    'the key in the query': { query: `?key=${day.key}&authorization=Bearer%20${day.key}` },
    'the key in a cookie': {
      headers: { cookie: `key=${day.key}; authorization=Bearer ${day.key}` },
    },
    'the key in the body': { body: JSON.stringify({ sub: 'ada', key: day.key }) },
    'the key without its scheme': { headers: { authorization: day.key } },
    'the key as a password': { headers: { authorization: `Basic ${btoa(`day:${day.key}`)}` } },
    'a key that is cut off': { headers: { authorization: `Bearer ${day.key.slice(0, -1)}` } },
    'a key with one character more': { headers: { authorization: `Bearer ${day.key}x` } },
    "another service's key": {
      headers: { authorization: `Bearer ${newOperatorKey('day', 'manage').key}` },
    },
    'the hash in its place': { headers: { authorization: `Bearer ${day.hash}` } },
    'the entry in its place': { headers: { authorization: `Bearer ${day.entry}` } },
    'two keys': { headers: { authorization: `Bearer ${day.key}, Bearer ${night.key}` } },
    'a name of every object': { headers: { authorization: 'Bearer __proto__' } },
  }

  it.each(Object.entries(wrong))('%s gets the one answer, and costs no call', async (_, init) => {
    const here = deployment()
    const { query = '', ...sent } = init
    const answers = ['deletePerson', 'nothing'].map((method) =>
      here.send(`/auth/operator/${method}${query}`, { method: 'POST', ...sent }),
    )
    for (const answer of await Promise.all(answers)) {
      expect(answer.status).toBe(401)
      expect(await answer.text()).toBe('{"error":"OperatorKeyRequired"}')
      expect([...answer.headers]).toEqual([
        ['cache-control', 'private, no-store'],
        ['content-type', 'application/json'],
        ['referrer-policy', 'strict-origin'],
        ['www-authenticate', 'Bearer'],
        ['x-content-type-options', 'nosniff'],
      ])
    }
    expect([here.calls, here.lines, here.errors]).toEqual([[], [], []])
  })

  it('thousands of guesses wait after thirty in a minute, and keep no right key and no other network out', async () => {
    const asked: string[] = []
    const limit = ({ key }: { key: string }) => {
      asked.push(key)
      return Promise.resolve({ success: true })
    }
    const here = deployment()
    const env = { AUTH_OPERATOR_KEYS: `${night.entry},${day.entry}`, RATE_LIMIT: { limit } }
    const guess = (key: string, network: string) =>
      here.auth.fetch(
        new Request('http://localhost:8787/auth/operator/listWays', {
          method: 'POST',
          body: '{"sub":"ada"}',
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'cf-connecting-ip': network,
          },
        }),
        env,
      )
    const statuses: number[] = []
    for (let at = 0; at < 2_000; at++) {
      statuses.push((await guess(newOperatorKey('x', 'read').key, '192.0.2.1')).status)
    }
    expect(statuses.slice(0, 30)).toEqual(Array(30).fill(401))
    expect(new Set(statuses.slice(30))).toEqual(new Set([429]))
    expect([here.calls, asked, here.lines, here.errors]).toEqual([[], [], [], []])
    const last = await guess('lkop_', '192.0.2.1')
    expect(await told(last)).toEqual([429, { error: 'TooManyAttempts' }])
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await guess('lkop_', '192.0.2.2')).status).toBe(401)
    for (let at = 0; at < 40; at++) {
      expect((await guess(night.key, '192.0.2.1')).status).toBe(200)
    }
    expect((await guess('lkop_', '192.0.2.2')).status).toBe(401)
  })

  it('clients whose network is unknown share the limit, and a right key is still good', async () => {
    const here = deployment()
    const statuses: number[] = []
    for (let at = 0; at < 32; at++) {
      statuses.push((await here.call('listWays', { sub: 'ada' }, 'lkop_')).status)
    }
    expect(statuses).toEqual([...Array(30).fill(401), 429, 429])
    expect((await here.call('listWays', { sub: 'ada' }, night.key)).status).toBe(200)
  })

  it('a right key is never counted, and a request without one is not counted either', async () => {
    const here = deployment()
    const from = { 'cf-connecting-ip': '192.0.2.1' }
    for (let at = 0; at < 40; at++) await here.call('listWays', { sub: 'ada' }, night.key, from)
    for (let at = 0; at < 40; at++) {
      await here.send('/auth/operator/listWays', { method: 'POST', headers: from })
    }
    expect((await here.call('listWays', {}, 'lkop_', from)).status).toBe(401)
  })
})

describe('the audit log', () => {
  const call = (world: ReturnType<typeof audited>, method: string, body: object, key = day.key) =>
    world.here.answer(
      new Request(`${origin}/auth/operator/${method}`, post(key, JSON.stringify(body))),
    )
  const keys = { AUTH_OPERATOR_KEYS: `${night.entry},${day.entry}` }

  it('has what a key did and read, under its name, and a scope that did not suffice', async () => {
    const world = audited({}, keys)
    const sub = world.subOf(await world.signIn('ada'))
    await call(world, 'listWays', { sub }, night.key)
    await call(world, 'endSessions', { sub }, night.key)
    await call(world, 'endSessions', { sub })
    const records = await world.records()
    expect(records.map(({ event, operator, method }) => [event, operator, method])).toEqual([
      ['sign-in', undefined, undefined],
      ['person-read', 'night', 'listWays'],
      ['operator-refused', 'night', 'endSessions'],
      ['sessions-ended', 'day', undefined],
    ])
    const [, page] = await told(await call(world, 'audit', { event: 'sessions-ended' }, night.key))
    expect(page).toEqual({ result: { records: records.slice(3), next: null } })
  })

  it('stops what it cannot record first, with 503, and the next call does it', async () => {
    const world = audited({}, keys)
    const ada = await world.signIn('ada')
    const sub = world.subOf(ada)
    world.ledgers.before.set('record', fails)
    expect(await told(await call(world, 'endSessions', { sub }))).toEqual([
      503,
      { error: 'Unavailable' },
    ])
    expect((await call(world, 'listWays', { sub }, night.key)).status).toBe(503)
    expect(await (await ada.get('/auth/session?online=1')).json()).not.toBeNull()
    world.ledgers.before.clear()
    expect((await call(world, 'endSessions', { sub })).status).toBe(200)
    expect(await (await ada.get('/auth/session?online=1')).json()).toBeNull()
  })

  it('attack: thousands of wrong keys cost no record and no call', async () => {
    const world = audited({}, keys)
    for (let at = 0; at < 2_000; at++) await call(world, 'listWays', { sub: 'ada' }, 'lkop_x')
    expect(world.ledgers.calls).toEqual([])
  })
})

describe('a scope that does not suffice', () => {
  const manage = Object.entries(OPERATIONS).flatMap(([name, { scope }]) =>
    scope === 'manage' ? name : [],
  )

  it.each(manage)(
    '%s runs for no key that may only read, and the log says who tried',
    async (name) => {
      const here = deployment()
      const answer = await here.call(name, { sub: 'ada', provider: 'one' }, night.key)
      expect(await told(answer)).toEqual([403, { error: 'ScopeRequired', scope: 'manage' }])
      expect(here.calls).toEqual([])
      expect(here.lines).toEqual([
        { time: expect.any(String), event: 'operator-refused', method: name, operator: 'night' },
      ])
    },
  )

  it('manage includes read', async () => {
    expect((await deployment().call('listWays', { sub: 'ada' }, day.key)).status).toBe(200)
  })
})

describe('attack: a body', () => {
  const secret = 'a-value-that-nothing-repeats'
  const bodies: readonly (readonly [string, string, string])[] = [
    ['an array', `["${secret}"]`, 'not an object'],
    ['a text', `"${secret}"`, 'not an object'],
    ['null', 'null', 'not an object'],
    ['a number', '1', 'not an object'],
    ['no JSON', `{"sub":"${secret}"`, 'not JSON'],
    ['no member', '{}', 'sub'],
    ['a member of another kind', `{"sub":{"sub":"${secret}"}}`, 'sub'],
    ['an array for a text', `{"sub":["${secret}"]}`, 'sub'],
    ['null for a text', '{"sub":null}', 'sub'],
    ['an empty text', '{"sub":""}', 'sub'],
    ['an id of 300 characters', JSON.stringify({ sub: secret.padEnd(300, 'x') }), 'sub'],
    ['an unknown member', `{"sub":"ada","subs":"${secret}"}`, 'subs'],
    ['__proto__', `{"sub":"ada","__proto__":{"sub":"${secret}"}}`, '__proto__'],
    ['__proto__ in the place of the member', `{"__proto__":{"sub":"${secret}"}}`, '__proto__'],
    ['constructor', `{"sub":"ada","constructor":{"prototype":{"a":"${secret}"}}}`, 'constructor'],
    ['deep nesting', `{"sub":${'['.repeat(60)}${']'.repeat(60)}}`, 'nested'],
    ['a lone half of a character', '{"sub":"ada","\\ud800":1}', '?'],
  ]

  it.each(bodies)('%s is 400 with the name, and never with a value', async (_, body, name) => {
    const here = deployment()
    const answer = await here.call('listWays', body, night.key)
    const text = await answer.text()
    expect(answer.status).toBe(400)
    expect(JSON.parse(text)).toEqual({
      error: 'BadRequest',
      message: expect.stringContaining(name),
    })
    expect(text).not.toContain(secret)
    expect([here.calls, here.errors, here.lines]).toEqual([[], [], []])
  })

  it('a query of the audit log is 400 with the name of the member too', async () => {
    const world = audited({}, { AUTH_OPERATOR_KEYS: night.entry })
    const call = (body: object) =>
      world.here.answer(
        new Request(`${origin}/auth/operator/audit`, post(night.key, JSON.stringify(body))),
      )
    for (const [name, value] of [
      ...[
        ['event', secret],
        ['since', secret],
        ['until', '2026-02-30'],
        ['ip', secret],
      ],
      ...[
        ['after', secret],
        ['limit', 0],
        ['limit', '50'],
        ['sub', ''],
        ['event', null],
      ],
      ...[
        ['sub', 'x'.repeat(300)],
        ['sub', { sub: secret }],
        [secret.slice(0, 3), 1],
      ],
    ] as const) {
      const answer = await call({ [name as string]: value })
      const text = await answer.text()
      expect([name, value, answer.status]).toEqual([name, value, 400])
      expect(JSON.parse(text)).toEqual({
        error: 'BadRequest',
        message: expect.stringContaining(name as string),
      })
      expect(text).not.toContain(secret)
    }
    const [status, body] = await told(await call({ limit: 1 }))
    expect([status, body]).toEqual([200, { result: { records: [], next: null } }])
    expect(world.errors).toEqual([])
  })

  it('an id of an app’s own making is as good as any', async () => {
    const here = deployment()
    for (const sub of ['a/b', '../../x', 'a\r\nb', 'a\u202eb', '\u0000', '😀'.repeat(255)]) {
      for (const [method, body] of [
        ['listWays', { sub }],
        ['endSessions', { sub, except: sub }],
        ['exportPerson', { sub }],
        ['disconnect', { sub, provider: sub }],
        ['resetFactors', { sub }],
        ['deletePerson', { sub }],
      ] as const) {
        const answer = await here.call(method, body)
        expect([method, sub, answer.status]).toEqual([method, sub, 200])
      }
    }
    expect(here.errors).toEqual([])
  })
})

it('answers 503 while the ledger fails, and the same call works afterwards', async () => {
  const here = deployment()
  const sub = here.subOf(await here.signIn('one', 'ada'))
  here.faults.set('revoke', fails)
  here.faults.set('document', fails)
  for (const [method, body] of [
    ['listWays', { sub }],
    ['deletePerson', { sub }],
  ] as const) {
    const answer = await here.call(method, body, day.key, { 'x-auth-return-redirect': '1' })
    expect(await told(answer)).toEqual([503, { error: 'Unavailable' }])
  }
  expect(here.errors.map(({ name }) => name)).toEqual(['StoreUnavailable', 'StoreUnavailable'])
  here.faults.clear()
  expect((await here.call('deletePerson', { sub })).status).toBe(200)
})

it('answers a fault of the service with 500 and a reference, which the log has too', async () => {
  const broken: Feature = {
    name: 'broken',
    operator: { operated: () => Promise.reject(new TypeError('A fault.')) },
  }
  const here = deployment({ features: [operate(), broken] })
  const answer = await here.call('listWays', { sub: 'ada' })
  const [status, body] = await told(answer)
  expect([status, body]).toEqual([
    500,
    { error: 'Configuration', reference: expect.stringMatching(/^[A-Z]{4}-[A-Z]{4}$/) },
  ])
  expect(here.errors).toHaveLength(1)
})

it('reads no cookie and sets none, and no script of another origin may read its answers', async () => {
  const here = deployment()
  const ada = await here.signIn('one', 'ada')
  const plain = await here.call('listWays', { sub: here.subOf(ada) })
  const cookie = `${ada.cookie}; auth.session-token=broken; auth.lang=de`
  const asked = { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const answer = await here.call('listWays', { sub: here.subOf(ada) }, day.key, asked)
  expect([...answer.headers]).toEqual([...plain.headers])
  expect([...answer.headers.keys()]).toEqual([
    'cache-control',
    'content-type',
    'referrer-policy',
    'x-content-type-options',
  ])
  expect(await answer.text()).toBe(await plain.text())
})

function post(key: string, body = '{}', type = 'application/json'): RequestInit {
  return {
    method: 'POST',
    body,
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
  }
}

function anything() {
  return { error: 'BadRequest', message: expect.any(String) }
}
