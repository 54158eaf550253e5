import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isPortBusy } from '../../scripts/ports.js'
import { ask, cookieOf, csrf, form, type Running, SECRET, signOut } from '../express/support.js'
import { type StoreApp, startStoreApp } from '../shared-store/start-store-app.js'
import { freePort } from '../support/free-port.js'
import { hasPostgres, type Server, startPostgres } from '../support/servers.js'

// docs/deploy-node.md as it is: its nginx in front of two processes of the Express example over Postgres.

const NGINX = ['/usr/sbin/nginx', '/usr/bin/nginx', '/usr/local/bin/nginx'].find(existsSync)
const example = 'examples/express/src/server.ts'
const page = readFileSync(join(import.meta.dirname, '../../docs/deploy-node.md'), 'utf8')

/** The configuration of the page, without TLS, on ports of this machine. */
function nginxConfig(folder: string, port: number, apps: readonly number[]): string {
  const [, block = ''] = /```nginx\n([\s\S]*?)```/.exec(page) ?? []
  const [https = ''] = block.split(/^server \{\n {2}listen 80;/m)
  const http = https
    .replace(/:3001/, `:${apps[0]}`)
    .replace(/:3002/, `:${apps[1]}`)
    .replace(/listen 443 ssl;/, `listen 127.0.0.1:${port};`)
    .replace(/^.*ssl_certificate.*\n/gm, '')
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `${name}_temp_path ${folder}/${name};`)
    .join('\n')
  return `worker_processes 1; daemon off; error_log ${folder}/error.log; pid ${folder}/pid;
events { worker_connections 256; }
http { access_log off; ${paths}
${http} }`
}

/** @returns `undefined`: the process was killed while it answered */
async function me(port: number, cookie: string): Promise<number | undefined> {
  const headers = { cookie, accept: 'application/json' }
  const answer = await ask(port, '/api/me', { headers }).catch(() => undefined)
  return answer?.status
}

async function signIn(app: Running): Promise<string> {
  const { csrfToken, cookie } = await csrf(app)
  const sent = form({ csrfToken, username: 'ada', password: 'lovelace' })
  const answer = await app.ask('/auth/callback/credentials', {
    ...sent,
    headers: { ...sent.headers, cookie },
  })
  return [cookie, cookieOf(answer)].join('; ')
}

