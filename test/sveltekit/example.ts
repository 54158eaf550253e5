import { join } from 'node:path'
import { startProcessTree } from '../../scripts/process-tree.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { type Answer, type Ask, ask } from '../express/support.ts'
import { freePort } from '../support/free-port.ts'

export const SECRET = 'a-secret-of-the-sveltekit-tests-0123456789'

/** The example as its README starts it, freshly built. */
export interface Example {
  readonly url: string
  readonly sandboxUrl: string
  /** The lines that the example prints. */
  readonly printed: readonly string[]
  /** A raw request: neither its path nor its headers are normalized. */
  ask(path: string, options?: Ask): Promise<Answer>
  stop(): Promise<void>
}

/**
 * `worker`: under `wrangler dev`, with the real Worker bound to it. `node`: on Node, in process.
 *
 * @throws {Error} if it could not be built or started, with its output
 */
export async function startExample(mode: 'worker' | 'node'): Promise<Example> {
  const port = await freePort()
  const sandboxPort = await freePort()
  const ports = { PORT: port, WORKER_PORT: await freePort(), SANDBOX_PORT: sandboxPort }
  const printed: string[] = []
  let ready = () => {}
  const running = new Promise<void>((resolve) => {
    ready = resolve
  })
  const tree = startProcessTree([join(rootDir, 'scripts/start-sveltekit-example.ts'), mode], {
    cwd: join(rootDir, 'examples/sveltekit'),
    env: {
      // The developer's own variables are ignored.
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      AUTH_SECRET: SECRET,
      ...Object.fromEntries(Object.entries(ports).map(([name, value]) => [name, String(value)])),
    },
    onLine(line) {
      printed.push(line)
      if (line.includes('The example runs at')) ready()
    },
  })
  const ended = tree.ended.then((how) => {
    throw new Error(`The example ${how}.\n${printed.join('\n')}`)
  })
  // Once the example is ready, its end is not an error.
  ended.catch(() => {})
  await Promise.race([running, ended])
  const host = `localhost:${port}`
  return {
    url: `http://${host}`,
    sandboxUrl: `http://localhost:${sandboxPort}`,
    printed,
    ask: (path, options = {}) =>
      ask(port, path, { ...options, headers: { host, ...options.headers } }),
    stop: tree.stop,
  }
}
