import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import type { AnyMethod } from '../../stores/ledger/methods.js'
import type { Ledger } from '../../stores/ledger/rules.js'
import { claimsIn, errorOf } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { people } from '../../test-support/people.js'
import { readableStores } from '../../test-support/readable-stores.js'
import type { AuthConfig } from '../../types.js'

/** Shortly before the end of a second, for which an ending waits. */
const start = Date.UTC(2026, 10, 1) + 990
const { pass } = clock({ start, waits: true })

const ADDRESS = 'ada@example.com'

/** People with readable storage. */
function world(changes: Partial<AuthConfig> = {}) {
  const { inner: uncounted, kv, stored } = readableStores()
  /** Calls of KV and the ledger, of which a request to a Worker has a number. */
  const calls = { left: Number.POSITIVE_INFINITY }
  const spend = async () => {
    if (calls.left-- <= 0) throw new Error('Too many subrequests.')
  }
  for (const method of ['get', 'put', 'delete', 'list']) kv.before.set(method, spend)
  const methods = Object.entries(uncounted.ledger).map(
    ([name, method]) =>
      [name, (...given: never[]) => spend().then(() => (method as AnyMethod)(...given))] as const,
  )
  const ledger = Object.fromEntries(methods) as unknown as Ledger
  const made = people(changes, { inner: { ...uncounted, ledger } })
  /** Ada with three ways, and one that she has removed; Grace with two. */
  async function settle() {
    const ada = await made.signIn('one', 'ada-at-one')
    const grace = await made.signIn('one', 'grace-at-one')
    for (const [who, provider, account] of [
      [ada, 'two', 'ada-at-two'],
      [ada, 'email', ADDRESS],
      [ada, 'two', 'removed-at-two'],
      [grace, 'two', 'grace-at-two'],
    ] as const) {
      // KV takes one write of a record in a second.
      pass(2)
      await made.add(who, provider, account)
    }
    const ways = await made.ways(ada)
    await made.remove(ada, ways.find(({ name }) => name?.startsWith('removed'))?.id ?? '')
    pass(120)
    return { ada, grace, sub: claimsIn(ada).sub }
  }
  /** Records of so many more sessions of a person. */
  async function fill(sub: string, count: number) {
    const [key = ''] = kv.keys.filter((name) => name.startsWith(`session:${sub}:`))
    const { sid, ...record } = JSON.parse(kv.value(key) ?? '{}')
    const KV = kv.at('here')
    for (let at = 0; at < count; at++) {
      const more = JSON.stringify({ ...record, sid: `${sid}-${at}` })
      await KV.put(`${key}-${at}`, more, { expirationTtl: 86_400 })
    }
    pass(61)
  }
  return { ...made, kv, stored, settle, fill, subrequests: calls, auth: createAuth(made.config) }
}

