import { describe, expect, test } from 'vitest'
import { claims, ISSUER, keys, SECRET } from '../test-support/keys.js'
import {
  FakeWorker,
  fate,
  NAME,
  sessionAnswer,
  settle,
  useWorker,
  worker,
} from '../test-support/worker.js'
import { sessionTokens } from '../token/cookie.js'
import { deriveSessionKeys } from '../token/keys.js'
import { signSessionToken } from '../token/signed.js'

useWorker()

const other = await deriveSessionKeys(['another-secret-0123456789abcdef-0123'])

const sessionCookie = () =>
  worker.requests.findLast(({ path }) => path.startsWith('session'))?.headers.get('cookie')

describe('a token that has ended', () => {
  test('is renewed by the service, and the new cookie is passed on', async () => {
    const verifier = worker.verifier()
    const reading = await verifier.read(await worker.expiredCookie())
    expect(reading.session).toMatchObject(claims.session)
    expect(reading.claims?.exp).toBe(worker.clock.now + 300)
    const [line = ''] = reading.setCookie
    expect(line).toMatch(/^__Host-auth\.session-token=[\w.-]+; Max-Age=86400; Path=\/; HttpOnly/)
    const cookie = line.slice(0, line.indexOf(';'))
    // From now on the browser sends the new token, which is in the cache.
    expect(verifier.read(cookie)).toMatchObject({ session: reading.session, setCookie: [] })
    expect(worker.count('session')).toBe(1)
  })

  test('is sent to the service alone, without the app’s other cookies', async () => {
    const cookie = await worker.expiredCookie()
    await worker.verifier().read(`secret=of-the-app; ${cookie}; __Host-auth.csrf-token=x`)
    expect(sessionCookie()).toBe(cookie)
  })

  test('is renewed by the service that the read names, and by no other', async () => {
    const asked: string[] = []
    const service = {
      fetch: (url: string, init?: RequestInit) => {
        asked.push(url)
        return worker.fetch(url, init)
      },
    }
    const cookie = await worker.expiredCookie()
    const verifier = worker.verifier({ worker: { fetch: worker.fetch }, issuer: ISSUER })
    expect((await verifier.read(cookie, { service })).session).toMatchObject(claims.session)
    expect(asked).toEqual([`${ISSUER}/session`])
  })

  test('passes on no other cookie of the service', async () => {
    const renew = worker.fetch
    worker.replaced.set('session', async () => {
      worker.replaced.delete('session')
      const answer = await renew(`${ISSUER}/session`, { headers: { cookie } })
      answer.headers.append('set-cookie', '__Host-auth.csrf-token=x; Path=/')
      answer.headers.append('set-cookie', `${NAME}x=y; Path=/`)
      answer.headers.append('set-cookie', 'admin=true; Path=/')
      return answer
    })
    const cookie = await worker.expiredCookie()
    const { setCookie } = await worker.verifier().read(cookie)
    expect(setCookie.map((line) => line.slice(0, line.indexOf('=')))).toEqual([NAME])
  })

  test('is not shared: two people with the same sid share no renewal', async () => {
    const verifier = worker.verifier()
    const session = (name: string) => ({ user: { id: name, name, email: null, image: null } })
    const people = ['ann', 'bob', 'ann bob']
    const readings = await Promise.all(
      people.map(async (sub) =>
        verifier.read(await worker.expiredCookie({ sub, session: session(sub) })),
      ),
    )
    expect(readings.map(({ session: own }) => own?.user)).toMatchObject(
      people.map((name) => ({ name })),
    )
    expect(readings.map(({ claims: own }) => own?.sub)).toEqual(people)
    expect(worker.count('session')).toBe(3)
  })

  test.each([
    ['anew', { auth_time: 1 }, { auth_time: 0 }],
    ['by two factors', { amr: ['credentials', 'otp', 'mfa'] }, { amr: ['credentials'] }],
  ])(
    'shares no renewal with an older copy of its cookie, from before its owner signed in %s',
    async (_, proof, before) => {
      const { now } = worker.clock
      const of = (change: { auth_time?: number; amr?: string[] }) => {
        const auth_time = now - 400 + (change.auth_time ?? 0)
        return worker.expiredCookie({ amr: ['credentials'], ...change, auth_time })
      }
      const [owner, thief] = [await of(proof), await of(before)]
      // Either answer may come first.
      for (const cookies of [
        [owner, thief],
        [thief, owner],
      ]) {
        const verifier = worker.verifier()
        const readings = await Promise.all(cookies.map((cookie) => verifier.read(cookie)))
        const [ofOwner, ofThief] = cookies[0] === owner ? readings : readings.reverse()
        expect(ofOwner?.claims).not.toBeNull()
        expect(ofThief?.claims).not.toBeNull()
        expect([ofOwner?.claims?.auth_time, ofOwner?.claims?.amr]).not.toEqual([
          ofThief?.claims?.auth_time,
          ofThief?.claims?.amr,
        ])
        expect(ofThief?.claims).toMatchObject({ auth_time: now - 400, amr: ['credentials'] })
        expect(ofThief?.setCookie).not.toEqual(ofOwner?.setCookie)
      }
    },
  )

  test('causes one call, however many requests carry it at the same time', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.expiredCookie()
    const { fetch } = worker
    worker.replaced.set('session', async (_, init) => {
      worker.replaced.delete('session')
      // Waits for all requests, since a busy machine may check some signatures late.
      await settle()
      return fetch(`${ISSUER}/session`, init)
    })
    const readings = await Promise.all(Array.from({ length: 50 }, () => verifier.read(cookie)))
    // The call, and the one that the fake passes on.
    expect(worker.count('session')).toBe(2)
    expect(new Set(readings).size).toBe(1)
    expect(readings[0]?.session).not.toBeNull()
    await verifier.read(cookie)
    expect(worker.count('session')).toBe(3)
  })

  test('a session is renewed without waiting for another session’s renewal', async () => {
    const verifier = worker.verifier()
    const slow = await worker.expiredCookie()
    const quick = await worker.expiredCookie({ sid: 'q'.repeat(22) })
    let release = () => {}
    const { fetch } = worker
    worker.replaced.set('session', async (_, init) => {
      worker.replaced.delete('session')
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return fetch(`${ISSUER}/session`, init)
    })
    const first = verifier.read(slow)
    await settle()
    expect(await fate(verifier, quick)).toBe('live')
    release()
    expect((await first).session).not.toBeNull()
  })

  test('beside chunks of an older and larger session is renewed, and those are removed', async () => {
    const cookie = await worker.expiredCookie()
    await worker.verifier().read(`${cookie}; ${NAME}.0=a; ${NAME}.7=b`)
    expect(sessionCookie()).toBe(`${cookie}; ${NAME}.0=; ${NAME}.7=`)
    expect(sessionTokens(sessionCookie(), NAME)).toHaveLength(1)
  })

  test('without a service does not sign in, and the reading says why', async () => {
    const verifier = worker.verifier({ worker: undefined, secret: SECRET, issuer: ISSUER })
    const reading = await verifier.read(await worker.expiredCookie())
    expect(reading).toEqual({ session: null, claims: null, setCookie: [], isExpired: true })
  })

  test('an ended session does not sign in, and its cookie is removed', async () => {
    const cookie = await worker.expiredCookie()
    const verifier = worker.verifier()
    await verifier.read(await worker.cookie({ sid: 'x'.repeat(22) }))
    worker.signOut(claims.sid)
    const { session, setCookie } = await verifier.read(cookie)
    expect([session, setCookie]).toEqual([null, [expect.stringMatching(/=; Max-Age=0;/)]])
  })

  test('a session that is known to be over is not sent to the service', async () => {
    worker.signOut(claims.sid)
    const verifier = worker.verifier()
    expect(await fate(verifier, await worker.expiredCookie())).toBe('nobody')
    expect(worker.count('session')).toBe(0)
  })

  test('that the service cannot find now keeps its cookie', async () => {
    worker.replaced.set('session', () => sessionAnswer(null))
    const verifier = worker.verifier()
    const cookie = await worker.expiredCookie()
    expect(await fate(verifier, cookie)).toBe('nobody')
    worker.replaced.clear()
    expect(await fate(verifier, cookie)).toBe('live')
  })

  test('beside a cookie of a live session does not end that session', async () => {
    const over = await worker.expiredCookie({ sid: 'o'.repeat(22), sub: 'user-2' })
    const good = await worker.expiredCookie()
    const verifier = worker.verifier()
    await verifier.read(await worker.cookie())
    worker.signOut('o'.repeat(22))
    const reading = await verifier.read(`${over}; ${good}`)
    expect(reading.claims?.sub).toBe('user-1')
    worker.replaced.set('session', (_, init) => {
      const cookie = new Headers(init.headers).get('cookie')
      return cookie === over ? sessionAnswer(null, [NAME]) : sessionAnswer(null)
    })
    expect(await fate(verifier, `${over}; ${good}`)).toBe('nobody')
    expect(await fate(verifier, `${good}; ${over}`)).toBe('nobody')
    expect(await fate(verifier, over)).toBe('over')
  })
})

