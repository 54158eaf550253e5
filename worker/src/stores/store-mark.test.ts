import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { hasRedis, type Server, startRedis } from '../../../test/support/servers.js'
import { createAuth } from '../index.js'
import { Browser, claimsIn, configWith, origin } from '../test-support/browser.js'
import { fails, faulty } from '../test-support/faulty.js'
import type { AuthConfig } from '../types.js'
import { memoryStore } from './memory.js'
import { MARK_KEY } from './node/mark.js'
import type { NodeStore } from './node/node-store.js'
import { postgresStore } from './postgres.js'
import { redisStore } from './redis.js'
import { openStore, sqliteStore } from './sqlite.js'

clock({ start: 'now' })

const [first, second, third] = ['first', 'second', 'third'].map(
  (name) => `the-${name}-secret-of-the-marks-0123456789abcdef`,
) as [string, string, string]
const elsewhere = 'https://staging.example.com'

const folder = mkdtempSync(join(tmpdir(), 'store-mark-'))
let count = 0
let pglite: PGlite
let server: Server
const clients: Redis[] = []
beforeAll(async () => {
  pglite = await PGlite.create()
  if (hasRedis) server = await startRedis()
})
afterAll(async () => {
  for (const client of clients) client.disconnect()
  await Promise.all([pglite.close(), server?.stop()])
  rmSync(folder, { recursive: true, force: true })
})

/** Opens one empty place again and again, as processes of their own do. */
const places: [string, boolean, () => () => NodeStore][] = [
  [
    'a file',
    true,
    () => {
      const path = join(folder, `${++count}.db`)
      return () => sqliteStore(path)
    },
  ],
  [
    'Postgres',
    true,
    () => {
      const prefix = `mark_${++count}`
      return () => postgresStore(pglite, { prefix })
    },
  ],
  [
    'Redis',
    hasRedis,
    () => {
      const prefix = `mark_${++count}`
      return () => {
        const client = new Redis(server.url)
        clients.push(client)
        return redisStore(client, { prefix })
      }
    },
  ],
]

interface Service {
  readonly secret: string | string[]
  readonly url?: string | undefined
}

/** A process of a service. */
function process(store: AuthConfig['store'] & object, { secret, url }: Service) {
  const errors: Error[] = []
  const warnings: string[] = []
  const logger = {
    error: (error: Error) => void errors.push(error),
    warn: (code: string) => void warnings.push(code),
    info: () => {},
  }
  const provider = {
    id: 'credentials',
    name: 'C',
    type: 'credentials',
    credentials: {},
    authorize: () => ({ id: 'ada' }),
  } as const
  const config = configWith({ providers: [provider], store, secret, logger, trustHost: true })
  const auth = createAuth(config)
  const env = url === undefined ? {} : { AUTH_URL: url }
  const browser = new Browser(config, { answer: (request) => auth.fetch(request, env) })
  return {
    browser,
    errors,
    warnings,
    status: async () => (await browser.get('/auth/csrf')).status,
    signIn: async () => (await browser.submit('/auth/callback/credentials', {})).status,
  }
}

