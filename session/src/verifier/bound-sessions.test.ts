import { describe, expect, test } from 'vitest'
import { claims, ISSUER, SECRET } from '../test-support/keys.js'
import {
  atOnce,
  fate,
  NAME,
  sessionAnswer,
  settle,
  useWorker,
  worker,
} from '../test-support/worker.js'
import { sessionTokens, splitCookie } from '../token/cookie.js'
import { toSession } from '../token/session.js'
import { signSessionToken } from '../token/signed.js'
import { createVerifier } from './create-verifier.js'

useWorker()

const cnf = { jkt: 'NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs' }
const pid = 'AAAAAAAAAAAA'

/** A bound token with some of its 300 seconds left. */
const cookieWith = (left: number, changes = {}) => {
  const { now } = worker.clock
  const times = { iat: now + left - 300, exp: now + left, auth_time: now - 900 }
  return worker.cookie({ ...times, cnf, pid, ...changes })
}

const asked = async () => {
  await settle()
  return worker.count('session')
}

describe('a token of a bound session', () => {
  test('is read as any other, and says that it is bound', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(290)
    expect((await verifier.read(cookie)).session).toMatchObject({ bound: true })
    expect(atOnce(verifier, cookie)).toBe('live')
  })

  test('is never renewed here: near its end the service is not asked', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(100)
    await verifier.read(cookie)
    for (let second = 0; second < 99; second += 3) {
      expect(await fate(verifier, cookie)).toBe('live')
      await worker.pass(3)
    }
    expect(await asked()).toBe(0)
  })

  test('after its end signs nobody in, without a call, a changed cookie or a detour', async () => {
    const verifier = worker.verifier()
    const [seen, unseen] = [await cookieWith(10), await cookieWith(9)]
    await verifier.read(seen)
    await worker.pass(10)
    for (const cookie of [seen, unseen]) {
      expect(await verifier.read(cookie)).toMatchObject({ session: null, setCookie: [] })
      expect(await fate(verifier, cookie, { online: true })).toBe('nobody')
    }
    expect(await asked()).toBe(0)
    // Without a service another token leads to its page for renewals, and this one would come back as it is.
    const alone = createVerifier({
      secret: SECRET,
      issuer: ISSUER,
      now: () => worker.clock.now * 1000,
    })
    expect(await alone.read(seen)).toMatchObject({ session: null, isExpired: false })
    expect(await alone.read(await worker.expiredCookie())).toMatchObject({ isExpired: true })
  })

  test('is asked about online, as ever', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(30)
    worker.replaced.set('session', () =>
      Response.json(toSession({ ...claims, cnf, sexp: worker.clock.now + 86_400 })),
    )
    expect(await fate(verifier, cookie, { online: true })).toBe('live')
    worker.replaced.set('session', () => sessionAnswer(null, [NAME]))
    expect(await fate(verifier, cookie, { online: true })).toBe('over')
    expect(worker.requests.filter(({ path }) => path === 'session?online=1')).toHaveLength(2)
  })

  test('is refused after the end of its session, as any other', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(200)
    await verifier.read(cookie)
    worker.signOut(claims.sid)
    await worker.pass(10)
    expect(await fate(verifier, cookie)).toBe('nobody')
  })
})

describe('a token whose claims are stale', () => {
  /** The service gives the new token the end of the old one. */
  function refreshed(until: number): void {
    worker.replaced.set(
      'revocations',
      async () => new Response(await worker.feed({ stale: [{ pid, until }] })),
    )
    worker.replaced.set('session', async (_, init) => {
      const [token = ''] = sessionTokens(new Headers(init.headers).get('cookie'), NAME)
      const payload = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
      const next = { ...payload, iat: worker.clock.now + 1, session: { role: 'editor' } }
      const lines = splitCookie(NAME, await signSessionToken(next, worker.keys.signing))
      return sessionAnswer(toSession(next), lines)
    })
  }

  test('is renewed until its own end, which the new one has too', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(100)
    const { claims: before } = await verifier.read(cookie)
    refreshed(worker.clock.now)
    await worker.pass(10)
    const reading = await verifier.read(cookie)
    expect(reading.session).toMatchObject({ role: 'editor', bound: true })
    expect(reading.claims).toMatchObject({ cnf, exp: before?.exp })
    expect(reading.setCookie).toHaveLength(1)
    expect(await fate(verifier, cookie)).toBe('live')
    expect(await asked()).toBe(1)
    await worker.pass(90)
    const [fresh = ''] = reading.setCookie[0]?.split(';', 1) ?? []
    for (const one of [cookie, fresh]) expect(await fate(verifier, one)).toBe('nobody')
    expect(await asked()).toBe(1)
  })

  test('is not renewed after its end', async () => {
    const verifier = worker.verifier()
    const cookie = await cookieWith(5)
    await verifier.read(cookie)
    refreshed(worker.clock.now)
    await worker.pass(10)
    expect(await fate(verifier, cookie)).toBe('nobody')
    expect(await asked()).toBe(0)
  })
})

