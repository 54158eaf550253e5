import { pattern } from '../../../lib/pattern.js'
import type { Resource, Server } from '../settings.js'

const MAX_NAME = 64
const MAX_DAYS = 365
const DEFAULT_DAYS = 90

/** What {@link wantedKey} answers to a form without a checked box. */
export const NO_SCOPE = 'Name scopes of the resource.'

/** A key as a form or the operator asks for it. */
export interface AskedKey {
  readonly name: string
  readonly resource: string
  readonly scopes: readonly string[]
  readonly days: number
}

/** Letters, marks, digits, signs and plain spaces: nothing that a terminal, or the direction of a text, would obey. */
const SHOWN = String.raw`\p{L}\p{M}\p{N}\p{P}\p{S}`
const hasName = pattern(`^[${SHOWN} ]+$`, 'u')

/** For a field's `pattern`, by which a browser refuses a name before the form is sent: not of spaces alone. */
export const NAME_IN_HTML = `[${SHOWN} ]*[${SHOWN}][${SHOWN} ]*`

/**
 * Judges the key that a form or the operator asks for.
 *
 * @param asked `name`, `resource` (may be left out if there is one), `scopes`, and `days` (90)
 * @returns a sentence that says what is wrong, and quotes nothing
 */
export function wantedKey(
  { resources }: Pick<Server, 'resources'>,
  asked: {
    readonly name?: unknown
    readonly resource?: unknown
    readonly scopes?: unknown
    readonly days?: unknown
  },
): AskedKey | string {
  const name = typeof asked.name === 'string' ? asked.name.trim() : ''
  if (!hasName().test(name) || [...name].length > MAX_NAME) {
    return `A name has 1 to ${MAX_NAME} printable characters.`
  }
  const resource = resourceOf(resources, asked.resource)
  if (!resource) return 'Name one of the resources.'
  const scopes = Array.isArray(asked.scopes) ? [...new Set(asked.scopes as unknown[])] : []
  const isOwn = (scope: unknown): scope is string =>
    typeof scope === 'string' && resource.scopes.has(scope)
  if (scopes.length === 0 || !scopes.every(isOwn)) return NO_SCOPE
  const { days = DEFAULT_DAYS } = asked
  if (!Number.isInteger(days) || (days as number) < 1 || (days as number) > MAX_DAYS) {
    return `A key lasts 1 to ${MAX_DAYS} days.`
  }
  return { name, resource: resource.uri, scopes, days: days as number }
}

/** The fields of a form as {@link wantedKey} takes them. */
export function askedInForm(fields: Readonly<Record<string, unknown>>) {
  const { name, resource, scope, days } = fields
  // A check box is a field of its own. JSON may have one that is not checked.
  const checked = Object.entries(fields).flatMap(([field, value]) =>
    field.startsWith('scope.') && isChecked(value) ? field.slice('scope.'.length) : [],
  )
  const listed = typeof scope === 'string' ? scope.split(' ').filter(Boolean) : []
  const isNumber = typeof days === 'string' && /^[0-9]{1,4}$/.test(days)
  return {
    name,
    resource: resource === '' ? undefined : resource,
    scopes: [...listed, ...checked],
    ...(days === undefined || days === '' ? {} : { days: isNumber ? Number(days) : days }),
  }
}

function isChecked(value: unknown): boolean {
  return value === true || (typeof value === 'string' && value !== '' && value !== 'false')
}

function resourceOf(resources: ReadonlyMap<string, Resource>, uri: unknown): Resource | undefined {
  if (typeof uri === 'string') return resources.get(uri)
  const [only, ...more] = resources.values()
  return uri === undefined && more.length === 0 ? only : undefined
}
