import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { customFetch } from '../../lib/symbols.js'
import { type Browser, errorOf, locationOf, origin } from '../../test-support/browser.js'
import { fails } from '../../test-support/faulty.js'
import { accountsAt, people } from '../../test-support/people.js'
import type { AuthConfig, OAuthConfig, OAuthUserConfig } from '../../types.js'

const HOUR = 60 * 60

const { pass } = clock({ waits: true })

const none = (reason: string) => ({ ok: false, reason })

/**
 * A provider whose accounts are made by naming them, with refresh tokens. A code is an account, or an account
 * and its granted scopes: `ada basic,list`.
 */
function grantingAt(id: string, options: OAuthUserConfig = {}) {
  const live = new Map<string, string>()
  const log: string[] = []
  let serial = 0
  const accounts = accountsAt(id)[customFetch] as typeof fetch
  const given = (account: string, scope: string) => {
    const name = `${account}-${++serial}`
    live.set(`refresh-${name}`, `${account} ${scope}`)
    const tokens = { access_token: name, refresh_token: `refresh-${name}`, expires_in: HOUR }
    return Response.json({ ...tokens, token_type: 'Bearer', ...(scope ? { scope } : {}) })
  }
  const provider: OAuthConfig = {
    ...accountsAt(id),
    scope: 'basic',
    connection: { scopes: ['list', 'publish'] },
    revocation: `https://${id}.example/revoke`,
    ...options,
    [customFetch]: async (input, init) => {
      const { body, headers } = init as RequestInit
      const form = new URLSearchParams(String(body))
      if (String(input).endsWith('/revoke')) {
        log.push(`revoke ${form.get('token')}`)
        live.delete(form.get('token') ?? '')
        return new Response(null)
      }
      if (String(input).endsWith('/token')) {
        const token = form.get('refresh_token')
        if (token === null) {
          const [account = '', scope = ''] = (form.get('code') ?? '').split(' ')
          return given(account, scope)
        }
        log.push(`refresh ${token}`)
        const grant = live.get(token)
        live.delete(token)
        if (!grant) return Response.json({ error: 'invalid_grant' }, { status: 400 })
        const [account = '', scope = ''] = grant.split(' ')
        return given(account, scope)
      }
      const bearer = new Headers(headers as HeadersInit).get('authorization') ?? ''
      const account = bearer.replace(/^Bearer (.*)-\d+$/, '$1')
      return accounts(input, { headers: { authorization: `Bearer ${account}` } })
    },
  }
  return { provider, log }
}

/** A service with such a provider, others. */
function world(changes: Partial<AuthConfig> = {}, options: OAuthUserConfig = {}) {
  const { provider, log } = grantingAt('app', options)
  const needed: unknown[] = []
  const events = { signInNeeded: (message: unknown) => void needed.push(message) }
  const providers = [provider, grantingAt('two').provider, accountsAt('one')]
  const set = people({ providers, events, ...changes })
  const auth = createAuth(set.config)
  const ask = ({ cookie }: Browser, of?: string) => {
    const asked = new Request(origin, { headers: { cookie } })
    return auth.getAccessToken(
      asked,
      {},
      undefined,
      of === undefined ? undefined : { provider: of },
    )
  }
  /** Adds with scopes that a form names. @returns what the provider is asked for */
  const startAdding = async (browser: Browser, named?: string, provider = 'app') => {
    const start = await set.startAdding(browser, provider, named ? { scope: named } : {})
    return { start, asked: new URL(locationOf(start)).searchParams.get('scope') }
  }
  const add = async (browser: Browser, code: string, named?: string) => {
    const { start } = await startAdding(browser, named)
    return errorOf(await set.comeBack(browser, 'app', start, code))
  }
  return { ...set, auth, ask, startAdding, add, log, needed }
}

