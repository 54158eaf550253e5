import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { type Browser, claimsIn, copyOf } from '../../test-support/browser.js'
import { faulty } from '../../test-support/faulty.js'
import { issuer, OPTIONS, oauthPeople, requestOn } from '../../test-support/oauth-people.js'

// Decisions that no app has fetched yet, and that their person or the operator ends meanwhile.

const { pass } = clock({ start: Date.UTC(2026, 10, 1, 10), waits: true })

const NATIVE = { redirect_uri: 'com.example.notes:/cb' }
const OWN = { client_id: 'own', redirect_uri: 'https://own.example/cb' }
const apps = { ...OPTIONS.apps, tv: { name: 'Telly', device: true } }

type World = ReturnType<typeof oauthPeople>

function worlds() {
  const made = faulty()
  const right = oauthPeople({ ...OPTIONS, apps }, { store: made.store })
  return { ...made, right, auth: createAuth(right.config) }
}

/** As an isolate does it whose clock is two seconds ahead. */
async function ahead<Result>(run: () => Promise<Result>): Promise<Result> {
  pass(2)
  const result = await run()
  pass(-2)
  return result
}

async function told(world: World, path: string, fields: Record<string, string>) {
  const body = new URLSearchParams(fields)
  const request = new Request(issuer + path, { method: 'POST', body })
  return (await (await world.browser().answer(request)).json()) as Record<string, string>
}

/** A decision that is not fetched yet. Each answers how its app fetches it. */
const DECISIONS: Readonly<
  Record<string, (world: World, ada: Browser) => Promise<() => Promise<string | undefined>>>
> = {
  'a code of an app that was asked about': async (world, ada) =>
    code(world, ada, { prompt: 'consent', scope: 'openid offline_access' }),
  'a code of an app that was let in before': async (world, ada) => {
    await world.letIn(ada, { scope: 'openid offline_access' })
    return code(world, ada, { scope: 'openid offline_access' })
  },
  'a code of an app that is asked about each time': async (world, ada) =>
    code(world, ada, { ...NATIVE, scope: 'openid offline_access' }),
  'a code of an app of the service': async (world, ada) =>
    code(world, ada, { ...OWN, scope: 'openid offline_access' }),
  'a code without offline_access': async (world, ada) => code(world, ada, { scope: 'openid' }),
  'an approved device': async (world, ada) => {
    const scope = 'openid offline_access'
    const started = await told(world, '/oauth/device', { client_id: 'tv', scope })
    const page = await ada.submit('/auth/device', { user_code: started.user_code ?? '' })
    const request = requestOn(await page.text())
    const decided = await ada.submit('/auth/oauth/consent', { request, decision: 'allow' })
    expect(decided.status).toBe(200)
    return async () => {
      const poll = {
        grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
        client_id: 'tv',
        device_code: started.device_code ?? '',
      }
      return (await told(world, '/oauth/token', poll)).error
    }
  },
}

async function code(world: World, ada: Browser, fields: Record<string, string>) {
  const given = await world.letIn(ada, fields)
  expect(given.code).toBeDefined()
  const { client_id = 'notes' } = fields
  return async () => (await world.exchange(given.code, { client_id })).error
}

const appOf = (what: string) =>
  what.includes('device') ? 'tv' : what.includes('of the service') ? 'own' : 'notes'

