import { afterAll, beforeAll, expect, test } from 'vitest'
import { clock } from '../support/clock.ts'
import { countingLedger, countRows } from './counted-ledger.ts'
import { audience, isolate, letIn, person, redirectUri } from './oauth-support.ts'

// In real objects of the ledger: what an end of a session costs if apps hear of it, and that each isolate goes on for another one.

const { pass } = clock({ start: 'now' })

let count: Awaited<ReturnType<typeof countRows>>
beforeAll(async () => {
  count = await countRows()
})
afterAll(() => count.restore())

const app = {
  redirectUris: [redirectUri],
  firstParty: true,
  resources: { [audience]: true as const },
}

/** An isolate whose calls are counted, and what an app has heard. */
function world(objects: number, backchannelLogoutUri?: string) {
  const { ledger, calls } = countingLedger()
  const heard: string[] = []
  const answer = { status: 204 }
  const own = backchannelLogoutUri === undefined ? app : { ...app, backchannelLogoutUri }
  const one = isolate(
    objects,
    { LEDGER: ledger },
    {
      apps: { own, spa: app },
      fetch: async (_url: unknown, init?: { body?: unknown }) => {
        heard.push(String(init?.body))
        return new Response(null, answer)
      },
    },
  )
  /** Ledger calls, and rows with their index entries. */
  async function costOf(run: () => Promise<unknown>, settle: () => Promise<unknown>) {
    const before = [calls.length, count.written]
    await run()
    await settle()
    return [calls.length - (before[0] ?? 0), count.written - (before[1] ?? 0)] as const
  }
  return { one, heard, answer, costOf }
}

/** What a sign-out costs, of a person who is signed in at an app or not. */
async function signOut(objects: number, uri: string | undefined, client: 'own' | 'spa' | 'none') {
  const { one, heard, costOf } = world(objects, uri)
  const ada = await person(one)
  if (client !== 'none') {
    const code = await letIn(ada, { client_id: client, scope: 'openid' })
    expect((await one.exchange(code, { client_id: client })).status).toBe(200)
  }
  await ada.go('/auth/csrf')
  const cost = await costOf(
    () => ada.post('/auth/signout'),
    () => ada.settle(),
  )
  expect(one.of.errors).toEqual([])
  return { cost, heard }
}

test.each([1, 4])('in %i objects an end costs as much as the page says', async (objects) => {
  const uri = 'https://own.example.com/backchannel'
  const before = await signOut(objects, undefined, 'own')
  const more = async (client: 'own' | 'spa' | 'none') => {
    const { cost, heard } = await signOut(objects, uri, client)
    const [calls, rows] = cost
    return [calls - before.cost[0], rows - before.cost[1], heard.length]
  }
  expect(await more('none')).toEqual([2, 0, 0])
  expect(await more('spa')).toEqual([2, 0, 0])
  expect(await more('own')).toEqual([5, 5, 1])
  expect(before.heard).toEqual([])
})

test('an isolate that has ended leaves a note, which another one takes', async () => {
  const uri = 'https://own.example.com/backchannel'
  const first = world(4, uri)
  first.answer.status = 503
  const ada = await person(first.one)
  const code = await letIn(ada, { client_id: 'own', scope: 'openid' })
  await first.one.exchange(code, { client_id: 'own' })
  await ada.post('/auth/signout')
  await expect.poll(() => first.heard.length).toBeGreaterThan(0)
  // Other tests of this file leave no note, and the tries of the first one go on for a while.
  pass(30 * 60)
  const second = world(4, uri)
  const cost = await second.costOf(
    () => second.one.send('/.well-known/openid-configuration'),
    () => second.one.outsider.settle(),
  )
  expect(cost).toEqual([4, 5])
  expect(second.heard).toHaveLength(1)
  expect(second.heard[0]).toMatch(/^logout_token=ey/)
})
