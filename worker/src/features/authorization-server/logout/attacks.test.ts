import { createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { clock } from '../../../../../test/support/clock.js'
import { claimsIn, everythingIn } from '../../../test-support/browser.js'
import { logoutWorld } from '../../../test-support/logout-world.js'
import { type Behavior, type Receiver, startReceiver } from '../../../test-support/receivers.js'
import { resolveServer } from '../resolve-server.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 2, 10) })

async function receiverOf(behavior: Behavior): Promise<Receiver> {
  const receiver = await startReceiver(behavior)
  onTestFinished(() => receiver.stop())
  return receiver
}

/** Ada, signed in at an app with this address. */
async function signedInAt(backchannelLogoutUri: string) {
  const world = await logoutWorld({ own: { backchannelLogoutUri } })
  const ada = await world.signIn('ada')
  const { id_token: idToken = '' } = await world.enter(ada)
  return { world, ada, idToken }
}

describe('attack: the address of an app', () => {
  it.each<[string, string]>([
    ['http of another host', 'http://app.example/out'],
    ['an inner host by http', 'http://10.0.0.1/out'],
    ['a user name', 'https://user@app.example/out'],
    ['a password', 'https://user:pass@app.example/out'],
    ['a fragment', 'https://app.example/out#x'],
    ['another scheme', 'ftp://app.example/out'],
    ['a file', 'file:///etc/passwd'],
    ['no address', '/out'],
    ['nothing', ''],
    ['a text without end', `https://app.example/${'x'.repeat(1_024)}`],
  ])('%s is a configuration error', (_, uri) => {
    const apps = { own: { redirectUris: ['https://own.example/cb'], backchannelLogoutUri: uri } }
    expect(() => resolveServer({ apps }, {})).toThrow(
      /`apps\.own\.backchannelLogoutUri` \(AUTH_APP_OWN_BACKCHANNEL_LOGOUT_URI\) must be an https URL/,
    )
  })

  it('is an error for a machine, which acts for no person', () => {
    const apps = {
      job: {
        machine: true,
        secret: 'x'.repeat(32),
        backchannelLogoutUri: 'https://job.example/out',
      },
    }
    expect(() => resolveServer({ apps }, {})).toThrow('backchannelLogoutUri` (AUTH_APP_JOB')
  })

  it('is taken from a variable', () => {
    const server = resolveServer(
      {},
      {
        AUTH_APP_OWN_REDIRECT_URIS: 'https://own.example/cb',
        AUTH_APP_OWN_BACKCHANNEL_LOGOUT_URI: 'https://own.example/out',
      },
    )
    expect(server?.apps.get('own')?.backchannelLogoutUri).toBe('https://own.example/out')
    expect(server?.hearsLogout).toBe(true)
  })

  it('is never that of a metadata document, or of a row: of the configuration alone', async () => {
    const evil = await receiverOf(204)
    const world = await logoutWorld()
    await world.missed()
    // Somebody who can write to the ledger, and names another app, and an address.
    const [row] = await world.rows()
    const content = JSON.parse(row?.content ?? '')
    const [ending] = content.endings
    const made = { ...ending, app: evil.url, backchannelLogoutUri: evil.url, uri: evil.url }
    await world.inner.ledger.changeDocument(
      row?.key ?? '',
      row?.version ?? 0,
      JSON.stringify({ ...content, endings: [made, { ...ending, uri: evil.url }] }),
    )
    world.app.status = undefined
    pass(62)
    const next = world.process(world.inner)
    await next.nobody().get('/auth/oauth/jwks.json')
    await next.settle()
    expect(evil.received).toEqual([])
    expect(world.app.sessions.size).toBe(0)
    expect(await world.rows()).toEqual([])
  })

  it('that was taken out of the configuration is sent nothing more', async () => {
    const world = await logoutWorld()
    await world.missed()
    const elsewhere = await logoutWorld({
      inner: world.inner,
      own: { backchannelLogoutUri: 'http://localhost:9/' },
      apps: {
        own: { redirectUris: ['https://own.example/cb'] },
        more: {
          redirectUris: ['https://more.example/cb'],
          backchannelLogoutUri: 'http://localhost:9/',
        },
      },
    })
    pass(62)
    await elsewhere.nobody().get('/auth/oauth/jwks.json')
    await elsewhere.settle()
    expect(world.app.heard).toHaveLength(1)
    expect(await world.rows()).toEqual([])
  })
})

describe('attack: a receiver', () => {
  it('at a name that leads to this machine, or to an inner network, gets no byte', async () => {
    const bytes: unknown[] = []
    const inner = createServer((socket) => {
      socket.on('error', () => {}).on('data', (part) => void bytes.push(part))
    })
    await new Promise<void>((done) => inner.listen(0, '127.0.0.1', done))
    onTestFinished(() => void inner.close())
    const { port } = inner.address() as { port: number }
    for (const host of ['localhost', '127.0.0.1', '[::1]']) {
      const { world, ada } = await signedInAt(`https://${host}:${port}/out`)
      await ada.submit('/auth/signout')
      await expect.poll(async () => (await world.rows())[0]?.version).toBe(2)
    }
    expect(bytes).toEqual([])
  })

  it('that hangs or drips keeps no answer waiting, and five seconds end it', async () => {
    const [hang, drip] = [await receiverOf('hang'), await receiverOf('drip')]
    const second = { redirectUris: ['https://drip.example/cb'], firstParty: true }
    const world = await logoutWorld({
      own: { backchannelLogoutUri: hang.url },
      apps: { drip: { ...second, backchannelLogoutUri: drip.url } },
    })
    const ada = await world.signIn('ada')
    await world.enter(ada)
    await world.enter(ada, { client_id: 'drip', redirect_uri: 'https://drip.example/cb' })
    const began = performance.now()
    expect((await ada.submit('/auth/signout')).status).toBe(302)
    expect(performance.now() - began).toBeLessThan(4_000)
    await expect.poll(() => [hang.open(), drip.open()]).toEqual([1, 1])
    await expect.poll(() => [hang.open(), drip.open()], { timeout: 8_000 }).toEqual([0, 0])
    await expect.poll(async () => (await world.rows())[0]?.version).toBe(2)
    expect(world.warnings.toSorted()).toEqual([
      'logout-not-received drip: timeout',
      'logout-not-received own: timeout',
    ])
  }, 15_000)

  it('that redirects sends us nowhere', async () => {
    const other = await receiverOf(204)
    const receiver = await receiverOf({ redirect: other.url })
    const { world, ada } = await signedInAt(receiver.url)
    await ada.submit('/auth/signout')
    await expect.poll(async () => (await world.rows())[0]?.version).toBe(2)
    expect(other.received).toEqual([])
  })

  it('that answers without an end is read no further than its status', async () => {
    const receiver = await receiverOf('endless')
    const { world, ada } = await signedInAt(receiver.url)
    await ada.submit('/auth/signout')
    await world.settle()
    await expect.poll(() => receiver.open()).toBe(0)
    expect(await world.rows()).toEqual([])
  })

  it('gets no secret of the person: no cookie, no token, no name', async () => {
    const receiver = await receiverOf(204)
    const { world, ada, idToken } = await signedInAt(receiver.url)
    const cookies = [...ada.jar.values()]
    await ada.submit('/auth/signout')
    await world.settle()
    const [got] = receiver.received
    const all = `${got?.path} ${JSON.stringify(got?.headers)} ${got?.body}`
    for (const one of [...cookies, idToken, 'ada at one']) expect(all).not.toContain(one)
  })

  it('floods no log: ten lines a minute, without a token or an address', async () => {
    const receiver = await receiverOf(500)
    const { world, ada } = await signedInAt(receiver.url)
    pass(600)
    for (let times = 0; times < 15; times++) {
      await world.enter(ada)
      await ada.submit('/auth/signout')
      await expect.poll(() => receiver.received.length).toBe(times + 1)
      await world.signIn('ada', ada)
    }
    await expect.poll(() => world.warnings.length).toBeGreaterThan(9)
    expect(world.warnings.length).toBe(10)
    const written = everythingIn([world.warnings, world.lines, world.errors])
    expect(written).not.toContain(receiver.url)
    expect(written).not.toContain(receiver.received[0]?.body.slice('logout_token='.length))
    expect(new Set(world.warnings)).toEqual(new Set(['logout-not-received own: status 500']))
  })
})

describe('attack: rows', () => {
  it('that are damaged, or of a later version, stop no other one, and stay', async () => {
    const world = await logoutWorld()
    await world.missed()
    const [row] = await world.rows()
    const good = JSON.parse(row?.content ?? '')
    const bad = [
      '',
      '[]',
      'null',
      JSON.stringify({ ...good, v: 3 }),
      // The seal belongs to another row.
      JSON.stringify(good),
      JSON.stringify({ ...good, endings: [7] }),
    ]
    for (const [at, content] of bad.entries()) {
      await world.inner.ledger.changeDocument(`logout\noutbox\n-${at}`, 0, content)
    }
    world.app.status = undefined
    pass(62)
    const next = world.process(world.inner)
    await next.nobody().get('/auth/oauth/jwks.json')
    await next.settle()
    expect(world.app.sessions.size).toBe(0)
    expect(await world.rows()).toHaveLength(bad.length)
  })

  it('are delivered too if the version before has written them, with the person in the clear', async () => {
    const world = await logoutWorld()
    await world.missed()
    const [row] = await world.rows()
    const { whose: _, ...rest } = JSON.parse(row?.content ?? '')
    const sub = world.app.heard[0]?.claims.sub
    const content = JSON.stringify({ ...rest, v: 1, sub })
    const { key = '', version = 0 } = row ?? {}
    expect(await world.inner.ledger.changeDocument(key, version, content)).toBe(true)
    world.app.status = undefined
    pass(62)
    const next = world.process(world.inner)
    await next.nobody().get('/auth/oauth/jwks.json')
    await next.settle()
    expect(world.app.sessions.size).toBe(0)
    expect(await world.rows()).toEqual([])
  })

  it('name no person in the clear, who may be erased while an app is down', async () => {
    const world = await logoutWorld()
    await world.missed()
    const sub = String(world.app.heard[0]?.claims.sub)
    await world.auth.deletePerson(sub, {}, world.context)
    await world.settle()
    const rows = await world.rows()
    expect(rows.length).toBeGreaterThan(0)
    expect(JSON.stringify(rows)).not.toContain(sub)
    world.app.status = undefined
    pass(62)
    const next = world.process(world.inner)
    await next.nobody().get('/auth/oauth/jwks.json')
    await next.settle()
    expect(world.app.heard.at(-1)?.claims.sub).toBe(sub)
    expect(await world.rows()).toEqual([])
  })

  it('a person who signs in and out while a receiver is down has one for each end', async () => {
    const world = await logoutWorld()
    world.app.status = 500
    const ada = await world.signIn('ada')
    for (let times = 0; times < 5; times++) {
      await world.enterOwn(ada)
      await world.enterOwn(ada)
      await ada.submit('/auth/signout')
      pass(1)
      await world.signIn('ada', ada)
    }
    expect(await world.rows()).toHaveLength(5)
  })
})

it('where no app has an address nothing is asked, and no grant is longer', async () => {
  const world = await logoutWorld({ own: { backchannelLogoutUri: undefined } })
  const ada = await world.signIn('ada')
  const { sub } = claimsIn(ada)
  await world.enter(ada)
  const [grant] = await world.inner.ledger.documentsOf(sub, ['grant'])
  expect(grant?.content).not.toContain('told')
  await ada.csrfToken()
  const before = world.calls.length
  await ada.submit('/auth/signout')
  await world.nobody().get('/auth/oauth/jwks.json')
  await world.settle()
  const names = world.calls.slice(before).map(({ name }) => name)
  expect(names.filter((name) => ['documentsOf', 'liveDocument'].includes(name))).toEqual([])
})
