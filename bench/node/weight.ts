import { execFile } from 'node:child_process'
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** What an Express app gets with some packages, everything that they need included. */
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

/** What is installed with a package; optional peers are not, and Express is there. */
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

/** Bytes that are installed. A package of this repository is what `npm pack` makes of it. */
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
