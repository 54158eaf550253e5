import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join } from 'node:path'
import { parseEnv } from 'node:util'
import { serve } from '@hono/node-server'
import { createSandbox, defaultClient } from '@latchkey/sandbox'
import * as h3 from 'h3'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { stepsOf, type Walk, walks } from '../../scripts/stopwatch/walks.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { clickSignOut } from '../support/click-sign-out.ts'
import { freePort } from '../support/free-port.ts'

/** The apps of the tutorials for Node, with the settings that their pages write. */
const running: { stop(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop()
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
})

/** The files of a page, and the settings that it writes for an app with this sandbox. */
function partsOf(isIt: (walk: Walk) => boolean) {
  const walk = walks.find(isIt)
  const steps = walk ? stepsOf(walk) : []
  const files = steps.flatMap((step) => ('file' in step ? [step] : []))
  const [settings = ''] = steps.flatMap((step) =>
    'commands' in step ? (/<<EOF\n([\s\S]*?)^EOF$/m.exec(step.commands)?.[1] ?? []) : [],
  )
  const settingsFor = (sandbox: string) =>
    settings
      .replace('$(openssl rand -hex 32)', 'a-secret-of-the-tests-0123456789abcdef')
      .replaceAll('http://localhost:8788', sandbox)
  return { files, settingsFor }
}

function startSandbox(origin: string, port: number) {
  const redirectUris = [`${origin}/auth/callback/videoapp`]
  const sandbox = createSandbox({ clients: [{ ...defaultClient, redirectUris }] })
  const server = serve({ fetch: sandbox.fetch, port })
  running.push({
    async stop() {
      server.close()
    },
  })
  return sandbox
}

