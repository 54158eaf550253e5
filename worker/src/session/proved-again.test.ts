import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { type Browser, claimsIn, errorOf, locationOf, origin } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { provingPeople } from '../test-support/step-up.js'

// Late in a second, since signing out everywhere waits for the next one.
const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const page = '/auth/signin?maxAge=300&callbackUrl=%2Finbox'
const isFresh = async (one: Browser) => locationOf(await one.get(page)) === `${origin}/inbox`

/** Proves once more, by a password, who somebody is. */
const prove = (one: Browser, username = 'ada') =>
  one.submit('/auth/callback/credentials', { username, maxAge: '300', callbackUrl: '/inbox' })

describe('a thief’s copy of the cookie from before the proof', () => {
  it('does not become fresh: not as it is, nor renewed, updated or extended', async () => {
    const { signIn, copyAt, settled } = deployment()
    const ada = await signIn()
    const thief = copyAt(ada)
    pass(2 * 86_400)
    await prove(ada)
    expect([await isFresh(ada), await isFresh(thief)]).toEqual([true, false])
    expect(await thief.session()).not.toBeNull()
    await settled()
    const { sid, auth_time } = claimsIn(ada)
    expect(claimsIn(thief)).toMatchObject({ sid, auth_time: auth_time - 2 * 86_400 })
    expect(claimsIn(thief)).not.toHaveProperty('began')
    const csrfToken = await thief.csrfToken()
    await thief.post('/auth/session', { csrfToken })
    await thief.get('/auth/renew?callbackUrl=%2F')
    expect([await isFresh(ada), await isFresh(thief)]).toEqual([true, false])
    expect((await thief.submit('/auth/ways/remove', { way: 'x' })).status).toBe(302)
    expect(await (await thief.get('/auth/account')).text()).toContain('ada')
  })

  it('nor if the owner’s token is the one that extends the session, and KV is late', async () => {
    const { signIn, copyAt, isolate, settled, kv } = deployment()
    const far = isolate('far')
    const ada = await signIn()
    const thief = copyAt(ada, far)
    await thief.session()
    pass(2 * 86_400)
    const before = kv.count('put')
    await prove(ada)
    expect(kv.count('put')).toBe(before)
    pass(250)
    await ada.session()
    await settled()
    expect(kv.count('put')).toBe(before + 1)
    for (let round = 0; round < 3; round++) {
      await thief.session()
      expect(await isFresh(thief)).toBe(false)
      pass(40)
    }
  })

  it('nor by asking for a proof: it is the thief’s own that comes', async () => {
    const { signIn, copyAt } = deployment()
    const ada = await signIn()
    const thief = copyAt(ada)
    pass(1000)
    const end = await prove(thief, 'eve')
    expect(errorOf(end)).toBe('/auth/error AccessDenied')
    expect(await isFresh(thief)).toBe(false)
  })

  it('and old tokens of the session are good until their end, and over with it', async () => {
    const { signIn, copyAt } = deployment()
    const ada = await signIn()
    const old = copyAt(ada)
    pass(10)
    await prove(ada)
    expect(await old.session()).not.toBeNull()
    await ada.submit('/auth/signout')
    expect([await old.session(), await ada.session()]).toEqual([null, null])
  })
})

describe('a renewal beside the proof', () => {
  it('that is under way has the older proof, and the same session', async () => {
    let go = () => {}
    let isFirst = true
    const waits = new Promise<void>((resolve) => {
      go = resolve
    })
    const { signIn, copyAt } = deployment({
      callbacks: {
        async session({ session }) {
          if (Date.now() > Date.UTC(2026, 10, 1) + 1000 && isFirst) {
            isFirst = false
            await waits
          }
          return session
        },
      },
    })
    const ada = await signIn()
    const { auth_time, sid } = claimsIn(ada)
    pass(290)
    const tab = copyAt(ada)
    const renewal = tab.session()
    await prove(ada)
    go()
    expect(await renewal).not.toBeNull()
    expect(claimsIn(tab)).toMatchObject({ sid, auth_time })
    expect(claimsIn(ada)).toMatchObject({ sid, auth_time: auth_time + 290, began: auth_time })
  })
})

