import { execFile } from 'node:child_process'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startProcessTree } from '../../../scripts/process-tree.ts'
import { rootDir } from '../../../scripts/wrangler-dev.ts'
import { type Ask, ask, type Running } from '../../express/support.ts'
import { freePort } from '../../support/free-port.ts'

export const SECRET = 'a-secret-of-the-hostile-tests-0123456789'

/** Secrets that no built file may hold. */
export const CANARIES = {
  AUTH_SECRET: 'canary-of-the-build-0123456789abcdef0123',
  AUTH_VIDEO_SECRET: 'canary-of-the-video-app',
}

export interface HostileApp extends Running {
  /** The app's output so far. */
  readonly printed: string[]
}

/** Builds it for Node, below the base path `/app`. */
export async function buildHostileApp(): Promise<string> {
  await promisify(execFile)(
    process.execPath,
    [join(rootDir, 'node_modules/vite/bin/vite.js'), 'build'],
    { cwd: import.meta.dirname, env: { PATH: process.env.PATH, ...CANARIES } },
  )
  return join(import.meta.dirname, '.svelte-kit', 'build')
}

/** The built app in production. `{url}` in a variable stands for its own address. */
export async function startHostileApp(
  folder: string,
  variables: Record<string, string>,
): Promise<HostileApp> {
  const port = await freePort()
  const url = `http://localhost:${port}`
  const printed: string[] = []
  let ready = () => {}
  const running = new Promise<void>((resolve) => {
    ready = resolve
  })
  const given = Object.entries(variables).map(([name, value]) => [
    name,
    value.replace('{url}', url),
  ])
  const tree = startProcessTree([join(folder, 'index.js')], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      ...Object.fromEntries(given),
    },
    onLine(line) {
      printed.push(line)
      if (line.includes('Listening on')) ready()
    },
  })
  const ended = tree.ended.then((how) => {
    throw new Error(`The app ${how}.\n${printed.join('\n')}`)
  })
  ended.catch(() => {})
  await Promise.race([running, ended])
  const host = `localhost:${port}`
  return {
    url,
    port,
    printed,
    ask: (path: string, options: Ask = {}) =>
      ask(port, path, { ...options, headers: { host, ...options.headers } }),
    stop: tree.stop,
  }
}

/** Sends raw bytes. @returns everything that comes back until the connection ends */
export function rawly(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1')
    let got = ''
    socket.setEncoding('latin1')
    socket.on('data', (part) => {
      got += part
    })
    socket.on('close', () => resolve(got))
    socket.on('error', reject)
    socket.write(bytes, 'latin1')
  })
}
