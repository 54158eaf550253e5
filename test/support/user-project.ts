import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import type { Packed } from './packed.ts'

const run = promisify(execFile)
const ours = join(rootDir, 'node_modules')

/**
 * Lays out a `node_modules` as npm would, in a second instead of ten: our packages from their
 * tarballs, with links to what their manifests depend on, and to nothing else.
 */
export async function layOut(folder: string, packed: readonly Packed[]): Promise<void> {
  for (const { name, tarball } of packed) {
    const to = join(folder, 'node_modules', name)
    mkdirSync(to, { recursive: true })
    await run('tar', ['-xzf', tarball, '-C', to, '--strip-components=1'])
    linkCommands(folder, name)
    const { dependencies = {} } = manifestOf(to)
    const others = Object.keys(dependencies).filter((one) => !one.startsWith('@latchkey/'))
    linkPackages(folder, others)
  }
}

/**
 * Links installed packages, with their commands, into the `node_modules` of a folder.
 *
 * @param names `name`, or `name as other` for a package that is installed by another name
 * @param from the `node_modules` that has them. Default: the repository's
 */
export function linkPackages(folder: string, names: readonly string[], from = ours): void {
  const modules = join(folder, 'node_modules')
  for (const named of names) {
    const [installed = '', name = installed] = named.split(' as ')
    const link = join(modules, name)
    if (existsSync(link)) continue
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(from, installed), link, 'junction')
    refuseWrongPeer(modules, name, manifestOf(link).version)
    linkCommands(folder, name)
  }
}

/** npm makes them executable too. */
function linkCommands(folder: string, name: string): void {
  const installed = join(folder, 'node_modules', name)
  const bins = join(folder, 'node_modules/.bin')
  mkdirSync(bins, { recursive: true })
  const { bin = {} } = manifestOf(installed)
  const short = name.replace(/^@.*\//, '')
  const commands = Object.entries(typeof bin === 'string' ? { [short]: bin } : bin)
  for (const [command, path] of commands) {
    chmodSync(join(installed, path), 0o755)
    symlinkSync(relative(bins, join(installed, path)), join(bins, command))
  }
}

/** As npm refuses to install it. */
function refuseWrongPeer(modules: string, name: string, version: string): void {
  const own = join(modules, '@latchkey')
  for (const one of existsSync(own) ? readdirSync(own) : []) {
    const { peerDependencies: { [name]: ranges } = {} } = manifestOf(join(own, one))
    if (ranges?.split(' || ').some((range) => accepts(range, version)) === false)
      throw new Error(`@latchkey/${one} needs ${name} ${ranges}, and not ${version}.`)
  }
}

/** @param range `^` and a version */
function accepts(range: string, version: string): boolean {
  const least = range.slice(1)
  const isLater = version.localeCompare(least, 'en', { numeric: true }) >= 0
  return isLater && version.split('.')[0] === least.split('.')[0]
}

interface InstalledManifest {
  readonly version: string
  readonly bin?: string | Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

function manifestOf(folder: string): InstalledManifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