describe.each(Object.entries(DECISIONS))('%s', (what, decide) => {
  it('begins a grant, if nothing has ended it', async () => {
    const { right } = worlds()
    const ada = await right.signIn('one', 'ada')
    expect(await (await decide(right, ada))()).toBeUndefined()
  })

  it.each(['the person', 'the operator'])(
    'attack: an offline grant follows minutes after %s has removed the app',
    async (who) => {
      const { right, auth, inner } = worlds()
      const ada = await right.signIn('one', 'ada')
      const { sub } = claimsIn(ada)
      const fetch = await decide(right, ada)
      const app = appOf(what)
      if (who === 'the person') await ada.submit('/auth/apps/remove', { app })
      else await auth.endApp(sub, app)
      pass(3)
      expect(await fetch()).toBe('invalid_grant')
      expect(await inner.ledger.documentsOf(sub, ['grant'])).toEqual([])
      // Let in again, it begins again, and the earlier decision does not.
      const again = await decide(right, ada)
      expect(await fetch()).toBe('invalid_grant')
      expect(await again()).toBeUndefined()
    },
  )

  it.each(['a block', 'everywhere', 'everywhere else', 'endSessions', 'an erasure'])(
    'attack: it was decided by a clock two seconds ahead, and %s comes before it is fetched',
    async (end) => {
      if (what.includes('without') && end === 'everywhere else') return
      const { right, auth, inner } = worlds()
      const ada = await ahead(() => right.signIn('one', 'ada'))
      const { sub } = claimsIn(ada)
      const fetch = await ahead(() => decide(right, ada))
      const here = end === 'everywhere else' ? await right.signIn('one', 'ada') : ada
      await endAll(end, { auth, sub, browser: copyOf(here, right.config) })
      expect(await fetch()).toBe('invalid_grant')
      expect(await inner.ledger.documentsOf(sub, ['grant'])).toEqual([])
    },
  )
})

async function endAll(
  end: string,
  { auth, sub, browser }: { auth: ReturnType<typeof createAuth>; sub: string; browser: Browser },
) {
  if (end === 'a block') return auth.blockPerson({ sub })
  if (end === 'endSessions') return auth.endSessions({ sub })
  if (end === 'an erasure') return auth.deletePerson(sub)
  const session = end === 'everywhere' ? 'all' : 'others'
  return browser.submit('/auth/sessions/revoke', { session })
}

it.each(['a block', 'everywhere', 'everywhere else', 'endSessions', 'an erasure'])(
  'attack: an offline grant that began by a clock ahead is refreshed after %s',
  async (end) => {
    const { right, auth } = worlds()
    const ada = await ahead(() => right.signIn('one', 'ada'))
    const { sub } = claimsIn(ada)
    const given = await ahead(() => right.letIn(ada, { scope: 'openid offline_access' }))
    const begun = await ahead(() => right.exchange(given.code))
    expect(begun.status).toBe(200)
    const here = end === 'everywhere else' ? await right.signIn('one', 'ada') : ada
    await endAll(end, { auth, sub, browser: copyOf(here, right.config) })
    pass(60)
    const fields = { grant_type: 'refresh_token', refresh_token: begun.refresh_token ?? '' }
    expect((await right.exchange('', fields)).error).toBe('invalid_grant')
  },
)

it('a device that its person has approved goes on after a sign-out of that browser', async () => {
  const { right } = worlds()
  const ada = await right.signIn('one', 'ada')
  const fetch = await (DECISIONS['an approved device'] as NonNullable<(typeof DECISIONS)[string]>)(
    right,
    ada,
  )
  await ada.submit('/auth/signout')
  expect(await fetch()).toBeUndefined()
})

it('attack: the app is removed between the two calls of an exchange, or a store fails there: no grant goes on', async () => {
  for (const how of ['removed', 'fails'] as const) {
    const { right, faults, inner } = worlds()
    const ada = await right.signIn('one', 'ada')
    const fetch = await code(right, ada, { scope: 'openid offline_access' })
    faults.set('documentsOf', async (...args) => {
      faults.clear()
      if (how === 'fails') {
        faults.set('documentsOf', () => Promise.reject(new Error('The store is down.')))
        throw new Error('The store is down.')
      }
      await ada.submit('/auth/apps/remove', { app: 'notes' })
      return inner.ledger.documentsOf(...(args as [string, string[]]))
    })
    expect(await fetch()).toBe(how === 'fails' ? 'temporarily_unavailable' : 'invalid_grant')
    faults.clear()
    expect(await fetch()).toBe('invalid_grant')
  }
})