describe('signing out everywhere ends a session whose person has just proved who they are', () => {
  it('decided before the proof, if this isolate has not heard of it', async () => {
    const { signIn, isolate, copyAt, ledgers } = deployment()
    const ada = await signIn()
    const there = await signIn('ada', isolate('there'))
    pass(10)
    await ada.session()
    await there.submit('/auth/sessions/revoke', { session: 'all' })
    const calls = ledgers.calls.length
    const end = await prove(ada)
    expect(errorOf(end)).toBe('/auth/signin InvalidCheck')
    expect(ada.jar.has('auth.session-token')).toBe(false)
    expect(ledgers.calls.length).toBeGreaterThan(calls)
    expect(await copyAt(ada).session()).toBeNull()
  })

  it.each([
    ['callback', { callbacks: { signIn: () => wait() } }],
    ['renewal', { callbacks: { session: ({ session }: { session: unknown }) => wait(session) } }],
  ] as [string, { callbacks: object }][])(
    'decided between the proof and the token, during a %s of the app',
    async (_, changes) => {
      const { signIn, isolate } = deployment(changes)
      turn = async () => {}
      const ada = await signIn()
      const other = await signIn('ada', isolate('there'))
      pass(10)
      turn = async () => {
        turn = async () => {}
        await other.submit('/auth/sessions/revoke', { session: 'all' })
      }
      const end = await prove(ada)
      expect(errorOf(end)).toBe('/auth/signin InvalidCheck')
      expect(ada.jar.has('auth.session-token')).toBe(false)
    },
  )

  it('decided before the proof, and known to the ledger after the token was signed', async () => {
    const { signIn, isolate, copyAt, ledgers, settled } = deployment()
    const ada = await signIn()
    pass(10)
    const until = Math.floor(Date.now() / 1000)
    pass(5)
    await prove(ada)
    const { sub, auth_time, began } = claimsIn(ada)
    expect([began, auth_time]).toEqual([until - 10, until + 5])
    // A slow request of another isolate, which took its time before this one did.
    for (const ledger of ledgers.objects.values()) {
      await ledger.cutOff({ sub, until }, until + 1e7)
    }
    pass(5)
    for (const one of [ada, copyAt(ada, isolate('there')), copyAt(ada, isolate('new'))]) {
      expect(await one.session()).toBeNull()
      expect(await (await one.get('/auth/sessions')).json()).toEqual({ error: 'SignedOut' })
      expect(await isFresh(one)).toBe(false)
    }
    await settled()
  })

  it('also with a ledger that knows no earlier proof: it is asked by when the session began', async () => {
    const { signIn, prove, calls } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const { auth_time: began } = claimsIn(ada)
    pass(1000)
    await prove(ada, 'credentials', 'ada')
    calls.length = 0
    await ada.get('/auth/account')
    await ada.submit('/auth/sessions/revoke', { session: 'others' })
    const asked = calls.filter(({ name }) => name === 'isRevoked')
    expect(asked.length).toBeGreaterThan(1)
    for (const { args } of asked) expect(args[1]).toMatchObject({ auth_time: began })
    expect(calls.find(({ name }) => name === 'cutOff')?.args[2]).toBe(began)
    calls.length = 0
    await ada.submit('/auth/sessions/revoke', { session: 'all' })
    pass(5)
    await ada.submit('/auth/sessions/revoke', { session: 'all' })
    for (const { name, args } of calls) {
      if (name === 'isRevoked') expect(args[1]).toMatchObject({ auth_time: began })
    }
  })

  it('and by an operator; but not the one session that is spared', async () => {
    const { signIn, here, copyAt, isolate } = deployment()
    const ada = await signIn()
    const other = await signIn()
    pass(10)
    await prove(ada)
    await prove(other)
    const { sub, sid } = claimsIn(ada)
    await here.endSessions({ sub, except: sid })
    pass(5)
    expect(await copyAt(ada, isolate()).session()).not.toBeNull()
    expect(await copyAt(other, isolate()).session()).toBeNull()
    pass(100)
    expect(locationOf(await prove(ada))).toBe(`${origin}/inbox`)
    await here.endSessions({ sub })
    pass(5)
    expect(await copyAt(ada, isolate()).session()).toBeNull()
  })

  it('the one that ends the others goes on, and proves who it is again', async () => {
    const { signIn } = deployment()
    const ada = await signIn()
    const other = await signIn()
    pass(10)
    await prove(ada)
    await ada.submit('/auth/sessions/revoke', { session: 'others' })
    pass(5)
    expect([await ada.session(), await other.session()]).toEqual([expect.anything(), null])
    expect(locationOf(await prove(ada))).toBe(`${origin}/inbox`)
    expect(await isFresh(ada)).toBe(true)
  })

  it('and a session that is over by the ledger ends nothing and spares nothing, whatever its proof', async () => {
    const { signIn, copyAt, isolate, ledgers } = deployment()
    const ada = await signIn()
    const other = await signIn()
    pass(10)
    await prove(ada)
    const { sub, began = 0 } = claimsIn(ada)
    const { sid: spared } = claimsIn(other)
    for (const ledger of ledgers.objects.values()) {
      await ledger.cutOff({ sub, until: began, except: spared }, began + 1e7)
    }
    const late = copyAt(ada, isolate('late'))
    await late.submit('/auth/sessions/revoke', { session: 'others' })
    pass(5)
    expect(await other.session()).not.toBeNull()
    expect(await late.session()).toBeNull()
  })
})

