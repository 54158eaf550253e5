import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  accessClaims,
  accessJwks,
  bearer,
  closeVerifiers,
  eddsa,
  tokenFate,
  tokenVerifier,
} from '../test-support/access.js'
import { ISSUER, SECRET } from '../test-support/keys.js'
import { settle, useWorker, worker } from '../test-support/worker.js'
import type { AccessClaims } from '../token/access-token.js'
import {
  FEED_NAME_LENGTH,
  MAX_FEED_NAMES,
  type RevocationFeed,
  signRevocationFeed,
} from './revocations.js'

useWorker()
beforeEach(() => {
  worker.accessJwks = accessJwks
})
afterEach(closeVerifiers)

const { grant, sid = '', pid = '' } = accessClaims

/** The result for a token after the service has announced an ending, by the feed alone. */
async function fateAfter(
  ending: Partial<RevocationFeed>,
  claims: Partial<AccessClaims> = {},
): Promise<string> {
  const verifier = tokenVerifier()
  const authorization = await bearer({ began: worker.clock.now - 100, ...claims })
  expect(await tokenFate(verifier, authorization)).toBe('live')
  worker.replaced.set('revocations', async () => new Response(await worker.feed(ending)))
  worker.clock.now += 15
  return tokenFate(verifier, authorization)
}

const cutoff = (until: number, except?: string) => ({
  cutoffs: [{ pid, until: worker.clock.now + until, ...(except === undefined ? {} : { except }) }],
})

describe('a token is refused within 15 seconds', () => {
  test('when its grant has ended', async () => {
    expect(await fateAfter({ sids: [grant] })).toBe('grant-ended')
  })

  test('when its session has ended', async () => {
    expect(await fateAfter({ sids: [sid] })).toBe('grant-ended')
  })

  test('when its user was cut off after it began', async () => {
    expect(await fateAfter(cutoff(-100))).toBe('grant-ended')
  })

  test('when its user has signed out everywhere else', async () => {
    expect(await fateAfter(cutoff(0, 'AnotherSessionOfTheUser'))).toBe('grant-ended')
  })

  test('when it belongs to no session, and a cut-off spares one', async () => {
    const verifier = tokenVerifier()
    const authorization = await bearer({ sid: undefined as never })
    const ending = cutoff(0, sid)
    worker.replaced.set('revocations', async () => new Response(await worker.feed(ending)))
    worker.clock.now += 15
    expect(await tokenFate(verifier, authorization)).toBe('grant-ended')
  })
})

describe('a token goes on', () => {
  test('when another grant and another session have ended', async () => {
    expect(await fateAfter({ sids: ['AnotherGrantOfTheUser', 'AnotherSessionOfTheUser'] })).toBe(
      'live',
    )
  })

  test('when it began after the cut-off', async () => {
    expect(await fateAfter(cutoff(-101))).toBe('live')
  })

  test('when the cut-off spares its session', async () => {
    expect(await fateAfter(cutoff(0, sid))).toBe('live')
  })

  test('when another user was cut off', async () => {
    const cutoffs = [{ pid: 'pid-of-another-user', until: worker.clock.now }]
    expect(await fateAfter({ cutoffs })).toBe('live')
  })
})

test('a token is known to have ended at its first read, after which it is not announced again', async () => {
  worker.signOut(grant)
  expect(await tokenFate(tokenVerifier(), await bearer())).toBe('grant-ended')
})

test('a verifier with a secret alone hears no feed', async () => {
  worker.signOut(grant)
  const verifier = tokenVerifier({ worker: undefined, issuer: ISSUER, secret: SECRET })
  expect(await tokenFate(verifier, await bearer())).toBe('live')
  expect(worker.requests).toEqual([])
})

test('a token counts no longer than the service lists endings', async () => {
  worker.window = 60
  const verifier = tokenVerifier()
  const authorization = await bearer()
  worker.clock.now += 58
  expect(await tokenFate(verifier, authorization)).toBe('live')
  worker.clock.now += 1
  expect(await tokenFate(verifier, authorization)).toBe('expired')
})

test('a feed that a key of access tokens has signed is not heard', async () => {
  const feed = {
    iss: ISSUER,
    sids: [grant],
    users: [],
    since: 0,
    next: worker.clock.now,
    window: 300,
  }
  const text = await signRevocationFeed(feed, eddsa as never)
  worker.replaced.set('revocations', () => new Response(text))
  expect(await tokenFate(tokenVerifier(), await bearer())).toBe('live')
  expect(worker.errors.map(({ message }) => message).join()).toContain('unknown-key')
})

describe('with a long feed', () => {
  /** Names in the questions that the service got. */
  const asked: string[] = []
  let ended: string[] = []

  beforeEach(() => {
    asked.length = 0
    ended = []
    worker.replaced.set('revocations', async ({ searchParams }) => {
      const of = searchParams.get('of')
      const { now } = worker.clock
      if (of === null) {
        const more = now - worker.window
        return new Response(
          await worker.feed({ more, names: MAX_FEED_NAMES }, now - 2 * worker.window),
        )
      }
      asked.push(...(of.match(new RegExp(`.{${FEED_NAME_LENGTH}}`, 'g')) ?? []))
      return new Response(await worker.feed({ of, sids: ended }))
    })
  })

  test('the verifier asks about grant, session and user before it answers, and again later', async () => {
    const verifier = tokenVerifier()
    worker.clock.now += 100
    const { now } = worker.clock
    const times = { iat: now - 100, exp: now + 200, auth_time: now - 100, began: now - 100 }
    const authorization = await bearer(times)
    const fate = tokenFate(verifier, authorization)
    await settle()
    await worker.pass(1)
    expect(await fate).toBe('live')
    const names = [grant, sid, pid].map((name) => name.slice(0, FEED_NAME_LENGTH))
    expect(asked).toEqual(expect.arrayContaining(names))
    const before = worker.requests.length
    expect(verifier.read(authorization)).not.toBeInstanceOf(Promise)
    expect(worker.requests).toHaveLength(before)
    ended = [grant]
    await worker.pass(15)
    expect(await tokenFate(verifier, authorization)).toBe('grant-ended')
  })
})
