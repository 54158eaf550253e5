import { execFileSync } from 'node:child_process'
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readManifest } from '../published-packages.ts'
import { withVersion } from './changelog.ts'

/** The change files that no version has yet. */
export function changeFiles(root: string): string[] {
  const names = globSync('.changeset/*.md', { cwd: root }).filter(
    (name) => !name.endsWith('README.md'),
  )
  return names.toSorted().map((name) => join(root, name))
}

/**
 * Gives all packages their next version and moves the change files into the changelog, for a person to read, commit
 * and tag.
 *
 * @throws {Error} when nothing has changed since the last version
 */
export function writeVersion(root: string, now: Date): void {
  const texts = changeFiles(root).map((file) => readFileSync(file, 'utf8'))
  if (texts.length === 0) throw new Error('There is no change file: npm run change writes one.')
  const run = (command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd: root, stdio: 'inherit' })
  run('npx', 'changeset', 'version')
  // The lock file and the generated files have the versions of packages as well.
  run('npm', 'install', '--package-lock-only', '--ignore-scripts')
  run('npm', 'run', 'generate')
  const { version } = readManifest(root, 'session')
  const { homepage = '' } = readManifest(root, '.')
  const link = homepage.replace('#readme', `/releases/tag/v${version}`)
  const file = join(root, 'CHANGELOG.md')
  const date = now.toISOString().slice(0, 10)
  writeFileSync(file, withVersion(readFileSync(file, 'utf8'), texts, version, date, link))
  console.log(
    `All packages are ${version}. Read the changes, commit them, and push the tag v${version}.`,
  )
}
