import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { redirectUris, sandboxSettings, startDevServers } from './dev-servers.ts'
import { startProcessTree } from './process-tree.ts'
import { type Running, runUntilStopped } from './run-until-stopped.ts'
import {
  DevServerError,
  requireFreePort,
  rootDir,
  startWranglerDev,
  untilAnswers,
} from './wrangler-dev.ts'

/**
 * `npm start` in examples/next: builds the example and runs it on this machine, with the sandbox.
 * `in-process`: the app answers the auth routes. `worker`: the auth Worker of this repository does.
 */
const exampleDir = join(rootDir, 'examples', 'next')
const [port, workerPort, sandboxPort] = [
  Number(process.env.PORT ?? 3000),
  Number(process.env.WORKER_PORT ?? 8787),
  Number(process.env.SANDBOX_PORT ?? 8788),
]
const appOrigin = `http://localhost:${port}`
const AUTH_SECRET = process.env.AUTH_SECRET || randomBytes(32).toString('hex')
const print = (name: string) => (line: string) => {
  if (line.trim() !== '') console.log(`[${name}] ${line}`)
}

await runUntilStopped(async () => {
  await requireFreePort('example', port)
  console.log('Building the example …')
  await build()
  console.log('Starting it …')
  const { env, servers } = process.argv[2] === 'worker' ? await startWorker() : await startSandbox()
  const app = startNext(['start', '--port', String(port)], env, print('app'))
  const ended = app.ended.then((how) => `The example ${how}.`)
  const problem = await Promise.race([untilAnswers(appOrigin, 60_000), ended])
  if (problem !== undefined) throw new DevServerError(problem)
  console.log(`
  The example runs at ${appOrigin}

    Sandbox    http://localhost:${sandboxPort}   (plays the video app)

  Press Ctrl+C to stop.
`)
  return {
    ended: Promise.race([ended, servers.ended]),
    async stop() {
      await Promise.all([app.stop(), servers.stop()])
    },
  }
})

/** @throws DevServerError with what Next has printed */
async function build(): Promise<void> {
  const printed: string[] = []
  const how = await startNext(['build'], {}, (line) => printed.push(line)).ended
  if (how === 'ended with exit code 0') return
  throw new DevServerError(`The build of the example ${how}.\n\n${printed.join('\n')}`)
}

function startNext(args: string[], env: NodeJS.ProcessEnv, onLine: (line: string) => void) {
  return startProcessTree([join(rootDir, 'node_modules/next/dist/bin/next'), ...args], {
    cwd: exampleDir,
    env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    onLine,
  })
}

interface Servers {
  readonly env: NodeJS.ProcessEnv
  readonly servers: Running
}

async function startSandbox(): Promise<Servers> {
  const sandbox = await startWranglerDev({
    name: 'sandbox',
    config: 'sandbox/wrangler.toml',
    port: sandboxPort,
    vars: { SANDBOX_REDIRECT_URIS: redirectUris([`${appOrigin}/api/auth`]) },
    onNotice: print('sandbox'),
  })
  return {
    env: { ...sandboxSettings(sandboxPort), AUTH_SECRET },
    servers: {
      ended: sandbox.ended.then((how) => `The sandbox ${how}.`),
      stop: sandbox.stop,
    },
  }
}

/** The app has no secret: it gets the public keys from the Worker. */
async function startWorker(): Promise<Servers> {
  const state = mkdtempSync(join(tmpdir(), 'latchkey-example-'))
  process.on('exit', () => rmSync(state, { recursive: true, force: true }))
  const servers = await startDevServers({
    workerPort,
    sandboxPort,
    appOrigins: [`${appOrigin}/api/auth`],
    persistTo: state,
    vars: {
      ...sandboxSettings(sandboxPort),
      AUTH_SECRET,
      AUTH_URL: `${appOrigin}/api/auth`,
      AUTH_PASSKEY_NAME: 'Latchkey example',
    },
  })
  return { env: { AUTH_WORKER_URL: `${servers.workerUrl}/api/auth`, AUTH_SECRET: '' }, servers }
}
