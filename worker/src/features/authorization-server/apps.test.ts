import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { claimsIn, errorOf, locationOf } from '../../test-support/browser.js'
import {
  answerIn,
  issuer,
  OPTIONS,
  oauthPeople,
  redirectUri,
  resource,
} from '../../test-support/oauth-people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10), waits: true })

const own = { client_id: 'own', redirect_uri: 'https://own.example/cb' }
const offline = { scope: 'openid offline_access' }

type World = ReturnType<typeof oauthPeople>
type Person = Awaited<ReturnType<World['signIn']>>

interface Listed {
  readonly app: string
  readonly scopes: readonly string[]
  readonly offline: boolean
  readonly added: string
  readonly lastUsed: string
}

const listed = async (one: Person): Promise<readonly Listed[]> =>
  ((await (await one.get('/auth/apps')).json()) as { apps: Listed[] }).apps

const appsOf = async (one: Person) => (await listed(one)).map(({ app }) => app)

/** An app with tokens of a person. */
async function enter(world: World, one: Person, fields: Parameters<World['letIn']>[1] = {}) {
  const { code } = await world.letIn(one, fields)
  const client_id = fields.client_id ?? 'notes'
  const told = await world.exchange(code, { client_id })
  expect(told.status).toBe(200)
  return {
    ...told,
    refresh: () =>
      world.exchange('', {
        grant_type: 'refresh_token',
        client_id,
        refresh_token: told.refresh_token ?? '',
      }),
  }
}

describe('the apps that one has let in', () => {
  it('are listed for each app and resource, the last used first', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const notes = await enter(world, ada, { scope: 'openid notes:read' })
    pass(60)
    await enter(world, ada, { ...own, ...offline })
    pass(60)
    await enter(world, ada, { resource: issuer, scope: 'openid profile' })
    pass(60)
    expect((await notes.refresh()).status).toBe(200)
    const times: unknown = expect.stringMatching(/^2026-11-01T10:\d\d:\d\d\.000Z$/)
    const none = { host: null, offline: false }
    expect(await listed(ada)).toEqual([
      {
        ...{ app: 'notes', name: 'Notes', resource, ...none },
        ...{ scopes: ['openid', 'notes:read'], added: times, lastUsed: times },
      },
      {
        ...{ app: 'notes', name: 'Notes', resource: issuer, ...none },
        ...{ scopes: ['openid', 'profile'], added: times, lastUsed: times },
      },
      {
        ...{ app: 'own', name: 'Own', resource, ...none, offline: true },
        ...{ scopes: ['openid', 'offline_access'], added: times, lastUsed: times },
      },
    ])
    const [first] = await listed(ada)
    const minutes = [first?.added, first?.lastUsed].map((time = '') => time.slice(11, 16))
    expect(minutes).toEqual(['10:00', '10:03'])
    expect(await listed(await world.signIn('one', 'grace'))).toEqual([])
    expect((await world.browser().get('/auth/apps')).status).toBe(401)
  })

  it('are those that still may act: not one whose session has ended, or that is no longer configured', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    await enter(world, ada, own)
    await enter(world, ada, { ...own, ...offline, resource: issuer })
    const other = await world.signIn('one', 'ada')
    expect(await appsOf(other)).toEqual(['own', 'own'])
    await ada.submit('/auth/signout')
    expect(await listed(other)).toMatchObject([{ app: 'own', offline: true }])
    const { own: _, ...apps } = OPTIONS.apps
    const later = oauthPeople({ ...OPTIONS, apps }, { store: world.store })
    const moved = later.browser()
    for (const [name, value] of other.jar) moved.jar.set(name, value)
    expect(await listed(moved)).toEqual([])
  })

  it('with offline_access outlive the sign-out of the browser, and not "everywhere"', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const [here, away] = [
      await enter(world, ada, own),
      await enter(world, ada, { ...own, ...offline }),
    ]
    const other = await world.signIn('one', 'ada')
    await ada.submit('/auth/signout')
    expect([(await here.refresh()).error, (await away.refresh()).status]).toEqual([
      'invalid_grant',
      200,
    ])
    pass(1)
    await other.submit('/auth/sessions/revoke', { session: 'others' })
    expect((await away.refresh()).error).toBe('invalid_grant')
    expect(await listed(other)).toEqual([])
  })
})

