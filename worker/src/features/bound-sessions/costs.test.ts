import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { BindingBrowser, bindingConfig, site } from '../../test-support/binding-browser.js'
import { deployment } from '../../test-support/deployment.js'
import { faulty } from '../../test-support/faulty.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10) })

/** A deployment with a number of objects, and what each step costs. */
function world(ledgerShards: number) {
  const made = deployment({ ledgerShards, boundSessions: true })
  const { answer } = made.here
  const browser = new BindingBrowser({} as never, { answer })
  /** The calls to the ledger, and those that read or write KV. */
  const costOf = async (run: () => Promise<unknown>) => {
    await made.settled()
    made.ledgers.calls.length = 0
    await run()
    await made.settled()
    const calls = made.ledgers.calls.filter((call) => !/ (?:revokedSince|collect)$/.test(call))
    return calls.map((call) => call.split(' ')[1])
  }
  return { ...made, browser, costOf }
}

describe.each([1, 4])('with %i objects', (objects) => {
  it('a registration makes two calls, and a renewal by proof one', async () => {
    const { browser, costOf } = world(objects)
    let offered: Response | undefined
    const signIn = await costOf(async () => {
      offered = await browser.signInAs('ada')
    })
    const registration = await costOf(() => browser.register(offered as Response))
    expect(browser.claims.cnf).toBeDefined()
    expect(registration).toEqual(['liveDocument', 'liveDocument'])
    for (let time = 0; time < 3; time++) {
      pass(250)
      expect(await costOf(() => browser.renew())).toEqual(['liveDocument'])
    }
    expect(await costOf(() => browser.get('/auth/session'))).toEqual([])
    expect(await costOf(() => browser.get('/auth/sessions'))).toEqual([
      'standing',
      'isRevoked',
      'insertDocuments',
    ])
    const off = world(objects)
    await off.browser.signInAs('ada')
    expect(signIn.length).toBeLessThanOrEqual(2)
  })

  it('a session that is not bound costs what it costs without the feature', async () => {
    const costs = async (boundSessions: boolean) => {
      const made = deployment({ ledgerShards: objects, boundSessions })
      const browser = new BindingBrowser({} as never, { answer: made.here.answer })
      const costOf = async (run: () => Promise<unknown>) => {
        made.ledgers.calls.length = 0
        await run()
        await made.settled()
        return made.ledgers.calls.filter((call) => !/ (?:revokedSince|collect)$/.test(call)).length
      }
      const all = [await costOf(() => browser.signInAs('ada'))]
      pass(290)
      all.push(await costOf(() => browser.get('/auth/session')))
      all.push(await costOf(() => browser.get('/auth/session?online=1')))
      all.push(await costOf(() => browser.submit('/auth/session', { data: 'x' })))
      all.push(await costOf(() => browser.signInAs('ada', { maxAge: '5' })))
      all.push(await costOf(() => browser.submit('/auth/signout')))
      return all
    }
    expect(await costs(true)).toEqual(await costs(false))
  })

  it('made-up identifiers and challenges, foreign origins and proofs that are too long make no call', async () => {
    const { browser, costOf } = world(objects)
    await browser.register(await browser.signInAs('ada'))
    const away = { cookie: '' }
    const proof = await browser.proof()
    const asks = [
      () => browser.renew({}, { ...away, 'sec-secure-session-id': 'lk.made-up' }),
      () => browser.renew({ jti: 'made-up' }, away),
      () => browser.refresh({ ...away, 'secure-session-response': `${proof}${'A'.repeat(4_096)}` }),
      () => browser.renew({}, { ...away, 'sec-secure-session-id': 'x'.repeat(300) }),
      () => browser.refresh({ ...away, 'sec-secure-session-id': '' }),
    ]
    const register = (headers: Record<string, string>) =>
      browser.send('/auth/bound/register', {
        method: 'POST',
        headers: { cookie: '', 'secure-session-response': proof, ...headers },
      })
    for (const ask of [
      ...asks,
      () => register({ 'sec-fetch-site': 'same-site' }),
      () => register({ origin: 'https://evil.example' }),
      () => register({ origin: site }),
    ]) {
      expect(await costOf(ask)).toEqual([])
    }
  })

  it('a row goes with its session', async () => {
    const { browser, costOf, ledgers } = world(objects)
    await browser.register(await browser.signInAs('ada'))
    await browser.renew()
    const { sid } = browser.claims
    const rowOf = async () => {
      const all = await Promise.all(
        [...ledgers.objects.values()].map((one) => one.document(`bound\n${sid}`)),
      )
      return all.flatMap((one) => one?.content ?? [])
    }
    const [content = ''] = await rowOf()
    expect(content).not.toContain(browser.claims.sub)
    expect(content).not.toContain('"x"')
    expect(await costOf(() => browser.submit('/auth/signout'))).toContain('forget')
    expect(await rowOf()).toEqual([])
    expect((await browser.renew()).status).toBe(401)
  })
})

it('a registration reads KV once, and writes nothing there', async () => {
  const { store, calls } = faulty()
  const browser = new BindingBrowser(bindingConfig({ store }))
  const offered = await browser.signIn('fake')
  calls.length = 0
  expect((await browser.register(offered)).status).toBe(200)
  const made = () => calls.map(({ name }) => name).filter((name) => name !== 'revokedSince')
  expect(made()).toEqual(['liveDocument', 'get', 'liveDocument'])
  const rowOf = () => store.ledger.document(`bound\n${browser.claims.sid}`)
  const { expires } = (await rowOf()) ?? {}
  calls.length = 0
  pass(300)
  expect((await browser.renew()).status).toBe(200)
  expect(made()).toEqual(['liveDocument', 'get'])
  // The entry of the index stays, so that one row is written.
  expect((await rowOf())?.expires).toBe(expires)
})
