import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Packages and bytes that installing some packages adds to an Express app, dependencies included.
 */
export interface Weight {
  readonly packages: number
  readonly bytes: number
}

interface Manifest {
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly peerDependenciesMeta?: Record<string, { readonly optional?: boolean }>
}

/** Adds up what `npm install` would put into the folder of an app that has Express. */
export async function weigh(...names: readonly string[]): Promise<Weight> {
  const found = new Set<string>()
  const collect = (wanted: string, from: string) => {
    const folder = folderOf(wanted, from)
    if (found.has(folder)) return
    found.add(folder)
    for (const needed of needs(folder)) collect(needed, folder)
  }
  for (const name of names) collect(name, import.meta.dirname)
  const sizes = await Promise.all([...found].map(sizeOf))
  return { packages: found.size, bytes: sizes.reduce((sum, size) => sum + size, 0) }
}

/**
 * The packages that are installed with a package; optional peers are not, and Express already is.
 */
function needs(folder: string): string[] {
  const manifest: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const { dependencies = {}, peerDependencies = {}, peerDependenciesMeta = {} } = manifest
  const peers = Object.keys(peerDependencies).filter(
    (peer) => !peerDependenciesMeta[peer]?.optional,
  )
  return [...Object.keys(dependencies), ...peers].filter((needed) => needed !== 'express')
}

/** As Node finds it: in the nearest `node_modules`. */
function folderOf(name: string, from: string): string {
  const folder = join(from, 'node_modules', name)
  if (existsSync(join(folder, 'package.json'))) return realpathSync(folder)
  if (dirname(from) === from) throw new Error(`${name} is not installed.`)
  return folderOf(name, dirname(from))
}

/** Installed bytes. A package of this repository is measured as `npm pack` packs it. */
async function sizeOf(folder: string): Promise<number> {
  if (folder.includes('node_modules')) return sizeOfFiles(folder)
  const { stdout } = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: folder,
  })
  const [packed] = Object.values(JSON.parse(stdout)) as { unpackedSize: number }[]
  return packed?.unpackedSize ?? Number.NaN
}

async function sizeOfFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true })
  const sizes = entries.map(async (entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' ? 0 : sizeOfFiles(path)
    return (await lstat(path)).size
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}
