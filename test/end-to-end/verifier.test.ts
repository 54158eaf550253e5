import { setTimeout as sleep } from 'node:timers/promises'
import { createVerifier, type Verifier, type VerifierOptions } from '@latchkey/session'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { DevServers } from '../../scripts/dev-servers.ts'
import { startTestServers } from '../support/dev.ts'
import { endedToken } from '../support/ended-token.ts'

const SECRET = 'a-secret-of-the-tests-0123456789abcdef'

let servers: DevServers
const verifiers: Verifier[] = []
const errors: Error[] = []

beforeAll(async () => {
  servers = await startTestServers({ AUTH_SECRET: SECRET })
})
afterAll(() => servers?.stop())

afterEach(() => {
  for (const verifier of verifiers.splice(0)) verifier.close()
  // A machine that pauses would take the service for silent.
  const faults = errors.splice(0).filter(({ message }) => !/did not answer within/.test(message))
  expect(faults).toEqual([])
})

/** A clock that stands still: keys and feed stay fresh, however long the test takes. */
function stoppedClock(): () => number {
  const now = Date.now()
  return () => now
}

/** An app in Node that reaches the Worker by its URL. */
function verifierOf(options: VerifierOptions = {}): Verifier {
  const worker = `${servers.workerUrl}/auth`
  const onError = (error: Error) => void errors.push(error)
  const verifier = createVerifier({ worker, onError, ...options })
  verifiers.push(verifier)
  return verifier
}

/** A browser that keeps cookies and does not follow redirects by itself. */
class Browser {
  readonly cookies = new Map<string, string>()

  get cookieHeader(): string {
    return [...this.cookies].map((pair) => pair.join('=')).join('; ')
  }

  keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/; Max-Age=0/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }

  async go(path: string, fields?: Record<string, string>): Promise<Response> {
    const answer = await fetch(servers.workerUrl + path, {
      headers: { cookie: this.cookieHeader },
      redirect: 'manual',
      ...(fields ? { method: 'POST', body: new URLSearchParams(fields) } : {}),
    })
    this.keep(answer.headers.getSetCookie())
    return answer
  }

  async post(path: string): Promise<Response> {
    const { csrfToken } = (await (await this.go('/auth/csrf')).json()) as { csrfToken: string }
    return this.go(path, { csrfToken })
  }

  /** Signs in at the sandbox, and allows every scope. */
  async signIn(): Promise<this> {
    const consent = (await this.post('/auth/signin/videoapp')).headers.get('location') ?? ''
    const decision = { person: 'vic', decision: 'allow', scope: 'user.info.profile' }
    const body = new URLSearchParams(decision)
    const decided = await fetch(consent, { method: 'POST', body, redirect: 'manual' })
    const back = new URL(decided.headers.get('location') ?? '')
    await this.go(back.pathname + back.search)
    expect(this.cookies.has('auth.session-token')).toBe(true)
    return this
  }
}

test('two apps and the Worker read the same session', async () => {
  const now = stoppedClock()
  const { cookieHeader } = await new Browser().signIn()
  const answer = await fetch(`${servers.workerUrl}/auth/session`, {
    headers: { cookie: cookieHeader },
  })
  const session = await answer.json()
  for (const verifier of [verifierOf({ now }), verifierOf({ now, secret: SECRET })]) {
    const reading = await verifier.read(cookieHeader)
    expect(reading.session).toEqual(session)
    expect(reading.session?.user?.name).toBe('Vic Placeholder')
    expect(verifier.read(cookieHeader)).toBe(reading)
  }
})

// The session package's tests hold the number of seconds with a stopped clock.
test('a sign-out at any time between two fetches of the feed is known in the end', async () => {
  const apps = { secret: verifierOf({ secret: SECRET }), address: verifierOf() }
  const browsers = await Promise.all(Array.from({ length: 4 }, () => new Browser().signIn()))
  const delays = await Promise.all(
    browsers.map(async (browser, index) => {
      const { cookieHeader } = browser
      for (const verifier of Object.values(apps)) {
        expect((await verifier.read(cookieHeader)).session).not.toBeNull()
      }
      await sleep(1_300 * index)
      await browser.post('/auth/signout')
      const ended = performance.now()
      return Promise.all(
        Object.entries(apps).map(async ([name, verifier]) => {
          await expect.poll(async () => (await verifier.read(cookieHeader)).session).toBeNull()
          return `${name} ${((performance.now() - ended) / 1000).toFixed(1)} s`
        }),
      )
    }),
  )
  console.log(`Known after the sign-out: ${delays.flat().join(', ')}`)
})

