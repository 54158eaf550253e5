import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { claimsIn, errorOf } from '../../test-support/browser.js'
import { type Isolate, isolates } from '../../test-support/isolates.js'
import type { AuthConfig } from '../../types.js'

// Shortly before the end of a second, for which an ending waits.
const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const BLOCKED = '/auth/error AccessDenied blocked'

/** A person with two ways, in one of two isolates. @param isTakenIn did they begin as two people? */
async function adaTwice(isTakenIn: boolean, subject?: AuthConfig['subject']) {
  const { open } = isolates(subject ? { subject } : {}, [1])
  const [here, there] = [open(), open()]
  const former = isTakenIn ? claimsIn(await here.signIn('two', 'ada')).sub : undefined
  const ada = await here.signIn('one', 'ada')
  if (isTakenIn) await here.takeIn(ada, 'two', 'ada', former)
  else await here.add(ada, 'two', 'ada')
  const way = (await here.ways(ada)).find(({ provider }) => provider === 'two')?.id ?? ''
  return { here, there, ada, way, former, sub: claimsIn(ada).sub, auth: createAuth(there.config) }
}

async function tell(world: Isolate, provider: string): Promise<string> {
  pass(1)
  return errorOf(await world.browser().signIn(provider, 'ada'))
}

describe('attack: a person is blocked at any call of the removal of a way, and comes back by it', () => {
  it('a way whose id never belonged to another person', async () => {
    const free: number[] = []
    let calls = 0
    for (; ; calls++) {
      const { here, there, ada, way, sub, auth } = await adaTwice(false)
      here.arm({ at: calls, waitsFor: () => auth.blockPerson({ sub }, {}) })
      await here.remove(ada, way).catch(() => undefined)
      if (!here.hasCome()) break
      if ((await tell(there, 'two')) !== BLOCKED) free.push(calls)
      expect(await tell(there, 'one')).toBe(BLOCKED)
    }
    // From the write on that frees it, the way is no longer theirs.
    expect(free).toEqual(free.map((_, at) => calls - free.length + at))
    expect(free.length).toBeLessThan(calls / 2)
  })

  it('a way whose former id the operator has named', async () => {
    for (let at = 0; ; at++) {
      const { here, there, ada, way, former = '', auth } = await adaTwice(true)
      here.arm({ at, waitsFor: () => auth.blockPerson({ sub: former }, {}) })
      await here.remove(ada, way).catch(() => undefined)
      if (!here.hasCome()) break
      expect((await auth.getPerson(former, {}))?.blocked, `call ${at}`).toBeTruthy()
      expect(await tell(there, 'two'), `call ${at}`).toBe(BLOCKED)
    }
  })
})

it('attack: a merge that died at any call is finished after a block of the former person, which it loses', async () => {
  for (let at = 0; ; at++) {
    const { open } = isolates({}, [1])
    const [here, there] = [open(), open()]
    const former = claimsIn(await here.signIn('two', 'ada')).sub
    const ada = await here.signIn('one', 'ada')
    here.arm({ at, dies: 'after' })
    await here.takeIn(ada, 'two', 'ada').catch(() => undefined)
    if (!here.hasCome()) break
    const auth = createAuth(there.config)
    await auth.blockPerson({ sub: former }, {})
    // Another person who proves a way of theirs finishes what they have begun.
    await there.add(await there.signIn('two', 'eve'), 'one', 'ada')
    expect((await auth.getPerson(former, {}))?.blocked, `call ${at}`).toBeTruthy()
    expect(await tell(there, 'two'), `call ${at}`).toBe(BLOCKED)
  }
})

it.each([false, true])(
  'a former person who stays blocked is blocked by the way that the present one removes; by an id of the app’s: %s',
  async (isGiven) => {
    let given = 'p:7'
    const subject: AuthConfig['subject'] = ({ account }) =>
      account.provider === 'two' ? given : 'p:1'
    const {
      here,
      way,
      former = '',
      sub,
      auth,
    } = await adaTwice(true, isGiven ? subject : undefined)
    expect(former === 'p:7').toBe(isGiven)
    await auth.blockPerson({ sub: former }, {})
    await auth.unblockPerson(sub, {})
    const again = here.browser()
    pass(1)
    expect(errorOf(await again.signIn('one', 'ada'))).toBe('/inbox')
    await here.remove(again, way)
    expect((await here.ways(again)).map(({ provider }) => provider)).toEqual(['one'])
    expect(await tell(here, 'two')).toBe(BLOCKED)
    given = 'p:8'
    expect(await tell(here, 'two')).toBe(BLOCKED)
    await auth.unblockPerson(former, {})
    expect(await tell(here, 'two')).toBe('/inbox')
  },
)
