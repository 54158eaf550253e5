import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import type { TooManyRefreshes } from '../errors.js'
import { type Browser, claimsIn, configWith } from '../test-support/browser.js'
import { deployment } from '../test-support/deployment.js'
import { feedOf } from '../test-support/feed.js'
import type { AuthConfig } from '../types.js'

const { pass } = clock()

const WINDOW = 300
const json = { 'content-type': 'application/json' }
const fails = async () => {
  throw new Error('overloaded')
}

/** Ada, whose role is in the app's own table, and Grace. */
async function people(changes: Partial<AuthConfig> = {}, variables = {}) {
  const roles = new Map([['ada', 'reader']])
  const asked: (string | undefined)[] = []
  const session: NonNullable<AuthConfig['callbacks']>['session'] = ({
    session,
    token,
    trigger,
  }) => {
    asked.push(trigger)
    return { ...session, role: roles.get(String(token.name)) }
  }
  const set = deployment({ callbacks: { session }, ...changes }, variables)
  const ada = await set.signIn('ada')
  const { sub, sid } = claimsIn(ada)
  pass(2)
  asked.length = 0
  const roleOf = async (browser: Browser) =>
    ((await browser.session()) as { role?: string } | null)?.role
  const update = async (browser: Browser, fields: object) =>
    browser.send('/auth/session', {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ csrfToken: await browser.csrfToken(), ...fields }),
    })
  return { ...set, ada, sub, sid, roles, asked, roleOf, update }
}

describe('refreshClaims for the operator', () => {
  it('has the next read ask both callbacks again, and signs nobody out', async () => {
    const { here, ada, sub, sid, roles, roleOf, asked } = await people()
    roles.set('ada', 'editor')
    expect(await roleOf(ada)).toBe('reader')
    expect(await here.call('refreshClaims', { sub })).toBeUndefined()
    expect(await roleOf(ada)).toBe('editor')
    expect(claimsIn(ada).sid).toBe(sid)
    expect(await roleOf(ada)).toBe('editor')
    // Once, and as a renewal.
    expect(asked).toEqual([undefined])
  })

  it('counts at once where the ledger decides, and in five seconds for plain reads elsewhere', async () => {
    const { here, ada, sub, roles, roleOf, isolate, copyAt } = await people()
    const plain = copyAt(ada, isolate('elsewhere'))
    const online = copyAt(ada, isolate('far away'))
    expect([await roleOf(plain), await roleOf(online)]).toEqual(['reader', 'reader'])
    roles.set('ada', 'editor')
    await here.call('refreshClaims', { sub })
    expect(await (await online.get('/auth/session?online=1')).json()).toMatchObject({
      role: 'editor',
    })
    pass(5)
    expect(await roleOf(plain)).toBe('editor')
  })

  it('with a session changes no other session', async () => {
    const { here, ada, sub, sid, roles, roleOf, signIn } = await people()
    const other = await signIn('ada')
    pass(2)
    roles.set('ada', 'editor')
    await here.call('refreshClaims', { sub, session: sid })
    expect([await roleOf(ada), await roleOf(other)]).toEqual(['editor', 'reader'])
  })

  it('answers nothing for an unknown person, and throws a TypeError for a wrong argument', async () => {
    const { here, ledgers } = await people()
    expect(await here.call('refreshClaims', { sub: 'nobody' })).toBeUndefined()
    expect(await here.call('refreshClaims', { sub: 'nobody', session: 'none' })).toBeUndefined()
    ledgers.calls.length = 0
    for (const wrong of [undefined, {}, { sub: '' }, { sub: 1 }, { sub: 'ada', session: 1 }]) {
      await expect(here.call('refreshClaims', wrong as never)).rejects.toThrow(TypeError)
    }
    expect(ledgers.calls).toEqual([])
  })

  it('that the ledger cannot write is StoreUnavailable, and works when it is called again', async () => {
    const { here, ledgers, ada, sub, roles, roleOf } = await people()
    roles.set('ada', 'editor')
    ledgers.before.set('refreshClaims', fails)
    await expect(here.call('refreshClaims', { sub })).rejects.toMatchObject({
      type: 'StoreUnavailable',
    })
    expect(await roleOf(ada)).toBe('reader')
    ledgers.before.clear()
    await here.call('refreshClaims', { sub })
    expect(await roleOf(ada)).toBe('editor')
  })
})