describe('a renewal counts only when it can be verified', () => {
  const { now } = new FakeWorker().clock
  const fresh = { ...claims, iat: now, exp: now + 300, sexp: now + 400 }
  const expires = new Date((now + 400) * 1000).toISOString()
  const line = async (changes: object, key = keys.signing) =>
    [[NAME, await signSessionToken({ ...fresh, ...changes }, key)]] as const

  test.each([
    ['no token', async () => sessionAnswer({ expires })],
    ['no session', async () => sessionAnswer({}, await line({}))],
    ['an error with status 200', async () => Response.json({ error: 'not found' })],
    ['a text', async () => Response.json('signed in')],
    [
      'another end than the token’s',
      async () => sessionAnswer({ expires: '2099-01-01T00:00:00.000Z' }, await line({})),
    ],
    [
      'a token of another key',
      async () => sessionAnswer({ expires }, await line({}, other.signing)),
    ],
    [
      'a token of another issuer',
      async () => sessionAnswer({ expires }, await line({ iss: 'https://x.example/auth' })),
    ],
    [
      'a token of another session',
      async () => sessionAnswer({ expires }, await line({ sid: 'x'.repeat(22) })),
    ],
    [
      'a token of another person',
      async () => sessionAnswer({ expires }, await line({ sub: 'admin' })),
    ],
    [
      'a token that has ended',
      async () => sessionAnswer({ expires }, await line({ iat: now - 99, exp: now - 1 })),
    ],
    [
      'a token of the future',
      async () => sessionAnswer({ expires }, await line({ iat: now + 90, exp: now + 400 })),
    ],
    ['an invalid token', async () => sessionAnswer({ expires }, [[NAME, 'x']])],
    [
      'a token under another name',
      async () => sessionAnswer({ expires }, [['other', (await line({}))[0][1]]]),
    ],
  ])('%s', async (_, answer) => {
    worker.replaced.set('session', answer)
    const verifier = worker.verifier()
    const cookie = await worker.expiredCookie()
    expect(await fate(verifier, cookie)).toBe('503')
    worker.replaced.clear()
    await worker.pass(3)
    expect(await fate(verifier, cookie)).toBe('live')
  })

  test('a cookie stays if the service answers without a session, but with a new cookie', async () => {
    worker.replaced.set('session', async () => sessionAnswer(null, await line({})))
    expect(await fate(worker.verifier(), await worker.expiredCookie())).toBe('nobody')
  })

  test('a session that the feed ended in the meantime stays over', async () => {
    const verifier = worker.verifier()
    await verifier.read(await worker.cookie({ sid: 'x'.repeat(22) }))
    const cookie = await worker.expiredCookie()
    let release = () => {}
    worker.replaced.set('session', async () => {
      const answer = sessionAnswer({ expires }, await line({}))
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return answer
    })
    const reading = fate(verifier, cookie)
    await settle()
    worker.signOut(claims.sid)
    await worker.pass(4)
    release()
    expect(await reading).toBe('nobody')
  })

  test('an unknown key in a renewed token is fetched', async () => {
    const verifier = worker.verifier()
    await verifier.read(await worker.cookie())
    await worker.pass(31)
    const cookie = await worker.expiredCookie()
    worker.keys = await deriveSessionKeys(['another-secret-0123456789abcdef-0123', SECRET])
    expect(await fate(verifier, cookie)).toBe('live')
  })
})
