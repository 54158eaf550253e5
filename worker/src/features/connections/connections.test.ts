import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { TokenRefreshFailed } from '../../errors.js'
import { everythingIn } from '../../test-support/browser.js'
import { connected, way } from '../../test-support/connected.js'
import { fails } from '../../test-support/faulty.js'
import { waitedFor } from '../../test-support/time.js'
import type { TokenServer } from '../../test-support/tokens.js'
import { endConnection } from './end-connection.js'
import { moveConnection } from './move-connection.js'

const [HOUR, DAY] = [60 * 60, 24 * 60 * 60]

const { pass, takeTimers } = clock()

const refreshToken = (serial: number) => `the-refresh-token-${serial}`
const given = (serial: number) =>
  expect.objectContaining({ ok: true, accessToken: `the-access-token-${serial}` })
const none = (reason: string) => ({ ok: false, reason })

const refused = () => Response.json({ error: 'invalid_grant' }, { status: 400 })

/** The tokens that the provider was told to revoke. */
const revokedAt = ({ seen }: TokenServer) =>
  seen.flatMap(({ endpoint, form }) => (endpoint === '/revoke' ? form.token : []))

/** The calls of a method of the ledger with these numbers fail. */
function at(
  counts: readonly number[],
  name: 'document' | 'changeDocument',
  { faults, inner }: Awaited<ReturnType<typeof connected>>,
) {
  const run = inner.ledger[name] as (...args: unknown[]) => Promise<unknown>
  let calls = 0
  faults.set(name, (...args) => (counts.includes(++calls) ? fails() : run(...args)))
}

describe('a connection', () => {
  it('gives a job its token while no user is signed in, and refreshes it for months', async () => {
    const { get, isolate, server, errors } = await connected()
    expect(await get()).toEqual(given(1))
    for (const [at, ask] of [get, isolate().get, get].entries()) {
      pass(60 * DAY)
      expect(await ask()).toEqual(given(at + 2))
    }
    expect(server.used).toEqual([1, 2, 3].map(refreshToken))
    expect(errors).toEqual([])
  })

  it('is refreshed once for twenty parallel callers in two isolates', async () => {
    const { get, isolate, server } = await connected()
    const other = isolate()
    pass(HOUR)
    const callers = Array.from({ length: 20 }, (_, at) => (at % 2 ? get() : other.get()))
    const answers = await Promise.all(callers)
    expect(new Set(answers.map((one) => JSON.stringify(one))).size).toBe(1)
    expect(answers[0]).toEqual(given(2))
    expect(server.used).toEqual([refreshToken(1)])
  })

  it('with a token that lasts costs a read of the person and one of the connection', async () => {
    const { get, calls } = await connected()
    await get()
    expect(calls.map(({ name }) => name)).toEqual(['document', 'document'])
  })

  it('belongs to one person: another person, another provider, and a person with one way get no token', async () => {
    const { get, calls } = await connected()
    for (const [sub, provider] of [
      ['another-sub', 'fake'],
      [way.sub, 'email'],
      [way.sub, 'unknown'],
      ['', 'fake'],
      [null, 'fake'],
      [way.sub, null],
      [{ sub: way.sub }, 'fake'],
      ['x'.repeat(256), 'fake'],
      [`${way.sub}\n${way.way}`, 'fake'],
    ] as [string, string][]) {
      expect(await get(sub, provider)).toEqual(none('no-token'))
    }
    expect(calls.map(({ args }) => args[0])).not.toContain(`connection\n${way.sub}\n${way.way}`)
  })

  it('that was swapped with another person’s in the ledger opens for neither', async () => {
    const { get, hasWays, inner, kept } = await connected()
    const other = { ...way, way: 'another-way' }
    await hasWays(other)
    await inner.ledger.changeDocument(`connection\n${way.sub}\n${other.way}`, 0, `${await kept()}`)
    expect(await get()).toEqual(none('sign-in-needed'))
  })

  it('is sealed: no token of it is in the ledger or in the log', async () => {
    const { get, kept, errors, server } = await connected()
    pass(HOUR)
    await get()
    server.instead = refused
    pass(HOUR)
    await get()
    const text = `${await kept()} ${everythingIn(errors)}`
    const parts = text.replace(/[\w-]{8,}/g, (run) =>
      Buffer.from(run, 'base64url').toString('latin1'),
    )
    expect(text.length).toBeGreaterThan(200)
    expect(text + parts).not.toMatch(/the-(?:access|refresh)-token|the-client-secret/)
  })

  it('sealed with a secret that was retired needs a sign-in, which renews it', async () => {
    const { isolate, server } = await connected()
    const secret = 'another-secret-0123456789abcdefghij'
    const { get } = isolate({ secret })
    expect(await get()).toEqual(none('sign-in-needed'))
    expect(server.seen).toEqual([])
  })

  it('survives a rotation of the secret, and is sealed with the new one when it is refreshed', async () => {
    const { isolate, config } = await connected()
    const fresh = 'another-secret-0123456789abcdefghij'
    const during = isolate({ secret: [fresh, config.secret as string] })
    pass(HOUR)
    expect(await during.get()).toEqual(given(2))
    expect(await isolate({ secret: fresh }).get()).toEqual(given(2))
  })
})

