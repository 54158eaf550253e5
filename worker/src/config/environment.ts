import type { Environment } from '../types.js'

/** A variable's text; an empty one counts as absent. */
export function text(env: Environment, name: string): string | undefined {
  const value = env[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** How the variables of a provider begin by default: `AUTH_GOOGLE`, `AUTH_MICROSOFT_ENTRA_ID`. */
export function variablePrefix(id: string): string {
  return `AUTH_${id.toUpperCase().replaceAll('-', '_')}`
}