for (const [name, isHere, fresh] of places) {
  describe.skipIf(!isHere)(`two services over one store: ${name}`, () => {
    it('staging with another secret reads and writes nothing at production, and logs why at its start', async () => {
      const open = fresh()
      const production = process(open(), { secret: first, url: origin })
      expect(await production.signIn()).toBe(302)
      const store = open()
      const staging = process(store, { secret: second, url: elsewhere })
      expect(await staging.status()).toBe(500)
      expect(await staging.signIn()).toBe(500)
      expect(staging.errors[0]?.message).toContain('The store belongs to another service')
      expect(staging.errors[0]?.message).toContain(MARK_KEY)
      expect(await production.signIn()).toBe(302)
      expect(await production.browser.session()).not.toBeNull()
    })

    it.each<[string, Service, Service, boolean]>([
      ['the same again', { secret: first, url: origin }, { secret: first, url: origin }, true],
      [
        'with its path',
        { secret: first, url: origin },
        { secret: first, url: `${origin}/auth` },
        true,
      ],
      [
        'the same secret at another AUTH_URL',
        { secret: first, url: origin },
        { secret: first, url: elsewhere },
        false,
      ],
      [
        'another secret at the same AUTH_URL',
        { secret: first, url: origin },
        { secret: second, url: origin },
        false,
      ],
      ['another secret, and no AUTH_URL in either', { secret: first }, { secret: second }, false],
      [
        'another secret, and no AUTH_URL',
        { secret: first, url: origin },
        { secret: second },
        false,
      ],
      [
        'a job with the secret and no AUTH_URL',
        { secret: first, url: origin },
        { secret: first },
        true,
      ],
      ['an AUTH_URL that is set later', { secret: first }, { secret: first, url: origin }, true],
      [
        'a new secret beside the old one',
        { secret: first, url: origin },
        { secret: [second, first], url: origin },
        true,
      ],
      [
        'a new secret beside the old one at another AUTH_URL',
        { secret: first, url: origin },
        { secret: [second, first], url: elsewhere },
        false,
      ],
    ])('%s', async (_, there, own, isAllowed) => {
      const open = fresh()
      expect(await process(open(), there).status()).toBe(200)
      expect(await process(open(), own).status()).toBe(isAllowed ? 200 : 500)
      // The service that was there first is never locked out by the one that came.
      expect(await process(open(), there).status()).toBe(200)
    })

    it('a rotation of the secret goes from process to process, and locks none of them out', async () => {
      const open = fresh()
      const start = (...secret: string[]) => process(open(), { secret, url: origin }).status()
      const started = [
        await start(first),
        await start(second, first),
        // A service that is not deployed again yet starts again.
        await start(first),
        await start(second, first),
        await start(second),
        await start(third, second),
        await start(third),
      ]
      expect(started).toEqual(Array(7).fill(200))
      expect(await start(first)).toBe(500)
    })

    it('an AUTH_URL that a job does not know is kept', async () => {
      const open = fresh()
      expect(await process(open(), { secret: first, url: origin }).status()).toBe(200)
      expect(await process(open(), { secret: [second, first] }).status()).toBe(200)
      expect(await process(open(), { secret: first, url: elsewhere }).status()).toBe(500)
    })

    it('a rotation where AUTH_URL is no longer set, or is not set in each process, locks none of them out', async () => {
      const open = fresh()
      const start = (secret: string[], url?: string) => process(open(), { secret, url }).status()
      const started = [
        await start([first], origin),
        await start([second, first]),
        await start([first], origin),
        await start([second]),
        await start([second], origin),
        await start([third, second]),
        await start([third]),
      ]
      expect(started).toEqual(Array(7).fill(200))
      expect(await start([third, second], elsewhere)).toBe(500)
      expect(await start([second], elsewhere)).toBe(500)
    })

    it('one of two services that start at once over a new store has it', async () => {
      const open = fresh()
      const starts = [first, second, first, second].map((secret) =>
        process(open(), { secret, url: origin }),
      )
      const answers = await Promise.all(starts.map((one) => one.status()))
      expect(answers.filter((status) => status === 200)).toHaveLength(2)
      expect(answers[0]).toBe(answers[2])
    })

    it('after the mark was taken away another service starts, and a process that was refused stays so', async () => {
      const open = fresh()
      const store = open()
      expect(await process(store, { secret: first, url: origin }).status()).toBe(200)
      const refused = process(open(), { secret: second, url: elsewhere })
      expect(await refused.status()).toBe(500)
      const { version = 0 } = (await store.ledger.document(MARK_KEY)) ?? {}
      await store.ledger.changeDocument(MARK_KEY, version, null)
      expect(await refused.status()).toBe(500)
      expect(await process(open(), { secret: third, url: elsewhere }).status()).toBe(200)
    })

    it('an invalid mark belongs to no service, and stays as it is', async () => {
      for (const content of ['', '{', 'null', '{"v":2,"secrets":[],"urls":[]}', '{"v":1}']) {
        const open = fresh()
        const store = open()
        await store.ledger.changeDocument(MARK_KEY, 0, content)
        expect(await process(open(), { secret: first }).status()).toBe(500)
        expect((await store.ledger.document(MARK_KEY))?.content).toBe(content)
      }
    })
  })
}