describe('an app that is ended', () => {
  it('loses all of its grants and its consent, with three calls; other apps and the session go on', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const notes = [await enter(world, ada), await enter(world, ada, offline)]
    const kept = await enter(world, ada, own)
    const csrfToken = await ada.csrfToken()
    world.calls.length = 0
    const answer = await ada.post('/auth/apps/remove', { csrfToken, app: 'notes' })
    expect(locationOf(answer)).toBe(`${issuer}/account/apps`)
    expect(world.calls.map(({ name }) => name)).toEqual(['documentsOf', 'endAll', 'documentsOf'])
    for (const one of notes) expect((await one.refresh()).error).toBe('invalid_grant')
    expect((await kept.refresh()).status).toBe(200)
    expect(await appsOf(ada)).toEqual(['own'])
    expect((await world.authorize(ada)).status).toBe(200)
    expect(await ada.session()).not.toBeNull()
    expect(world.lines).toContainEqual(
      expect.objectContaining({ event: 'app-removed', app: 'notes', by: 'person' }),
    )
  })

  it('is asked about once more, and then remembered', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    for (let times = 0; times < 3; times++) {
      expect((await world.authorize(ada)).status).toBe(200)
      await enter(world, ada)
      expect(answerIn(await world.authorize(ada)).code).toBeDefined()
      await ada.submit('/auth/apps/remove', { app: 'notes' })
    }
  })

  it('is ended by its person alone, by a form of this origin, and a second time without an error', async () => {
    const world = oauthPeople()
    const [ada, grace] = [await world.signIn('one', 'ada'), await world.signIn('one', 'grace')]
    const notes = await enter(world, ada)
    await grace.submit('/auth/apps/remove', { app: 'notes' })
    expect(errorOf(await ada.post('/auth/apps/remove', { app: 'notes' }))).toContain('MissingCSRF')
    expect((await notes.refresh()).status).toBe(200)
    const nobody = await world.browser().submit('/auth/apps/remove', { app: 'notes' })
    expect(locationOf(nobody)).toContain('/auth/signin?callbackUrl=')
    for (const app of ['notes', 'notes', 'nobody', '__proto__']) {
      const answer = await ada.submit('/auth/apps/remove', { app, callbackUrl: '/inbox' })
      expect(locationOf(answer)).toMatch(/\/inbox$/)
    }
  })
})

describe('the section of the account page', () => {
  it('shows each app, what it may do, and a form that ends it', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    expect(await (await ada.get('/auth/account/apps')).text()).toContain('No connected apps yet.')
    await enter(world, ada, { scope: 'openid notes:read' })
    const page = await (await ada.get('/auth/account/apps')).text()
    expect(page).toMatch(/<strong>Notes<\/strong>[\s\S]*Recognize you[\s\S]*Read your notes/)
    expect(page).toMatch(/action="\/auth\/apps\/remove"[\s\S]*name="app" value="notes"/)
    expect(page).toContain('aria-label="Remove access, Notes"')
    expect(page).toContain('href="/auth/account/apps" aria-current="page"')
  })
})

