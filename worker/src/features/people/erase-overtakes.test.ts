import { expect, it } from 'vitest'
import { AuthenticatorApp, keyOn } from '../../../../test/support/authenticator-app.js'
import { clock } from '../../../../test/support/clock.js'
import { moments } from '../../../../test/support/holds.js'
import { createAuth } from '../../index.js'
import { memoryStore } from '../../stores/memory.js'
import type { Stores } from '../../stores/ports.js'
import { type Browser, claimsIn, Browser as NewBrowser } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) + 990 })

type Method = (...args: unknown[]) => Promise<unknown>

/** A store before one call of which something else happens, in an instance of its own. */
function overtaken() {
  const stores = memoryStore()
  const keys = new Set<string>()
  let [left, calls, run] = [Number.POSITIVE_INFINITY, 0, async () => {}]
  const watched = <Part extends object>(part: Part): Part =>
    Object.fromEntries(
      Object.entries(part as Record<string, Method>).map(([name, method]) => [
        name,
        async (...args: unknown[]) => {
          if (name === 'changeDocument') keys.add(String(args[0]))
          calls++
          if (left-- === 0) {
            pass(2)
            await run()
            pass(2)
          }
          return method(...args)
        },
      ]),
    ) as Part
  const inner: Stores = { sessions: watched(stores.sessions), ledger: watched(stores.ledger) }
  return {
    inner,
    /** @returns does the call come after all? */
    async before(call: number, meanwhile: () => Promise<void>, act: () => Promise<unknown>) {
      ;[left, calls, run] = [call, 0, meanwhile]
      await act()
      left = Number.POSITIVE_INFINITY
      return calls > call
    },
    /** What the ledger says of a person. */
    async documents() {
      const all = [...keys].map(async (key) => [key, await stores.ledger.document(key)] as const)
      return (await Promise.all(all)).flatMap(([key, document]) =>
        typeof document?.content === 'string' ? [[key, document.content] as const] : [],
      )
    },
  }
}

type World = ReturnType<typeof people>

const STARTS: Readonly<
  Record<string, (world: World, ada: Browser) => Promise<() => Promise<unknown>>>
> = {
  async 'adds a first further way'(world, ada) {
    const start = await world.startAdding(ada, 'two')
    return () => world.comeBack(ada, 'two', start, 'ada')
  },
  async 'adds a third way'(world, ada) {
    await world.add(ada, 'email', 'ada@mail.example')
    const start = await world.startAdding(ada, 'two')
    return () => world.comeBack(ada, 'two', start, 'ada')
  },
  async 'sets a second factor up'(_, ada) {
    const page = await (await ada.get('/auth/factor/setup')).text()
    const code = new AuthenticatorApp(keyOn(page)).code()
    return () => ada.submit('/auth/factor/setup', { code })
  },
  async 'sets a second factor up before her session begins'(world) {
    const late = new NewBrowser({ ...world.config, secondFactor: () => true })
    await world.signIn('one', 'ada', late)
    const page = await (await late.get('/auth/factor/setup')).text()
    const code = new AuthenticatorApp(keyOn(page)).code()
    return () => late.submit('/auth/factor/setup', { code })
  },
}

it.each(Object.entries(STARTS))(
  'attack: an erasure overtakes its user, who %s, between any two calls: no list, description or token of theirs is left',
  async (name, begin) => {
    const { first, step } = moments(name)
    for (let at = first, isReached = true; isReached; at += step) {
      const { inner, before, documents } = overtaken()
      const world = people({}, { inner })
      const ada = await world.signIn('one', 'ada')
      const { sub } = claimsIn(ada)
      const act = await begin(world, ada)
      let isErased = false
      const erase = async () => {
        await createAuth(world.config).deletePerson(sub, {})
        isErased = true
      }
      isReached = await before(at, erase, act)
      if (!isErased) continue
      const left = (await documents()).filter((one) => `${one}`.includes(sub))
      // The document of her first way may be there again: it names its owner by its own name, and has nothing else.
      const own = [`way\n${sub}`, JSON.stringify({ owner: sub, first: true })]
      expect([at, left.filter((one) => `${one}` !== `${own}`)]).toEqual([at, []])
      expect(await ada.session()).toBeNull()
    }
  },
)