describe.skipIf(!NGINX || !hasPostgres)('two processes behind nginx, over Postgres', () => {
  const folder = mkdtempSync(join(tmpdir(), 'nginx-'))
  let postgres: Server
  let nginx: ChildProcess
  let site: Running
  let apps: StoreApp[]
  const start = (port: number) => {
    const AUTH_URL = `http://localhost:${site.port}`
    const env = { AUTH_SECRET: SECRET, AUTH_URL, AUTH_STORE: postgres.url, PORT: `${port}` }
    return startStoreApp(env, example)
  }

  beforeAll(async () => {
    postgres = await startPostgres()
    const port = await freePort()
    site = {
      port,
      url: `http://localhost:${port}`,
      ask: (path, options) => ask(port, path, options),
      stop: async () => {},
    }
    const ports = [await freePort(), await freePort()]
    apps = await Promise.all(ports.map(start))
    const file = join(folder, 'nginx.conf')
    writeFileSync(file, nginxConfig(folder, port, ports))
    nginx = spawn(NGINX as string, ['-p', folder, '-c', file], { stdio: 'ignore' })
    while (nginx.exitCode === null && !(await isPortBusy(port))) {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    if (nginx.exitCode !== null) throw new Error(readFileSync(join(folder, 'error.log'), 'utf8'))
  }, 60_000)
  afterAll(async () => {
    nginx?.kill()
    await Promise.all((apps ?? []).map((app) => app.stop()))
    await postgres?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('one is killed under load: nobody is signed out, and no session that was ended is accepted', async () => {
    const cookies: string[] = []
    // One after another: attempts under way count against the limit of a name.
    while (cookies.length < 20) cookies.push(await signIn(site))
    expect(await Promise.all(cookies.map((cookie) => me(site.port, cookie)))).toEqual(
      cookies.map(() => 200),
    )
    const ended = cookies.splice(0, 5)
    for (const cookie of ended) await signOut(site, cookie)
    const statuses = (all: readonly string[]) =>
      Promise.all(all.map((cookie) => me(site.port, cookie)))
    // Each process has heard of the endings.
    const everywhere = async () =>
      Promise.all(apps.flatMap(({ port }) => ended.map((cookie) => me(port, cookie))))
    await expect
      .poll(async () => [...new Set(await everywhere())], { timeout: 20_000 })
      .toEqual([401])

    const seen = new Set<number>()
    const ofEnded = new Set<number>()
    let broken = 0
    let isOver = false
    let loads = 0
    const load = async () => {
      while (!isOver) {
        for (const [all, into] of [
          [cookies, seen],
          [ended, ofEnded],
        ] as const) {
          for (const status of await statuses(all)) {
            if (status === undefined) broken++
            else into.add(status)
          }
        }
        loads++
      }
    }
    const loading = load()
    const passed = (more: number, from = loads) =>
      expect.poll(() => loads, { timeout: 20_000 }).toBeGreaterThan(from + more)
    await passed(3)
    const [first] = apps
    await first?.kill()
    await passed(5)
    apps[0] = await start(first?.port ?? 0)
    await passed(5)
    isOver = true
    await loading
    expect([...seen]).toEqual([200])
    expect([...ofEnded]).toEqual([401])
    // A page that was under way at that moment is loaded again.
    expect(broken).toBeLessThanOrEqual(cookies.length)
    // The process that came back knows both by itself.
    const back = apps[0]?.port ?? 0
    expect(await Promise.all([cookies, ended].flat().map((cookie) => me(back, cookie)))).toEqual([
      ...cookies.map(() => 200),
      ...ended.map(() => 401),
    ])
  }, 120_000)

  test('each is restarted gracefully, one after the other, under load: no page fails', async () => {
    const cookies = [await signIn(site), await signIn(site)]
    const seen: Record<string, number> = {}
    let isOver = false
    const load = async (cookie: string) => {
      while (!isOver) {
        const status = await me(site.port, cookie)
        seen[`${status}`] = (seen[`${status}`] ?? 0) + 1
      }
    }
    const loads = [...cookies, ...cookies, ...cookies].map(load)
    for (const [at, { port }] of apps.entries()) {
      // A process that went on to take requests over the connections of the proxy would end with 1, after ten seconds.
      expect(await apps[at]?.end()).toBe(0)
      apps[at] = await start(port)
      await expect
        .poll(async () => (await ask(port, '/auth/health')).status, { timeout: 20_000 })
        .toBe(200)
    }
    isOver = true
    await Promise.all(loads)
    expect(Object.keys(seen)).toEqual(['200'])
  }, 120_000)

  test('the health of a process follows its store', async () => {
    const look = async () => {
      const { status, text } = await site.ask('/auth/health')
      return `${status} ${text}`
    }
    expect(await look()).toBe('200 {"status":"ok"}')
    await postgres.crash()
    await expect.poll(look, { timeout: 20_000 }).toBe('200 {"status":"ok"}')
  }, 60_000)
})

test('at SIGTERM the example answers what is under way, and ends with 0', async () => {
  const app = await startStoreApp(
    { AUTH_SECRET: SECRET, AUTH_URL: 'http://localhost:3000' },
    example,
  )
  const agent = new Agent({ keepAlive: true })
  const look = () =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ port: app.port, path: '/auth/health', agent }, (answer) => {
        answer.resume().once('end', () => resolve(answer.statusCode))
      })
        .once('error', reject)
        .end()
    })
  expect(await look()).toBe(200)
  // A connection that is idle does not hold the process.
  const underWay = look()
  const [status, code] = await Promise.all([underWay, underWay.then(() => app.end())])
  expect([status, code]).toEqual([200, 0])
  agent.destroy()
}, 30_000)
