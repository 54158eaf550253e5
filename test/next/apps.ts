import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ProcessTree, startProcessTree } from '../../scripts/process-tree.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { type Ask, ask, type Running } from '../express/support.ts'
import { freePort } from '../support/free-port.ts'
import { installed } from '../support/installed.ts'
import { packAll } from '../support/packed.ts'
import { layOut } from '../support/user-project.ts'

/** An app as its owner builds it, with our packages from their tarballs. */
export interface Kind {
  /** A folder here, or another of the repository. */
  readonly source: string
  /** More arguments of `next build`. */
  readonly args?: readonly string[]
  /** The properties of `next.config.mjs`, as text. */
  readonly config?: string
  /** An older version, which is installed for it. */
  readonly next?: string
}

export interface BuiltApp {
  readonly folder: string
  /** What the build has printed. */
  readonly printed: string
  /** Seconds that the build took. */
  readonly seconds: number
  remove(): Promise<void>
}

/** Our packages that an app with Next needs. */
export const NEEDED = ['session', 'host', 'client', 'worker', 'adapters/next']

/** Neither a variable of ours nor one that a build would print about. */
const bare = { PATH: process.env.PATH, HOME: process.env.HOME, NEXT_TELEMETRY_DISABLED: '1' }

/**
 * Below the repository, since Turbopack reads no file above its root, and so that Next and React are
 * found as an app finds packages above its folder.
 */
export async function makeFolder(): Promise<string> {
  const apps = join(import.meta.dirname, '.apps')
  await mkdir(apps, { recursive: true })
  return mkdtemp(join(apps, 'app-'))
}

export async function makeNextApp({ source, next, config = '' }: Kind): Promise<string> {
  const folder = await makeFolder()
  await cp(join(import.meta.dirname, source), folder, { recursive: true })
  // Without a name for the root Next looks for lock files, and warns about several.
  const root = JSON.stringify(next ? folder : rootDir)
  await write(folder, {
    'package.json': '{ "private": true, "type": "module" }',
    'tsconfig.json': await readFile(join(rootDir, 'examples/next/tsconfig.json'), 'utf8'),
    'next.config.mjs': `export default {
      turbopack: { root: ${root} },
      outputFileTracingRoot: ${root},
      ${config}
    }`,
  })
  if (next) await takeOlder(folder, next)
  const packed = await packAll()
  await layOut(
    folder,
    NEEDED.flatMap((name) => packed.get(name) ?? []),
  )
  return folder
}

/** Before version 16 the proxy is called middleware, and runs at the edge. */
async function takeOlder(folder: string, next: string): Promise<void> {
  const manifest = await readFile(join(rootDir, 'node_modules/react/package.json'), 'utf8')
  const { version: react } = JSON.parse(manifest) as { version: string }
  const modules = await installed({ next, react, 'react-dom': react })
  const own = join(folder, 'node_modules')
  // Compilers for this machine, which are most of it.
  const compilers = (await readdir(join(modules, '@next'))).filter((name) =>
    name.startsWith('swc-'),
  )
  await cp(modules, own, { recursive: true, filter: (path) => !/@next[\\/]swc-/.test(path) })
  for (const name of compilers) {
    await symlink(join(modules, '@next', name), join(own, '@next', name), 'junction')
  }
  const proxy = await readFile(join(folder, 'proxy.ts'), 'utf8')
  await rm(join(folder, 'proxy.ts'))
  await write(folder, { 'middleware.ts': proxy.replace('auth as proxy', 'auth as middleware') })
}

export async function buildNextApp(kind: Kind): Promise<BuiltApp> {
  const folder = await makeNextApp(kind)
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    return { folder, ...(await runNextBuild(folder, kind.args)), remove }
  } catch (error) {
    await remove()
    throw error
  }
}

/** @throws {Error} with what the build has printed, if it fails */
export async function runNextBuild(
  folder: string,
  args: readonly string[] = [],
): Promise<Pick<BuiltApp, 'printed' | 'seconds'>> {
  const lines: string[] = []
  const began = performance.now()
  const tree = startProcessTree([nextOf(folder), 'build', ...args], {
    cwd: folder,
    env: bare,
    onLine: (line) => lines.push(line),
  })
  const how = await tree.ended
  const printed = lines.join('\n')
  if (how !== 'ended with exit code 0') throw new Error(`The build ${how}.\n${printed}`)
  return { printed, seconds: (performance.now() - began) / 1000 }
}

export interface NextApp extends Running {
  /** The lines that it has printed. */
  readonly printed: readonly string[]
}

/**
 * The app on a socket. `{url}` in a variable stands for its own address, and `PORT` says on which port it is.
 *
 * @param command of Next; `standalone` starts the server that a build with this output has made
 */
export async function startNextApp(
  folder: string,
  variables: Readonly<Record<string, string>> = {},
  command: 'start' | 'dev' | 'standalone' = 'start',
): Promise<NextApp> {
  const port = Number(variables.PORT ?? (await freePort()))
  const host = `localhost:${port}`
  const url = `http://${host}`
  const printed: string[] = []
  const given = Object.entries(variables).map(([name, text]) => [name, text.replace('{url}', url)])
  const args =
    command === 'standalone'
      ? [join(folder, 'server.js')]
      : [nextOf(folder), command, '--port', String(port)]
  const tree = await new Promise<ProcessTree>((resolve, reject) => {
    const started = startProcessTree(args, {
      cwd: folder,
      env: { ...bare, PORT: String(port), ...Object.fromEntries(given) },
      onLine(line) {
        printed.push(line)
        if (line.includes('Ready in')) resolve(started)
      },
    })
    started.ended.then((how) => reject(new Error(`The app ${how}.\n${printed.join('\n')}`)))
  })
  return {
    url,
    port,
    printed,
    ask: (path: string, options: Ask = {}) =>
      ask(port, path, { ...options, headers: { host, ...options.headers } }),
    stop: tree.stop,
  }
}

function nextOf(folder: string): string {
  const own = join(folder, 'node_modules/next/dist/bin/next')
  return existsSync(own) ? own : join(rootDir, 'node_modules/next/dist/bin/next')
}

async function write(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text)
}
