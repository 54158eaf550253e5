import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a `package.json` says, as far as a release reads it. */
export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly workspaces?: readonly string[]
  readonly homepage?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, unknown>>
}

export function readManifest(root: string, folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

/** The folders of the packages that npm has: every workspace that is not private, after those that it depends on. */
export function publishedFolders(root: string): string[] {
  const { workspaces = [] } = readManifest(root, '.')
  const waiting = new Map(
    workspaces
      .map((folder) => [folder, readManifest(root, folder)] as const)
      .filter(([, manifest]) => manifest.private !== true),
  )
  const ordered: string[] = []
  while (waiting.size > 0) {
    const names = new Set([...waiting.values()].map(({ name }) => name))
    const ready = [...waiting].filter(
      ([, { dependencies = {} }]) => !Object.keys(dependencies).some((name) => names.has(name)),
    )
    if (ready.length === 0) throw new Error(`These packages depend on each other: ${[...names]}`)
    for (const [folder] of ready) {
      ordered.push(folder)
      waiting.delete(folder)
    }
  }
  return ordered
}