describe('the quick start of Nuxt', () => {
  const { files, settingsFor } = partsOf(({ name }) => name === 'Nuxt')
  const { text = '' } = files.find(({ file }) => file === 'server/middleware/auth.js') ?? {}
  const folder = join(rootDir, 'test', '.docs-examples', 'quick-start-nuxt')

  test('signs a user in, who is still signed in when the app has started again', async () => {
    const [port, sandboxPort] = [await freePort(), await freePort()]
    const origin = `http://localhost:${port}`
    const sandbox = startSandbox(origin, sandboxPort)
    const env = parseEnv(settingsFor(`http://localhost:${sandboxPort}`))
    for (const [name, value = ''] of Object.entries(env)) vi.stubEnv(name, value)
    // Nitro imports them by itself.
    for (const [name, value] of Object.entries(h3)) vi.stubGlobal(name, value)
    mkdirSync(folder, { recursive: true })
    running.push({ stop: async () => rmSync(folder, { recursive: true, force: true }) })
    const { go, signIn } = browserAt(origin)

    for (const start of [1, 2]) {
      const file = join(folder, `auth-${start}.js`)
      writeFileSync(file, text.replace('auth.db', join(folder, 'auth.db')))
      const { default: middleware } = await import(/* @vite-ignore */ file)
      const page = h3.eventHandler((event) => event.context.session?.user?.name ?? 'nobody')
      const app = h3.createApp().use(middleware).use(page)
      const server = createServer(h3.toNodeListener(app)).listen(port)
      await once(server, 'listening')
      if (start === 1) {
        expect(await (await go('/')).text()).toBe('nobody')
        await signIn(sandbox)
      }
      expect(await (await go('/')).text()).toBe('Ada Example')
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  })
})

describe.each(['express', 'hono'])('the tutorial of %s, as a process of its own,', (name) => {
  const { files, settingsFor } = partsOf(({ page }) => page === `docs/quick-start-${name}.md`)
  const folder = join(rootDir, 'test', '.docs-examples', `quick-start-${name}`)
  const script = () => {
    const all = files.map(({ text }) => text).join('\n')
    return /document[.]getElementById[\s\S]*?\n *\}\)\n/.exec(all)?.[0] ?? ''
  }

  async function startApp(port: number, sandbox: string, admins: string): Promise<() => void> {
    writeFileSync(join(folder, '.env'), `${settingsFor(sandbox)}ADMIN_IDS=${admins}\n`)
    const args = ['--no-warnings', '--env-file=.env', 'app.js']
    const sources = ['--import', join(rootDir, 'test/support/from-sources.ts')]
    const child = spawn(process.execPath, [...sources, ...args], { cwd: folder, stdio: 'ignore' })
    running.push({ stop: () => ended(child) })
    await answers(port, child)
    return () => ended(child)
  }

  test('greets a user with their role, keeps others from its page, goes on after a restart, and signs out', async () => {
    const [port, sandboxPort] = [await freePort(), await freePort()]
    const origin = `http://localhost:${port}`
    mkdirSync(folder, { recursive: true })
    for (const { file, text } of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true })
      expect(file !== 'app.js' || text.split('3000').length === 2).toBe(true)
      writeFileSync(join(folder, file), text.replace('3000', String(port)))
    }
    running.push({ stop: async () => rmSync(folder, { recursive: true, force: true }) })
    const sandbox = startSandbox(origin, sandboxPort)
    const { go, signIn } = browserAt(origin)

    const stop = await startApp(port, `http://localhost:${sandboxPort}`, '')
    expect(await (await go('/')).text()).toContain('Sign in</a>')
    const guarded = await go('/admin')
    expect([guarded.status, guarded.headers.get('location')]).toEqual([
      302,
      '/auth/signin?callbackUrl=%2Fadmin',
    ])
    await signIn(sandbox)
    const page = await (await go('/')).text()
    expect(page).toContain('<h1>Hello Ada Example</h1>')
    expect(page).toContain('Your role is member.')
    expect((await go('/admin')).status).toBe(403)
    const [, id = ''] = /Your id is <code>([^<]+)<\/code>/.exec(page) ?? []
    expect(id).not.toBe('')

    await stop()
    await startApp(port, `http://localhost:${sandboxPort}`, id)
    expect(await (await go('/')).text()).toContain('Hello Ada Example')
    expect(await clickSignOut(script(), go)).toBe('/')
    expect(await (await go('/')).text()).toContain('Sign in</a>')
    await signIn(sandbox)
    expect(await (await go('/')).text()).toContain('Your role is admin.')
    expect(await (await go('/admin')).text()).toBe('You are an admin.')
  })
})

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.kill()) await once(child, 'exit')
}

async function answers(port: number, child: ChildProcess): Promise<void> {
  while (child.exitCode === null) {
    const answer = await fetch(`http://localhost:${port}/auth/csrf`).catch(() => undefined)
    if (answer?.ok) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error('The app has ended.')
}

type Go = (path: string, init?: RequestInit) => Promise<Response>

function browserAt(origin: string) {
  const jar = new Map<string, string>()
  const go: Go = async (path, init = {}) => {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const headers = { accept: 'text/html', cookie }
    const url = new URL(path, origin)
    const answer = await fetch(url, { redirect: 'manual', ...init, headers })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (line.includes('Max-Age=0')) jar.delete(name)
      else jar.set(name, value)
    }
    return answer
  }
  const leadsTo = (answer: Response) => answer.headers.get('location') ?? ''
  async function signIn(sandbox: ReturnType<typeof createSandbox>): Promise<void> {
    const { csrfToken } = (await (await go('/auth/csrf')).json()) as { csrfToken: string }
    const form = new URLSearchParams({ csrfToken, callbackUrl: '/' })
    const consent = leadsTo(await go('/auth/signin/videoapp', { method: 'POST', body: form }))
    const person = { person: 'ada', decision: 'allow', scope: 'user.info.profile' }
    const body = new URLSearchParams(person)
    const allowed = await sandbox.request(consent, { method: 'POST', body })
    const done = await go(leadsTo(allowed))
    expect(new URL(leadsTo(done), origin).pathname).toBe('/')
  }
  return { go, signIn }
}
