import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { createSandbox, defaultClient } from '@latchkey/sandbox'
import { createAuth } from '@latchkey/worker'
import videoapp from '@latchkey/worker/providers/videoapp'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { Hono } from 'hono'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { localApps, redirectUris, sandboxSettings, usualApps } from '../../scripts/dev-servers.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { examplesIn } from '../support/example-below.ts'

/** docs/sandbox.md, followed as it stands there: the stand-in, the Worker and the app without ports. */
const exampleBelow = examplesIn('sandbox')
const page = readFileSync(join(rootDir, 'docs/sandbox.md'), 'utf8')

const origin = 'http://localhost:3000'
const secret = 'a-secret-of-the-sandbox-page-0123456789'

/** The variables in the code blocks below a heading. */
function settingsBelow(heading: string): Record<string, string>[] {
  const section = page.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/```sh\n((?:AUTH_.*\n)+)```/g)].map(
    ([, text = '']) => parseEnv(text) as Record<string, string>,
  )
}

/** The stand-in at its usual port, for these apps; every other address is the Worker's. */
function connect(apps: readonly string[], worker?: (request: Request) => Promise<Response>) {
  const redirects = redirectUris(apps).split(',')
  const sandbox = createSandbox({ clients: [{ ...defaultClient, redirectUris: redirects }] })
  vi.stubGlobal('fetch', async (input: URL | string, init?: RequestInit) => {
    const request = new Request(input, init)
    const { port } = new URL(request.url)
    if (port === '8788') return sandbox.request(request)
    if (port === '8787' && worker) return worker(request)
    throw new TypeError(`Nothing is at ${request.url}.`)
  })
  return sandbox
}

/** Ada signs in at the app, as a browser does it. */
async function signIn(app: Hono, sandbox: ReturnType<typeof createSandbox>) {
  const jar = new Map<string, string>()
  const go = async (path: string, body?: URLSearchParams) => {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const headers = new Headers({ cookie, ...(body ? { origin } : {}) })
    const init = body ? { method: 'POST', body, headers } : { headers }
    const answer = await app.request(new URL(path, origin).href, init)
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    return answer
  }
  expect(await (await go('/auth/signin?callbackUrl=/')).text()).toContain('Video App')
  const { csrfToken } = (await (await go('/auth/csrf')).json()) as { csrfToken: string }
  const begun = await go(
    '/auth/signin/videoapp',
    new URLSearchParams({ csrfToken, callbackUrl: '/' }),
  )
  const consent = begun.headers.get('location') ?? ''
  const body = new URLSearchParams({ person: 'ada', decision: 'allow', scope: 'user.info.profile' })
  const allowed = await sandbox.request(consent, { method: 'POST', body })
  if (allowed.status !== 303) return allowed.text()
  const done = await go(allowed.headers.get('location') ?? '')
  expect(done.headers.get('location')).toBe(`${origin}/`)
  return (await go('/')).text()
}

beforeEach(() => {
  for (const name of Object.keys(process.env)) {
    if (name.startsWith('AUTH_')) vi.stubEnv(name, undefined)
  }
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

test('an app that answers the auth routes signs in by the stand-in alone', async () => {
  const [settings = {}] = settingsBelow('The app answers the auth routes')
  expect(settings).toEqual(sandboxSettings())
  for (const [name, value] of Object.entries({ ...settings, AUTH_SECRET: secret })) {
    vi.stubEnv(name, value)
  }
  expect(usualApps).toContain(origin)
  const { app } = await exampleBelow<{ app: Hono }>('The app answers the auth routes')
  expect(await signIn(app, connect(usualApps))).toMatch(/^Hello Ada/)
})

test('an app that forwards signs in, once the Worker and the stand-in know it', async () => {
  const [ofWorker = {}, ofApp = {}] = settingsBelow('The app forwards to the Worker')
  const trusted = ofWorker.AUTH_TRUSTED_ORIGINS ?? ''
  const env = { ...ofWorker, ...sandboxSettings(), AUTH_SECRET: secret }
  const service = createAuth({ basePath: '/auth', providers: [videoapp()], store: memoryStore() })
  const worker = (request: Request) => service.fetch(request, env)
  for (const [name, value] of Object.entries(ofApp)) vi.stubEnv(name, value)
  const said: string[] = []
  vi.spyOn(console, 'warn').mockImplementation((line) => void said.push(String(line)))
  const { app } = await exampleBelow<{ app: Hono }>('The app forwards to the Worker')
  expect(await signIn(app, connect(localApps(trusted), worker))).toMatch(/^Hello Ada/)
  expect(said.filter((line) => line.includes('AUTH_TRUSTED_ORIGINS'))).toEqual([])
})

test('the refusal of an app that is not known leads to what makes it known, which is what the page here says', async () => {
  const sandbox = connect(['http://localhost:9999'])
  const query = new URLSearchParams({
    client_key: defaultClient.clientKey,
    redirect_uri: `${origin}/auth/callback/videoapp`,
  })
  const at = 'http://localhost:8788'
  const refused = await (await sandbox.request(`${at}/v2/auth/authorize/?${query}`)).text()
  const [, path = ''] =
    /<a href="([^"]+)">Use the sandbox from an app of your own/.exec(refused) ?? []
  const help = await sandbox.request(at + path)
  expect(help.status).toBe(200)
  const text = await help.text()
  const lines = [...text.matchAll(/<pre>([\s\S]*?)<\/pre>/g)].flatMap(([, block = '']) =>
    block.trim().split('\n'),
  )
  expect(lines.length).toBeGreaterThan(6)
  for (const line of lines)
    expect(page).toContain(line.trim().replace(/(?<=ORIGINS=.*)4000/, '3000'))
  expect(text).toContain('docs/sandbox.md')
})
