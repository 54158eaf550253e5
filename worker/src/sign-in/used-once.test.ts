import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { createAuth } from '../index.js'
import { durableLedger } from '../stores/durable-ledger.js'
import { memoryStore } from '../stores/memory.js'
import {
  Browser,
  configWith,
  copyOf,
  errorOf,
  fakeProvider,
  goodTokens,
  setsSession,
} from '../test-support/browser.js'
import { FakeLedgers } from '../test-support/deployment.js'
import type { OAuthConfig } from '../types.js'

clock()

const again = '/auth/signin InvalidCheck'
const refused = '/auth/signin OAuthCallbackError'

/** A provider that may be held up, or refuse; and processes with one store. */
function several({ token = (): unknown => goodTokens, shards = 1 } = {}) {
  let asked = 0
  const provider: OAuthConfig = fakeProvider({
    token: () => {
      asked++
      return token()
    },
  })
  const ledger = durableLedger(new FakeLedgers().binding, [shards])
  const errors: Error[] = []
  const logger = { error: (error: Error) => void errors.push(error) }
  const store = { ...memoryStore(), ledger }
  const config = configWith({ providers: [provider], store, logger })
  const process = () => {
    const [auth, env] = [createAuth(config), {}]
    return { answer: (request: Request) => auth.fetch(request, env) }
  }
  const here = process()
  const started = async () => {
    const browser = new Browser(config, here)
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    const path = `/auth/callback/fake?${new URLSearchParams({ code: 'the-code', state })}`
    /** A browser with the same cookies. */
    const at = (where = here) => copyOf(browser, config, where)
    return { path, at }
  }
  return { started, process, errors, asked: () => asked }
}

const invalidGrant = () => Response.json({ error: 'invalid_grant' }, { status: 400 })

describe('a flow that is brought back twice to one process', () => {
  it('while the first answer is at the provider: the second one does not get there', async () => {
    let goOn = () => {}
    const held = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const { started, asked } = several({ token: () => held.then(() => goodTokens) })
    const { path, at } = await started()
    const first = at().get(path)
    await expect.poll(asked).toBe(1)
    expect(errorOf(await at().get(path))).toBe(again)
    goOn()
    expect(errorOf(await first)).toBe('/inbox')
    expect(errorOf(await at().get(path))).toBe(again)
    expect(asked()).toBe(1)
  })

  it('is used up also if the provider refused the first answer', async () => {
    const { started, asked } = several({ token: invalidGrant })
    const { path, at } = await started()
    expect(errorOf(await at().get(path))).toBe(refused)
    expect(errorOf(await at().get(path))).toBe(again)
    expect(asked()).toBe(1)
  })
})

describe('a flow that is brought back to several processes', () => {
  it.each([1, 4])(
    'signs in once, even if the provider takes a code again and again, with %i objects',
    async (shards) => {
      const { started, process } = several({ shards })
      const { path, at } = await started()
      const places = Array.from({ length: 12 }, process)
      const answers = await Promise.all(places.map((where) => at(where).get(path)))
      expect(answers.filter(setsSession)).toHaveLength(1)
      expect(answers.map(errorOf).filter((end) => end === again)).toHaveLength(11)
    },
  )

  it.each([1, 4, 64])(
    'if the provider takes a code once, as it must, the others learn that it was finished, with %i objects',
    async (shards) => {
      let count = 0
      const { started, process, errors } = several({
        shards,
        token: () => (count++ === 0 ? goodTokens : invalidGrant()),
      })
      const { path, at } = await started()
      expect(errorOf(await at().get(path))).toBe('/inbox')
      expect(errorOf(await at(process()).get(path))).toBe(again)
      expect(errors.map(({ message }) => message)).toEqual(['The sign-in was finished before.'])
    },
  )

  it('at a strict provider, which ends the tokens of the first answer, leaves its session, and the next sign-in has tokens that last', async () => {
    const ended: string[] = []
    let count = 0
    // It takes a code once, and ends what it gave for one that is sent again (RFC 6749, section 4.1.2).
    const answers = [
      () => ({ ...goodTokens, access_token: 'first' }),
      () => {
        ended.push('first')
        return invalidGrant()
      },
      () => ({ ...goodTokens, access_token: 'next' }),
    ]
    const { started, process } = several({ token: () => answers[count++]?.() })
    const { path, at } = await started()
    const browser = at()
    expect(errorOf(await browser.get(path))).toBe('/inbox')
    expect(errorOf(await at(process()).get(path))).toBe(again)
    expect(ended).toEqual(['first'])
    expect(await browser.session()).not.toBeNull()
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    const next = `/auth/callback/fake?${new URLSearchParams({ code: 'next-code', state })}`
    expect(errorOf(await browser.get(next))).toBe('/inbox')
    expect([await browser.session(), ended, count]).toEqual([expect.anything(), ['first'], 3])
  })

  it('one that failed in one process is not begun again in another', async () => {
    let count = 0
    const { started, process } = several({
      token: () => (count++ === 0 ? invalidGrant() : goodTokens),
    })
    const { path, at } = await started()
    expect(errorOf(await at().get(path))).toBe(refused)
    expect(errorOf(await at(process()).get(path))).toBe(again)
  })

  it('one with a person who could not be read does too', async () => {
    let isNobody = true
    const fetched = fakeProvider({ userinfo: () => (isNobody ? { name: 'x' } : { sub: 'ada' }) })
    const config = configWith({ providers: [fetched] })
    const [one, other] = [createAuth(config), createAuth(config)]
    const envs = [{}, {}]
    const browser = new Browser(config, { answer: (request) => one.fetch(request, envs[0]) })
    const state = (await browser.start('fake')).searchParams.get('state') ?? ''
    const path = `/auth/callback/fake?${new URLSearchParams({ code: 'the-code', state })}`
    const there = copyOf(browser, config, { answer: (request) => other.fetch(request, envs[1]) })
    expect(errorOf(await browser.get(path))).toBe(refused)
    isNobody = false
    expect(errorOf(await there.get(path))).toBe(again)
  })
})