describe('a way that was added', () => {
  it('has a connection, and so has the first way of its person; both outlive the session', async () => {
    const { add, ask, auth, browser, signIn, subOf } = world()
    const ada = await signIn('two', 'ada', browser())
    const sub = subOf(ada)
    expect(await auth.getAccessTokenOf(sub, 'two')).toEqual(none('no-token'))
    expect(await add(ada, 'ada')).toBe('/inbox')
    expect(await ask(ada, 'app')).toMatchObject({ ok: true, accessToken: 'ada-1' })
    expect(await ask(ada)).toMatchObject({ ok: true, accessToken: 'ada-1' })
    await ada.submit('/auth/signout')
    pass(HOUR)
    for (const provider of ['app', 'two']) {
      expect(await auth.getAccessTokenOf(sub, provider)).toMatchObject({ accessToken: 'ada-2' })
    }
  })

  it('takes over the tokens of the session that it was added in: no two refresh the same', async () => {
    const { add, ask, auth, signIn, subOf, log } = world()
    const ada = await signIn('app', 'ada')
    expect(await add(ada, 'second')).toBe('/inbox')
    const sub = subOf(ada)
    expect(await ask(ada)).toMatchObject({ accessToken: 'second-2' })
    pass(HOUR)
    const asked = [ask(ada), ask(ada, 'app'), auth.getAccessTokenOf(sub, 'app')]
    for (const answer of await Promise.all(asked)) {
      expect(answer).toMatchObject({ accessToken: 'second-3' })
    }
    expect(log).toEqual(['refresh refresh-second-2'])
  })

  it('at another provider leaves a connection of the first way, by the session’s newest tokens', async () => {
    const { ask, auth, comeBack, log, signIn, startAdding, subOf } = world()
    const ada = await signIn('app', 'ada')
    pass(HOUR)
    expect(await ask(ada)).toMatchObject({ accessToken: 'ada-2' })
    const fresh = await signIn('app', 'ada', ada)
    const { start } = await startAdding(fresh, undefined, 'two')
    expect(errorOf(await comeBack(fresh, 'two', start, 'ada'))).toBe('/inbox')
    expect(await auth.getAccessTokenOf(subOf(fresh), 'app')).toMatchObject({ accessToken: 'ada-3' })
    pass(HOUR)
    const asked = [ask(fresh), auth.getAccessTokenOf(subOf(fresh), 'app')]
    for (const answer of await Promise.all(asked)) {
      expect(answer).toMatchObject({ accessToken: 'ada-4' })
    }
    expect(log).toEqual(['refresh refresh-ada-1', 'refresh refresh-ada-3'])
  })

  it('revokes nothing at a sign-out, with revokeOnSignOut as well', async () => {
    const { add, auth, log, signIn, subOf } = world({}, { revokeOnSignOut: true })
    const ada = await signIn('app', 'ada')
    await add(ada, 'second')
    const sub = subOf(ada)
    await ada.submit('/auth/signout')
    expect(log).toEqual([])
    pass(HOUR)
    expect(await auth.getAccessTokenOf(sub, 'app')).toMatchObject({ ok: true })
  })

  it('takes over the tokens of the person’s other sessions: a sign-out in another browser ends no grant', async () => {
    const { add, ask, auth, log, signIn, subOf } = world({}, { revokeOnSignOut: true })
    const [ada, elsewhere, third] = [
      await signIn('app', 'ada'),
      await signIn('app', 'ada'),
      await signIn('app', 'ada'),
    ]
    const sub = subOf(ada)
    await add(ada, 'second')
    await elsewhere.submit('/auth/signout')
    expect(log).toEqual([])
    await auth.disconnect(sub, 'app', {})
    expect(log).toHaveLength(2)
    for (const answer of [await ask(third), await ask(third, 'app')]) {
      expect(answer).toEqual(none('no-token'))
    }
  })

  it('is renewed by a sign-in, and its session has no tokens of its own', async () => {
    const { add, ask, auth, log, signIn, subOf } = world()
    const ada = await signIn('one', 'ada')
    await add(ada, 'ada')
    const sub = subOf(ada)
    const again = await signIn('app', 'ada')
    expect(subOf(again)).toBe(sub)
    expect(await auth.getAccessTokenOf(sub, 'app')).toMatchObject({ accessToken: 'ada-2' })
    expect(await ask(again)).toMatchObject({ accessToken: 'ada-2' })
    expect(await ask(ada)).toMatchObject({ accessToken: 'ada' })
    pass(HOUR)
    await Promise.all([ask(again), ask(ada, 'app'), auth.getAccessTokenOf(sub, 'app')])
    expect(log).toEqual(['refresh refresh-ada-2'])
  })

  it('that is removed ends its connection and is revoked; a sign-in with it is another person', async () => {
    const { add, ask, auth, log, remove, signIn, subOf, ways } = world()
    const ada = await signIn('one', 'ada')
    await add(ada, 'ada')
    const sub = subOf(ada)
    const id = (await ways(ada)).find(({ provider }) => provider === 'app')?.id ?? ''
    await remove(ada, id)
    expect(log).toEqual(['revoke refresh-ada-1'])
    for (const answer of [await ask(ada, 'app'), await auth.getAccessTokenOf(sub, 'app')]) {
      expect(answer).toEqual(none('no-token'))
    }
    const other = await signIn('app', 'ada')
    expect(subOf(other)).not.toBe(sub)
    expect(await auth.getAccessTokenOf(sub, 'app')).toEqual(none('no-token'))
    expect(await ask(other)).toMatchObject({ ok: true })
  })

  it('that is removed while it is added leaves its tokens to no session, also of an account of that provider', async () => {
    let remove = async () => {}
    const linkAccount = () => remove()
    const { add, ask, copyOf, signIn, ways, ...set } = world({ events: { linkAccount } })
    const ada = await signIn('app', 'ada')
    expect(await ask(ada)).toMatchObject({ accessToken: 'ada-1' })
    remove = async () => {
      const extra = (await ways(ada)).find(({ current }) => !current)
      await set.remove(copyOf(ada), extra?.id ?? '')
    }
    await add(ada, 'other')
    expect(await ways(ada)).toHaveLength(1)
    expect(await ask(ada)).toMatchObject({ accessToken: 'ada-1' })
  })

  it('by a person who is deleted ends its connection and is revoked', async () => {
    const { add, auth, log, signIn, subOf } = world()
    const ada = await signIn('one', 'ada')
    await add(ada, 'ada')
    const sub = subOf(ada)
    const work: Promise<unknown>[] = []
    await auth.deletePerson(sub, {}, { waitUntil: (promise) => work.push(promise) })
    await Promise.all(work)
    expect(log).toEqual(['revoke refresh-ada-1'])
    expect(await auth.getAccessTokenOf(sub, 'app')).toEqual(none('no-token'))
  })

  it('another person cannot add, nor change its connection by trying', async () => {
    const { add, ask, auth, signIn, subOf } = world()
    const ada = await signIn('one', 'ada')
    await add(ada, 'ada')
    const grace = await signIn('one', 'grace')
    expect(await add(grace, 'ada')).toMatch(/OAuthAccountNotLinked/)
    expect(await ask(grace, 'app')).toEqual(none('no-token'))
    expect(await auth.getAccessTokenOf(subOf(ada), 'app')).toMatchObject({ accessToken: 'ada-1' })
  })
})

