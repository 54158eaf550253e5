import { createSandbox } from '@latchkey/sandbox'
import { afterEach, expect, test, vi } from 'vitest'
import { clock } from '../support/clock.ts'
import { Browser, bindings } from './support.ts'

/** Compiled as an app of its own, with other types. */
const path: string = '../../examples/worker/src/worker.ts'
const { default: example } = (await import(path)) as {
  readonly default: Required<Pick<ExportedHandler, 'fetch' | 'scheduled'>>
}

const VIDEO_APP = 'https://sandbox.example'

const { pass } = clock({ start: 'now' })
afterEach(() => void vi.unstubAllGlobals())

/** The Worker of examples/worker, with the sandbox as the video app. */
function deployed() {
  const sandbox = createSandbox({ lifetimes: { accessToken: 3600 } })
  vi.stubGlobal('fetch', async (input: string | URL, init?: RequestInit) =>
    sandbox.request(String(input), init),
  )
  const posts = new Map<string, string>()
  const POSTS = {
    list: async () => ({ keys: [...posts.keys()].sort().map((name) => ({ name })) }),
    get: async (name: string) => JSON.parse(posts.get(name) ?? 'null'),
    delete: async (name: string) => void posts.delete(name),
  }
  const env = {
    ...bindings,
    POSTS,
    AUTH_VIDEO_ID: 'sandbox-client-key',
    AUTH_VIDEO_SECRET: 'sandbox-client-secret',
    AUTH_VIDEO_AUTHORIZATION_URL: `${VIDEO_APP}/v2/auth/authorize/`,
    AUTH_VIDEO_TOKEN_URL: `${VIDEO_APP}/v2/oauth/token/`,
    AUTH_VIDEO_USERINFO_URL: `${VIDEO_APP}/v2/user/info/`,
  }
  const work: Promise<unknown>[] = []
  const waitUntil = (promise: Promise<unknown>) => void work.push(promise)
  const ctx = { waitUntil, passThroughOnException() {}, props: {} } as unknown as ExecutionContext
  const auth = { fetch: (request: Request) => example.fetch(request as never, env as never, ctx) }
  const browser = new Browser({ auth, env, sandbox, errors: [] } as never)
  const run = async () => {
    const at = { scheduledTime: Date.now(), cron: '*/5 * * * *', noRetry() {} }
    await example.scheduled(at as never, env as never, ctx)
    await Promise.all(work.splice(0))
  }
  /** Goes through the video app as Vic, and grants all scopes. */
  const come = async (started: Response) => {
    const consent = started.headers.get('location') ?? ''
    const scope = new URL(consent).searchParams.get('scope')?.split(',') ?? []
    const body = new URLSearchParams({ person: 'vic', decision: 'allow' })
    for (const one of scope) body.append('scope', one)
    const decided = await sandbox.request(consent, { method: 'POST', body })
    const back = new URL(decided.headers.get('location') ?? '')
    return browser.go(back.pathname + back.search)
  }
  return { browser, come, posts, run, sandbox }
}

const past = '2026-01-01T00:00:00Z'
const video = (title: string) => JSON.stringify({ title, url: 'https://videos.example/1.mp4' })

/** Ada, after she has added the video app and signed out. */
async function signedOut() {
  const set = deployed()
  const { browser, come } = set
  const password = 'correct horse battery'
  await browser.post('/auth/callback/credentials', { username: 'ada', password })
  const added = await come(await browser.post('/auth/ways/add', { provider: 'videoapp' }))
  expect(added.headers.get('location')).toMatch(/\/auth\/account$/)
  const { sub } = browser.claims
  await browser.post('/auth/signout')
  expect(await browser.session()).toBeNull()
  return { ...set, sub }
}

test('a scheduled handler posts for a signed-out user, at their time, while they allow it', async () => {
  const { browser, come, posts, run, sandbox, sub } = await signedOut()
  const week = 7 * 24 * 3600
  const later = new Date(Date.now() + week * 1000).toISOString()
  posts.set(`${past} ${sub}`, video('Now')).set(`${later} ${sub}`, video('Later'))
  posts.set(`${past} nobody`, video('Nobody’s'))
  await run()
  expect(sandbox.postedBy('vic')).toEqual(['Now'])
  pass(week)
  await run()
  expect(sandbox.postedBy('vic')).toEqual(['Later', 'Now'])
  const refreshes = sandbox.requests.filter(({ fields }) => fields.grant_type === 'refresh_token')
  expect(refreshes.map(({ outcome }) => outcome)).toEqual(['ok'])
  sandbox.endGrants('vic')
  posts.set(`${past} ${sub}`, video('Last'))
  pass(3600)
  await run()
  expect(sandbox.postedBy('vic')).toHaveLength(2)
  await come(await browser.post('/auth/signin/videoapp'))
  expect(browser.claims.sub).toBe(sub)
  await run()
  expect(sandbox.postedBy('vic')).toEqual(['Last', 'Later', 'Now'])
  expect([...posts.keys()]).toEqual([`${past} nobody`])
})
