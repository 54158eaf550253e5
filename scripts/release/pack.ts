import { execFileSync } from 'node:child_process'
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publishedFolders, readManifest } from '../published-packages.ts'
import { notesOf } from './changelog.ts'
import { changeFiles } from './version.ts'

const FORMATS = { cyclonedx: 'cdx.json', spdx: 'spdx.json' } as const
type Format = keyof typeof FORMATS

/**
 * Makes what a release has: a tarball of each package, `notes.md` of the changelog, and the list of what the packages
 * bring along, as CycloneDX and as SPDX. The packages must have been built.
 *
 * @param folder is emptied first
 * @param isRehearsal makes it although no release is due
 * @throws {Error} when something speaks against a release
 */
export function packRelease(root: string, folder: string, isRehearsal: boolean): void {
  const reasons = isRehearsal ? [] : reasonsAgainst(root)
  if (reasons.length > 0) throw new Error(reasons.join('\n'))
  const { version } = readManifest(root, 'session')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const named = publishedFolders(root).flatMap((each) => ['-w', each])
  npm(['pack', '--ignore-scripts', '--pack-destination', folder, ...named], root)
  for (const [format, list] of billsOfMaterials(folder, version)) {
    writeFileSync(join(folder, `latchkey-${version}.${FORMATS[format]}`), list)
  }
  writeFileSync(join(folder, 'notes.md'), `${notesOf(changelogOf(root), version) ?? ''}\n`)
  console.log(`${folder} has what ${version} consists of.`)
}

/** What an app gets that installs all packages, without the frameworks that it has anyway. */
function billsOfMaterials(folder: string, version: string): [Format, string][] {
  const app = mkdtempSync(join(tmpdir(), 'latchkey-release-'))
  try {
    const manifest = { name: 'latchkey-packages', version, private: true }
    writeFileSync(join(app, 'package.json'), JSON.stringify(manifest))
    const tarballs = globSync('*.tgz', { cwd: folder }).map((name) => join(folder, name))
    npm(['install', '--ignore-scripts', '--legacy-peer-deps', ...tarballs], app)
    const formats = Object.keys(FORMATS) as Format[]
    return formats.map((format) => [
      format,
      npm(['sbom', '--legacy-peer-deps', `--sbom-format=${format}`], app),
    ])
  } finally {
    rmSync(app, { recursive: true, force: true })
  }
}

function npm(args: readonly string[], cwd: string): string {
  return execFileSync('npm', args, { cwd, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
}

/**
 * The reasons against a release now, all at once.
 *
 * @returns an empty list when nothing speaks against it
 */
export function reasonsAgainst(root: string): string[] {
  const folders = publishedFolders(root)
  const versions = new Set(folders.map((folder) => readManifest(root, folder).version))
  const [version = ''] = versions
  const unbuilt = folders.filter((folder) => !existsSync(join(root, folder, 'dist')))
  return [
    ...(versions.size > 1 ? [`Packages have several versions: ${[...versions].join(', ')}.`] : []),
    ...(notesOf(changelogOf(root), version) ? [] : [`CHANGELOG.md has no section for ${version}.`]),
    ...changeFiles(root).map((file) => `${file} waits for a version: npm run release -- version`),
    ...unbuilt.map((folder) => `${folder} is not built: npm run build`),
  ]
}

function changelogOf(root: string): string {
  return readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
}