describe('deletePerson of a person with several ways', () => {
  it.each([undefined, 'refuse'] as const)(
    'leaves nothing that names them or their ways, unlinked: %j',
    async (unlinked) => {
      const { auth, settle, stored, ways } = world({ ways: unlinked ? { unlinked } : {} })
      const { grace, sub } = await settle()
      expect(stored()).toContain(sub)
      await auth.deletePerson(sub)
      expect(stored()).not.toContain(sub)
      expect(stored()).not.toMatch(/ada@|ada-at-|removed-at-/)
      expect(await ways(grace)).toHaveLength(2)
    },
  )

  it.each([50, 150, 1_000])(
    'with 300 sessions goes on with each call, if a request has %i calls',
    async (most) => {
      const { auth, fill, settle, kv, stored, subrequests } = world()
      const { sub } = await settle()
      await fill(sub, 300)
      const left = () => kv.keys.filter((name) => name.startsWith(`session:${sub}:`)).length
      for (let before = left(); ; before = left()) {
        subrequests.left = most
        const fault = await auth.deletePerson(sub).catch((error: Error) => error)
        subrequests.left = Number.POSITIVE_INFINITY
        pass(61)
        if (!fault) break
        expect(fault.name).toBe('StoreUnavailable')
        expect(left() === 0 || left() < before).toBe(true)
      }
      expect(stored()).not.toContain(sub)
    },
  )

  it('with 19 ways goes on with each call, if a request has 50', async () => {
    const { add, auth, signIn, stored, subOf, subrequests } = world()
    const ada = await signIn('one', 'ada-at-one')
    for (let at = 1; at < 19; at++) {
      pass(2)
      await add(ada, 'two', `ada-${at}`)
    }
    pass(120)
    const sub = subOf(ada)
    let isErased = false
    for (let calls = 0; !isErased && calls < 6; calls++) {
      subrequests.left = 50
      isErased = await auth.deletePerson(sub).then(
        () => true,
        () => false,
      )
      pass(2)
    }
    expect(isErased).toBe(true)
    subrequests.left = Number.POSITIVE_INFINITY
    expect(stored()).not.toContain(sub)
  })

  it('frees each of their ways: a sign-in with one begins a new person', async () => {
    const { auth, settle, signIn, ways } = world({ ways: { unlinked: 'refuse' } })
    const { sub } = await settle()
    await auth.deletePerson(sub)
    pass(2)
    const first = await signIn('one', 'ada-at-one')
    expect(claimsIn(first).sub).toBe(sub)
    expect(await ways(first)).toHaveLength(1)
    for (const [provider, account] of [
      ['two', 'ada-at-two'],
      ['two', 'removed-at-two'],
      ['email', ADDRESS],
    ] as const) {
      const again = await signIn(provider, account)
      expect(claimsIn(again).sub).not.toBe(sub)
      expect(await ways(again)).toHaveLength(1)
    }
  })

  it('leaves no trace of a person that they have taken in', async () => {
    const { auth, takeIn, signIn, stored, subOf } = world()
    const ada = await signIn('one', 'ada-at-one')
    const other = await signIn('two', 'ada-at-two')
    pass(61)
    await takeIn(ada, 'two', 'ada-at-two')
    pass(120)
    const subs = [subOf(ada), subOf(other)]
    await auth.deletePerson(subOf(ada))
    for (const sub of subs) expect(stored()).not.toContain(sub)
  })

  it('leaves no trace of a person two merges away, or of a way they removed', async () => {
    const { auth, add, takeIn, ways, remove, signIn, stored, subOf } = world()
    const [first, second] = [await signIn('two', 'ada-x'), await signIn('two', 'ada-y')]
    pass(61)
    await add(second, 'one', 'ada-z')
    pass(2)
    await takeIn(second, 'two', 'ada-x')
    await remove(second, (await ways(second)).find(({ name }) => name === 'ada-y at two')?.id ?? '')
    const ada = await signIn('one', 'ada-at-one')
    pass(61)
    await takeIn(ada, 'one', 'ada-z')
    expect(await ways(ada)).toHaveLength(3)
    pass(120)
    const subs = [first, second, ada].map(subOf)
    await auth.deletePerson(subOf(ada))
    for (const sub of subs) expect(stored()).not.toContain(sub)
    pass(2)
    for (const account of ['ada-x', 'ada-y']) {
      const again = await signIn('two', account)
      expect(await ways(again)).toMatchObject([{ name: `${account} at two` }])
    }
  })

  it('takes nothing from whose way they had only begun to add, a first one or a further one', async () => {
    const { auth, inner, settle, signIn, subOf, ways } = world()
    const { grace, sub } = await settle()
    const eve = await signIn('two', 'eve-at-two')
    const read = async (person: string) => {
      const { version = 0, content } = (await inner.ledger.document(`person\n${person}`)) ?? {}
      return { version, person: JSON.parse(content ?? '') }
    }
    const further = (await read(subOf(grace))).person.ways.at(-1)
    const begun = [further, { ...further, way: subOf(eve) }].map((one) => ({
      ...one,
      state: 'adding',
    }))
    const { version, person } = await read(sub)
    const changed = JSON.stringify({ ...person, ways: [...person.ways, ...begun] })
    await inner.ledger.changeDocument(`person\n${sub}`, version, changed)
    await auth.deletePerson(sub)
    expect(await ways(eve)).toHaveLength(1)
    expect(subOf(await signIn('two', 'grace-at-two'))).toBe(subOf(grace))
  })

  it('signs no user in by a way of theirs while it goes on', async () => {
    const { auth, browser, settle, faults, inner } = world()
    const { sub } = await settle()
    let end: Response | undefined
    faults.set('erase', async (...given) => {
      faults.delete('erase')
      end = await browser().signIn('two', 'ada-at-two')
      await inner.ledger.erase(...(given as Parameters<Ledger['erase']>))
    })
    await auth.deletePerson(sub)
    expect(end && errorOf(end)).toBe('/auth/signin OAuthAccountNotLinked')
  })

  it('by the operator is in the log as the operator’s, and no app hears of it', async () => {
    const gone: unknown[] = []
    const events = { deletePerson: (message: unknown) => void gone.push(message) }
    const { auth, lines, settle } = world({ events })
    await auth.deletePerson((await settle()).sub)
    expect(lines.at(-1)).toMatchObject({ event: 'person-erased', by: 'operator' })
    expect(gone).toEqual([])
  })

  it('overtakes a first further way that is added meanwhile: it has no owner, and nothing is left', async () => {
    const { auth, add, signIn, stored, subOf, faults, inner } = world()
    const ada = await signIn('one', 'ada-at-one')
    const sub = subOf(ada)
    pass(61)
    faults.set('erase', async (...given) => {
      faults.delete('erase')
      expect(errorOf(await add(ada, 'two', 'ada-at-two'))).toBe('/inbox')
      pass(2)
      await inner.ledger.erase(...(given as Parameters<Ledger['erase']>))
    })
    await auth.deletePerson(sub)
    expect(stored()).not.toContain(sub)
    pass(2)
    expect(subOf(await signIn('two', 'ada-at-two'))).not.toBe(sub)
  })

  it('is finished by a second call, after any call of the ledger failed, before or after it took effect', async () => {
    for (let at = 1, isOver = false; !isOver; at++) {
      for (const takesEffect of [false, true]) {
        const { auth, settle, stored, faults, inner, signIn } = world()
        const { sub } = await settle()
        let calls = 0
        for (const [name, run] of Object.entries(inner.ledger)) {
          faults.set(name as never, async (...given) => {
            const isFault = ++calls === at
            if (isFault && takesEffect) await run(...(given as never[]))
            return isFault ? fails() : (run(...(given as never[])) as Promise<unknown>)
          })
        }
        await auth.deletePerson(sub).catch(() => {})
        isOver = calls < at
        faults.clear()
        pass(2)
        await auth.deletePerson(sub)
        expect(stored()).not.toContain(sub)
        pass(2)
        expect(claimsIn(await signIn('two', 'ada-at-two')).sub).not.toBe(sub)
      }
    }
  })
})