describe('the mark of a store', () => {
  it('says neither the secret nor the address', async () => {
    const store = sqliteStore(':memory:')
    await process(store, { secret: first, url: elsewhere }).status()
    const { content } = (await store.ledger.document(MARK_KEY)) ?? {}
    expect(content).not.toMatch(/staging|secret-of/)
    const { secrets, urls } = JSON.parse(content ?? '')
    expect([...secrets, ...urls].every((one: string) => /^[A-Za-z0-9_-]{22}$/.test(one))).toBe(true)
    expect(new Set([...secrets, ...urls]).size).toBe(2)
  })

  it('is asked for once by a process, whatever comes', async () => {
    const inner = sqliteStore(':memory:')
    const { store, calls } = faulty(inner)
    const own = process({ ...store, claim: (mark) => inner.claim(mark) }, { secret: first })
    let claims = 0
    const counted = {
      ...store,
      claim: (mark: Parameters<NodeStore['claim']>[0]) => {
        claims++
        return inner.claim(mark)
      },
    }
    const service = process(counted, { secret: first })
    for (let at = 0; at < 3; at++) await service.signIn()
    await own.signIn()
    expect(claims).toBeGreaterThan(0)
    // The store's own calls are not among those that are counted.
    expect(calls.filter(({ name }) => name === 'document' || name === 'changeDocument')).toEqual([])
  })

  it('is not written, and not asked for, if the store is in memory', async () => {
    const { store, calls } = faulty(memoryStore())
    await process(store, { secret: first, url: origin }).signIn()
    expect(calls.filter(({ args }) => args[0] === MARK_KEY)).toEqual([])
  })

  it('a store that is out of reach at the start is asked by the call that reaches it', async () => {
    const path = join(folder, `${++count}.db`)
    await process(sqliteStore(path), { secret: first, url: origin }).status()
    const inner = sqliteStore(path)
    let isDown = true
    const claim: NodeStore['claim'] = (mark) => (isDown ? fails() : inner.claim(mark))
    const { sessions, rows } = inner
    const staging = process({ sessions, rows, claim }, { secret: second, url: elsewhere })
    expect(await staging.status()).toBe(200)
    expect(await staging.signIn()).toBe(503)
    isDown = false
    await staging.signIn()
    expect(staging.browser.jar.has('auth.session-token')).toBe(false)
    expect(staging.errors.at(-1)?.message).toContain('The store belongs to another service')
    const production = process(
      { ...inner, claim: (mark) => inner.claim(mark) },
      { secret: first, url: origin },
    )
    expect(await production.signIn()).toBe(302)
    expect(claimsIn(production.browser).sub).toBeDefined()
  })

  it('a store that is out of reach at the start: advice about it is logged later', async () => {
    const { sessions, rows } = sqliteStore(':memory:')
    let isDown = true
    const claim: NodeStore['claim'] = async () =>
      isDown ? fails() : [['store-forgets', 'Forgets']]
    const { signIn, status, warnings } = process({ sessions, rows, claim }, { secret: first })
    expect(await status()).toBe(200)
    isDown = false
    expect([await signIn(), await signIn()]).toEqual([302, 302])
    expect(warnings.filter((code) => code !== 'credentials-without-fields')).toEqual([
      'store-forgets',
    ])
  })

  it('is written into a file that was moved away after it was opened', async () => {
    const path = join(folder, `${++count}.db`)
    const store = sqliteStore(path)
    renameSync(path, `${path}-moved`)
    expect(await process(store, { secret: first }).signIn()).toBe(302)
    expect(await store.ledger.document(MARK_KEY)).toBeDefined()
  })

  it('is not part of an erasure, whatever a person is called', async () => {
    const store = sqliteStore(':memory:')
    await process(store, { secret: first }).status()
    for (const sub of ['', MARK_KEY, `\n${MARK_KEY}`]) {
      await store.ledger.forget(sub)
      await store.ledger.forget(sub, true)
    }
    expect(await store.ledger.document(MARK_KEY)).toBeDefined()
  })

  it('services with a prefix each share a database, and do not see each other', async () => {
    const one = postgresStore(pglite, { prefix: 'shared_one' })
    const other = postgresStore(pglite, { prefix: 'shared_other' })
    const [production, staging] = [
      process(one, { secret: first, url: origin }),
      process(other, { secret: second, url: origin }),
    ]
    expect([await production.signIn(), await staging.signIn()]).toEqual([302, 302])
    const { sub, sid } = claimsIn(production.browser)
    expect(await one.sessions.get(sub, sid)).toBeDefined()
    expect(await other.sessions.list(sub)).toHaveLength(1)
    expect(await other.sessions.get(sub, sid)).toBeUndefined()
    await one.ledger.revoke(sid, Math.ceil(Date.now() / 1000) + 60)
    expect(await other.ledger.isRevoked(sid)).toBe(false)
    await one.sessions.deleteAll?.(sub)
    expect(await other.sessions.list(sub)).toHaveLength(1)
  })

  it.each(['', 'A', '1a', 'a-b', 'a"; DROP TABLE x', 'a'.repeat(32)])(
    'a prefix that is %j is refused',
    (prefix) => {
      expect(() => postgresStore(pglite, { prefix })).toThrow('lower-case letter')
      expect(() => redisStore({} as never, { prefix })).toThrow('lower-case letter')
    },
  )

  it('a file has no prefix', () => {
    expect(() => openStore(`file:${folder}/x.db`, { prefix: 'one' })).toThrow('a file of its own')
  })
})