describe('two accounts of one provider', () => {
  const other = { ...way, way: 'the-other-way' }

  it('the token is that of the one proved last, in whatever order they are listed', async () => {
    const { get, hasWays, prove } = await connected()
    await hasWays(other, way)
    await prove(other)
    expect(await get()).toEqual(given(2))
    await prove(way)
    expect(await get()).toEqual(given(3))
    await hasWays(way, other)
    expect(await get()).toEqual(given(3))
  })

  it('both are disconnected, so that neither user gets the other one’s token', async () => {
    const { get, hasWays, prove, disconnect, server } = await connected()
    await hasWays(other, way)
    await prove(other)
    await disconnect()
    expect(await get()).toEqual(none('no-token'))
    expect(revokedAt(server).sort()).toEqual([1, 2].map(refreshToken))
  })

  it('a way that was removed gives no token, though its connection was left behind', async () => {
    const { get, hasWays, prove } = await connected()
    await hasWays(other, way)
    await prove(other)
    await hasWays(way)
    expect(await get()).toEqual(given(1))
    await hasWays()
    expect(await get()).toEqual(none('no-token'))
  })
})

describe('a refusal for good', () => {
  it('is announced once to all callers, and the provider is not asked again', async () => {
    const { get, isolate, server, needed } = await connected()
    const other = isolate()
    server.instead = refused
    pass(HOUR)
    const callers = Array.from({ length: 10 }, (_, at) => (at % 2 ? get() : other.get()))
    expect(new Set((await Promise.all(callers)).map((one) => JSON.stringify(one)))).toEqual(
      new Set([JSON.stringify(none('sign-in-needed'))]),
    )
    pass(DAY)
    expect(await get()).toEqual(none('sign-in-needed'))
    expect(needed).toEqual([{ sub: way.sub, provider: 'fake' }])
    expect(server.used).toEqual([refreshToken(1)])
  })

  it('ends with the next proof of the way, and the next refusal is announced again', async () => {
    const { get, server, needed, prove } = await connected()
    server.instead = refused
    pass(HOUR)
    await get()
    server.instead = undefined
    await prove()
    expect(await get()).toEqual(given(2))
    server.instead = refused
    pass(HOUR)
    await get()
    expect(needed).toHaveLength(2)
  })

  it('is announced although the app’s handler throws, and the answer is the same', async () => {
    const events = { signInNeeded: () => Promise.reject(new Error('x')) }
    const { get, server, errors } = await connected({ events })
    server.instead = refused
    pass(HOUR)
    expect(await get()).toEqual(none('sign-in-needed'))
    expect(errors.map(({ name }) => name)).toEqual(['TokenRefreshFailed', 'CallbackFailed'])
  })

  it('that the ledger did not take at first is announced when it does', async () => {
    takeTimers()
    const set = await connected()
    set.server.instead = refused
    at([2, 3], 'changeDocument', set)
    pass(HOUR)
    expect(await waitedFor(set.get())).toEqual(none('sign-in-needed'))
    await waitedFor(set.settled())
    expect(set.needed).toHaveLength(1)
    expect(await set.get()).toEqual(none('sign-in-needed'))
    expect(set.server.used).toEqual([refreshToken(1)])
  })
})

