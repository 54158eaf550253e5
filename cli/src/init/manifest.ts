import { basename } from 'node:path'
import { Failed } from '../command.js'
import { isRecord } from '../is-record.js'
import type { Planned } from './planned.js'

interface Needed {
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** The `package.json` of an app of its own. One that is there keeps its own scripts and versions. */
export function manifestFor(folder: string, needed: Needed): Planned {
  const whole = { name: packageName(folder), private: true, type: 'module', ...needed }
  return {
    path: 'package.json',
    text: `${JSON.stringify(whole, null, 2)}\n`,
    merged(present) {
      const manifest = parsedManifest(present)
      const merged = { ...manifest, ...withNeeded(manifest, needed) }
      // Text that says the same stays, in its own spelling.
      if (JSON.stringify(merged) === JSON.stringify(manifest)) return present
      return `${JSON.stringify(merged, null, 2)}\n`
    },
  }
}

/** @throws {Failed} */
export function parsedManifest(text: string): Readonly<Record<string, unknown>> {
  try {
    const manifest: unknown = JSON.parse(text)
    if (isRecord(manifest)) return manifest
  } catch {
    // Said below.
  }
  throw new Failed('Unreadable', 'package.json is not JSON. Mend it, and run the command again.')
}

/** The version range of a dependency; `undefined`: the app does not have it. */
export function dependencyOf(
  manifest: Readonly<Record<string, unknown>>,
  name: string,
): string | undefined {
  const { dependencies, devDependencies } = manifest
  for (const all of [dependencies, devDependencies]) {
    const range = isRecord(all) ? all[name] : undefined
    if (typeof range === 'string') return range
  }
  return undefined
}

function withNeeded(manifest: Readonly<Record<string, unknown>>, needed: Needed) {
  const added: Record<string, unknown> = { type: manifest.type ?? 'module' }
  for (const [member, all] of Object.entries(needed)) {
    const present = isRecord(manifest[member]) ? manifest[member] : {}
    const missing = Object.entries(all as Record<string, string>).filter(
      ([name]) => !(name in present) && (member === 'scripts' || !dependencyOf(manifest, name)),
    )
    if (missing.length > 0) added[member] = { ...present, ...Object.fromEntries(missing) }
  }
  return added
}

/** As npm accepts it. */
function packageName(folder: string): string {
  const name = basename(folder)
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return name.slice(0, 60) || 'my-app'
}
