import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'

/**
 * The example on your own machine, with a stand-in for the video app: `in-process`, or `worker` for
 * the auth Worker of this repository under `wrangler dev`.
 */
const root = join(import.meta.dirname, '..', '..', '..')
const { PORT = '3000', WORKER_PORT = '8787', SANDBOX_PORT = '8788' } = process.env
const app = `http://localhost:${PORT}`
const sandbox = `http://localhost:${SANDBOX_PORT}`

const provider = {
  AUTH_VIDEO_ID: 'sandbox-client-key',
  AUTH_VIDEO_SECRET: 'sandbox-client-secret',
  AUTH_VIDEO_AUTHORIZATION_URL: `${sandbox}/v2/auth/authorize/`,
  AUTH_VIDEO_TOKEN_URL: `${sandbox}/v2/oauth/token/`,
  AUTH_VIDEO_USERINFO_URL: `${sandbox}/v2/user/info/`,
}
const secret = { AUTH_SECRET: process.env.AUTH_SECRET ?? randomBytes(32).toString('hex') }

const children: ChildProcess[] = []
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => process.exit(0))
process.on('exit', () => {
  for (const child of children) child.kill()
})

const redirectUri = `${app}/auth/callback/videoapp`
await startWrangler('sandbox/wrangler.toml', SANDBOX_PORT, { SANDBOX_REDIRECT_URIS: redirectUri })

if (process.argv[2] === 'worker') {
  // The Worker trusts the forwarded headers of this app alone.
  const vars = { ...provider, ...secret, AUTH_TRUSTED_ORIGINS: app }
  await startWrangler('wrangler.toml', WORKER_PORT, vars)
  process.env.AUTH_WORKER_URL = `http://localhost:${WORKER_PORT}/auth`
} else {
  Object.assign(process.env, provider, secret)
}
await import('./server.js')

async function startWrangler(config: string, port: string, vars: Record<string, string>) {
  const wrangler = join(root, 'node_modules', 'wrangler', 'bin', 'wrangler.js')
  const options = Object.entries(vars).flatMap(([name, value]) => ['--var', `${name}:${value}`])
  const args = [wrangler, 'dev', '--config', config, '--port', port, '--inspector-port', '0']
  const child = spawn(process.execPath, [...args, ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, WRANGLER_SEND_METRICS: 'false' },
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