describe('an operator', () => {
  it('lists and ends the apps of a person, by name and with checked arguments', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const notes = await enter(world, ada)
    const auth = createAuth(world.config)
    const { sub } = claimsIn(ada)
    expect(await auth.listApps(sub, {})).toEqual(await listed(ada))
    expect((await auth.exportPerson(sub, {}))?.apps).toEqual(await listed(ada))
    await auth.endApp(sub, 'notes', {})
    expect((await notes.refresh()).error).toBe('invalid_grant')
    expect(await auth.listApps(sub, {})).toEqual([])
    await expect(auth.endApp(sub, '', {})).rejects.toThrow(TypeError)
    await expect(auth.listApps('', {})).rejects.toThrow(TypeError)
  })

  it('deletes a person with every grant and consent', async () => {
    const world = oauthPeople()
    const ada = await world.signIn('one', 'ada')
    const away = await enter(world, ada, offline)
    const { sub } = claimsIn(ada)
    await createAuth(world.config).deletePerson(sub, {})
    expect((await away.refresh()).error).toBe('invalid_grant')
    expect(await world.store.ledger.documentsOf(sub, ['grant', 'consent'])).toEqual([])
    // A new person has the account now, and is asked again.
    pass(2)
    const again = await world.signIn('one', 'ada')
    expect((await world.authorize(again)).status).toBe(200)
  })
})

describe('joints', () => {
  it('a person who is taken in by another one leaves no grant and no consent behind', async () => {
    const world = oauthPeople(OPTIONS)
    const grace = await world.signIn('two', 'grace')
    const away = await enter(world, grace, offline)
    const from = claimsIn(grace).sub
    pass(2)
    const ada = await world.signIn('one', 'ada')
    await world.takeIn(ada, 'two', 'grace')
    expect((await away.refresh()).error).toBe('invalid_grant')
    expect(await world.store.ledger.documentsOf(from, ['grant', 'consent'])).toEqual([])
    expect(await listed(ada)).toEqual([])
    expect((await world.authorize(ada)).status).toBe(200)
  })

  it.each(['an erasure', 'a merge'] as const)(
    'attack: %s beside a consent, before or after its call, leaves no consent of a person who is gone',
    async (what) => {
      for (const moment of ['before', 'after']) {
        const world = oauthPeople(OPTIONS)
        const grace = await world.signIn('two', 'grace')
        const page = await world.authorize(grace, offline)
        const { sub } = claimsIn(grace)
        pass(2)
        const ada = await world.signIn('one', 'ada')
        const go = async () => {
          if (what === 'a merge') await world.takeIn(ada, 'two', 'grace')
          else await createAuth(world.config).deletePerson(sub, {})
        }
        const { ledger } = world.inner
        let isDone = false
        world.faults.set('liveDocument', async (...about) => {
          const run = () => ledger.liveDocument(...(about as [string, never]))
          if (isDone) return run()
          isDone = true
          if (moment === 'before') await go()
          const answer = await run()
          if (moment === 'after') await go()
          return answer
        })
        const decided = await world.decide(grace, page)
        const { code } = locationOf(decided).startsWith(redirectUri) ? answerIn(decided) : {}
        if (moment === 'before') expect(code).toBeUndefined()
        expect((await world.exchange(code)).error ?? 'invalid_grant').toMatch(/^invalid_/)
        expect(await ledger.documentsOf(sub, ['grant', 'consent'])).toEqual([])
      }
    },
  )
})

describe('a listing', () => {
  it('asks the ledger for thirty sessions at most, and forgets grants of ended ones', async () => {
    const world = oauthPeople()
    for (let times = 0; times < 35; times++) {
      const one = await world.signIn('one', 'ada')
      await enter(world, one, own)
      await one.submit('/auth/signout')
    }
    const ada = await world.signIn('one', 'ada')
    const count = (name: string) => world.calls.filter((call) => call.name === name).length
    const counts: number[] = []
    for (let times = 0; times < 3; times++) {
      world.calls.length = 0
      counts.push((await listed(ada)).length)
      // One of them is for the session that asks.
      expect(count('isRevoked')).toBeLessThanOrEqual(31)
    }
    expect(counts).toEqual([1, 0, 0])
    expect(await world.store.ledger.documentsOf(claimsIn(ada).sub, ['grant'])).toEqual([])
  })
})
