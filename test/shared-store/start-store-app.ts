import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { isPortBusy } from '../../scripts/ports.js'
import { ask, type Running } from '../express/support.js'
import { freePort } from '../support/free-port.js'

const root = join(import.meta.dirname, '..', '..')

export interface StoreApp extends Running {
  /** The output of the process. */
  said(): string
  /** SIGTERM, as a supervisor ends it. @returns the exit code */
  end(): Promise<unknown>
  /** SIGKILL: it closes nothing. */
  kill(): Promise<void>
}

/** @throws {Error} with the output of the process, if it ends at its start */
export async function startStoreApp(
  env: Readonly<Record<string, string>>,
  entry = 'test/shared-store/app.ts',
): Promise<StoreApp> {
  const port = Number(env.PORT ?? (await freePort()))
  const child = fork(join(root, entry), {
    execArgv: ['--no-warnings', '--import', join(root, 'test/support/from-sources.ts')],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', PORT: `${port}`, ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      said += chunk
    })
  }
  const exited = once(child, 'exit')
  const isUp = async () => {
    while (!(await isPortBusy(port))) await new Promise((resolve) => setTimeout(resolve, 50))
    return true
  }
  if ((await Promise.race([isUp(), exited])) !== true) throw new Error(said)
  const end = async () => {
    child.kill('SIGTERM')
    const [code] = await exited
    return code
  }
  const stop = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    ask: (path, options) => ask(port, path, options),
    stop,
    kill: stop,
    end,
    said: () => said,
  }
}
