import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redirectUris, sandboxAddresses, startDevServers } from './dev-servers.ts'
import { readDevVars, writeDevVars } from './dev-vars.ts'
import { startProcessTree } from './process-tree.ts'
import { type Running, runUntilStopped } from './run-until-stopped.ts'
import { DevServerError, requireFreePort, rootDir, startWranglerDev } from './wrangler-dev.ts'

/**
 * `npm start` in examples/sveltekit: builds the example and runs it on this machine, with the sandbox.
 * `worker`: under `wrangler dev`, with the auth Worker of this repository bound to it. `node`: on Node,
 * with the auth routes in process.
 */
const exampleDir = join(rootDir, 'examples', 'sveltekit')
const isNode = process.argv[2] === 'node'
const [port, workerPort, sandboxPort] = [
  Number(process.env.PORT ?? 3000),
  Number(process.env.WORKER_PORT ?? 8787),
  Number(process.env.SANDBOX_PORT ?? 8788),
]
const appOrigin = `http://localhost:${port}`
const print = (name: string) => (line: string) => {
  if (line.trim() !== '') console.log(`[${name}] ${line}`)
}

await runUntilStopped(async () => {
  const state = mkdtempSync(join(tmpdir(), 'latchkey-example-'))
  process.on('exit', () => rmSync(state, { recursive: true, force: true }))
  // The settings of a fresh machine: those of your own `.dev.vars` are for the Worker alone.
  const envFile = join(state, '.dev.vars')
  // The tests pass a secret of their own. It is passed in a file: any user of the machine can list
  // arguments.
  writeDevVars(envFile, join(rootDir, '.dev.vars.example'), process.env.AUTH_SECRET || undefined)
  // The build takes a while, so the line is printed before it.
  await requireFreePort('example', port)
  await requireFreePort('sandbox', sandboxPort)
  console.log('Building the example …')
  await build()
  console.log('Starting it …')
  const running = isNode ? await startOnNode(envFile) : await startOnWorker(envFile, state)
  const sandbox = `http://localhost:${sandboxPort}`
  const mailbox = isNode ? '' : `\n    Mailbox    ${sandbox}/mailbox   (what the Worker mailed)`
  console.log(`
  The example runs at ${appOrigin}

    Sandbox    ${sandbox}   (plays the video app)${mailbox}

  Press Ctrl+C to stop.
`)
  return running
})

/** @throws DevServerError with what Vite has printed */
async function build(): Promise<void> {
  // The build needs no secret, so it gets none.
  const open = Object.entries(process.env).filter(([name]) => !name.startsWith('AUTH_'))
  const target = isNode ? { TARGET: 'node', ORIGIN: appOrigin } : { TARGET: 'cloudflare' }
  const printed: string[] = []
  const vite = startProcessTree([join(rootDir, 'node_modules/vite/bin/vite.js'), 'build'], {
    cwd: exampleDir,
    env: { ...Object.fromEntries(open), ...target },
    onLine: (line) => printed.push(line),
  })
  const how = await vite.ended
  if (how === 'ended with exit code 0') return
  throw new DevServerError(`The build of the example ${how}.\n\n${printed.join('\n')}`)
}

async function startOnWorker(envFile: string, state: string): Promise<Running> {
  // The app finds the auth Worker here, and not one that runs for another purpose.
  process.env.WRANGLER_REGISTRY_PATH = join(state, 'registry')
  const servers = await startDevServers({
    workerPort,
    sandboxPort,
    appOrigins: [appOrigin],
    envFile,
    persistTo: state,
    // The site's name in the browser's dialog for a passkey.
    vars: { AUTH_PASSKEY_NAME: 'Latchkey example' },
  })
  const app = await startWranglerDev({
    name: 'example',
    config: 'examples/sveltekit/wrangler.toml',
    port,
    persistTo: join(state, 'app'),
    onNotice: print('app'),
  })
  return {
    ended: Promise.race([servers.ended, app.ended.then((how) => `The example ${how}.`)]),
    async stop() {
      await Promise.all([app.stop(), servers.stop()])
    },
  }
}

async function startOnNode(envFile: string): Promise<Running> {
  const sandbox = await startWranglerDev({
    name: 'sandbox',
    config: 'sandbox/wrangler.toml',
    port: sandboxPort,
    vars: { SANDBOX_REDIRECT_URIS: redirectUris([appOrigin]) },
    onNotice: print('sandbox'),
  })
  const settings = { ...readDevVars(envFile), ...sandboxAddresses(sandboxPort) }
  Object.assign(process.env, settings, { HOST: '127.0.0.1', PORT: port })
  const built = join(exampleDir, 'build/node/index.js')
  const { server }: { server: Server } = await import(built)
  if (!server.listening) await once(server, 'listening')
  return { ended: sandbox.ended.then((how) => `The sandbox ${how}.`), stop: sandbox.stop }
}