describe('a person who was erased', () => {
  it('leaves no id behind if their claims are refreshed before, after, or both', async () => {
    const { here, ledgers, sub } = await people()
    await here.call('refreshClaims', { sub })
    await here.call('deletePerson', sub)
    await here.call('refreshClaims', { sub })
    const kept = await ledgers.objects.get('ledger')?.revokedSince(0)
    expect(kept?.stale).toHaveLength(1)
    expect(JSON.stringify(kept)).not.toContain(sub)
  })

  it('and has come back is refreshed as any other, here, elsewhere and in the feed', async () => {
    const { here, sub, roles, roleOf, signIn, isolate, copyAt, browserAt } = await people()
    await here.call('deletePerson', sub)
    pass(2)
    const ada = await signIn('ada')
    expect(claimsIn(ada).sub).toBe(sub)
    const copy = copyAt(ada, isolate('elsewhere'))
    expect([await roleOf(ada), await roleOf(copy)]).toEqual(['reader', 'reader'])
    pass(2)
    roles.set('ada', 'editor')
    await here.call('refreshClaims', { sub })
    pass(5)
    expect([await roleOf(ada), await roleOf(copy)]).toEqual(['editor', 'editor'])
    const { stale = [] } = await feedOf(browserAt(isolate('third')))
    expect(stale).toEqual([{ pid: claimsIn(ada).pid, until: expect.any(Number) }])
  })
})

describe('within one second', () => {
  it('a token that was renewed after a refresh is never expired by it, and one from before is', async () => {
    const { here, ada, sub, roles, roleOf, asked, browserAt } = await people()
    await here.call('refreshClaims', { sub })
    await roleOf(ada)
    const { stale = [] } = await feedOf(browserAt())
    const [{ until } = { until: 0 }] = stale
    expect(claimsIn(ada).iat).toBe(until + 1)
    for (const role of ['editor', 'owner', 'reader']) {
      roles.set('ada', role)
      await here.call('refreshClaims', { sub })
      asked.length = 0
      expect([await roleOf(ada), await roleOf(ada)]).toEqual([role, role])
      expect(asked).toHaveLength(1)
    }
  })

  it('a refresh of the person after one of the session, or before it, also counts for tokens that were renewed between them', async () => {
    const { here, sub, sid, roles, roleOf, ada } = await people()
    const order = [{ sub, session: sid }, { sub }, { sub, session: sid }, { sub }]
    for (const [at, whose] of order.entries()) {
      roles.set('ada', `role ${at}`)
      await here.call('refreshClaims', whose)
      expect(await roleOf(ada)).toBe(`role ${at}`)
    }
  })

  it('attack: a person who refreshes in a loop holds up no refresh of the operator', async () => {
    const { here, ada, sub, update, roles, roleOf } = await people()
    for (let times = 0; times < 20; times++) await update(ada, { refresh: true })
    roles.set('ada', 'editor')
    await here.call('refreshClaims', { sub })
    expect(await roleOf(ada)).toBe('editor')
    await here.call('refreshClaims', { sub: 'grace' })
  })

  it('no loop of refreshes makes tokens of a far future', async () => {
    const { here, sub } = await people()
    let refused: TooManyRefreshes | undefined
    for (let times = 0; times < 40 && !refused; times++) {
      refused = await here.call('refreshClaims', { sub }).then(
        () => undefined,
        (error) => error,
      )
    }
    expect(refused).toMatchObject({ type: 'TooManyRefreshes', retryAfter: 1 })
  })

  it.each([-50, -20, 20, 50])('a clock of the ledger that is %i s off counts too', async (skew) => {
    const { here, ledgers, ada, sub, roles, roleOf, asked } = await people()
    ledgers.skew = skew
    roles.set('ada', 'editor')
    await here.call('refreshClaims', { sub })
    expect([await roleOf(ada), await roleOf(ada)]).toEqual(['editor', 'editor'])
    expect(asked).toHaveLength(1)
  })
})

