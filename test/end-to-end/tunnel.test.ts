import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ProcessTree, startProcessTree } from '../../scripts/process-tree.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { freePort } from '../support/free-port.ts'

const host = 'latchkey-test-tunnel.trycloudflare.com'
const publicOrigin = `https://${host}`
const secret = `AUTH_SECRET=${'0123456789abcdef'.repeat(4)}\n`
const ownKey = 'AUTH_VIDEO_ID=own-key\nAUTH_VIDEO_SECRET=own-secret\n'
const dir = mkdtempSync(join(tmpdir(), 'latchkey-tunnel-'))
afterAll(() => rmSync(dir, { recursive: true, force: true }))

describe('npm run tunnel', () => {
  let tunnelPort: number
  let tunnel: ProcessTree
  let banner: string

  beforeAll(async () => {
    tunnelPort = await freePort()
    const port = await freePort()
    const started = startTunnel(secret + ownKey, ['--port', String(port)], tunnelPort)
    tunnel = started.tree
    banner = await started.until('Press Ctrl+C')
  })
  afterAll(() => tunnel?.stop())

  it('prints the redirect URI to register and the page to open', () => {
    expect(banner).toContain(`\n      ${publicOrigin}/auth/callback/videoapp\n`)
    expect(banner).toContain(`\n      ${publicOrigin}/auth/signin\n`)
  })

  it('serves the public https address though the tunnel calls the Worker by http', async () => {
    const { body } = await visit(tunnelPort, '/auth/providers')
    expect(JSON.parse(body).videoapp).toMatchObject({
      signinUrl: `${publicOrigin}/auth/signin/videoapp`,
      callbackUrl: `${publicOrigin}/auth/callback/videoapp`,
    })
  })

  it('starts a sign-in from a form that the browser sent from the public address', async () => {
    const csrf = await visit(tunnelPort, '/auth/csrf')
    const cookie = csrf.cookies.find((it) => it.startsWith('__Host-auth.csrf-token=')) ?? ''
    expect(cookie).toContain('; Secure')
    const { status, location } = await visit(tunnelPort, '/auth/signin/videoapp', {
      form: new URLSearchParams({ csrfToken: JSON.parse(csrf.body).csrfToken }),
      headers: {
        cookie: cookie.split(';')[0] ?? '',
        origin: publicOrigin,
        'sec-fetch-site': 'same-origin',
      },
    })
    expect(status).toBe(302)
    const authorize = new URL(location)
    expect(authorize.hostname).toBe('www.tiktok.com')
    expect(authorize.searchParams.get('client_key')).toBe('own-key')
    expect(authorize.searchParams.get('redirect_uri')).toBe(
      `${publicOrigin}/auth/callback/videoapp`,
    )
  })
})

describe('npm run tunnel without settings for the video app', () => {
  it.each([
    ['the local sandbox key', 'AUTH_VIDEO_ID=sandbox-client-key\n', /Change AUTH_VIDEO_ID/],
    ['no secret of the video app', 'AUTH_VIDEO_ID=own-key\n', /Set AUTH_VIDEO_SECRET/],
    [
      'an address of the local sandbox',
      `${ownKey}AUTH_VIDEO_TOKEN_URL=http://localhost:8788/v2/oauth/token/\n`,
      /Remove AUTH_VIDEO_TOKEN_URL/,
    ],
    ['a public address', `${ownKey}AUTH_URL=https://example.com\n`, /Remove AUTH_URL/],
  ])('explains the error in %s', async (_, settings, message) => {
    const { tree, until } = startTunnel(secret + settings, [], 0)
    expect(await tree.ended).toBe('ended with exit code 1')
    expect(await until('is not ready for the video app')).toMatch(message)
  })
})

/** Runs the command, and lets a test wait until it has printed some text. */
function startTunnel(settings: string, args: string[], tunnelPort: number) {
  const envFile = join(mkdtempSync(join(dir, 'run-')), '.dev.vars')
  writeFileSync(envFile, settings)
  let printed = ''
  const waiting = new Set<() => void>()
  const tree = startProcessTree(['scripts/tunnel.ts', '--env-file', envFile, ...args], {
    cwd: rootDir,
    env: {
      ...process.env,
      // The stand-in's first line names `node`, which must be the one that runs the tests.
      PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
      CLOUDFLARED_PATH: join(rootDir, 'scripts/testing/fake-cloudflared.ts'),
      FAKE_TUNNEL_PORT: String(tunnelPort),
    },
    onLine(line) {
      printed += `${line}\n`
      for (const check of waiting) check()
    },
  })
  const until = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const check = () => {
        if (printed.includes(text)) resolve(printed)
      }
      waiting.add(check)
      check()
      tree.ended.then((how) => reject(new Error(`It ${how}:\n${printed}`)))
    })
  return { tree, until }
}

interface Visit {
  form?: URLSearchParams
  headers?: Record<string, string>
}

/** A request as a browser sends it through the tunnel; fetch would not let a test set `Origin`. */
function visit(port: number, path: string, { form, headers }: Visit = {}) {
  return new Promise<{ status: number; location: string; cookies: string[]; body: string }>(
    (resolve, reject) => {
      const sent = request(
        {
          host: '127.0.0.1',
          port,
          path,
          method: form === undefined ? 'GET' : 'POST',
          headers: {
            ...headers,
            ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
          },
        },
        async (answer) => {
          let body = ''
          for await (const chunk of answer.setEncoding('utf8')) body += chunk
          resolve({
            status: answer.statusCode ?? 0,
            location: answer.headers.location ?? '',
            cookies: answer.headers['set-cookie'] ?? [],
            body,
          })
        },
      )
      sent.on('error', reject)
      sent.end(form?.toString())
    },
  )
}