describe('the account that a person deletes', () => {
  const asked = { callbackUrl: '/goodbye' }

  it('is gone, and its person gets a mail and is signed out; the app hears of it', async () => {
    const gone: unknown[] = []
    const { settle, stored, mails, lines } = world({
      accountDeletion: true,
      events: { deletePerson: (message) => void gone.push(message) },
    })
    const { ada, sub } = await settle()
    const before = mails.length
    expect(await (await ada.get('/auth/account/security')).text()).toContain('/auth/account/delete')
    expect(ada.cookie).toContain('last-way')
    const answer = await ada.submit('/auth/account/delete', asked)
    expect(errorOf(answer)).toBe('/goodbye')
    expect(ada.cookie).not.toMatch(/session-token|last-way/)
    const marks = answer.headers.getSetCookie().filter((line) => line.includes('last-way'))
    expect(marks).toEqual([expect.stringMatching(/^auth\.last-way=; Max-Age=0;/)])
    expect(await ada.session()).toBeNull()
    expect(stored()).not.toContain(sub)
    expect(mails.slice(before)).toMatchObject([{ identifier: ADDRESS, purpose: 'notice' }])
    expect(mails.at(-1)?.mail.subject).toBe('Your account is deleted')
    expect(gone).toEqual([{ sub }])
    expect(lines.at(-1)).toMatchObject({ event: 'person-erased', by: 'person' })
  })

  it('leaves no record of the session that asks, though it began a moment ago and KV does not list it yet', async () => {
    const { signIn, stored, subOf } = world({ accountDeletion: true })
    const ada = await signIn('one', 'ada-at-one')
    const sub = subOf(ada)
    pass(2)
    ada.jar.delete('auth.last-way')
    const answer = await ada.submit('/auth/account/delete', asked)
    expect(errorOf(answer)).toBe('/goodbye')
    expect(answer.headers.getSetCookie().join()).not.toContain('last-way')
    expect(stored()).not.toContain(sub)
  })

  it.each([50, 1_000])(
    'is deleted with 800 sessions if a request has %i calls, and the person sees that and can come again',
    async (most) => {
      const { fill, settle, signIn, mails, subOf, errors, subrequests } = world({
        accountDeletion: true,
      })
      const { ada, sub } = await settle()
      await fill(sub, 800)
      const before = mails.length
      const { csrfToken } = (await (await ada.get('/auth/csrf')).json()) as { csrfToken: string }
      subrequests.left = most
      const answer = await ada.post('/auth/account/delete', { csrfToken, ...asked })
      expect(errorOf(answer)).toBe('/goodbye')
      expect(subrequests.left).toBeLessThan(0)
      subrequests.left = Number.POSITIVE_INFINITY
      expect(mails.slice(before)).toMatchObject([{ identifier: ADDRESS, purpose: 'notice' }])
      expect(errors.at(-1)?.name).toBe('StoreUnavailable')
      pass(120)
      expect(await ada.session()).toBeNull()
      expect(subOf(await signIn('two', 'ada-at-two'))).not.toBe(sub)
      const back = await signIn('one', 'ada-at-one')
      expect(await (await back.get('/auth/sessions')).json()).toMatchObject({
        sessions: [{ current: true }],
      })
    },
  )

  it('is not locked out if the request runs out of calls, at any call: the next sign-in finishes it', async () => {
    let finished = 0
    for (let most = 4; ; most += 3) {
      const { browser, settle, signIn, mails, stored, subOf, subrequests, ways } = world({
        accountDeletion: true,
      })
      const { ada, sub } = await settle()
      const before = mails.length
      const { csrfToken } = (await (await ada.get('/auth/csrf')).json()) as { csrfToken: string }
      subrequests.left = most
      const answer = await ada.post('/auth/account/delete', { csrfToken, ...asked })
      subrequests.left = Number.POSITIVE_INFINITY
      if (answer.headers.get('location')?.includes('goodbye')) break
      pass(120)
      // Without a sign-in of the last five minutes nothing was begun: they ask again.
      if (await ada.session()) continue
      // If their list is gone already, there is nothing to finish.
      if (stored().includes('erasing')) {
        const refused = await browser().signIn('one', 'ada-at-one')
        expect(errorOf(refused)).toBe('/auth/signin InvalidCheck')
        finished++
        expect(mails.slice(before)).toMatchObject([{ identifier: ADDRESS, purpose: 'notice' }])
        expect(stored()).not.toContain(sub)
      }
      pass(2)
      expect(subOf(await signIn('two', 'ada-at-two'))).not.toBe(sub)
      const back = await signIn('one', 'ada-at-one')
      expect(await ways(back)).toHaveLength(1)
    }
    expect(finished).toBeGreaterThan(3)
  })

  it.each([
    ['a moment ago', 30, true],
    ['for the operator, who finishes it', 120, false],
  ])(
    'with an erasure that began %s, and failed, is signed in by no way, and no sign-in goes on with it',
    async (_, seconds, isAsked) => {
      const { auth, browser, settle, stored, faults } = world({
        accountDeletion: true,
      })
      const { ada, sub } = await settle()
      const csrfToken = await ada.csrfToken()
      faults.set('forget', fails)
      if (isAsked) await ada.post('/auth/account/delete', { csrfToken, ...asked })
      else await expect(auth.deletePerson(sub)).rejects.toThrow()
      faults.clear()
      pass(seconds)
      const refused = await browser().signIn('one', 'ada-at-one')
      expect(errorOf(refused)).toBe('/auth/signin OAuthAccountNotLinked')
      expect(stored()).toContain(sub)
      await auth.deletePerson(sub)
      expect(stored()).not.toContain(sub)
    },
  )

  it('needs a sign-in of the last five minutes', async () => {
    const { settle, stored } = world({ accountDeletion: true })
    const { ada, sub } = await settle()
    pass(300)
    const answer = await ada.submit('/auth/account/delete', asked)
    const page = new URL(answer.headers.get('location') ?? '')
    expect([page.pathname, page.searchParams.get('maxAge')]).toEqual(['/auth/signin', '300'])
    expect(stored()).toContain(sub)
    expect(await ada.session()).not.toBeNull()
  })

  it('is not deleted by a post of another site, nor by one without a token', async () => {
    const { settle, stored } = world({ accountDeletion: true })
    const { ada, sub } = await settle()
    await ada.submit('/auth/account/delete', asked, { 'sec-fetch-site': 'cross-site' })
    await ada.post('/auth/account/delete', asked)
    expect((await ada.get('/auth/account/delete')).status).toBe(405)
    expect(stored()).toContain(sub)
  })

  it('cannot be deleted unless the configuration says so', async () => {
    const { settle, stored } = world()
    const { ada, sub } = await settle()
    expect(await (await ada.get('/auth/account/security')).text()).not.toContain('elete')
    expect((await ada.submit('/auth/account/delete', asked)).status).toBe(404)
    expect(stored()).toContain(sub)
  })
})

describe('exportPerson and listWays', () => {
  it('give the ways of a person to the operator', async () => {
    const { auth, settle, ways } = world()
    const { ada, sub } = await settle()
    const shown = (await ways(ada)).map(({ current: _, ...way }) => way)
    expect(shown).toHaveLength(3)
    expect(await auth.listWays(sub)).toEqual(shown)
    const kept = await auth.exportPerson(sub)
    expect(kept).toMatchObject({ sub, ways: shown, passkeys: [], factors: [] })
    expect(kept?.sessions).toHaveLength(1)
    expect(kept?.connections.map(({ provider }) => provider)).toEqual(['one', 'two'])
    expect(JSON.stringify(kept)).not.toMatch(/at-one"|at-two"|sealed/)
    expect(await auth.listWays('nobody')).toEqual([])
  })
})