describe('a token counts as issued when the callbacks were asked', () => {
  it('a slow callback that began before the refresh makes a stale token, however late it is signed', async () => {
    let answer = () => {}
    const held = new Promise<void>((resolve) => {
      answer = resolve
    })
    let ask = () => {}
    const asked = new Promise<void>((resolve) => {
      ask = resolve
    })
    let isHeld = false
    const roles = { ada: 'reader' }
    const callbacks: AuthConfig['callbacks'] = {
      async session({ session }) {
        const { ada: role } = roles
        if (isHeld) {
          ask()
          await held
        }
        return { ...session, role }
      },
    }
    const { here, ada, sub, roleOf } = await people({ callbacks })
    pass(290)
    isHeld = true
    const renewing = ada.session()
    await asked
    roles.ada = 'editor'
    pass(1)
    await here.call('refreshClaims', { sub })
    pass(3)
    isHeld = false
    answer()
    expect(await renewing).toMatchObject({ role: 'reader' })
    expect(await roleOf(ada)).toBe('editor')
  })

  it('a sign-in with a slow callback makes a token of the second in which it was asked', async () => {
    const hold = { pause: 0 }
    const callbacks: AuthConfig['callbacks'] = {
      session: ({ session }) => {
        pass(hold.pause)
        return session
      },
    }
    const { signIn } = await people({ callbacks })
    hold.pause = 4
    const before = Math.floor(Date.now() / 1000)
    expect(claimsIn(await signIn('ada')).iat).toBe(before)
  })
})

