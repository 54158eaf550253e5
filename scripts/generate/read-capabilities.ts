import { existsSync, globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import type { Manifest } from '../../worker/src/service/manifest.ts'
import { each } from './omissions.ts'

const load = createRequire(import.meta.url)

/** A capability: its manifest, and the names of the capabilities that it needs. */
export interface Capability extends Manifest {
  readonly needs: readonly string[]
  /** The groups of public types that it has, such as `MethodsOfWays`; `undefined`: it has no public types. */
  readonly types?: readonly string[]
}

/**
 * The capabilities by their names, in alphabetical order.
 *
 * @throws {OmissionError} a folder has no manifest, or one with another name
 */
export function readCapabilities(root: string): readonly Capability[] {
  const names = globSync('worker/src/features/*/index.ts', { cwd: root })
    .map((path) => basename(dirname(path)))
    .sort()
  return each(names, (name) => readCapability(root, name))
}

export type OwnMethods = NonNullable<Manifest['methods']>

/** The methods for the operator that every service has. */
export function readOwnMethods(root: string): OwnMethods {
  return load(join(root, 'worker/src/service/own-methods.ts')).methods
}

function readCapability(root: string, name: string): Capability {
  const folder = join(root, 'worker/src/features', name)
  const { manifest }: { readonly manifest: Manifest } = load(join(folder, 'manifest.ts'))
  if (manifest.name !== name) {
    throw new Error(`The manifest of worker/src/features/${name} has the name ${manifest.name}.`)
  }
  const source = readFileSync(join(folder, 'index.ts'), 'utf8')
  const [, needs = ''] = /^ {2,4}needs: \[([^\]]*)\]/m.exec(source) ?? []
  const types = join(folder, 'types.ts')
  return {
    ...manifest,
    needs: needs.split(/,\s*/).filter(Boolean).map(inKebabCase),
    ...(existsSync(types) ? { types: groupsIn(readFileSync(types, 'utf8')) } : {}),
  }
}

/** What a capability adds to a public type: members of the configuration, methods, lists of an export. */
export const GROUPS = {
  Config: 'Members of the configuration',
  Methods: 'Methods for the operator',
  Exports: 'Lists of an export of a person',
} as const

function groupsIn(text: string): string[] {
  const declared = new RegExp(
    `^export interface ((?:${Object.keys(GROUPS).join('|')})Of\\w+)`,
    'gm',
  )
  return [...text.matchAll(declared)].map(([, name = '']) => name)
}

export function variableNamesOf({ variables = {} }: Capability): string[] {
  return Object.keys(variables).flatMap(namesIn)
}

/** The names in "A, B". */
export function namesIn(names: string): string[] {
  return names.split(', ')
}

function inKebabCase(name: string): string {
  return name.trim().replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
