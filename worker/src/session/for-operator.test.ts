import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import { claimsIn } from '../test-support/browser.js'
import { people } from '../test-support/people.js'
import { setUpFactor } from '../test-support/set-up-factor.js'
import type { Operations } from '../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const online = async (world: ReturnType<typeof people>, one: ReturnType<typeof world.browser>) =>
  (await world.copyOf(one).get('/auth/session?online=1')).json()

describe('the numbers of a person', () => {
  it('are those of the export, and an unknown person has none', async () => {
    const world = people()
    const auth = createAuth(world.config)
    const ada = await world.signIn('one', 'ada')
    const { sub } = claimsIn(ada)
    const one = { sub, blocked: null, sessions: 1, ways: 1, connections: 0, factors: [] }
    expect(await auth.getPerson(sub, {})).toEqual(one)
    await world.add(ada, 'two', 'ada')
    await setUpFactor(ada)
    await world.signIn('email', 'other@people.example')
    const kept = await auth.getPerson(sub, {})
    const exported = await auth.exportPerson(sub, {})
    expect(kept).toEqual({
      ...one,
      ways: 2,
      connections: exported?.connections.length,
      factors: exported?.factors,
    })
    expect(kept?.factors).toHaveLength(1)
    for (const nobody of ['nobody', 'p:7', `${sub}x`]) {
      expect(await auth.getPerson(nobody, {})).toBeNull()
      expect(await auth.listSessions(nobody, {})).toEqual([])
    }
  })

  it('sessions are those that the person sees, without the one that asks', async () => {
    const world = people()
    const auth = createAuth(world.config)
    const first = await world.signIn('one', 'ada')
    pass(3600)
    const second = await world.signIn('one', 'ada')
    const { sessions } = (await (await second.get('/auth/sessions')).json()) as {
      sessions: { current: boolean }[]
    }
    expect(sessions).toHaveLength(2)
    const listed = await auth.listSessions(claimsIn(first).sub, {})
    expect(listed).toEqual(sessions.map(({ current: _, ...session }) => session))
    await auth.endSessions({ sub: claimsIn(first).sub }, {})
    expect(await auth.listSessions(claimsIn(first).sub, {})).toEqual([])
  })
})

describe('endSession', () => {
  it('ends the one session, at once, and no other one', async () => {
    const world = people()
    const auth = createAuth(world.config)
    const [one, two] = [await world.signIn('one', 'ada'), await world.signIn('one', 'ada')]
    const { sub, sid } = claimsIn(one)
    world.lines.length = 0
    await auth.endSession({ sub, session: sid }, {})
    expect(await online(world, one)).toBeNull()
    expect(await online(world, two)).not.toBeNull()
    expect(world.lines).toMatchObject([{ event: 'sessions-ended', which: 'one', by: 'operator' }])
    // Ended again, nothing more happens.
    await auth.endSession({ sub, session: sid }, {})
    expect(world.lines).toHaveLength(1)
  })

  it('attack: the session of another person, and an id that is made of several, end nothing', async () => {
    const world = people()
    const auth = createAuth(world.config)
    const [ada, eve] = [await world.signIn('one', 'ada'), await world.signIn('one', 'eve')]
    const { sub, sid } = claimsIn(ada)
    world.lines.length = 0
    for (const which of [
      { sub: claimsIn(eve).sub, session: sid },
      { sub, session: 'nothing-of-this-name-here' },
      { sub: sub.slice(0, 4), session: `${sub.slice(4)}:${sid}` },
      { sub: 'session', session: `${sub}:${sid}` },
      { sub, session: '../'.repeat(20) },
    ]) {
      expect(await auth.endSession(which, {})).toBeUndefined()
    }
    expect(await online(world, ada)).not.toBeNull()
    expect(await online(world, eve)).not.toBeNull()
    expect(world.lines).toEqual([])
  })
})

describe('a wrong argument is named, and its value is not repeated', () => {
  type Name = keyof Operations
  const secret = 'canary'.repeat(50)
  const cases: readonly (readonly [Name, unknown, string])[] = [
    ...(['getPerson', 'listSessions', 'unblockPerson'] as const).flatMap((name) =>
      [undefined, '', 7, null, {}, secret].map((value) => [name, value, 'sub'] as const),
    ),
    ...[undefined, null, 'ada', {}, { sub: '' }, { sub: secret }].flatMap((value) => [
      ['blockPerson', value, 'sub'] as const,
      ['endSession', value, 'sub'] as const,
    ]),
    ['endSession', { sub: 'ada' }, 'session'],
    ['endSession', { sub: 'ada', session: 7 }, 'session'],
    ...['', 7, null, {}, 'canary\n', 'a\u0000', 'a\u0085', '\u007f', '\ud800', secret].map(
      (reason) => ['blockPerson', { sub: 'ada', reason }, 'reason'] as const,
    ),
    ['blockPerson', { sub: 'ada', reason: 'x'.repeat(201) }, 'reason'],
  ]

  it.each(cases)('%s %j', async (name, value, member) => {
    const auth = createAuth(people().config)
    const run = auth[name] as (value: unknown, env: object) => Promise<unknown>
    const told = await run(value, {}).catch((error: unknown) => error)
    expect(told).toBeInstanceOf(TypeError)
    expect(String(told)).toContain(member)
    expect(String(told)).not.toContain('canary')
  })

  it('200 characters are enough for a reason, of which some have two units', async () => {
    const auth = createAuth(people().config)
    for (const reason of ['x', '😀'.repeat(200), 'x'.repeat(200), 'ä \u2028 "\\'])
      await auth.blockPerson({ sub: 'ada', reason }, {})
    expect((await auth.getPerson('ada', {}))?.blocked?.reason).toBe('ä \u2028 "\\')
  })
})
