import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { publishedFolders } from '../../scripts/published-packages.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { madeOnce } from './made-once.ts'

/** A package as npm would publish it. */
export interface Packed {
  readonly name: string
  /** The path of its tarball. */
  readonly tarball: string
  readonly files: readonly { readonly path: string }[]
}

const LIST = 'packed.json'

/** Every package that npm has, by its folder: packed once for all files of a run. */
export async function packAll(): Promise<ReadonlyMap<string, Packed>> {
  const folders = publishedFolders(rootDir)
  const made = await madeOnce('packed', async (to) => {
    const args = ['pack', '--json', '--ignore-scripts', '--pack-destination', to]
    const named = folders.flatMap((folder) => ['-w', folder])
    const { stdout } = await promisify(execFile)('npm', [...args, ...named], { cwd: rootDir })
    writeFileSync(join(to, LIST), stdout)
  })
  const list = JSON.parse(readFileSync(join(made, LIST), 'utf8'))
  const entries = Object.values(list as Record<string, Packed & { readonly filename: string }>)
  return new Map(
    folders.map((folder) => {
      const { name } = JSON.parse(readFileSync(join(rootDir, folder, 'package.json'), 'utf8'))
      const entry = entries.find((one) => one.name === name)
      if (!entry) throw new Error(`npm packed nothing for ${folder}.`)
      return [folder, { ...entry, tarball: join(made, entry.filename) }]
    }),
  )
}

/** The packages that a page packs: `npm pack -w session … --pack-destination`. */
export async function packedAsIn(page: string): Promise<readonly Packed[]> {
  const [, words = ''] = /^npm pack ((?:-w \S+ )+)--pack-destination/m.exec(page) ?? []
  const all = await packAll()
  return words
    .trim()
    .split(/\s*-w /)
    .flatMap((folder) => all.get(folder) ?? [])
}