test('a read with `online` sees a sign-out at once', async () => {
  const verifier = verifierOf({ now: stoppedClock() })
  const browser = await new Browser().signIn()
  const { cookieHeader } = browser
  const online = () => verifier.read(cookieHeader, { online: true })
  expect((await online()).session).toMatchObject({ user: { name: 'Vic Placeholder' } })
  await browser.post('/auth/signout')
  expect((await online()).session).toBeNull()
  expect((await verifier.read(cookieHeader)).session).not.toBeNull()
})

test('a token that has ended is renewed, and the browser continues with the new one', async () => {
  const now = stoppedClock()
  for (const verifier of [verifierOf({ now }), verifierOf({ now, secret: SECRET })]) {
    const browser = await new Browser().signIn()
    const before = await verifier.read(browser.cookieHeader)
    const old = await endedToken(browser.cookieHeader, SECRET)
    browser.cookies.delete('auth.session-token')
    const readings = await Promise.all([1, 2, 3].map(() => verifier.read(old)))
    expect(new Set(readings).size).toBe(1)
    const [renewed] = readings
    expect(renewed?.session).toEqual(before.session)
    expect(renewed?.claims?.iat).toBeGreaterThanOrEqual(before.claims?.iat ?? Infinity)
    browser.keep(renewed?.setCookie ?? [])
    expect(verifier.read(browser.cookieHeader)).toMatchObject({ session: before.session })
    expect(await (await browser.go('/auth/session')).json()).toEqual(before.session)
  }
})

test('an app without the Worker’s address learns that the token has ended', async () => {
  const issuer = `${servers.workerUrl}/auth`
  const verifier = verifierOf({ worker: undefined, secret: SECRET, issuer })
  const { cookieHeader } = await new Browser().signIn()
  expect(await verifier.read(cookieHeader)).toMatchObject({ isExpired: false })
  const old = await endedToken(cookieHeader, SECRET)
  expect(await verifier.read(old)).toMatchObject({ session: null, isExpired: true })
})

test.each([-20, 0, 5, 15])(
  'twenty renewals beside a sign-out restore no session (%d ms after it)',
  async (milliseconds) => {
    const apps = Array.from({ length: 20 }, () => verifierOf())
    const browser = await new Browser().signIn()
    const { cookieHeader } = browser
    await Promise.all(apps.map((app) => app.read(cookieHeader)))
    const { csrfToken = '' } = (await (await browser.go('/auth/csrf')).json()) as {
      csrfToken?: string
    }
    const old = await endedToken(cookieHeader, SECRET)
    const signOut = async () => {
      await sleep(Math.max(0, -milliseconds))
      return browser.go('/auth/signout', { csrfToken })
    }
    const renewals = async () => {
      await sleep(Math.max(0, milliseconds))
      return Promise.all(apps.map((app) => app.read(old)))
    }
    const [readings, answer] = await Promise.all([renewals(), signOut()])
    expect(answer.status).toBe(302)
    const renewed = readings.filter(({ session }) => session !== null)
    console.log(`Renewed beside the sign-out: ${renewed.length} of ${readings.length}`)
    const tabs = readings.map(({ session, setCookie }) => {
      const tab = new Browser()
      tab.keep(setCookie)
      return session ? tab.cookieHeader : cookieHeader
    })
    for (const [index, tab] of [...tabs, cookieHeader].entries()) {
      const app = apps[index] ?? verifierOf()
      expect((await app.read(tab, { online: true })).session).toBeNull()
      const later = await endedToken(tab, SECRET)
      expect((await app.read(later)).session).toBeNull()
      const init = { headers: { cookie: later } }
      expect(await (await fetch(`${servers.workerUrl}/auth/session`, init)).json()).toBeNull()
    }
  },
)

// This test comes last: it stops the Worker.
test('a Worker that has stopped signs no user in or out', async () => {
  const verifier = verifierOf({ onError: () => {} })
  const { cookieHeader } = await new Browser().signIn()
  const { session } = await verifier.read(cookieHeader)
  await servers.stop()
  expect(await verifier.read(cookieHeader)).toMatchObject({ session, setCookie: [] })
  const old = await endedToken(cookieHeader, SECRET)
  await expect(verifier.read(old)).rejects.toMatchObject({
    name: 'WorkerUnavailable',
    status: 503,
    message: 'The auth service cannot be reached (ECONNREFUSED).',
  })
})