describe('scopes', () => {
  it('a form may name those that the provider lists, which are asked for beside the granted ones', async () => {
    const { add, auth, signIn, startAdding, subOf } = world()
    const ada = await signIn('one', 'ada')
    expect((await startAdding(ada)).asked).toBe('basic')
    expect((await startAdding(ada, 'list admin')).asked).toBe('basic list')
    expect(await add(ada, 'ada basic,list', 'list')).toBe('/inbox')
    const now = async () => auth.getAccessTokenOf(subOf(ada), 'app')
    expect(await now()).toMatchObject({ scope: 'basic,list' })
    expect((await startAdding(ada, 'publish')).asked).toBe('basic publish list')
    expect(await add(ada, 'ada basic,list', 'publish')).toBe('/inbox')
    expect(await now()).toMatchObject({ accessToken: 'ada-2', scope: 'basic,list' })
    await signIn('app', 'ada basic')
    expect(await now()).toMatchObject({ accessToken: 'ada-2', scope: 'basic,list' })
  })

  it('by a person with one way are in the session, which lists the granted scopes', async () => {
    const { add, ask, auth, log, signIn, startAdding, subOf, ways } = world()
    const ada = await signIn('app', 'ada basic')
    expect((await startAdding(ada, 'list')).asked).toBe('basic list')
    expect(await add(ada, 'ada', 'list')).toBe('/inbox')
    expect(await ask(ada)).toMatchObject({ accessToken: 'ada-2', scope: 'basic list' })
    expect((await startAdding(ada, 'publish')).asked).toBe('basic publish list')
    expect([await ways(ada), await auth.getAccessTokenOf(subOf(ada), 'app')]).toEqual([
      [expect.objectContaining({ current: true })],
      none('no-token'),
    ])
    pass(HOUR)
    expect(await ask(ada)).toMatchObject({ accessToken: 'ada-3' })
    expect(log).toEqual(['refresh refresh-ada-2'])
  })

  it('are never asked for by a sign-in, whatever its form or its address names', async () => {
    const { browser } = world()
    const somebody = browser()
    const starts = [
      await somebody.submit('/auth/signin/app', { scope: 'list' }),
      await somebody.submit('/auth/signin/app?scope=list'),
    ]
    for (const start of starts) {
      expect(new URL(locationOf(start)).searchParams.get('scope')).toBe('basic')
    }
  })

  it('are as before if the person cancels', async () => {
    const { add, auth, signIn, startAdding, subOf } = world()
    const ada = await signIn('one', 'ada')
    await add(ada, 'ada basic,list', 'list')
    const { start } = await startAdding(ada, 'publish')
    const state = new URL(locationOf(start)).searchParams.get('state') ?? ''
    const back = new URLSearchParams({ error: 'access_denied', state })
    expect(errorOf(await ada.get(`/auth/callback/app?${back}`))).toMatch(/access_denied/)
    expect(await auth.getAccessTokenOf(subOf(ada), 'app')).toMatchObject({ scope: 'basic,list' })
  })
})

