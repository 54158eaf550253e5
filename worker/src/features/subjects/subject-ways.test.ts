import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { Browser, errorOf, locationOf, origin, setsSession } from '../../test-support/browser.js'
import { people } from '../../test-support/people.js'
import { setUpFactor } from '../../test-support/set-up-factor.js'
import type { AuthConfig } from '../../types.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const NOT_LINKED = '/auth/signin OAuthAccountNotLinked'
const INBOX = `${origin}/inbox`

/** A service whose app has ids for some accounts, by `<provider> <account>`. */
function withIds(ids: Record<string, string>, changes: Partial<AuthConfig> = {}) {
  const set = people({
    subject: ({ provider, account }) => ids[`${provider} ${account.providerAccountId}`],
    ...changes,
  })
  const read = async (key: string) =>
    JSON.parse((await set.inner.ledger.document(key))?.content ?? 'null')
  const end = (provider: string, account: string) => set.browser().signIn(provider, account)
  return { ...set, ids, read, end, auth: createAuth(set.config) }
}

/** All their sessions are over, and KV has no trace of the person. */
async function leave(browser: Browser) {
  await browser.submit('/auth/sessions/revoke', { session: 'all' })
  pass(2)
}

describe('adding a way to which the app gives an id', () => {
  it('an unused way is added, and belongs to the person from then on', async () => {
    const set = withIds({ 'one ada': 'a', 'two ada': 'b' })
    const ada = await set.signIn('one', 'ada')
    expect(locationOf(await set.add(ada, 'two', 'ada'))).toBe(INBOX)
    expect(set.subOf(await set.signIn('two', 'ada'))).toBe('a')
    expect(set.subOf(await set.signIn('one', 'ada'))).toBe('a')
    expect(await set.read('subject\nb')).toBeNull()
  })

  it('account takeover: a way with another person’s id stays theirs, also when all their sessions are over', async () => {
    const set = withIds({ 'one ada': 'a', 'two grace': 'g' })
    await leave(await set.signIn('two', 'grace'))
    const ada = await set.signIn('one', 'ada')
    expect(errorOf(await set.add(ada, 'two', 'grace'))).toBe(NOT_LINKED)
    expect(set.subOf(await set.signIn('two', 'grace'))).toBe('g')
  })

  it('with sharedSubjects a way with the id of another account belongs to that person too', async () => {
    const ids = { 'one ada': 'a', 'one grace': 'g', 'two grace': 'g' }
    const set = withIds(ids, { sharedSubjects: true })
    await leave(await set.signIn('one', 'grace'))
    const ada = await set.signIn('one', 'ada')
    expect(errorOf(await set.add(ada, 'two', 'grace'))).toBe(NOT_LINKED)
  })

  it('a way that has the person’s own id, which another account claimed, is added', async () => {
    const set = withIds({ 'one ada': 'a', 'two ada': 'a' })
    const ada = await set.signIn('one', 'ada')
    expect(errorOf(await set.end('two', 'ada'))).toBe(NOT_LINKED)
    await set.add(ada, 'one', 'ada-again')
    expect(locationOf(await set.add(ada, 'two', 'ada'))).toBe(INBOX)
    expect(set.subOf(await set.signIn('two', 'ada'))).toBe('a')
  })

  it('one’s own way is one’s own, and adds nothing', async () => {
    const set = withIds({ 'one ada': 'a' })
    const ada = await set.signIn('one', 'ada')
    expect(locationOf(await set.add(ada, 'one', 'ada'))).toBe(INBOX)
    expect(await set.ways(ada)).toHaveLength(1)
  })

  it('subject that throws adds nothing, and the session stays', async () => {
    let isDown = false
    const set = people({
      subject: () => {
        if (isDown) throw new Error('Down.')
        return undefined
      },
    })
    const ada = await set.signIn('one', 'ada')
    isDown = true
    expect(errorOf(await set.add(ada, 'two', 'ada'))).toBe('/auth/error Configuration')
    expect(await set.ways(ada)).toHaveLength(1)
    expect(await ada.session()).not.toBeNull()
  })
})

describe('removing a way to which the app gives an id', () => {
  it('a first way that was removed signs no user in, though its id is its own', async () => {
    const set = withIds({ 'one ada': 'a' })
    const ada = await set.signIn('one', 'ada')
    await set.add(ada, 'two', 'ada')
    const first = (await set.ways(ada)).find(({ provider }) => provider === 'one')
    for (const _ of ['once', 'and after it was added again']) {
      await set.remove(ada, (await set.ways(ada)).find((way) => way.id === first?.id)?.id ?? '')
      expect(errorOf(await set.end('one', 'ada'))).toBe(NOT_LINKED)
      await set.add(ada, 'one', 'ada')
      expect(set.subOf(await set.signIn('one', 'ada'))).toBe('a')
    }
  })

  it('an extra way that was removed has its own id again', async () => {
    const set = withIds({ 'one ada': 'a', 'two ada': 'b' })
    const ada = await set.signIn('one', 'ada')
    await set.add(ada, 'two', 'ada')
    const extra = (await set.ways(ada)).find(({ provider }) => provider === 'two')
    await set.remove(ada, extra?.id ?? '')
    expect(set.subOf(await set.signIn('two', 'ada'))).toBe('b')
  })

  it('with sharedSubjects a way that was removed is not its person’s again by its id', async () => {
    const ids = { 'one ada': 'a', 'two ada': 'a' }
    const set = withIds(ids, { sharedSubjects: true })
    const ada = await set.signIn('one', 'ada')
    await set.add(ada, 'one', 'ada-again')
    await set.add(ada, 'two', 'ada')
    const extra = (await set.ways(ada)).find(({ provider }) => provider === 'two')
    await set.remove(ada, extra?.id ?? '')
    expect(errorOf(await set.end('two', 'ada'))).toBe(NOT_LINKED)
    await set.add(ada, 'two', 'ada')
    expect(set.subOf(await set.signIn('two', 'ada'))).toBe('a')
  })
})