describe('a refusal whose write gets no answer', () => {
  it('is announced once all the same', async () => {
    takeTimers()
    const { faults, get, inner, needed, server, settled } = await connected()
    server.instead = refused
    let calls = 0
    faults.set('changeDocument', async (...args) => {
      const isDone = await inner.ledger.changeDocument(...(args as [string, number, string]))
      return ++calls === 2 ? fails() : isDone
    })
    pass(HOUR)
    expect(await waitedFor(get())).toEqual(none('sign-in-needed'))
    await waitedFor(settled())
    expect(await get()).toEqual(none('sign-in-needed'))
    expect(needed).toHaveLength(1)
  })
})

describe('a person who becomes another one', () => {
  const to = { ...way, sub: 'the-next-sub' }

  /** The list of ways names the person now; the other person has the way. */
  const merged = async () => {
    const set = await connected()
    const { ledger } = set.inner
    const listed = { way: way.way, provider: way.provider, added: null, used: null }
    const decide = async () => {
      const decided = JSON.stringify({ ways: [listed], mergedInto: to.sub })
      const { version = 0 } = (await ledger.document(`person\n${way.sub}`)) ?? {}
      await ledger.changeDocument(`person\n${way.sub}`, version, decided)
      const theirs = JSON.stringify({ ways: [listed] })
      await ledger.changeDocument(`person\n${to.sub}`, 0, theirs)
    }
    const move = async () => moveConnection(await set.requestNow(), way, to.sub)
    return { ...set, decide, move }
  }

  it('has no token from that moment on, though the connection is not moved yet', async () => {
    const { decide, get, move } = await merged()
    await decide()
    expect(await get()).toEqual(none('no-token'))
    await move()
    expect([await get(), await get(to.sub)]).toEqual([none('no-token'), given(1)])
  })

  it('while the tokens are refreshed: the rotated ones are moved, and none is used twice', async () => {
    const { decide, get, move, server, kept } = await merged()
    let moving: Promise<void> | undefined
    server.meanwhile = async () => {
      server.meanwhile = undefined
      await decide()
      moving = move()
      // The move has seen a refresh.
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    pass(HOUR)
    await get()
    await moving
    expect([await kept(), await get(to.sub)]).toEqual([null, given(2)])
    pass(HOUR)
    expect(await get(to.sub)).toEqual(given(3))
    expect([server.used, revokedAt(server)]).toEqual([[1, 2].map(refreshToken), []])
  })

  it.each([1, 2, 3])('if write %i of the move fails, a second try ends it', async (count) => {
    const set = await merged()
    await set.decide()
    at([count], 'changeDocument', set)
    await expect(set.move()).rejects.toThrow('Could not')
    await set.move()
    expect(await set.get(to.sub)).toEqual(given(1))
    expect(await set.kept()).toBeNull()
  })
})

describe('a provider that fails in passing', () => {
  it('leaves the token to its end, and is asked again by the next caller', async () => {
    const { get, server, needed, errors } = await connected()
    server.instead = () => new Response(null, { status: 503 })
    pass(HOUR - 30)
    expect(await get()).toEqual(given(1))
    pass(30)
    expect(await get()).toEqual(none('unavailable'))
    server.instead = undefined
    expect(await get()).toEqual(given(2))
    expect(needed).toEqual([])
    expect(errors.every((error) => error instanceof TokenRefreshFailed)).toBe(true)
  })
})

describe('a ledger that fails', () => {
  it.each([1, 2])('at read %i: no token, no request; the next call gets it', async (count) => {
    const set = await connected()
    at([count], 'document', set)
    pass(HOUR)
    expect(await set.get()).toEqual(none('unavailable'))
    expect(set.server.seen).toEqual([])
    expect(await set.get()).toEqual(given(2))
  })

  it('at the claim: no caller refreshes without one', async () => {
    const set = await connected()
    at([1], 'changeDocument', set)
    pass(HOUR - 30)
    expect(await set.get()).toEqual(given(1))
    expect(set.server.seen).toEqual([])
    expect(await set.get()).toEqual(given(2))
  })

  it('at the write of the rotated token: it is written again, and not lost', async () => {
    takeTimers()
    const set = await connected()
    at([2], 'changeDocument', set)
    pass(HOUR)
    expect(await waitedFor(set.get())).toEqual(given(2))
    await waitedFor(set.settled())
    pass(HOUR)
    expect(await waitedFor(set.isolate().get())).toEqual(given(3))
    expect(set.server.used).toEqual([1, 2].map(refreshToken))
  })

  it('after the write, its answer lost: nothing is refreshed twice', async () => {
    takeTimers()
    const set = await connected()
    const { faults, inner, server, needed } = set
    let calls = 0
    faults.set('changeDocument', async (...args: unknown[]) => {
      const isDone = await inner.ledger.changeDocument(...(args as [string, number, string]))
      return ++calls === 2 ? fails() : isDone
    })
    pass(HOUR)
    expect(await waitedFor(set.get())).toEqual(given(2))
    await waitedFor(set.settled())
    pass(HOUR)
    expect(await waitedFor(set.get())).toEqual(given(3))
    expect([server.used, needed]).toEqual([[1, 2].map(refreshToken), []])
  })

  it('at a disconnect: it says so, and nothing was revoked', async () => {
    const set = await connected()
    at([1], 'changeDocument', set)
    await expect(set.disconnect()).rejects.toThrow('Could not')
    expect(revokedAt(set.server)).toEqual([])
    expect(await set.get()).toEqual(given(1))
    await set.disconnect()
    expect(await set.get()).toEqual(none('no-token'))
  })
})

describe('an isolate that dies in the middle of a refresh', () => {
  /** The caller dies: only its claim is left. */
  const died = async () => {
    takeTimers()
    const set = await connected()
    const { ledger } = set.inner
    const key = `connection\n${way.sub}\n${way.way}`
    pass(HOUR)
    const lease = Math.floor(Date.now() / 1000) + 30
    const { version = 0, content } = (await ledger.document(key)) ?? {}
    const claimed = JSON.stringify({ ...JSON.parse(content ?? ''), lease })
    await ledger.changeDocument(key, version, claimed)
    return set
  }

  it('before its request: another one refreshes when the claim has ended', async () => {
    const { isolate, server } = await died()
    const other = isolate()
    const early = other.get()
    expect(await waitedFor(early)).toEqual(none('unavailable'))
    pass(30)
    expect(await waitedFor(other.get())).toEqual(given(2))
    expect(server.used).toEqual([refreshToken(1)])
  })

  it('after its request: the rotated token is lost, and the person has to sign in, announced once', async () => {
    const { isolate, server, needed } = await died()
    // The provider has rotated it all the same.
    const body = `grant_type=refresh_token&refresh_token=${refreshToken(1)}`
    await server.fetch('https://provider.example/token', { method: 'POST', body })
    pass(30)
    expect(await waitedFor(isolate().get())).toEqual(none('sign-in-needed'))
    expect(needed).toHaveLength(1)
  })
})

describe('a disconnect', () => {
  it('revokes at the provider, keeps the way, and does nothing the second time', async () => {
    const { disconnect, get, server, prove, kept } = await connected()
    await disconnect()
    expect(await get()).toEqual(none('no-token'))
    await disconnect()
    expect([revokedAt(server), await kept()]).toEqual([[refreshToken(1)], null])
    await prove()
    expect(await get()).toEqual(given(2))
  })

  it('is done although the provider cannot be reached', async () => {
    const { disconnect, get, server, errors } = await connected()
    server.instead = () => new Response(null, { status: 500 })
    await disconnect()
    expect(await get()).toEqual(none('no-token'))
    expect(errors.map(({ name }) => name)).toEqual(['TokenRefreshFailed'])
  })

  it('during a refresh: no caller gets the new token, and it is revoked too', async () => {
    const { disconnect, get, isolate, server, kept } = await connected()
    server.meanwhile = async () => {
      server.meanwhile = undefined
      await disconnect()
    }
    pass(HOUR)
    expect(await Promise.all([get(), isolate().get()])).toEqual([
      none('no-token'),
      none('no-token'),
    ])
    expect(revokedAt(server)).toEqual([1, 2].map(refreshToken))
    expect(await kept()).toBeNull()
  })

  it('and a new proof during a refresh: the tokens of the proof stay', async () => {
    const { disconnect, get, server, prove } = await connected()
    server.meanwhile = async () => {
      server.meanwhile = undefined
      await disconnect()
      await prove()
    }
    pass(HOUR)
    await get()
    expect(await get()).toEqual(given(3))
    expect(revokedAt(server)).not.toContain(refreshToken(3))
  })

  it.each([
    [undefined, 'fake', "disconnect needs the person's id"],
    [way.sub, '', "disconnect needs the provider's id"],
    [way.sub, {}, "disconnect needs the provider's id"],
  ])('for %j with %j is refused', async (sub, provider, problem) => {
    const { auth } = await connected()
    await expect(auth.disconnect(sub as string, provider as string)).rejects.toThrow(problem)
  })
})

describe('a way that is removed during a refresh', () => {
  it('leaves no connection behind, and no caller gets the new token', async () => {
    const { get, hasWays, requestNow, server, kept } = await connected()
    server.meanwhile = async () => {
      await hasWays()
      const revokeAtProvider = await endConnection(await requestNow(), way)
      await revokeAtProvider()
    }
    pass(HOUR)
    expect(await get()).toEqual(none('no-token'))
    expect(await kept()).toBeNull()
    expect(revokedAt(server)).toEqual([1, 2].map(refreshToken))
  })
})

describe('a way that is proved during a refresh', () => {
  it('keeps the tokens of the proof', async () => {
    const { get, server, prove } = await connected()
    server.meanwhile = async () => {
      server.meanwhile = undefined
      await prove()
    }
    pass(HOUR)
    expect(await get()).toMatchObject({ ok: true })
    expect(await get()).toEqual(given(3))
    pass(HOUR)
    expect(await get()).toEqual(given(4))
    expect(server.used).toEqual([1, 3].map(refreshToken))
  })
})

describe('the granted scopes', () => {
  const scope = (text: string) => ({ scope: text })
  const first = { options: { scope: 'basic' }, tokens: { scope: 'basic' } }
  /** Added with more than a sign-in asks for. */
  const wide = async () => {
    const set = await connected({}, first)
    await set.prove(way, scope('basic list'), 'basic list')
    return set
  }

  it('is not lost by a sign-in that asks for less', async () => {
    const { get, prove } = await wide()
    await prove(way, scope('basic'))
    expect(await get()).toMatchObject({ accessToken: 'the-access-token-2', scope: 'basic list' })
  })

  it('is less if the person refused a part of the scopes', async () => {
    const { get, prove } = await wide()
    await prove(way, scope('basic'), 'basic list')
    expect(await get()).toMatchObject({ accessToken: 'the-access-token-3', scope: 'basic' })
  })

  it('is the requested scope, if the provider does not say', async () => {
    const { get, prove } = await connected({}, first)
    await prove(way, { scope: undefined }, 'basic list')
    expect(await get()).toMatchObject({ scope: 'basic list' })
  })

  it('with commas is the same as with spaces', async () => {
    const { get, prove } = await wide()
    await prove(way, scope('list,basic'))
    expect(await get()).toEqual(given(3))
  })

  it('and is ended by the provider: the tokens of the last sign-in take over, no event is sent', async () => {
    const { get, prove, server, needed } = await wide()
    await prove(way, scope('basic'))
    pass(HOUR)
    server.instead = refused
    expect(await get()).toEqual(none('unavailable'))
    server.instead = undefined
    expect(await get()).toMatchObject({ accessToken: 'the-access-token-4', scope: 'read' })
    expect([needed, server.used]).toEqual([[], [2, 3].map(refreshToken)])
  })

  it('is not kept by tokens that no longer work', async () => {
    const set = await connected({}, first)
    await set.prove(way, { ...scope('basic list'), refresh_token: undefined }, 'basic list')
    pass(HOUR)
    await set.prove(way, scope('basic'))
    expect(await set.get()).toEqual(given(3))
  })

  it('stays while a refresh is under way, whose rotated token is not lost', async () => {
    const { get, prove, server } = await wide()
    server.keepsGrants = true
    server.changes = scope('basic list')
    server.meanwhile = async () => {
      server.meanwhile = undefined
      await prove(way, scope('basic'))
    }
    pass(HOUR)
    expect(await get()).toEqual(given(3))
    pass(HOUR)
    expect(await get()).toMatchObject({ accessToken: 'the-access-token-5', scope: 'basic list' })
    expect(server.used).toEqual([2, 3].map(refreshToken))
  })

  it('and the scopes granted beside it are both revoked by a disconnect', async () => {
    const { disconnect, prove, server } = await wide()
    await prove(way, scope('basic'))
    await disconnect()
    expect(revokedAt(server)).toEqual([2, 3].map(refreshToken))
  })
})
