import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAuth } from '../../../index.js'
import credentials from '../../../providers/credentials.js'
import type { NodeStore } from '../../../stores/node/node-store.js'
import { sqliteStore } from '../../../stores/sqlite.js'
import { Browser, claimsIn, configWith, secret } from '../../../test-support/browser.js'
import type { AuthConfig, Environment, LogEvent } from '../../../types.js'
import { operate } from '../index.js'
import { verifyAudit } from '../log/verify.js'

let store: NodeStore
let errors: Error[]
beforeEach(() => {
  store = sqliteStore(':memory:')
  errors = []
})
afterEach(() => store.close().catch(() => undefined))

const ENV = { AUTH_SECRET: secret, AUTH_AUDIT_DAYS: '30' }

/** A service on Node with the log in its store. */
function service(env: Environment = ENV, changes: Partial<AuthConfig> = {}) {
  const lines: LogEvent[] = []
  const config = configWith({
    store,
    providers: [
      credentials({
        authorize: ({ username }) => ({ id: String(username), name: String(username) }),
      }),
    ],
    features: [operate()],
    logger: {
      error: (error: Error) => void errors.push(error),
      warn() {},
      info: (event: LogEvent) => void lines.push(event),
    },
    ...changes,
  })
  const auth = createAuth(config)
  const signIn = async (username: string) => {
    const browser = new Browser(config, { answer: async (request) => auth.fetch(request, env) })
    await browser.submit('/auth/callback/credentials', { username })
    return browser
  }
  return { auth, env, lines, signIn }
}

describe('the log of a service on Node', () => {
  test('has each event of the console log, in one chain that is whole', async () => {
    const { auth, env, lines, signIn } = service()
    const ada = await signIn('ada')
    await ada.submit('/auth/signout')
    await auth.endSessions({ sub: 'ada' }, env)
    const { records, next } = await auth.audit({}, env)
    expect(next).toBeNull()
    const events = records.toReversed().map((record) => 'event' in record && record.event)
    expect(events).toEqual(lines.map(({ event }) => event))
    expect(events).toEqual(['sign-in', 'sign-out', 'sessions-ended'])
    expect(records.map(({ id }) => id)).toEqual(['store_3', 'store_2', 'store_1'])
    const heads = await auth.auditHeads(env)
    expect(heads).toMatchObject({ days: 30, chains: [{ chain: 'store', head: { seq: 3 } }] })
    expect(await verifyAudit(records.toReversed(), heads)).toMatchObject({ ok: true })
    expect(errors).toEqual([])
  })

  test('is read page by page, and by a person', async () => {
    const { auth, env, signIn } = service()
    for (const name of ['ada', 'grace', 'ada', 'ada']) await signIn(name)
    const { sub } = claimsIn(await signIn('grace'))
    const first = await auth.audit({ limit: 2 }, env)
    expect(first).toMatchObject({ records: [{ seq: 5 }, { seq: 4 }] })
    const second = await auth.audit({ limit: 2, after: first.next as string }, env)
    expect(second).toMatchObject({ records: [{ seq: 3 }, { seq: 2 }] })
    const { records } = await auth.audit({ sub }, env)
    expect(records.map(({ seq }) => seq)).toEqual([5, 2])
  })

  test('attack: of two services that are led to one store, the second writes nothing into the log of the first', async () => {
    const { auth, env, signIn } = service()
    await signIn('ada')
    const other = service(ENV, { secret: 'another-secret-of-32-characters-or-more' })
    await other.signIn('eve')
    await expect(other.auth.audit({}, other.env)).rejects.toThrow()
    expect((await auth.audit({}, env)).records).toHaveLength(1)
  })

  test('that cannot be written stops no person, and stops an operator', async () => {
    const { auth, env, signIn } = service()
    await signIn('ada')
    const commit = store.rows.commit.bind(store.rows)
    vi.spyOn(store.rows, 'commit').mockImplementation((changes, readAt) =>
      changes.some(({ key }) => key.startsWith('audit record'))
        ? Promise.reject(new Error('The disk is full.'))
        : commit(changes, readAt),
    )
    const grace = await signIn('grace')
    expect(await grace.session()).not.toBeNull()
    expect(errors.map(({ name }) => name)).toEqual(['audit-lost'])
    await expect(auth.blockPerson({ sub: 'grace' }, env)).rejects.toThrow(/Could not write/)
  })

  test('costs a read and a renewal nothing, and a service without it has no row of it', async () => {
    const { signIn } = service()
    const ada = await signIn('ada')
    const commit = vi.spyOn(store.rows, 'commit')
    await ada.session()
    await ada.submit('/auth/renew')
    const keys = commit.mock.calls.flatMap(([changes]) => changes.map(({ key }) => key))
    expect(keys.filter((key) => key.startsWith('audit record'))).toEqual([])
    const other = sqliteStore(':memory:')
    const without = service({ AUTH_SECRET: secret }, { store: other })
    await without.signIn('ada')
    const { answers } = await other.rows.read([{ table: 'documents', beginning: 'audit ' }])
    expect(answers).toEqual([[]])
    await other.close()
  })
})
