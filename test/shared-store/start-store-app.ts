import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { ask, type Running } from '../express/support.js'

const root = join(import.meta.dirname, '..', '..')

export interface StoreApp extends Running {
  /** What the process has said on the console. */
  said(): string
  /** SIGKILL: it closes nothing. */
  kill(): Promise<void>
}

/** @throws {Error} with what the process has said, where it ends at its start */
export async function startStoreApp(env: Readonly<Record<string, string>>): Promise<StoreApp> {
  const child = fork(join(root, 'test/shared-store/app.ts'), {
    execArgv: ['--no-warnings', '--import', join(root, 'test/support/from-sources.ts')],
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      said += chunk
    })
  }
  const exited = once(child, 'exit')
  const [port] = await Promise.race([once(child, 'message'), exited.then(() => [])])
  if (typeof port !== 'number') throw new Error(said)
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
    said: () => said,
  }
}