describe('the feed', () => {
  it('names the person by a pid for each secret in use, a session by its sid, and nobody by an id', async () => {
    const old = 'another secret of more than 32 characters'
    const { here, sub, sid, browserAt } = await people({}, {})
    await here.call('refreshClaims', { sub })
    await here.call('refreshClaims', { sub, session: sid })
    const { stale = [] } = await feedOf(browserAt())
    expect(stale).toEqual([
      { pid: expect.any(String), until: expect.any(Number) },
      { sid, until: expect.any(Number) },
    ])
    expect(JSON.stringify(stale)).not.toContain(sub)
    const secrets = await people({ secret: [configWith({}).secret as string, old] })
    await secrets.here.call('refreshClaims', { sub: secrets.sub })
    const both = await feedOf(secrets.browserAt())
    expect(new Set(both.stale?.map((one) => 'pid' in one && one.pid)).size).toBe(2)
  })

  it('has an entry for as long as a token may live, and one for each person and session', async () => {
    const { here, sub, browserAt } = await people()
    await here.call('refreshClaims', { sub })
    pass(2)
    await here.call('refreshClaims', { sub })
    expect((await feedOf(browserAt())).stale).toHaveLength(1)
    pass(WINDOW - 1)
    expect((await feedOf(browserAt())).stale).toHaveLength(1)
    pass(2)
    expect((await feedOf(browserAt())).stale).toBeUndefined()
  })

  it('has the entries in its pages, and in answers about some sessions only theirs', async () => {
    const { here, sub, sid, ada } = await people()
    await here.call('refreshClaims', { sub })
    await here.call('refreshClaims', { sub: 'grace' })
    await here.call('refreshClaims', { sub, session: sid })
    const { pid = '' } = claimsIn(ada)
    const read = async (query: string) => {
      const text = await (await ada.get(`/auth/revocations?${query}`)).text()
      return JSON.parse(atob((text.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/')))
    }
    expect((await read('pages=1')).stale).toHaveLength(3)
    expect((await read(`of=${sid.slice(0, 8)}`)).stale).toMatchObject([{ sid }])
    expect((await read(`of=${pid.slice(0, 8)}`)).stale).toMatchObject([{ pid }])
    expect((await read('of=AAAAAAAA')).stale ?? []).toEqual([])
  })
})

describe('one’s own', () => {
  it('refresh: true renews now, makes older tokens of this session stale, and has a trigger only with data', async () => {
    const { ada, sub, sid, roles, asked, update, copyAt, isolate, roleOf, signIn } = await people()
    const other = await signIn('ada')
    const old = copyAt(ada, isolate('elsewhere'))
    pass(2)
    asked.length = 0
    roles.set('ada', 'editor')
    expect(await (await update(ada, { refresh: true })).json()).toMatchObject({ role: 'editor' })
    expect(asked).toEqual([undefined])
    expect([await roleOf(old), await roleOf(other)]).toEqual(['editor', 'reader'])
    asked.length = 0
    await update(ada, { refresh: true, data: { theme: 'dark' } })
    expect(asked).toEqual(['update'])
    const { stale } = await feedOf(ada)
    expect(stale).toEqual([{ sid, until: expect.any(Number) }])
    expect(JSON.stringify(stale)).not.toContain(sub)
  })

  it('without refresh nothing is stale, and other values of it do not count', async () => {
    const { ada, update, ledgers } = await people()
    for (const refresh of [undefined, false, 'yes', 1, {}]) await update(ada, { refresh, data: 1 })
    expect(ledgers.count('refreshClaims')).toBe(0)
  })

  it('a session that is over refreshes nothing', async () => {
    const { ada, sub, sid, update, here, copyAt, isolate, browserAt } = await people()
    const copy = copyAt(ada, isolate('elsewhere'))
    await copy.session()
    await here.call('endSession', { sub, session: sid })
    const answer = await update(copy, { refresh: true })
    expect(await answer.json()).toBeNull()
    expect((await feedOf(browserAt())).stale).toBeUndefined()
  })
})

describe('bounds', () => {
  it('a thousand entries stand in an object; one more of the operator’s is refused, and nothing is written', async () => {
    const { here, ada, sub, ledgers, roles, roleOf } = await people()
    await here.call('refreshClaims', { sub: 'p0' })
    const object = ledgers.objects.get('ledger')
    const now = Math.floor(Date.now() / 1000)
    for (let one = 1; one < 1_000; one++)
      await object?.refreshClaims({ sub: `p${one}` }, now, WINDOW)
    pass(100)
    roles.set('ada', 'editor')
    await expect(here.call('refreshClaims', { sub })).rejects.toMatchObject({
      type: 'TooManyRefreshes',
      retryAfter: WINDOW - 100,
    })
    expect(await roleOf(ada)).toBe('reader')
    // One that stands is not one more.
    await here.call('refreshClaims', { sub: 'p0' })
    pass(WINDOW - 100)
    await here.call('refreshClaims', { sub })
    expect(await roleOf(ada)).toBe('editor')
  })

  it('where the operator’s take all, a person renews their own token alone', async () => {
    const { ada, ledgers, roles, update } = await people()
    const object = ledgers.objects.get('ledger')
    const now = Math.floor(Date.now() / 1000)
    for (let one = 0; one < 1_000; one++)
      await object?.refreshClaims({ sub: `p${one}` }, now, WINDOW)
    roles.set('ada', 'editor')
    const answer = await update(ada, { refresh: true })
    expect([answer.status, await answer.json()]).toMatchObject([200, { role: 'editor' }])
  })

  it('flood: people’s own take half of them, and beyond it renew their own token alone', async () => {
    const { here, ada, sub, ledgers, roles, update, browserAt } = await people()
    await here.call('refreshClaims', { sub })
    const object = ledgers.objects.get('ledger')
    const now = Math.floor(Date.now() / 1000)
    for (let one = 0; one < 500; one++) {
      const sid = `another-session-${one}`.padEnd(22, 'x')
      await object?.refreshClaims({ sub: 'x', sid }, now, WINDOW, { sub: 'x', auth_time: now })
    }
    roles.set('ada', 'editor')
    const answer = await update(ada, { refresh: true })
    expect([answer.status, await answer.json()]).toMatchObject([200, { role: 'editor' }])
    expect((await feedOf(browserAt())).stale).toHaveLength(501)
    // The operator's half is untouched.
    await here.call('refreshClaims', { sub: 'grace' })
    expect((await feedOf(browserAt())).stale).toHaveLength(502)
  })
})

describe('while something fails', () => {
  it.each(['standing', 'callback', 'KV'])(
    '%s: the last state counts until the token ends',
    async (what) => {
      const faults = { callback: false }
      const callbacks: AuthConfig['callbacks'] = {
        session({ session }) {
          if (faults.callback) throw new Error('the database is down')
          return { ...session, role: 'reader' }
        },
      }
      const { here, ada, sub, ledgers, kv } = await people({ callbacks })
      await here.call('refreshClaims', { sub })
      if (what === 'standing') ledgers.before.set('standing', fails)
      else if (what === 'KV') kv.before.set('get', fails)
      else faults.callback = true
      expect(await ada.session()).toMatchObject({ role: 'reader' })
      pass(WINDOW)
      expect((await ada.get('/auth/session')).status).toBeGreaterThanOrEqual(500)
      expect(ada.jar.has('auth.session-token')).toBe(true)
    },
  )
})

describe('endings win', () => {
  it.each(['endSessions', 'blockPerson', 'deletePerson'] as const)(
    '%s after a refresh, and before',
    async (end) => {
      const { here, ada, sub, roleOf } = await people()
      await here.call('refreshClaims', { sub })
      if (end === 'deletePerson') await here.call(end, sub)
      else await here.call(end, { sub })
      await here.call('refreshClaims', { sub })
      expect(await roleOf(ada)).toBeUndefined()
    },
  )

  it('deletePerson leaves no entry with the id in the ledger', async () => {
    const { here, ledgers, sub } = await people()
    await here.call('refreshClaims', { sub })
    const since = () => ledgers.objects.get('ledger')?.revokedSince(0)
    expect(JSON.stringify((await since())?.stale)).toContain(sub)
    await here.call('deletePerson', sub)
    expect(JSON.stringify(await since())).not.toContain(sub)
  })
})

describe.each([1, 4])('costs with %i objects', (count) => {
  const shards = { ledgerShards: count }
  const callsOf = (calls: readonly string[]) =>
    calls.flatMap((call) => (/revokedSince|collect/.test(call) ? [] : call.split(' ')[1]))

  it('one call to refresh, and none beside those of any renewal afterwards', async () => {
    const { here, ada, sub, kv, ledgers, isolate, copyAt, update } = await people(shards)
    const other = copyAt(ada, isolate('elsewhere'))
    await other.session()
    const reset = () => {
      ledgers.calls.length = 0
      kv.calls.length = 0
    }
    pass(WINDOW)
    reset()
    await ada.session()
    const usual = callsOf(ledgers.calls)
    const ofKv = kv.calls.length
    reset()
    await here.call('refreshClaims', { sub })
    expect([callsOf(ledgers.calls), kv.calls]).toEqual([['refreshClaims'], []])
    for (const read of ['/auth/session', '/auth/session?online=1']) {
      pass(1)
      await here.call('refreshClaims', { sub })
      reset()
      await ada.get(read)
      expect([callsOf(ledgers.calls), kv.calls.length]).toEqual([usual, ofKv])
    }
    reset()
    await update(ada, { refresh: true })
    expect(callsOf(ledgers.calls)).toEqual(['refreshClaims', ...usual])
    const rows = [...ledgers.objects.values()].map((object) => object.revokedSince(0))
    const stale = (await Promise.all(rows)).flatMap(({ stale = [] }) => stale)
    expect(stale).toHaveLength(2)
  })

  it('everybody else: a read costs nothing, and the feed is as before', async () => {
    const { ada, ledgers, browserAt } = await people(shards)
    ledgers.calls.length = 0
    await ada.session()
    expect(callsOf(ledgers.calls)).toEqual([])
    expect('stale' in (await feedOf(browserAt()))).toBe(false)
  })
})

describe('while the number of objects changes', () => {
  it('a refresh by isolates of either kind is heard by those with both', async () => {
    const { here, ada, sub, roles, isolate, copyAt } = await people()
    const both = isolate('both', { ledgerShards: [1, 4] })
    const onlineOf = async (place: typeof both) =>
      (await copyAt(ada, place).get('/auth/session?online=1')).json()
    roles.set('ada', 'editor')
    await here.call('refreshClaims', { sub })
    expect(await onlineOf(both)).toMatchObject({ role: 'editor' })
    roles.set('ada', 'owner')
    await both.call('refreshClaims', { sub })
    expect(await onlineOf(here)).toMatchObject({ role: 'owner' })
    expect(await onlineOf(both)).toMatchObject({ role: 'owner' })
    expect(await onlineOf(isolate('new', { ledgerShards: 4 }))).toMatchObject({ role: 'owner' })
  })

  it('an object of the version before renews as ever, and a refresh there is to be called again', async () => {
    const { here, ada, sub, ledgers, roleOf } = await people()
    await here.call('refreshClaims', { sub })
    const object = ledgers.objects.get('ledger') as object
    for (const name of ['standing', 'refreshClaims']) Object.assign(object, { [name]: undefined })
    expect(await roleOf(ada)).toBe('reader')
    pass(WINDOW)
    expect(await roleOf(ada)).toBe('reader')
    await expect(here.call('refreshClaims', { sub })).rejects.toMatchObject({
      type: 'StoreUnavailable',
    })
  })
})
