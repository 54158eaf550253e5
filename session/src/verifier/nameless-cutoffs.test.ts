import { beforeEach, describe, expect, test } from 'vitest'
import { claims, NOW } from '../test-support/keys.js'
import { fate, NAME, sessionAnswer, settle, useWorker, worker } from '../test-support/worker.js'
import { splitCookie } from '../token/cookie.js'
import { toSession } from '../token/session.js'
import { signSessionToken } from '../token/signed.js'
import type { NamelessCutoff } from './revocations.js'

useWorker()

const [pid, another] = ['AAECAwQFBgcI', 'IIIIIIIIIIII']
let cutoffs: NamelessCutoff[]

beforeEach(() => {
  cutoffs = []
  worker.replaced.set('revocations', async () => new Response(await worker.feed({ cutoffs })))
})

describe('a cut-off by a name that tokens have', () => {
  test('ends the sessions of all tokens that began by then, but for one, without a call', async () => {
    cutoffs = [{ pid, until: NOW, except: 'k'.repeat(22) }]
    const verifier = worker.verifier()
    expect(await fate(verifier, await worker.cookie({ pid }))).toBe('nobody')
    expect(await fate(verifier, await worker.cookie({ pid, sid: 'k'.repeat(22) }))).toBe('live')
    expect(await fate(verifier, await worker.cookie({ pid: another }))).toBe('live')
    const later = { iat: NOW + 1, auth_time: NOW + 1, exp: NOW + 300 }
    expect(await fate(verifier, await worker.cookie({ pid, ...later }))).toBe('live')
    expect(worker.count('session')).toBe(0)
  })

  test('is known as long as a token of theirs may live', async () => {
    cutoffs = [{ pid, until: NOW }]
    const verifier = worker.verifier()
    const cookie = await worker.cookie({ pid })
    await verifier.read(cookie)
    cutoffs = []
    await worker.pass(290)
    expect(await fate(verifier, cookie)).toBe('nobody')
  })

  test('in one feed ends the session that the other one of the same second spares', async () => {
    const [one, two] = ['a'.repeat(22), 'b'.repeat(22)]
    cutoffs = [one, two].map((except) => ({ pid, until: NOW, except }))
    const verifier = worker.verifier()
    for (const sid of [one, two]) {
      expect(await fate(verifier, await worker.cookie({ pid, sid }))).toBe('nobody')
    }
  })

  test('does not cut off a user with that name as an id, and the other way round', async () => {
    cutoffs = [{ pid, until: NOW }]
    const verifier = worker.verifier()
    expect(await fate(verifier, await worker.cookie({ sub: pid, pid: another }))).toBe('live')
    worker.replaced.set(
      'revocations',
      async () => new Response(await worker.feed({ users: [{ sub: another, until: NOW }] })),
    )
    await worker.pass(8)
    expect(await fate(verifier, await worker.cookie({ sub: 'x', pid: another }))).toBe('live')
  })

  test.each([
    ['without a name', [{ until: NOW }]],
    ['by a number', [{ pid: 1, until: NOW }]],
    ['without a time', [{ pid }]],
    ['that spares a number', [{ pid, until: NOW, except: 1 }]],
    ['in no list', { 0: { pid, until: NOW } }],
  ])('%s makes it no feed', async (_, wrong) => {
    cutoffs = wrong as never
    await fate(worker.verifier(), await worker.cookie({ pid }))
    expect(worker.errors.map(({ message }) => message)).toEqual([
      'The revocation feed was refused: it is not a feed of this service (claims).',
    ])
  })
})

describe('a token that has no such name', () => {
  test('is good without a call while the feed has no cut-off that could be its user’s', async () => {
    const verifier = worker.verifier()
    cutoffs = [{ pid, until: NOW - 20 }]
    expect(await fate(verifier, await worker.cookie({ auth_time: NOW - 19 }))).toBe('live')
    const old = { auth_time: NOW - 5_000, iat: NOW - 10 }
    cutoffs = [{ pid, until: NOW - 71 }]
    expect(await fate(worker.verifier(), await worker.cookie(old))).toBe('live')
    expect(worker.count('session')).toBe(0)
  })

  test('takes the service’s word if one could be: its simultaneous requests share one call', async () => {
    cutoffs = [{ pid: another, until: NOW }]
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    let answer = () => {}
    const asked = new Promise<void>((resolve) => (answer = resolve))
    const session = toSession({ ...claims, sexp: NOW + 86_400 })
    worker.replaced.set('session', () => asked.then(() => Response.json(session)))
    const fates = Promise.all(Array.from({ length: 20 }, () => fate(verifier, cookie)))
    await settle()
    answer()
    expect(new Set(await fates)).toEqual(new Set(['live']))
    const calls = worker.requests.flatMap(({ path }) => (path.startsWith('session') ? path : []))
    expect(calls).toEqual(['session?online=1'])
    worker.replaced.delete('session')
    worker.signOut(claims.sid)
    expect(await fate(verifier, cookie)).toBe('over')
  })

  test('is neither good nor over while the service cannot be asked', async () => {
    cutoffs = [{ pid: another, until: NOW }]
    const verifier = worker.verifier()
    const cookie = await worker.cookie()
    worker.replaced.set('session', () => new Response('{}', { status: 500 }))
    expect(await fate(verifier, cookie)).toBe('503')
  })

  test('that was renewed ahead is over with the renewed one, which has a name', async () => {
    const verifier = worker.verifier()
    const cookie = await worker.cookie({ iat: NOW - 250, exp: NOW + 50, auth_time: NOW - 250 })
    const renewed = { ...claims, iat: NOW, exp: NOW + 300, auth_time: NOW - 250, pid }
    const fresh = { ...renewed, sexp: NOW + 86_400 }
    const lines = splitCookie(NAME, await signSessionToken(fresh, worker.keys.signing))
    worker.replaced.set('session', () => sessionAnswer(toSession(fresh), lines))
    await verifier.read(cookie)
    await settle()
    expect((await verifier.read(cookie)).claims?.pid).toBe(pid)
    cutoffs = [{ pid, until: NOW + 1 }]
    await worker.pass(8)
    worker.replaced.set('session', () => sessionAnswer(null, [NAME]))
    expect(await fate(verifier, cookie)).toBe('over')
  })
})