/** The wait in a callback of the app. */
let turn: () => Promise<void> = async () => {}
async function wait<Answer>(answer: Answer = true as Answer): Promise<Answer> {
  await turn()
  return answer
}

describe('the longest life of a session', () => {
  it('is counted from its beginning, also after a proof', async () => {
    const session = { maxAge: 86_400, absoluteMaxAge: 2 * 86_400, updateAge: 0 }
    const { signIn } = deployment({ session })
    const ada = await signIn()
    const began = claimsIn(ada).auth_time
    for (let round = 0; round < 2; round++) {
      pass(79_710)
      await prove(ada)
      pass(290)
      await ada.session()
    }
    expect(claimsIn(ada)).toMatchObject({ began, sexp: began + 2 * 86_400 })
    pass(2 * 86_400 - 160_000)
    expect(await ada.session()).toBeNull()
    expect(await isFresh(ada)).toBe(false)
  })
})

describe('a record that KV does not show', () => {
  it('yet: the token proves it for its own short life, and no longer', async () => {
    const { signIn, prove, faults } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const { exp, sid } = claimsIn(ada)
    faults.set('get', async () => undefined)
    pass(60)
    expect(locationOf(await prove(ada, 'credentials', 'ada'))).toBe(`${origin}/inbox`)
    expect(claimsIn(ada)).toMatchObject({ sid, exp, auth_time: exp - 240, began: exp - 300 })
  })

  it('by a removed secret: a step-up becomes an ordinary sign-in', async () => {
    const { signIn, config, copyOf } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const { sid, sub } = claimsIn(ada)
    pass(1000)
    await config.store?.sessions.delete(sub, sid)
    const fields = { username: 'ada', password: 'ada', maxAge: '300', callbackUrl: '/inbox' }
    const eve = copyOf(ada)
    const other = { ...fields, username: 'eve', password: 'eve' }
    expect(errorOf(await eve.submit('/auth/callback/credentials', other))).toBe(
      '/auth/error AccessDenied',
    )
    expect(locationOf(await ada.submit('/auth/callback/credentials', fields))).toBe(
      `${origin}/inbox`,
    )
    expect(claimsIn(ada).sub).toBe(sub)
    expect(claimsIn(ada).sid).not.toBe(sid)
  })

  it('because it fails: 503, and the cookie stays', async () => {
    const { signIn, prove, faults } = await provingPeople()
    const ada = await signIn('credentials', 'ada')
    const token = ada.jar.get('auth.session-token')
    faults.set('get', () => Promise.reject(new Error('The store is down.')))
    const end = await prove(ada, 'credentials', 'ada')
    expect(end.status).toBe(503)
    faults.clear()
    faults.set('isRevoked', () => Promise.reject(new Error('The ledger is down.')))
    expect((await prove(ada, 'credentials', 'ada')).status).toBe(503)
    expect(ada.jar.get('auth.session-token')).toBe(token)
  })
})
