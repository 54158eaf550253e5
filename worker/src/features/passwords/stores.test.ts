import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { moments } from '../../../../test/support/holds.js'
import {
  hasPostgres,
  hasRedis,
  startPostgres,
  startRedis,
} from '../../../../test/support/servers.js'
import { createAuth } from '../../index.js'
import { durableLedger } from '../../stores/durable-ledger.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import { portsOf } from '../../stores/ports-of.js'
import { postgresStore } from '../../stores/postgres.js'
import { redisStore } from '../../stores/redis.js'
import { sqliteStore } from '../../stores/sqlite.js'
import { type Browser, claimsIn, errorOf, setsSession } from '../../test-support/browser.js'
import { FakeLedgers } from '../../test-support/deployment.js'
import { fails } from '../../test-support/faulty.js'
import { Objects } from '../../test-support/resharding.js'
import { GOOD, OTHER, withPasswords } from '../../test-support/with-passwords.js'

const { pass } = clock({ start: 'now', waits: true })

const WRONG = '/auth/signin CredentialsSignin credentials'

/** A store, as each process of a service opens it. */
interface Place {
  open(): Stores
  /** What happens in it meanwhile. */
  step?(): Promise<unknown>
}

async function inFile(): Promise<Place> {
  const path = join(tmpdir(), `passwords-${crypto.randomUUID()}.db`)
  onTestFinished(async () => {
    for (const end of ['', '-wal', '-shm']) await rm(path + end, { force: true })
  })
  const open = () => {
    const store = sqliteStore(path)
    onTestFinished(() => store.close())
    return portsOf(store)
  }
  return { open }
}

async function atPostgres(): Promise<Place> {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const open = () => {
    const pool = new pg.Pool({ connectionString: server.url })
    pool.on('error', () => {})
    onTestFinished(() => pool.end())
    return portsOf(postgresStore(pool))
  }
  return { open }
}

async function atRedis(): Promise<Place> {
  const server = await startRedis()
  onTestFinished(() => server.stop())
  const open = () => {
    const client = new Redis(server.url)
    onTestFinished(() => client.disconnect())
    return portsOf(redisStore(client))
  }
  return { open }
}

async function inMemory(): Promise<Place> {
  const store = memoryStore()
  return { open: () => store }
}

/** Durable Objects of a number that does not change. */
function inObjects(count: number) {
  return async (): Promise<Place> => {
    const { binding } = new FakeLedgers()
    const { sessions } = memoryStore()
    return { open: () => ({ sessions, ledger: durableLedger(binding, [count]) }) as Stores }
  }
}

/** One object that becomes four, document by document. */
async function whileTheyBecomeMore(): Promise<Place> {
  const objects = new Objects()
  const { sessions } = memoryStore()
  await objects.reshard(1, 4)
  return {
    open: () => ({ sessions, ledger: objects.seen(1, 4) }) as Stores,
    step: () => objects.step(),
  }
}

const PLACES: readonly (readonly [name: string, isHere: boolean, () => Promise<Place>])[] = [
  ['memory', true, inMemory],
  ['a file of SQLite', true, inFile],
  ['Postgres', hasPostgres, atPostgres],
  ['Redis', hasRedis, atRedis],
  ['one Durable Object', true, inObjects(1)],
  ['four Durable Objects', true, inObjects(4)],
  ['Durable Objects that become four', true, whileTheyBecomeMore],
]

type World = ReturnType<typeof withPasswords>

/** Two processes of one service, and what is between them. */
function processesOf({ open, step = async () => {} }: Place) {
  const one = withPasswords({}, {}, { inner: open() })
  const other = withPasswords({}, {}, { inner: open(), mails: one.mails })
  const signsIn = async (world: World, email: string, text: string) => {
    await step()
    pass(60)
    return setsSession(await world.signInBy(world.browser(), email, text))
  }
  return { one, other, step, signsIn }
}

async function idOf(world: World, browser: Browser, name: RegExp): Promise<string> {
  return (await world.ways(browser)).find((way) => name.test(way.name ?? ''))?.id ?? ''
}