describe('people of version 0.2 who were merged, with ids of the app’s', () => {
  async function merged() {
    const set = withIds({ 'one ada': 'a', 'two grace': 'g' })
    const grace = await set.signIn('two', 'grace')
    const ada = await set.signIn('one', 'ada')
    await set.takeIn(ada, 'two', 'grace', 'g')
    return { ...set, ada, grace }
  }

  it('a person who was taken in is the other one', async () => {
    const set = await merged()
    expect(set.subOf(await set.signIn('two', 'grace'))).toBe('a')
    pass(20)
    expect(await set.grace.session()).toBeNull()
  })

  it('one whose sessions were over is taken in as well, and their id is not free', async () => {
    const set = withIds({ 'one ada': 'a', 'two grace': 'g', 'one eve': 'g' })
    await leave(await set.signIn('two', 'grace'))
    const ada = await set.signIn('one', 'ada')
    await set.takeIn(ada, 'two', 'grace', 'g')
    expect(errorOf(await set.end('one', 'eve'))).toBe(NOT_LINKED)
  })

  it('with sharedSubjects an account that is not listed goes where its person went', async () => {
    const ids = { 'one ada': 'a', 'one grace': 'g', 'two grace': 'g' }
    const set = withIds(ids, { sharedSubjects: true })
    for (const provider of ['one', 'two']) await set.signIn(provider, 'grace')
    const ada = await set.signIn('one', 'ada')
    await set.takeIn(ada, 'two', 'grace', 'g')
    expect(set.subOf(await set.signIn('one', 'grace'))).toBe('a')
  })

  it('an unlinked person is a person of their own, with the id of the app', async () => {
    const set = await merged()
    const way = (await set.ways(set.ada)).find(({ provider }) => provider === 'two')
    await set.remove(set.ada, way?.id ?? '')
    pass(2)
    const grace = await set.signIn('two', 'grace')
    expect(set.subOf(grace)).toBe('g')
    expect(await set.ways(grace)).toHaveLength(1)
    await set.add(grace, 'two', 'grace-too')
    expect(await set.ways(grace)).toHaveLength(2)
  })

  it('deletePerson leaves no trace of a person who was taken in, over two merges', async () => {
    const set = withIds({ 'one ada': 'a', 'two grace': 'g', 'one linus': 'l' })
    await set.signIn('one', 'linus')
    const grace = await set.signIn('two', 'grace')
    await set.takeIn(grace, 'one', 'linus', 'l')
    const ada = await set.signIn('one', 'ada')
    await set.takeIn(ada, 'two', 'grace', 'g')
    expect(await set.ways(ada)).toHaveLength(3)
    await set.auth.deletePerson('a', {})
    for (const sub of ['a', 'g', 'l']) {
      for (const kind of ['subject', 'person']) {
        expect(await set.inner.ledger.document(`${kind}\n${sub}`)).toBeUndefined()
      }
    }
    pass(2)
    for (const [provider, account, sub] of [
      ['one', 'ada', 'a'],
      ['two', 'grace', 'g'],
      ['one', 'linus', 'l'],
    ] as const) {
      expect(set.subOf(await set.signIn(provider, account))).toBe(sub)
    }
  })
})

describe('deletePerson', () => {
  it('frees the id: another account may have it', async () => {
    const set = withIds({ 'one ada': 'a', 'two grace': 'a' })
    await set.signIn('one', 'ada')
    await set.auth.deletePerson('a', {})
    pass(2)
    expect(set.subOf(await set.signIn('two', 'grace'))).toBe('a')
    expect(errorOf(await set.end('one', 'ada'))).toBe(NOT_LINKED)
  })
})

describe('a second factor of a person with an id of the app’s', () => {
  it('is asked for by each account of theirs, also one that shares the id and is in no list', async () => {
    const ids = { 'one ada': 'a', 'two ada': 'a' }
    const set = withIds(ids, { sharedSubjects: true })
    const ada = await set.signIn('one', 'ada')
    const { app } = await setUpFactor(ada)
    pass(60)
    for (const provider of ['one', 'two']) {
      const browser = set.browser()
      const answer = await browser.signIn(provider, 'ada')
      expect([locationOf(answer), setsSession(answer)]).toEqual([`${origin}/auth/factor`, false])
      await browser.submit('/auth/factor', { code: app.code() })
      expect(set.subOf(browser)).toBe('a')
      pass(60)
    }
  })

  it('a sign-in that waits no longer counts once its way was removed', async () => {
    const set = withIds({ 'one ada': 'a' })
    const ada = await set.signIn('one', 'ada')
    await set.add(ada, 'two', 'ada')
    const { app } = await setUpFactor(ada)
    pass(60)
    const waiting = set.browser()
    await waiting.signIn('two', 'ada')
    const other = set.browser()
    await other.signIn('one', 'ada')
    await other.submit('/auth/factor', { code: app.code() })
    const way = (await set.ways(other)).find(({ provider }) => provider === 'two')
    await set.remove(other, way?.id ?? '')
    pass(60)
    const end = await waiting.submit('/auth/factor', { code: app.code() })
    expect(setsSession(end)).toBe(false)
  })

  it('stays when subject is switched off', async () => {
    const set = withIds({ 'one ada': 'a' })
    await setUpFactor(await set.signIn('one', 'ada'))
    const { subject: _, ...without } = set.config
    const answer = await new Browser(without).signIn('one', 'ada')
    expect([locationOf(answer), setsSession(answer)]).toEqual([`${origin}/auth/factor`, false])
  })
})
