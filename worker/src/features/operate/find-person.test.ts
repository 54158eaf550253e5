import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { newOperatorKey } from '../../../../test/support/operator-key.js'
import { audited } from '../../test-support/audited.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 28, 12) + 990, waits: true })

const night = newOperatorKey('night', 'read')

function world() {
  const made = audited({}, { AUTH_OPERATOR_KEYS: night.entry })
  const find = async (body: object) => {
    const answer = await made.here.answer(
      new Request('http://localhost:8787/auth/operator/findPerson', {
        method: 'POST',
        body: JSON.stringify(body),
        headers: { authorization: `Bearer ${night.key}`, 'content-type': 'application/json' },
      }),
    )
    return [answer.status, await answer.json()] as const
  }
  return { ...made, find }
}

describe('a person of a line of the log', () => {
  it('is found among those who have a session, and the search is recorded', async () => {
    const { find, records, signIn, subOf, here } = world()
    const sub = subOf(await signIn('ada'))
    await signIn('eve')
    // KV lists what is a minute old.
    pass(61)
    const [{ person = '' } = {}] = await records()
    expect(await find({ person })).toEqual([200, { result: { sub, next: null } }])
    expect((await records()).at(-1)).toMatchObject({
      event: 'person-read',
      method: 'findPerson',
      person,
      operator: 'night',
    })
    // A Worker by the binding is the service itself.
    const before = (await records()).length
    expect(await here.call('findPerson', { person })).toEqual({ sub, next: null })
    expect(await records()).toHaveLength(before)
  })

  it('attack: a key learns nothing about a person without a record of it', async () => {
    const { find, records, signIn, ledgers } = world()
    await signIn('ada')
    pass(61)
    const [{ person = '' } = {}] = await records()
    ledgers.before.set('record', () => Promise.reject(new Error('The object is away.')))
    expect(await find({ person })).toEqual([503, { error: 'Unavailable' }])
  })

  it('attack: an id, and the beginning of a digest, find nobody', async () => {
    const { find, records, signIn, subOf } = world()
    const sub = subOf(await signIn('ada'))
    pass(61)
    const [{ person = '' } = {}] = await records()
    for (const other of [sub, person.slice(0, -1), `${person}x`, '%', '*']) {
      expect(await find({ person: other })).toEqual([200, { result: { sub: null, next: null } }])
    }
  })
})

it.each<[body: object, names: string]>([
  [{}, 'an address (email), or the person of a log line (person)'],
  [{ email: '' }, 'an address (email)'],
  [{ email: 'a@b.example', person: 'x' }, 'an address (email), or the person'],
  [{ email: 'a@b.example', after: 'x' }, 'an address (email), or the person'],
  [{ person: 'x', after: '' }, 'the `next` of an answer (after)'],
  [{ person: 'x', after: 'x'.repeat(2_001) }, 'the `next` of an answer (after)'],
  [{ person: 'x'.repeat(256) }, 'the person of a log line (person)'],
])('refuses %j, and names what is wrong', async (body, names) => {
  const [status, said] = await world().find(body)
  expect(status).toBe(400)
  expect(Object(said).message).toContain(names)
})