describe('a ledger that fails while a way is added', () => {
  const calls = ['document', 'changeDocument', 'claimRefresh', 'settleRefresh'] as const

  it.each(calls)(
    'at any %s: adding it again leaves one connection, refreshed once',
    async (name) => {
      for (let at = 1; ; at++) {
        const { ask, auth, comeBack, faults, inner, log, signIn, startAdding, subOf } = world()
        const ada = await signIn('app', 'ada')
        const run = inner.ledger[name] as (...args: unknown[]) => Promise<unknown>
        let count = 0
        const { start } = await startAdding(ada, undefined, 'two')
        faults.set(name, (...args) => (++count === at ? fails() : run(...args)))
        await comeBack(ada, 'two', start, 'ada')
        faults.clear()
        const { start: again } = await startAdding(ada, undefined, 'two')
        expect(errorOf(await comeBack(ada, 'two', again, 'ada'))).toBe('/inbox')
        const sub = subOf(ada)
        pass(HOUR)
        expect(await auth.getAccessTokenOf(sub, 'two')).toMatchObject({ ok: true })
        await ask(ada)
        await auth.getAccessTokenOf(sub, 'app')
        // The first way's tokens are refreshed in one place alone.
        expect(log.filter((line) => line === 'refresh refresh-ada-1')).toHaveLength(1)
        if (count < at) break
      }
    },
  )
})
