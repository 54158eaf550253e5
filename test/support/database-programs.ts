import { execFile } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
export const cacheDir = join(import.meta.dirname, '../../node_modules/.cache')

/** The programs of a database, or a browser, for tests alone. */
export interface Programs {
  readonly bin: string
  /** The variables that they need. */
  readonly env: NodeJS.ProcessEnv
  /** The account that runs a program which refuses to run as root. */
  readonly as?: { readonly uid: number; readonly gid: number }
}

export type Database = 'Postgres' | 'Redis' | 'Chromium'

const databases: Record<
  Database,
  { program: string; debian: string; refusesRoot: boolean; at?: string }
> = {
  Postgres: { program: 'initdb', debian: 'postgresql', refusesRoot: true },
  Redis: { program: 'redis-server', debian: 'redis-server', refusesRoot: false },
  // The tests' own browser is a headless shell, which cannot bind sessions. The program in the path only starts this one.
  Chromium: { program: 'chromium', debian: 'chromium', refusesRoot: false, at: 'usr/lib/chromium' },
}

/**
 * Finds the programs of a database, or a browser: those of the system, or else those of Debian's package, which is unpacked once
 * into `node_modules/.cache` as the tests' Chromium is. The system stays as it is: nothing is installed into it, and
 * no service is started.
 *
 * @returns the programs, or why they are not to be had
 */
export async function findPrograms(database: Database): Promise<Programs | { why: string }> {
  const { program, debian, refusesRoot, at } = databases[database]
  try {
    const installed = folderWith(program, '/', at)
    const root = installed === undefined ? await unpackDebian([debian]) : '/'
    const bin = installed ?? folderWith(program, root, at)
    if (bin === undefined) return { why: `Debian's ${debian} has no ${program}.` }
    const env = { ...process.env, ...(root === '/' ? {} : { LD_LIBRARY_PATH: libraries(root) }) }
    const as = refusesRoot && process.getuid?.() === 0 ? await unprivileged() : undefined
    // It may be there and not start: a library is missing, or the other user may not read the folder.
    await run(join(bin, program), ['--version'], { env, ...as })
    return { bin, env, ...(as && { as }) }
  } catch (error) {
    return { why: `${program} cannot be had. ${lastLine(error)}` }
  }
}

/** What a program says when it fails. */
export function lastLine(error: unknown): string {
  return (
    String((error as Error).message)
      .trim()
      .split('\n')
      .at(-1) ?? ''
  )
}

/** Debian has the programs of Postgres outside the path. */
function folderWith(program: string, root: string, at?: string): string | undefined {
  const own = at === undefined ? [] : [join(root, at)]
  const versions = join(root, 'usr/lib/postgresql')
  const postgres = existsSync(versions) ? readdirSync(versions).toSorted().toReversed() : []
  const path = root === '/' ? (process.env.PATH ?? '').split(':') : [join(root, 'usr/bin')]
  const folders = [...own, ...path, ...postgres.map((version) => join(versions, version, 'bin'))]
  return folders.find((folder) => existsSync(join(folder, program)))
}

function libraries(root: string): string {
  return (
    ['usr/lib', 'lib']
      .map((folder) => join(root, folder))
      .filter((folder) => existsSync(folder))
      .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
      .filter((folder) => folder.endsWith('-linux-gnu'))
      // Chromium's sound has a folder of its own.
      .flatMap((folder) => [folder, join(folder, 'pulseaudio')])
      .join(':')
  )
}

async function unprivileged() {
  const id = async (which: string, name: string) => Number((await run('id', [which, name])).stdout)
  const of = async (name: string) => ({ uid: await id('-u', name), gid: await id('-g', name) })
  return of('postgres').catch(() => of('nobody'))
}

/** The folder into which packages of Debian are unpacked. */
export const debianFolder = (names: readonly string[]): string =>
  join(cacheDir, `debian-${names.join('-')}`)

/**
 * Unpacks packages, and their dependencies that the system lacks. Test files run side by side, so they are unpacked elsewhere
 * and moved into place whole.
 */
export async function unpackDebian(names: readonly string[]): Promise<string> {
  const dir = debianFolder(names)
  if (existsSync(dir)) return dir
  await mkdir(cacheDir, { recursive: true })
  const unpacked = await mkdtemp(`${dir}-unpacking-`)
  try {
    // Another user starts a program that refuses to run as root.
    await chmod(unpacked, 0o755)
    for (const archive of await download(names, join(unpacked, 'apt'))) {
      await run('dpkg-deb', ['--extract', archive, unpacked])
    }
    await rm(join(unpacked, 'apt'), { recursive: true })
    await rename(unpacked, dir)
  } catch (error) {
    await rm(unpacked, { recursive: true, force: true })
    // Another test file was first.
    if (!existsSync(dir)) throw error
  }
  return dir
}

/** Downloads packages and their dependencies, past the system's own cache. @returns the files */
async function download(names: readonly string[], folder: string): Promise<string[]> {
  const [archives, lists] = [join(folder, 'archives'), join(folder, 'lists')]
  await mkdir(join(archives, 'partial'), { recursive: true })
  await mkdir(join(lists, 'partial'), { recursive: true })
  const settings = {
    'Dir::Cache': folder,
    'Debug::NoLocking': 'true',
    'Acquire::Retries': '1',
    'Acquire::http::Timeout': '20',
    'APT::Sandbox::User': 'root',
  }
  const apt = async (command: string[], changes: Record<string, string> = {}) => {
    const given = Object.entries({ ...settings, ...changes }).map(([key, it]) => `${key}=${it}`)
    const options = given.flatMap((setting) => ['--option', setting])
    await run('apt-get', [...options, '--quiet', '--yes', ...command], { timeout: 120_000 })
  }
  const install = ['install', '--download-only', '--no-install-recommends', ...names]
  // A new machine has no list of packages, and an old list names packages that no longer exist.
  const own = { 'Dir::State::lists': lists }
  await apt(install).catch(() => apt(['update'], own).then(() => apt(install, own)))
  const found = await readdir(archives)
  return found.filter((file) => file.endsWith('.deb')).map((file) => join(archives, file))
}
