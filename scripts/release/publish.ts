import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { publishedFolders, readManifest } from '../published-packages.ts'

/**
 * Publishes the tarballs of a release, each after its dependencies. A package that the registry has is left
 * out, so that another run finishes a release that broke off halfway.
 *
 * @param folder what `packRelease` has made
 * @param registry an address to publish to instead of npm's own registry, such as that of a test
 * @throws {Error} when a tarball is missing, or npm refuses one
 */
export function publishRelease(root: string, folder: string, registry?: string): void {
  const tarballs = publishedFolders(root).map((each) => {
    const { name, version } = readManifest(root, each)
    const file = join(folder, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
    if (!existsSync(file)) throw new Error(`${file} is missing: npm run release -- pack`)
    return { id: `${name}@${version}`, file }
  })
  for (const { id, file } of tarballs) {
    if (isPublished(id, registry)) {
      console.log(`${id} is there already.`)
      continue
    }
    // Only npm's own registry takes the statement of provenance that `publishConfig` asks for.
    const other = registry ? ['--registry', registry, '--provenance=false'] : []
    execFileSync('npm', ['publish', file, ...other], {
      cwd: folder,
      stdio: 'inherit',
    })
    console.log(`${id} is published.`)
  }
}

/** @throws {Error} when the registry does not say whether it has it */
function isPublished(id: string, registry: string | undefined): boolean {
  const other = registry ? ['--registry', registry, '--fetch-retries=0'] : []
  const args = ['view', id, 'version', '--json', '--prefer-online', ...other]
  const { status, stdout } = spawnSync('npm', args, { encoding: 'utf8' })
  if (status === 0) return stdout.trim() !== ''
  if (stdout.includes('"E404"')) return false
  throw new Error(`${registry ?? 'npm'} does not say whether it has ${id}.\n${stdout}`)
}