for (const [name, isHere, make] of PLACES) {
  describe.skipIf(!isHere)(`with the ledger in ${name}`, () => {
    it('a password that one process sets, changes or removes counts in the other one', async () => {
      const { one, other, step, signsIn } = processesOf(await make())
      const email = 'ada@mail.example'
      const ada = await one.signedUp(email)
      await step()
      expect(await signsIn(other, email, GOOD)).toBe(true)
      pass(2)
      const phone = other.browser()
      await other.signInBy(phone, email, GOOD)
      pass(2)
      expect(errorOf(await one.set(ada, OTHER, { current: GOOD }))).toBe('/auth/account')
      await step()
      expect(await phone.session()).toBeNull()
      expect([await signsIn(other, email, GOOD), await signsIn(other, email, OTHER)]).toEqual([
        false,
        true,
      ])
      await ada.submit('/auth/password/remove', { current: OTHER })
      expect(await signsIn(other, email, OTHER)).toBe(false)
      expect(one.events.map((event) => (event as { change?: string }).change)).toEqual([
        'set',
        'changed',
        'removed',
      ])
    }, 60_000)

    it('each address of a person has their one password, which goes with the last of them', async () => {
      const { one, other, step, signsIn } = processesOf(await make())
      const [home, work] = ['grace@mail.example', 'grace@work.example']
      const grace = await one.signIn('one', 'grace')
      await one.add(grace, 'email', home)
      await step()
      await one.add(grace, 'email', work)
      await one.set(grace, GOOD)
      for (const email of [home, work]) expect(await signsIn(other, email, GOOD)).toBe(true)
      for (const part of [/@work/, /@mail/]) {
        await one.signIn('one', 'grace', grace)
        await one.remove(grace, await idOf(one, grace, part))
        await step()
      }
      for (const email of [home, work]) expect(await signsIn(other, email, GOOD)).toBe(false)
      // The address is now another person's.
      await other.signedUp(work, OTHER)
      expect([await signsIn(one, work, GOOD), await signsIn(one, work, OTHER)]).toEqual([
        false,
        true,
      ])
    }, 60_000)

    it('a block, an operator’s removal and an erasure count in every process', async () => {
      const { one, other, step, signsIn } = processesOf(await make())
      const email = 'mary@mail.example'
      const mary = await one.signedUp(email)
      const { sub } = claimsIn(mary)
      const auth = createAuth(other.config)
      await auth.blockPerson({ sub }, {})
      await step()
      pass(60)
      expect(errorOf(await one.signInBy(one.browser(), email, GOOD))).toBe(
        '/auth/error AccessDenied blocked',
      )
      expect(errorOf(await one.signInBy(one.browser(), email, OTHER))).toBe(WRONG)
      await auth.unblockPerson(sub, {})
      expect(await signsIn(one, email, GOOD)).toBe(true)
      await auth.removePassword(sub, {})
      expect(await signsIn(one, email, GOOD)).toBe(false)
      pass(60)
      await one.signedUp(email)
      await auth.deletePerson(sub, {})
      await step()
      pass(60)
      expect(await signsIn(one, email, GOOD)).toBe(false)
      await one.byMail(email)
      expect(await signsIn(other, email, GOOD)).toBe(false)
    }, 60_000)

    it.each(['set', 'change', 'remove'] as const)(
      'attack: a fault at a call of a %s leaves the password before or the new one, never both, and the answer is true',
      async (kind) => {
        const { one: world, signsIn, step } = processesOf(await make())
        const { first, step: stride } = moments(`${name} ${kind}`)
        const { ledger } = world.inner
        for (const when of ['before', 'after'] as const) {
          for (let at = first, isOver = false; !isOver; at += stride) {
            const email = `${kind}-${when}-${at}@mail.example`
            const ada =
              kind === 'set' ? await world.signIn('email', email) : await world.signedUp(email)
            pass(5)
            const thief = world.browser()
            if (kind === 'change') await world.signInBy(thief, email, GOOD)
            const csrfToken = await ada.csrfToken()
            pass(30)
            let calls = 0
            for (const method of Object.keys(ledger) as (keyof Ledger)[]) {
              world.faults.set(method, async (...args) => {
                const isNow = calls++ === at
                if (isNow && when === 'before') return fails()
                const run = ledger[method] as (...args: unknown[]) => Promise<unknown>
                const told = await run(...args)
                return isNow ? fails() : told
              })
            }
            const fields = { csrfToken, ...(kind === 'set' ? {} : { current: GOOD }) }
            const answer =
              kind === 'remove'
                ? await ada.post('/auth/password/remove', fields)
                : await ada.post('/auth/password/set', { ...fields, password: OTHER })
            isOver = calls <= at
            world.faults.clear()
            await step()
            const old = kind !== 'set' && (await signsIn(world, email, GOOD))
            const fresh = kind !== 'remove' && (await signsIn(world, email, OTHER))
            const isDone = answer.status === 302 && errorOf(answer) === '/auth/account'
            const seen = { at, when, both: old && fresh, isLost: isDone && old }
            expect(seen).toEqual({ at, when, both: false, isLost: false })
            if (kind === 'change') expect([at, old || fresh]).toEqual([at, true])
            if (isDone && kind !== 'remove') expect([at, fresh]).toEqual([at, true])
            if (isDone && kind === 'change') {
              expect([at, await thief.session()]).toEqual([at, null])
            }
          }
        }
      },
      180_000,
    )
  })
}
