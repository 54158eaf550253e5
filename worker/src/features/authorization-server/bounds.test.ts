import { expect, it, vi } from 'vitest'
import { createAuth } from '../../index.js'
import { claimsIn, errorOf } from '../../test-support/browser.js'
import { oauthPeople } from '../../test-support/oauth-people.js'

// One process counts for all files of tests, so that these people are in no other one.
const ADA = 'ada-of-the-bounds'
const GRACE = 'grace-of-the-bounds'

it('attack: one person takes and loses grants, to fill everybody’s feed: a hundred begin in a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const world = oauthPeople()
    const ada = await world.signIn('one', ADA)
    await world.letIn(ada)
    const exchanges = []
    let late = ''
    for (let times = 0; times < 120; times++) {
      const { code = '' } = await world.letIn(ada)
      const { status } = await world.exchange(code)
      exchanges.push(status)
      if (status === 429) late = code
    }
    expect(exchanges.filter((status) => status === 200)).toHaveLength(100)
    expect(exchanges.slice(100)).toEqual(Array.from({ length: 20 }, () => 429))
    const { sessions = [] } = (await world.store.ledger.revokedSince?.(0)) ?? {}
    expect(sessions).toHaveLength(50)
    // Another person is not held up, and an ending never is.
    const grace = await world.signIn('one', GRACE)
    const { code } = await world.letIn(grace)
    expect((await world.exchange(code)).status).toBe(200)
    await ada.submit('/auth/apps/remove', { app: 'notes' })
    expect(await world.store.ledger.documentsOf(claimsIn(ada).sub, ['grant'])).toEqual([])
    vi.setSystemTime(Date.now() + 61_000)
    expect((await world.exchange(late)).error).toBe('invalid_grant')
  } finally {
    vi.useRealTimers()
  }
})

it('attack: lines without end, by a person who does one thing again and again: sixty a minute, and every ending counts', async () => {
  const world = oauthPeople()
  const ada = await world.signIn('one', ADA)
  const auth = createAuth(world.config)
  for (let times = 0; times < 70; times++) await world.signIn('one', ADA)
  await auth.endSessions({ sub: claimsIn(ada).sub })
  const events = world.lines.map((line) => (line as { event: string }).event)
  expect(events.filter((event) => event === 'sign-in')).toHaveLength(60)
  expect(events).toContain('sessions-ended')
  expect(await ada.get('/auth/sessions').then(({ status }) => status)).toBe(401)
})

it('attack: sessions without end, by a person who signs in and out in a loop: 300 begin in a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    const world = oauthPeople()
    const ada = await world.signIn('one', ADA)
    for (let times = 1; times < 300; times++) await world.signIn('one', ADA)
    const refused = world.browser()
    expect(errorOf(await refused.signIn('one', ADA))).toContain('rate_limited')
    expect(await refused.session()).toBeNull()
    expect(await ada.session()).not.toBeNull()
    await world.signIn('one', GRACE)
    vi.setSystemTime(Date.now() + 61_000)
    await world.signIn('one', ADA)
  } finally {
    vi.useRealTimers()
  }
})