test('if the service lets tokens live shorter than this one, it says if the session goes on', async () => {
  worker.window = 60
  const verifier = worker.verifier()
  const cookie = await cookieWith(200)
  worker.replaced.set('session', () =>
    Response.json(toSession({ ...claims, cnf, sexp: worker.clock.now + 86_400 })),
  )
  expect(await fate(verifier, cookie)).toBe('live')
  expect(await asked()).toBe(1)
})

describe('a browser that could not renew now', () => {
  const skipped = 'quota_exceeded;session_identifier="lk.1"'

  test('is not known without our cookie, and nobody is asked', async () => {
    const verifier = worker.verifier()
    for (const cookie of [null, '', 'other=1', `${NAME}=`]) {
      const error = await Promise.resolve(verifier.read(cookie, { skipped })).catch((it) => it)
      expect(error).toMatchObject({ name: 'WorkerUnavailable', status: 503 })
      expect(error.getResponse().headers.get('retry-after')).toBe('5')
    }
    expect(worker.requests).toEqual([])
  })

  test('has no session if the header is missing, or names other sessions alone', async () => {
    const verifier = worker.verifier()
    for (const header of [null, undefined, '', 'unreachable;session_identifier="1"']) {
      expect(await fate(verifier, '', { skipped: header })).toBe('nobody')
    }
  })

  test('attack: the header beside a cookie changes nothing, whatever the cookie', async () => {
    const verifier = worker.verifier()
    expect(await fate(verifier, await cookieWith(200), { skipped })).toBe('live')
    expect(await fate(verifier, await worker.cookie(), { skipped })).toBe('live')
    expect(await fate(verifier, await cookieWith(-1), { skipped })).toBe('nobody')
    expect(await fate(verifier, `${NAME}=forged`, { skipped })).toBe('nobody')
  })
})

describe('attacks', () => {
  test('a copied cookie is good until its token ends, and never renewed', async () => {
    const [owner, thief] = [worker.verifier(), worker.verifier()]
    const copy = await cookieWith(60)
    expect(await fate(owner, copy)).toBe('live')
    for (let second = 0; second < 59; second += 1) {
      expect(await verdict(thief, copy)).toEqual(['live', 0])
      await worker.pass(1)
    }
    await worker.pass(1)
    expect(await verdict(thief, copy)).toEqual(['nobody', 0])
    expect(await asked()).toBe(0)
  })

  test('an ended token beside another person’s live one is not asked about, and hides nobody', async () => {
    const verifier = worker.verifier()
    const mine = await worker.cookie()
    const tossed = await cookieWith(-10, { sub: 'mallory', sid: 'tossed'.padEnd(22, 'x') })
    for (const cookies of [`${tossed}; ${mine}`, `${mine}; ${tossed}`]) {
      expect((await verifier.read(cookies)).claims?.sub).toBe(claims.sub)
    }
    expect(await asked()).toBe(0)
  })

  test('a token without the claim is not made bound by a session that says so', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie({ session: { bound: true, cnf } })
    expect((await verifier.read(cookie)).claims?.cnf).toBeUndefined()
  })

  const verdict = async (verifier: ReturnType<typeof worker.verifier>, cookie: string) => {
    const { session, setCookie } = await verifier.read(cookie)
    return [session ? 'live' : 'nobody', setCookie.length]
  }
})
