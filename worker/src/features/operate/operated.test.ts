import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { newOperatorKey } from '../../../../test/support/operator-key.js'
import { OPERATIONS } from '../../service/operations.js'
import { audited } from '../../test-support/audited.js'
import { authorizationServer } from '../authorization-server/index.js'
import { passwords } from '../passwords/index.js'
import { operate } from './index.js'
import { METHOD_EVENTS } from './method-events.js'

// Endings wait for the end of their second.
clock({ start: Date.UTC(2026, 10, 28, 12) + 990, waits: true })

const API = 'https://api.test/'

const features = [
  operate(),
  passwords,
  authorizationServer({
    resources: { [API]: { name: 'Notes', scopes: { 'notes:read': 'Read' } } },
    keys: { prefix: 'nts' },
  }),
]

/** Every method that changes something of a person: its arguments, and its record. */
const CHANGES = {
  endSessions: [[{ sub: 'ada' }], { event: 'sessions-ended', which: 'all' }],
  endSession: [
    [{ sub: 'ada', session: 'x'.repeat(22) }],
    { event: 'sessions-ended', which: 'one' },
  ],
  blockPerson: [
    [{ sub: 'ada', reason: 'Ticket 7' }],
    { event: 'person-blocked', reason: 'Ticket 7' },
  ],
  refreshClaims: [[{ sub: 'ada' }], { event: 'claims-refreshed', which: 'all' }],
  unblockPerson: [['ada'], { event: 'person-unblocked' }],
  disconnect: [['ada', 'video'], { event: 'disconnected', provider: 'video' }],
  deletePerson: [['ada'], { event: 'person-erased' }],
  resetFactors: [['ada'], { event: 'factor-removed' }],
  removePassword: [['ada'], { event: 'password-removed' }],
  endApp: [['ada', 'notes'], { event: 'app-removed' }],
  createKey: [
    ['ada', { name: 'CI', scopes: ['notes:read'], resource: 'https://api.test/' }],
    { event: 'key-created' },
  ],
  endKey: [['ada', undefined], { event: 'keys-ended' }],
} as const

type Change = keyof typeof CHANGES

const entries = Object.entries(CHANGES) as [Change, (typeof CHANGES)[Change]][]

describe('an act of an operator', () => {
  it.each(entries)('is recorded before it is done: %s', async (name, [args, record]) => {
    const { here, ledgers, records, events } = audited({ features })
    await here.call(name, ...(args as never))
    const [first] = ledgers.calls
    expect(first).toBe('ledger record')
    const all = await records()
    const own = all.filter(({ event }) => event === record.event)
    expect(own).toHaveLength(1)
    expect(events.filter(({ event }) => event === record.event).length).toBeLessThanOrEqual(1)
    expect(all[0]).toMatchObject({ ...record, by: 'operator', operator: 'binding' })
    // A browser has not asked.
    expect(Object.keys(all[0] ?? {})).not.toEqual(expect.arrayContaining(['device', 'network']))
  })

  it.each(entries)('is not done without its record: %s', async (name, [args]) => {
    const { here, ledgers, records } = audited({ features })
    ledgers.before.set('record', () => Promise.reject(new Error('The object is away.')))
    await expect(here.call(name, ...(args as never))).rejects.toThrow(
      'Could not write the audit log.',
    )
    expect(new Set(ledgers.calls)).toEqual(new Set(['ledger record']))
    ledgers.before.clear()
    expect(await records()).toEqual([])
    // Asked again, it is done.
    await here.call(name, ...(args as never))
    expect(await records()).not.toEqual([])
  })

  it('is known of every method that changes something', () => {
    expect(Object.keys(METHOD_EVENTS).sort()).toEqual(Object.keys(CHANGES).sort())
    // Any other method says that it reads, but for these: they give out something of a person, or send again what was recorded.
    const others = Object.entries(OPERATIONS).flatMap(([name, { scope }]) =>
      scope === 'read' || Object.hasOwn(METHOD_EVENTS, name) ? [] : name,
    )
    expect(others.sort()).toEqual([
      'exportPerson',
      'getAccessTokenOf',
      'listApps',
      'listKeys',
      'resendWebhook',
    ])
  })

  it('has no record of its own if the service itself reads', async () => {
    const { here, recorded } = audited({ features })
    for (const name of ['listWays', 'exportPerson', 'listApps', 'listKeys'] as const)
      await here.call(name, 'ada')
    await here.call('auditHeads')
    expect(recorded()).toBe(0)
  })
})

describe('the operator API', () => {
  const night = newOperatorKey('night', 'read')
  const day = newOperatorKey('day', 'manage')
  const world = () => {
    const made = audited({ features }, { AUTH_OPERATOR_KEYS: `${night.entry},${day.entry}` })
    const post = (method: string, body: object, key = day.key) =>
      made.here.answer(
        new Request(`http://localhost:8787/auth/operator/${method}`, {
          method: 'POST',
          body: JSON.stringify(body),
          headers: {
            authorization: `Bearer ${key}`,
            'content-type': 'application/json',
            'cf-connecting-ip': '192.0.2.7',
          },
        }),
      )
    return { ...made, post }
  }

  it('has the name of the key in records and lines', async () => {
    const { post, records, events, signIn, subOf } = world()
    const sub = subOf(await signIn())
    await post('endSessions', { sub })
    await post('listWays', { sub }, night.key)
    await post('exportPerson', { sub })
    await post('exportPerson', { sub }, night.key)
    const [signedIn, ...rest] = await records()
    const { person } = signedIn ?? {}
    expect(rest).toMatchObject([
      { event: 'sessions-ended', person, by: 'operator', operator: 'day' },
      { event: 'person-read', person, operator: 'night', method: 'listWays' },
      { event: 'person-read', person, operator: 'day', method: 'exportPerson' },
      { event: 'operator-refused', operator: 'night', method: 'exportPerson' },
    ])
    expect(rest.map(({ network, device }) => network ?? device)).toEqual(rest.map(() => undefined))
    expect(events.slice(1)).toMatchObject(rest.map(({ event, operator }) => ({ event, operator })))
  })

  it('answers 503, and does and shows nothing, without a record', async () => {
    const { post, ledgers, signIn, subOf } = world()
    const ada = await signIn()
    const sub = subOf(ada)
    ledgers.before.set('record', () => Promise.reject(new Error('The object is away.')))
    for (const [method, body] of [
      ['endSessions', { sub }],
      ['deletePerson', { sub }],
      ['listWays', { sub }],
      ['exportPerson', { sub }],
    ] as const) {
      const answer = await post(method, body)
      expect([method, answer.status, await answer.json()]).toEqual([
        ...[method, 503],
        { error: 'Unavailable' },
      ])
    }
    ledgers.before.clear()
    expect(await (await ada.get('/auth/session?online=1')).json()).not.toBeNull()
  })

  it('writes no record of a body that is refused, and of no wrong key', async () => {
    const { post, recorded } = world()
    await post('endSessions', { sub: '' })
    await post('disconnect', { sub: 'ada' })
    await post('deletePerson', { sub: 'ada', more: 1 })
    await post('deletePerson', { sub: 'ada' }, newOperatorKey('day', 'manage').key)
    expect(recorded()).toBe(0)
  })
})
