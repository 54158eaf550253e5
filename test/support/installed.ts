import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { linkPackages } from './user-project.ts'

const cache = join(rootDir, 'node_modules/.cache/installed')

/**
 * The `node_modules` of packages that the repository does not have, in the versions that it names. They are installed
 * once on a machine, since unpacking a framework takes a minute there. No script of theirs runs.
 *
 * @param versions exact ones, by the names of packages
 * @param peers packages of the repository that these need: links to them
 */
export async function installed(
  versions: Readonly<Record<string, string>>,
  peers: readonly string[] = [],
): Promise<string> {
  const manifest = JSON.stringify({ private: true, dependencies: versions })
  const folder = join(
    cache,
    createHash('sha256')
      .update(manifest + peers)
      .digest('hex')
      .slice(0, 16),
  )
  const modules = join(folder, 'node_modules')
  if (existsSync(modules)) return modules
  await mkdir(cache, { recursive: true })
  const unpacking = await mkdtemp(`${folder}-`)
  await writeFile(join(unpacking, 'package.json'), manifest)
  const args = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts']
  await promisify(execFile)('npm', [...args, '--legacy-peer-deps'], { cwd: unpacking })
  linkPackages(unpacking, peers)
  try {
    await rename(unpacking, folder)
  } catch (error) {
    // Another file was first.
    await rm(unpacking, { recursive: true })
    if (!existsSync(modules)) throw error
  }
  return modules
}
