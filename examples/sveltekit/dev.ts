import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Builds the example and runs it on your own machine, with a stand-in for the video app: `worker` under
 * `wrangler dev` with the auth Worker of this repository bound to it, or `node` on Node with the auth
 * routes in process.
 */
const root = join(import.meta.dirname, '..', '..')
const isNode = process.argv[2] === 'node'
const { PORT = '3000', WORKER_PORT = '8787', SANDBOX_PORT = '8788' } = process.env
const app = `http://localhost:${PORT}`
const sandbox = `http://localhost:${SANDBOX_PORT}`
/** Wrangler's own state: where the Workers find each other, and what they store. */
const state = mkdtempSync(join(tmpdir(), 'latchkey-example-'))

const settings = {
  AUTH_SECRET: process.env.AUTH_SECRET ?? randomBytes(32).toString('hex'),
  AUTH_VIDEO_ID: 'sandbox-client-key',
  AUTH_VIDEO_SECRET: 'sandbox-client-secret',
  AUTH_VIDEO_AUTHORIZATION_URL: `${sandbox}/v2/auth/authorize/`,
  AUTH_VIDEO_TOKEN_URL: `${sandbox}/v2/oauth/token/`,
  AUTH_VIDEO_USERINFO_URL: `${sandbox}/v2/user/info/`,
  // Off unless asked for, whatever `.dev.vars` says: nothing shows the mails here.
  AUTH_EMAIL_FROM: process.env.AUTH_EMAIL_FROM ?? '',
}

const children: ChildProcess[] = []
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(0))
process.on('exit', () => {
  for (const child of children) child.kill()
  rmSync(state, { recursive: true, force: true })
})

await build()
const redirectUri = `${app}/auth/callback/videoapp`
await startWrangler('sandbox/wrangler.toml', SANDBOX_PORT, { SANDBOX_REDIRECT_URIS: redirectUri })
if (isNode) {
  Object.assign(process.env, settings, { HOST: '127.0.0.1', PORT })
  const built = './build/node/index.js'
  const { server }: { server: Server } = await import(built)
  if (!server.listening) await once(server, 'listening')
} else {
  await startWrangler('wrangler.toml', WORKER_PORT, settings)
  await startWrangler('examples/sveltekit/wrangler.toml', PORT, {})
}
console.log(`The example runs at ${app}`)

async function build(): Promise<void> {
  // It needs no secret, so it gets none.
  const open = Object.entries(process.env).filter(([name]) => !name.startsWith('AUTH_'))
  const target = isNode ? { TARGET: 'node', ORIGIN: app } : { TARGET: 'cloudflare' }
  const env = { ...Object.fromEntries(open), ...target }
  const vite = join(root, 'node_modules', 'vite', 'bin', 'vite.js')
  const child = spawn(process.execPath, [vite, 'build'], {
    cwd: import.meta.dirname,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  children.push(child)
  const code = await new Promise((resolve) => child.on('exit', resolve))
  if (code !== 0) throw new Error('The example could not be built.')
}

async function startWrangler(config: string, port: string, vars: Record<string, string>) {
  const wrangler = join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const options = Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`])
  const args = ['dev', '--config', config, '--port', port, '--inspector-port', '0', ...options]
  const child = spawn(process.execPath, [wrangler, ...args, '--persist-to', join(state, port)], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      WRANGLER_SEND_METRICS: 'false',
      // The app finds the auth Worker here, and not one that runs for another purpose.
      WRANGLER_REGISTRY_PATH: join(state, 'registry'),
    },
  })
  children.push(child)
  while (child.exitCode === null) {
    try {
      await fetch(`http://localhost:${port}/`, { redirect: 'manual' })
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  throw new Error(`wrangler dev with ${config} could not be started on port ${port}.`)
}
