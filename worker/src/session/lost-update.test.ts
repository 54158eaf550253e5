import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { type Browser, claimsIn } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { fails } from '../test-support/faulty.js'
import { signedIn } from '../test-support/signed-in.js'
import type { AuthConfig, JWT } from '../types.js'

const DAY = 24 * 60 * 60

const { pass } = clock()

/** The data of an update are kept and shown. */
const callbacks = {
  jwt: ({ token, trigger, session }) =>
    trigger === 'update' ? { ...token, kept: `${token.kept ?? ''}${session}` } : token,
  session: ({ session, token }) => ({ ...session, kept: (token as JWT).kept }) as never,
} satisfies AuthConfig['callbacks']

const update = (browser: Browser, data: string) =>
  browser.submit('/auth/session', { data }, { 'x-auth-return-redirect': '1' })

const kept = async (browser: Browser) =>
  ((await browser.session()) as { kept?: string } | null)?.kept

describe('a session update is not lost without a word', () => {
  it('one of two parallel updates is kept, and the other one gets an error and tries again', async () => {
    const { browser, under, faults, inner } = await signedIn({ callbacks })
    const other = under()
    const { sub } = claimsIn(browser)
    // Nothing is written before both have read the record.
    let arrive = () => {}
    const both = new Promise<void>((resolve) => {
      arrive = resolve
    })
    let readers = 0
    faults.set('get', async () => {
      const [record] = await inner.sessions.list(sub)
      if (++readers === 2) arrive()
      await both
      return record
    })
    const answers = await Promise.all([update(browser, 'a'), update(other, 'b')])
    faults.clear()
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 503])
    const [loser, data] = answers[0]?.status === 503 ? [browser, 'a'] : [other, 'b']
    expect((await update(loser as Browser, data as string)).status).toBe(200)
    expect([...((await kept(loser as Browser)) ?? '')].sort()).toEqual(['a', 'b'])
  })

  it('one after the other are both kept, however many', async () => {
    const { browser } = await signedIn({ callbacks })
    for (let count = 0; count < 5; count++) {
      expect((await update(browser, `${count}`)).status).toBe(200)
    }
    expect(await kept(browser)).toBe('01234')
  })

  it('by the daily extension that reads a late record', async () => {
    const { signIn, isolate, copyAt, kv } = deployment({ callbacks })
    const browser = await signIn()
    const elsewhere = isolate('elsewhere')
    const [early, old] = [copyAt(browser, elsewhere), copyAt(browser, elsewhere)]
    pass(DAY - 30)
    // From now on this location shows the record as it is, for a minute.
    expect(await early.session()).not.toBeNull()
    pass(10)
    expect((await update(browser, 'a')).status).toBe(200)
    pass(30)
    kv.calls.length = 0
    expect(await old.session()).not.toBeNull()
    expect(kv.count('put')).toBe(0)
    pass(360)
    expect(await kept(old)).toEqual('a')
    expect(await kept(browser)).toEqual('a')
  })

  it('by another update that reads a late record: 503, and a minute later it is done', async () => {
    const { signIn, isolate, copyAt } = deployment({ callbacks })
    const browser = await signIn()
    const elsewhere = copyAt(browser, isolate('elsewhere'))
    pass(290)
    expect(await elsewhere.session()).not.toBeNull()
    pass(10)
    expect((await update(browser, 'a')).status).toBe(200)
    pass(10)
    expect((await update(elsewhere, 'b')).status).toBe(503)
    pass(60)
    expect((await update(elsewhere, 'b')).status).toBe(200)
    expect(await kept(elsewhere)).toEqual('ab')
  })

  it('that could not be written is possible again after half an hour', async () => {
    const { browser, faults } = await signedIn({ callbacks })
    faults.set('put', fails)
    expect((await update(browser, 'a')).status).toBe(503)
    faults.clear()
    pass(30 * 60)
    expect((await update(browser, 'a')).status).toBe(200)
  })

  it('costs nothing without a jwt callback', async () => {
    const { browser, calls } = await signedIn()
    pass(DAY + 60)
    expect(await browser.session()).not.toBeNull()
    const used = calls.filter(({ name }) => name === 'consume' || name === 'enter')
    expect(used).toHaveLength(1)
  })
})