it('attack: beside 1,001 consents an app that is removed gets a code silently', async () => {
  const { right, auth, inner } = worlds()
  const ada = await right.signIn('one', 'ada')
  const { sub } = claimsIn(ada)
  await right.letIn(ada)
  const content = (app: string) =>
    JSON.stringify({ v: 1, app, resource: 'x', scopes: ['openid'], name: 'x', since: 1 })
  for (let at = 0; at < 2_100; at++) {
    const name = `${at % 2 === 0 ? '-' : 'z'}${String(at).padStart(21, '0')}`
    await inner.ledger.changeDocument(
      `consent\n${sub}\n${name}`,
      0,
      content(`https://${at}.example/`),
    )
  }
  await ada.submit('/auth/apps/remove', { app: 'notes' })
  expect((await right.authorize(ada)).status).toBe(200)
  await right.letIn(ada)
  await auth.endApp(sub, 'notes')
  expect((await right.authorize(ada)).status).toBe(200)
  await auth.deletePerson(sub)
  expect(await inner.ledger.documentsOf(sub, ['consent'])).toEqual([])
})

it('attack: one consent that is sent 200 times, and apps that are not there, fill no log', async () => {
  const { right } = worlds()
  const ada = await right.signIn('one', 'ada')
  const request = requestOn(await (await right.authorize(ada)).text())
  for (let times = 0; times < 20; times++) {
    await ada.submit('/auth/oauth/consent', { request, decision: 'allow' })
    await ada.submit('/auth/apps/remove', { app: `nobody-${times}` })
  }
  for (let times = 0; times < 20; times++) await ada.submit('/auth/apps/remove', { app: 'notes' })
  const events = right.lines.map((line) => (line as { event: string }).event)
  expect(events.filter((event) => event === 'app-allowed')).toHaveLength(1)
  expect(events.filter((event) => event === 'app-removed')).toHaveLength(1)
})

// Between the list of an ending and its end an app begins, and looks whether its consent stands: it does, so far.
describe.each(['the person', 'the operator', 'a block', 'everywhere', 'an erasure'])(
  '%s',
  (who) => {
    it.each(Object.entries(DECISIONS).filter(([what]) => !what.includes('without')))(
      'attack: %s is exchanged between the list of the ending and its end',
      async (what, decide) => {
        const { right, auth, inner, faults } = worlds()
        const isApp = who.startsWith('the ')
        const run = <Result>(one: () => Promise<Result>) => (isApp ? one() : ahead(one))
        const ada = await run(() => right.signIn('one', 'ada'))
        const { sub } = claimsIn(ada)
        const fetch = await run(() => decide(right, ada))
        let fetched: string | undefined = 'not asked'
        faults.set('endAll', async (...args) => {
          faults.clear()
          fetched = await run(fetch)
          await inner.ledger.endAll?.(...(args as [string[], number, string[]]))
        })
        const app = appOf(what)
        if (who === 'the person') await ada.submit('/auth/apps/remove', { app })
        else if (who === 'the operator') await auth.endApp(sub, app)
        else await endAll(who, { auth, sub, browser: copyOf(ada, right.config) })
        expect(fetched).not.toBe('not asked')
        expect(await inner.ledger.documentsOf?.(sub, ['grant'])).toEqual([])
      },
    )
  },
)

it('attack: the app is removed and let in again within a second, and an earlier code is exchanged', async () => {
  const { right } = worlds()
  const ada = await right.signIn('one', 'ada')
  const scope = 'openid offline_access'
  const before = await code(right, ada, { scope })
  await ada.submit('/auth/apps/remove', { app: 'notes' })
  const after = await code(right, ada, { scope })
  expect(await before()).toBe('invalid_grant')
  expect(await after()).toBeUndefined()
})
