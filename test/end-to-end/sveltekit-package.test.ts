import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ProcessTree, startProcessTree } from '../../scripts/process-tree.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { freePort } from '../support/free-port.ts'
import { type Packed, packedAsIn } from '../support/packed.ts'
import { layOut } from '../support/user-project.ts'
import { linkKit } from '../sveltekit/kit-packages.ts'
import { outsideApp } from '../sveltekit/outside-app.ts'

/** SvelteKit apps of a user's own, made from the packed tarballs. */
const run = promisify(execFile)
const readme = join(rootDir, 'adapters/sveltekit/README.md')
let packed: readonly Packed[]
let temp: string

beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'latchkey-sveltekit-'))
  packed = await packedAsIn(await readFile(readme, 'utf8'))
})
afterAll(() => rm(temp, { recursive: true, force: true }))

describe.each([2, 3] as const)('an app on SvelteKit %d', (kit) => {
  let folder: string
  let origin: string
  let server: ProcessTree | undefined

  beforeAll(async () => {
    folder = join(temp, `kit-${kit}`)
    const port = await freePort()
    origin = `http://localhost:${port}`
    await mkdir(folder)
    const manifest = {
      name: 'an-app',
      private: true,
      type: 'module',
      dependencies: Object.fromEntries(packed.map(({ name, tarball }) => [name, tarball])),
    }
    const files = { 'package.json': JSON.stringify(manifest), ...outsideApp(kit, origin) }
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, name)), { recursive: true })
      await writeFile(join(folder, name), text)
    }
    await layOut(folder, packed)
    await linkKit(folder, kit)
  })
  afterAll(() => server?.stop())

  /** An environment without our variables, so without a secret. */
  const node = (...args: string[]) =>
    run(process.execPath, args, { cwd: folder, env: { PATH: process.env.PATH } })
  const bin = (path: string) => join(folder, 'node_modules', path)

  test('type-checks without a complaint', async () => {
    await node(bin('@sveltejs/kit/svelte-kit.js'), 'sync')
    const flags = ['--fail-on-warnings', ...(kit === 3 ? ['--tsgo'] : [])]
    const { stdout } = await node(bin('svelte-check/bin/svelte-check'), ...flags).catch(
      (error) => error,
    )
    expect(stdout).toContain('found 0 errors and 0 warnings')
  })

  test('is built without a secret, keeps the redirect of no hook, and ships no server code', async () => {
    await node(bin('vite/bin/vite.js'), 'build')
    expect(existsSync(join(folder, 'build/prerendered/about.html'))).toBe(true)
    expect(existsSync(join(folder, 'build/prerendered/authenticated.html'))).toBe(false)
    const client = await filesWith(join(folder, 'build/client'), /oauth4webapi|hono|AUTH_SECRET/)
    expect(client).toEqual([])
  })

  test.runIf(kit === 2)(
    'without ORIGIN Kit answers a form over http with the 403 that the README and the terminal explain',
    async () => {
      const port = await freePort()
      const printed: string[] = []
      const app = startProcessTree(['build/index.js'], {
        cwd: folder,
        env: { PATH: process.env.PATH, PORT: String(port), AUTH_SECRET: DEV_SECRET },
        onLine: (line) => printed.push(line),
      })
      try {
        const here = `http://localhost:${port}`
        await expect
          .poll(() =>
            fetch(`${here}/auth/signin`).then(
              (it) => it.status,
              () => 0,
            ),
          )
          .toBe(200)
        const init = {
          method: 'POST',
          headers: { origin: here },
          body: new URLSearchParams({ a: 'b' }),
        }
        const answer = await fetch(`${here}/auth/signin/github`, init)
        const [, text = ''] = /with\s403, "([^"]+)"/.exec(await readFile(readme, 'utf8')) ?? []
        expect([answer.status, await answer.text()]).toEqual([403, text])
        await expect
          .poll(() => printed.join('\n'))
          .toContain('Set ORIGIN, as in ORIGIN=http://localhost:3000')
      } finally {
        await app.stop()
      }
    },
  )

  test('signs in with a password, protects, renders both forms, and signs out', async () => {
    server = startProcessTree(['build/index.js'], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        PORT: new URL(origin).port,
        ORIGIN: origin,
        AUTH_SECRET: 'a-secret-of-a-users-own-app-0123456789',
      },
      onLine() {},
    })
    await expect
      .poll(() =>
        fetch(origin).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200)
    const jar = new Map<string, string>()
    async function ask(path: string, fields?: Record<string, string>) {
      const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
      const answer = await fetch(origin + path, {
        headers: { cookie, origin, accept: 'text/html' },
        redirect: 'manual',
        ...(fields && { method: 'POST', body: new URLSearchParams(fields) }),
      })
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (/max-age=0/i.test(line)) jar.delete(name)
        else jar.set(name, value)
      }
      const location = answer.headers.get('location')
      return { status: answer.status, location, text: await answer.text() }
    }
    const { text: home } = await ask('/')
    expect(home).toMatch(/<h1>Nobody<\/h1>/)
    expect(home).toMatch(/name="providerId" value="github"/)
    expect(home).toContain('In by a slot')
    expect(home).toContain('Out by a snippet')
    expect(Object.keys(JSON.parse((await ask('/auth/providers')).text))).toEqual([
      'github',
      'credentials',
    ])
    expect(await ask('/authenticated')).toMatchObject({ status: 303, location: '/signin' })
    const fields = { providerId: 'credentials', redirectTo: '/authenticated' }
    const wrong = await ask('/signin', { ...fields, password: 'no' })
    expect([wrong.status, wrong.text.includes('<p>credentials</p>')]).toEqual([400, true])
    const right = await ask('/signin', { ...fields, password: 'right' })
    expect([right.status, new URL(right.location ?? '', origin).href]).toEqual([
      303,
      `${origin}/authenticated`,
    ])
    expect((await ask('/authenticated')).text).toContain('<h1>Only for Ann</h1>')
    expect((await ask('/')).text).toContain('<h1>Ann</h1>')
    // A posted answer arrives only if Kit's config names the provider's origin.
    const postFrom = async (from: string) => {
      const body = new URLSearchParams({ code: 'c', state: 's' })
      const init: RequestInit = {
        method: 'POST',
        body,
        redirect: 'manual',
        headers: { origin: from },
      }
      return (await fetch(`${origin}/auth/callback/github`, init)).status
    }
    expect(await postFrom('https://appleid.apple.com')).toBe(303)
    expect(await postFrom('https://evil.example')).toBe(403)
    expect((await ask('/signout', {})).status).toBe(303)
    expect(await ask('/authenticated')).toMatchObject({ status: 303, location: '/signin' })
  })

  test('reads the secret of .env in `vite dev` without a line of the app’s own, and puts it into no built file', async () => {
    await writeFile(join(folder, '.env'), '')
    const port = await freePort()
    const printed: string[] = []
    const dev = startProcessTree([bin('vite/bin/vite.js'), 'dev', '--port', String(port)], {
      cwd: folder,
      env: { PATH: process.env.PATH },
      onLine: (line) => printed.push(line),
    })
    const status = () =>
      fetch(`http://localhost:${port}/auth/csrf`).then(
        ({ status }) => status,
        () => 0,
      )
    try {
      await expect.poll(status).toBe(500)
      await expect.poll(() => printed.join('\n')).toContain('AUTH_SECRET is not set')
      // `vite dev` restarts by itself. Its watcher can miss a change on a busy machine: write it
      // again then.
      const restarted = async () => {
        await writeFile(join(folder, '.env'), `AUTH_SECRET=${DEV_SECRET}`)
        for (let look = 0; look < 40 && (await status()) !== 200; look++) await setTimeout(500)
        return status()
      }
      await expect.poll(restarted).toBe(200)
    } finally {
      await dev.stop()
    }
    await run(process.execPath, [bin('vite/bin/vite.js'), 'build'], {
      cwd: folder,
      env: { PATH: process.env.PATH, AUTH_SECRET: DEV_SECRET },
    })
    const output = join(folder, '.svelte-kit/output')
    expect(await filesWith(output, new RegExp(DEV_SECRET))).toEqual([])
  })
})

const DEV_SECRET = 'a-secret-of-vite-dev-0123456789-0123456789'

async function filesWith(folder: string, pattern: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const scripts = entries.filter((entry) => entry.isFile() && entry.name.endsWith('.js'))
  const paths = scripts.map((entry) => join(entry.parentPath, entry.name))
  const texts = await Promise.all(paths.map((path) => readFile(path, 'utf8')))
  expect(texts.length).toBeGreaterThan(0)
  return paths.filter((_, index) => pattern.test(texts[index] ?? ''))
}
