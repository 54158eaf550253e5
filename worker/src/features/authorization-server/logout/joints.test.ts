import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { durableLedger } from '../../../stores/durable-ledger.js'
import { drawSid } from '../../../stores/ledger/placement.js'
import { memoryStore } from '../../../stores/memory.js'
import { sqliteStore } from '../../../stores/sqlite.js'
import { type Browser, claimsIn, copyOf, locationOf } from '../../../test-support/browser.js'
import { FakeLedgers } from '../../../test-support/deployment.js'
import { logoutWorld } from '../../../test-support/logout-world.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10), waits: true })

type World = Awaited<ReturnType<typeof logoutWorld>>
type Method = (...args: readonly unknown[]) => Promise<unknown>

const down = new Error('The store is down.')

/** From the nth call of the ledger on nothing is answered: the isolate has ended, before that call or after it. */
function endAt({ faults, inner }: World, nth: number, isDone: boolean) {
  const ledger = inner.ledger as unknown as Readonly<Record<string, Method>>
  const told = { calls: 0 }
  for (const name of Object.keys(ledger)) {
    faults.set(name as never, async (...args) => {
      const at = ++told.calls
      if (at > nth) throw down
      const answer = await ledger[name]?.(...args)
      if (at === nth && isDone) throw down
      return answer
    })
  }
  return told
}

/** A minute later another isolate has requests, again and again. */
async function goOn(world: World) {
  const next = world.process(world.inner)
  for (let times = 0; times < 3; times++) {
    pass(62)
    await next.nobody().get('/auth/oauth/jwks.json')
    await next.settle()
  }
  return next
}

const ENDINGS: readonly [string, (one: Browser, world: World) => Promise<unknown>][] = [
  ['a sign-out', (one) => one.submit('/auth/signout')],
  ['a sign-out everywhere', (one) => one.submit('/auth/sessions/revoke', { session: 'all' })],
  [
    'an erasure',
    (one, { auth, context }) => auth.deletePerson(claimsIn(one).sub, {}, context).catch(() => {}),
  ],
]

describe.each(ENDINGS)('an isolate that ends between any two steps of %s', (_, end) => {
  it.each([
    ['before', false],
    ['after', true],
  ])(
    '%s a call of the ledger: whatever has ended the app hears, and nothing else',
    async (_when, isDone) => {
      let ended = 0
      for (let nth = 1; ; nth++) {
        const world = await logoutWorld({ isHere: true })
        const [ada, other] = [await world.signIn('ada'), await world.signIn('ada')]
        const [sid, second] = [await world.enterOwn(ada), await world.enterOwn(other)]
        const claims = [claimsIn(ada), claimsIn(other)]
        // Its form is there.
        await ada.csrfToken()
        const told = endAt(world, nth, isDone)
        await end(ada, world)
        await world.settle()
        world.faults.clear()
        const isWhole = told.calls < nth
        await goOn(world)
        const { ledger } = world.inner
        for (const { sid: one, sub, auth_time, pid } of claims) {
          const isOver = await ledger.isRevoked(one, { sub, auth_time, ...(pid ? { pid } : {}) })
          expect([nth, one, world.app.sessions.has(one)]).toEqual([nth, one, !isOver])
          if (isOver) ended++
        }
        expect([nth, await world.rows()]).toEqual([nth, []])
        expect([sid, second]).toEqual(claims.map((one) => one.sid))
        if (!isWhole) continue
        // It has a list, a note, the end, a list, and the work after the answer.
        expect(nth).toBeGreaterThan(5)
        break
      }
      expect(ended).toBeGreaterThan(1)
    },
  )
})

