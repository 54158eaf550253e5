import { join } from 'node:path'
import { isPortBusy } from './ports.ts'
import { startProcessTree } from './process-tree.ts'

/** The repository's root folder. */
export const rootDir = join(import.meta.dirname, '..')

export interface WranglerDevOptions {
  /** The name of this Worker in messages and forwarded lines. */
  name: string
  port: number
  /** The wrangler configuration, relative to the root folder. */
  config?: string
  /** The Worker's entry, relative to the root folder, in place of the configuration's. */
  entry?: string
  /** Where KV and Durable Objects are kept; wrangler's own place when left out. */
  persistTo?: string
  /** Read instead of the `.dev.vars` beside the configuration. */
  envFile?: string
  /** Set on top of the file. */
  vars?: Record<string, string>
  /** More command line arguments. */
  args?: string[]
  /** Each line that the Worker or wrangler prints; everything, also before it is ready. */
  onLine?(line: string): void
  /** The lines that a person should see: all lines once it is ready, and warnings before that. */
  onNotice?(line: string): void
}

export interface WranglerDev {
  readonly url: string
  /** Resolves when the process has ended, with a text that says how. */
  readonly ended: Promise<string>
  stop(): Promise<void>
}

/** A Worker could not be started; the message says why and quotes wrangler's output. */
export class DevServerError extends Error {
  override readonly name = 'DevServerError'
}

const startLimitMs = 240_000
// Polled until the Worker answers; its lines are kept out of the log.
const probePath = '/__ready'

/**
 * Runs `wrangler dev` without a terminal and without the network, until it answers.
 *
 * @throws DevServerError when the port is busy or wrangler ends before the Worker answers.
 */
export async function startWranglerDev(options: WranglerDevOptions): Promise<WranglerDev> {
  const { name, port } = options
  await requireFreePort(name, port)
  let state: 'starting' | 'ready' | 'stopped' = 'starting'
  const early: string[] = []
  const earlyWarnings: string[] = []
  const tree = startProcessTree(wranglerArgs(options), {
    cwd: rootDir,
    env: wranglerEnv(),
    onLine(line, from) {
      options.onLine?.(line)
      if (line.includes(`GET ${probePath} `)) return
      if (state === 'ready') options.onNotice?.(line)
      else if (state === 'starting') {
        early.push(line)
        if (from === 'stderr') earlyWarnings.push(line)
      }
    },
  })
  const url = `http://localhost:${port}`
  const failure = tree.ended.then((how) => `The ${name} ${how} before it was ready.`)
  try {
    const problem = await Promise.race([failure, untilAnswers(url + probePath, startLimitMs)])
    if (problem !== undefined) {
      throw new DevServerError(`${problem}\n\n${early.join('\n').trim()}`)
    }
  } catch (error) {
    await tree.stop()
    throw error
  }
  state = 'ready'
  for (const line of earlyWarnings) options.onNotice?.(line)
  return {
    url,
    ended: tree.ended,
    stop() {
      state = 'stopped'
      return tree.stop()
    },
  }
}

/** @throws DevServerError when a process already listens on `port`. */
export async function requireFreePort(name: string, port: number): Promise<void> {
  if (await isPortBusy(port)) {
    throw new DevServerError(
      `Port ${port}, which the ${name} needs, is in use. ` +
        'Stop the program that uses it (perhaps this one, in another terminal), then try again.',
    )
  }
}

function wranglerArgs(options: WranglerDevOptions): string[] {
  const args = [
    join(rootDir, 'node_modules', 'wrangler', 'bin', 'wrangler.js'),
    ...['dev', ...(options.entry === undefined ? [] : [join(rootDir, options.entry)])],
    ...['--config', options.config ?? 'wrangler.toml', '--port', String(options.port)],
    // Port 0: the debugger takes any free one, so that several Workers never meet.
    ...['--inspector-port', '0', '--show-interactive-dev-session=false'],
    // A route in wrangler.toml would otherwise make every local address look like the route's.
    '--infer-origin-from-routes=false',
  ]
  if (options.persistTo !== undefined) args.push('--persist-to', options.persistTo)
  if (options.envFile !== undefined) args.push('--env-file', options.envFile)
  for (const [name, value] of Object.entries(options.vars ?? {})) {
    args.push('--var', `${name}:${value}`)
  }
  return [...args, ...(options.args ?? [])]
}

function wranglerEnv(): NodeJS.ProcessEnv {
  return {
    ...process.env,
    WRANGLER_SEND_METRICS: 'false',
    // Neither an update check nor a sample of request.cf is worth a call to the network.
    WRANGLER_HIDE_BANNER: 'true',
    CLOUDFLARE_CF_FETCH_ENABLED: 'false',
    // The sandbox's mailbox reads its mails from the explorer.
    X_LOCAL_EXPLORER: 'true',
    FORCE_COLOR: '0',
  }
}

/** Resolves to undefined once `url` answers anything at all, and to a message if it never does. */
export async function untilAnswers(url: string, limitMs: number): Promise<string | undefined> {
  const end = Date.now() + limitMs
  while (Date.now() < end) {
    try {
      await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(60_000) })
      return undefined
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
  return `Nothing answered at ${url} within ${limitMs / 1000} seconds.`
}
