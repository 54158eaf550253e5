import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { AuthenticatorApp } from '../support/authenticator-app.ts'
import { Browser, isSignedIn, locationOf } from './browser.ts'
import type { Deployed } from './deployed.ts'
import { makePasskey, signInBy } from './kept-passkey.ts'
import { IMPORTED, type PeopleState, signInWith, waysOf } from './people-story.ts'
import { BOTH_SECRETS, clockAt, DAY, HOUR, type LedgerName, MINUTE, SHARDS } from './story.ts'

type Account = readonly [provider: string, account: string]

const BOTH = ['early', 'late'] as const

/**
 * The promises to people when one version takes over the state of another: every way to sign in
 * signs in as its person, removed and erased things stay away, and a used value is not used again.
 *
 * @param begin the Worker that takes over, on the state that it is given
 */
export function peopleCarryOn(
  ledger: LedgerName,
  begin: () => Promise<{ worker: Deployed; state: PeopleState }>,
  { isRollBack = false }: { readonly isRollBack?: boolean } = {},
): void {
  let worker: Deployed
  let state: PeopleState
  let shards: string = SHARDS[ledger].after

  beforeAll(async () => {
    ;({ worker, state } = await begin())
  })
  afterAll(() => worker?.stop())

  /** A time in seconds after the upgrade, in an isolate of the test's own. */
  const at = (later = 0, env: Record<string, string> = {}) => {
    const ISOLATE = encodeURIComponent(expect.getState().currentTestName ?? '')
    return {
      now: clockAt(later),
      env: { ...BOTH_SECRETS, AUTH_LEDGER_SHARDS: shards, ISOLATE, ...env },
    }
  }
  const browserOf = (name: string) => {
    const cookies = state.browsers[name]
    if (!cookies) throw new Error(`The cookies of "${name}" are missing.`)
    return new Browser(worker, cookies)
  }
  const passkeyOf = (name: string) => {
    const passkey = state.passkeys[name]
    if (!passkey) throw new Error(`The passkey of "${name}" is missing.`)
    return passkey
  }
  const signIn = async (account: Account, later = 0) => {
    const browser = new Browser(worker)
    const answer = await signInWith(worker, browser, account, at(later))
    return { browser, answer }
  }
  /** The person that an account signs in as. */
  const personBy = async (account: Account, later = 0) => {
    const { browser, answer } = await signIn(account, later)
    expect([account, locationOf(answer).pathname]).toEqual([account, '/inbox'])
    return browser.claims.sub
  }
  const providersOf = async (browser: Browser, later = 0) =>
    (await waysOf(browser, at(later))).map(({ provider }) => provider).sort()
  const tokenOf = async (name: string, later = 0) => {
    const whose = new URLSearchParams({ sub: state.subs[name] ?? '', provider: 'other' })
    return (await worker.ask(`/test/token-of?${whose}`, at(later))).json()
  }

  /** The promises that hold whatever else happens, at any time. */
  async function everybodyIsThemselves(later = 0): Promise<void> {
    for (const when of BOTH) {
      const of = (name: string) => `${when}-${name}`
      const sub = (name: string) => state.subs[of(name)]
      const by = (provider: string, name: string) => personBy([provider, of(name)], later)
      for (const provider of ['plain', 'other']) {
        expect(await by(provider, 'wanda')).toBe(sub('wanda'))
        expect(await by(provider, 'cora')).toBe(sub('cora'))
      }
      const address = `${of('wanda')}@mail.example`
      expect(await personBy(['email', address], later)).toBe(sub('wanda'))
      expect(await by('owned', 'sofia')).toBe(`app-${of('sofia')}`)
      expect(await by('plain', 'remo')).toBe(sub('remo'))
      expect(await by('plain', 'petra')).toBe(sub('petra'))
      expect(await by('other', 'fiona')).toBe(sub('fiona'))
      for (const [provider, name] of [
        ['plain', 'mia'],
        ['other', 'taken'],
        ['owned', 'taken'],
      ] as const) {
        expect(await by(provider, name)).toBe(sub('mia'))
      }
      for (const name of [of('pia'), of('paul')]) {
        const browser = new Browser(worker)
        expect(await signInBy(browser, passkeyOf(name), at(later))).toMatchObject({ status: 200 })
        expect(browser.claims.sub).toBe(state.subs[name])
      }
    }
    for (const [sub, provider, account] of IMPORTED) {
      expect(await personBy([provider, account], later)).toBe(sub)
    }
  }

  /** Everything that was removed or erased stays so at any time. */
  async function whatIsGoneStaysGone(later = 0): Promise<void> {
    for (const when of BOTH) {
      const of = (name: string) => `${when}-${name}`
      expect(await personBy(['other', of('remo')], later)).not.toBe(state.subs[of('remo')])
      expect(isSignedIn((await signIn(['plain', of('fiona')], later)).answer)).toBe(false)
      const erased = await signIn(['plain', of('erik')], later)
      expect(await providersOf(erased.browser, later)).toEqual(['plain'])
      expect(await personBy(['other', of('erik')], later)).not.toBe(state.subs[of('erik')])
      for (const name of [of('petra'), of('erik')]) {
        const told = await signInBy(new Browser(worker), passkeyOf(name), at(later))
        expect(told).toEqual({ status: 401, error: 'unknown_passkey' })
      }
    }
    expect(await personBy(['other', 'rita'], later)).not.toBe(state.subs.rita)
    expect(await providersOf((await signIn(['plain', 'rita'], later)).browser, later)).toEqual([
      'plain',
    ])
    expect(await providersOf((await signIn(['plain', 'emil'], later)).browser, later)).toEqual([
      'plain',
    ])
    expect(await personBy(['other', 'emil'], later)).not.toBe(state.subs.emil)
  }

  test('each way, passkey and imported account signs in as its person', () =>
    everybodyIsThemselves())

  test('removed ways, removed passkeys and erased people stay so', () => whatIsGoneStaysGone())

  test.each(BOTH)('sessions go on, and lists show the ways that people have: %s', async (when) => {
    for (const [name, ways] of Object.entries({
      wanda: ['email', 'other', 'plain'],
      remo: ['plain'],
      fiona: ['other'],
      mia: ['other', 'owned', 'plain'],
      paul: ['passkey', 'plain'],
      petra: ['plain'],
      pia: ['passkey'],
      frieda: ['other', 'plain'],
    })) {
      const browser = browserOf(`${when}-${name}`)
      expect((await browser.session(at()))?.user.id).toBe(state.subs[`${when}-${name}`])
      expect([name, await providersOf(browser)]).toEqual([name, ways])
    }
  })

  test('sessions of erased people, and of merged people, stay over', async () => {
    for (const name of ['early-erik', 'late-erik', 'emil', 'early-taken', 'late-taken']) {
      for (const later of [0, 10 * MINUTE]) {
        expect(await browserOf(`${name} before`).session(at(later))).toBeNull()
      }
    }
  })

  test('people add ways and passkeys, and remove them', async () => {
    for (const when of BOTH) {
      const name = `${when}-paul`
      const { browser } = await signIn(['plain', name], MINUTE)
      expect(isSignedIn(await browser.add('other', name, at(MINUTE)))).toBe(true)
      const { passkey, status } = await makePasskey(browser, 'add', at(MINUTE))
      expect(status).toBe(200)
      const known = new Browser(worker)
      await signInBy(known, passkey, at(MINUTE))
      expect(known.claims.sub).toBe(state.subs[name])
      const ways = await waysOf(browser, at(MINUTE))
      expect(ways).toHaveLength(4)
      const added = [...ways.filter(({ provider }) => provider === 'passkey').slice(1)]
      for (const { id } of [...added, ...ways.filter(({ provider }) => provider === 'other')]) {
        await browser.post('/auth/ways/remove', { way: id }, at(MINUTE))
      }
      expect(await providersOf(browser, MINUTE)).toEqual(['passkey', 'plain'])
      expect(await personBy(['other', name], 2 * MINUTE)).not.toBe(state.subs[name])
    }
  })

  describe('second factors', () => {
    test('are asked for with every way, and each of their codes works once', async () => {
      for (const name of ['early-fritz', 'late-fritz']) {
        const { key, codes } = state.factors[name] ?? { key: '', codes: [] }
        const app = new AuthenticatorApp(key)
        const enter = async (code: string, later: number) => {
          const { browser, answer } = await signIn(['credentials', name], later)
          expect(locationOf(answer).pathname).toBe('/auth/factor')
          return isSignedIn(await browser.post('/auth/factor', { code }, at(later)))
        }
        // Both were used before.
        expect(await enter(codes[0] ?? '', 0)).toBe(false)
        expect(await enter(app.code(0, clockAt(-15 * MINUTE)), 0)).toBe(false)
        expect(await enter(codes[1] ?? '', 0)).toBe(true)
        expect(await enter(codes[1] ?? '', 0)).toBe(false)
        expect(await enter(app.code(0, clockAt(HOUR)), HOUR)).toBe(true)
        expect(await enter(app.code(0, clockAt(HOUR)), HOUR)).toBe(false)
      }
      for (const when of BOTH) {
        for (const provider of ['plain', 'other']) {
          const { answer } = await signIn([provider, `${when}-frieda`])
          expect(locationOf(answer).pathname).toBe('/auth/factor')
        }
        expect(await personBy(['credentials', `${when}-fred`])).toBe(state.subs[`${when}-fred`])
      }
    })

    test('a sign-in that waited for its code is finished, once', async () => {
      for (const when of BOTH) {
        const { codes = [] } = state.factors[`${when}-fritz`] ?? {}
        const [browser, copy] = [browserOf(`${when}-waiting`), browserOf(`${when}-waiting`)]
        const enter = (by: Browser, code = '') => by.post('/auth/factor', { code }, at())
        const answer = await enter(browser, codes[2])
        // An older version does not find a document that waits under the new name, and the person
        // begins again.
        expect(isSignedIn(answer)).toBe(!isRollBack)
        if (!isRollBack) expect(browser.claims.sub).toBe(state.subs[`${when}-fritz`])
        await enter(copy, codes[3])
        expect(await copy.session(at())).toBeNull()
      }
    })
  })

  test('connections give tokens and refresh them, and one that was ended stays so', async () => {
    for (const when of BOTH) {
      const access = (count: number) => ({ ok: true, accessToken: `access.${when}-cora.${count}` })
      expect(await tokenOf(`${when}-wanda`)).toMatchObject({ ok: true })
      expect(await tokenOf(`${when}-cora`, 30 * MINUTE)).toMatchObject(access(1))
      expect(await tokenOf(`${when}-cora`, 2 * HOUR)).toMatchObject(access(2))
      expect(await tokenOf(`${when}-dora`)).toEqual({ ok: false, reason: 'no-token' })
      for (const name of ['erik', 'remo']) {
        expect(await tokenOf(`${when}-${name}`)).toMatchObject({ ok: false })
      }
    }
  })

  test('accounts that are imported once more are known', async () => {
    const body = JSON.stringify({ accounts: IMPORTED })
    const until = { AUTH_IMPORT_UNTIL: new Date(clockAt(DAY)).toISOString() }
    const answer = await worker.ask('/test/import', { ...at(0, until), method: 'POST', body })
    expect(await answer.json()).toEqual({ added: 0, known: IMPORTED.length, left: [] })
  })

  test('used old cookies stay used, the others move in once, and sessions that moved in go on', async () => {
    for (const later of [0, 2 * HOUR, 20 * DAY]) {
      for (const cookies of state.old.used) {
        expect(await new Browser(worker, cookies).session(at(later))).toBeNull()
      }
    }
    for (const cookies of state.old.unused) {
      const names = [cookies, cookies].map((one) => new Browser(worker, one))
      const [first, again] = names as [Browser, Browser]
      expect((await first.session(at()))?.user.id).toMatch(/^(?:authjs|better)-unused$/)
      expect(await again.session(at())).toBeNull()
      expect(await first.session(at(6 * MINUTE))).not.toBeNull()
    }
    for (const index of state.old.used.keys()) {
      const seen = await browserOf(`moved ${index}`).session(at(6 * MINUTE))
      expect(seen?.user.id).toMatch(/^(?:authjs|better)-(?:early|late)$/)
    }
  })

  test('all of that holds after rows are swept, and with the new number of objects alone, and a user can add a removed way again', async () => {
    // Old objects hand over in steps. If none does, the first sweep and the last one do it all.
    const isHandover = shards.includes(',')
    for (let step = 0; step < 40; step += isHandover ? 1 : 39) {
      await everyIsolateTells(HOUR + step * MINUTE)
      await worker.sweep(shards, clockAt(HOUR + step * MINUTE))
    }
    await everybodyIsThemselves(2 * HOUR)
    await whatIsGoneStaysGone(2 * HOUR)
    if (isHandover) {
      shards = shards.split(',').at(-1) ?? ''
      await everybodyIsThemselves(3 * HOUR)
      await whatIsGoneStaysGone(3 * HOUR)
    }
    for (const name of ['early-remo', 'late-remo']) {
      // It has signed in as itself meanwhile, and has an owner as long as one of its sessions goes on.
      const { browser: apart } = await signIn(['other', name], 3 * HOUR)
      await apart.post('/auth/sessions/revoke', { session: 'all' }, at(3 * HOUR + MINUTE))
      const later = 3 * HOUR + 2 * MINUTE
      const { browser } = await signIn(['plain', name], later)
      expect(isSignedIn(await browser.add('other', name, at(later)))).toBe(true)
      expect(await personBy(['other', name], later)).toBe(state.subs[name])
    }
  })

  async function everyIsolateTells(later: number): Promise<void> {
    await browserOf('early-wanda').session(at(later))
  }
}