describe('a fault of the ledger', () => {
  it('in the note leaves the person signed in, and they try again', async () => {
    const world = await logoutWorld({ isHere: true })
    const ada = await world.signIn('ada')
    await world.enterOwn(ada)
    world.faults.set('liveDocument', async () => {
      throw down
    })
    const answer = await ada.submit('/auth/signout')
    expect([answer.status, locationOf(answer)].join(' ')).toMatch(/503|error=/)
    world.faults.clear()
    expect(await ada.session()).not.toBeNull()
    await ada.submit('/auth/signout')
    await world.settle()
    expect(world.app.sessions.size).toBe(0)
  })

  it('in the end itself: no app hears of a session that goes on', async () => {
    const world = await logoutWorld({ isHere: true })
    const ada = await world.signIn('ada')
    await world.enterOwn(ada)
    world.faults.set('revoke', async () => {
      throw down
    })
    await ada.submit('/auth/signout')
    world.faults.clear()
    expect(await world.rows()).toHaveLength(1)
    await goOn(world)
    expect(world.app.heard).toEqual([])
    expect(world.app.sessions.size).toBe(1)
    expect(await world.rows()).toEqual([])
    expect(await ada.session()).not.toBeNull()
  })

  it('after the end is told to the person, who ends it once more', async () => {
    const world = await logoutWorld({ isHere: true })
    const ada = await world.signIn('ada')
    await world.enterOwn(ada)
    const stolen = copyOf(ada, world.config)
    let lists = 0
    world.faults.set('documentsOf', async (...args) => {
      if (++lists === 2) throw down
      return (world.inner.ledger.documentsOf as Method)(...args)
    })
    await ada.submit('/auth/signout')
    world.faults.clear()
    await ada.submit('/auth/signout')
    await world.settle()
    expect(world.app.sessions.size).toBe(0)
    pass(301)
    expect(await stolen.session()).toBeNull()
  })
})

it('attack: a code is exchanged between the list and the end: the app hears of that session too', async () => {
  const world = await logoutWorld({ isHere: true })
  const ada = await world.signIn('ada')
  const own = { client_id: 'own', redirect_uri: 'https://own.example/cb', scope: 'openid' }
  const { code } = await world.letIn(ada, own)
  world.faults.set('revoke', async (...args) => {
    world.faults.delete('revoke')
    const tokens = await world.exchange(code, { client_id: 'own' })
    await world.app.begin(tokens.id_token)
    return (world.inner.ledger.revoke as Method)(...args)
  })
  await ada.submit('/auth/signout')
  await world.settle()
  expect(world.app.heard).toHaveLength(1)
  expect(world.app.sessions.size).toBe(0)
})

it('two processes over one file: the second one goes on after the first one has ended', async () => {
  const path = join(tmpdir(), `logout-${crypto.randomUUID()}.db`)
  onTestFinished(() => {
    for (const end of ['', '-wal', '-shm']) rmSync(path + end, { force: true })
  })
  const [one, two] = [sqliteStore(path), sqliteStore(path)]
  onTestFinished(() => Promise.all([one.close(), two.close()]).then(() => {}))
  const world = await logoutWorld({ inner: one as never, isHere: true })
  const ada = await world.signIn('ada')
  await world.enterOwn(ada)
  world.app.status = 503
  await ada.submit('/auth/signout')
  await expect.poll(async () => (await world.rows())[0]?.version).toBe(2)
  world.app.status = undefined
  pass(62)
  const next = world.process(two as never)
  await next.nobody().get('/auth/oauth/jwks.json')
  await next.settle()
  expect(world.app.sessions.size).toBe(0)
  expect(await world.rows()).toEqual([])
})

describe.each([[[1]], [[4]], [[1, 4]]])('with a ledger of %j objects', (layouts) => {
  it('an app hears of every end, and no row stays', async () => {
    const ledgers = new FakeLedgers()
    const inner = {
      sessions: memoryStore().sessions,
      ledger: durableLedger(ledgers.binding, layouts),
      drawSid: (sub: string) => drawSid(layouts, sub),
    }
    const world = await logoutWorld({ inner, isHere: true })
    for (const name of ['ada', 'grace', 'hedy', 'mary']) {
      const [one, two] = [await world.signIn(name), await world.signIn(name)]
      await world.enterOwn(one)
      await world.enterOwn(two)
      await one.submit('/auth/signout')
      await world.settle()
      expect([...world.app.sessions.keys()]).toEqual([claimsIn(two).sid])
      await two.submit('/auth/sessions/revoke', { session: 'all' })
      await world.settle()
      expect(world.app.sessions.size).toBe(0)
    }
    expect((await world.rows()).filter(({ content }) => content !== null)).toEqual([])
  })
})
