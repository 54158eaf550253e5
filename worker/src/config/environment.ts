import type { Environment } from '../types.js'

/** A variable's text; an empty one counts as absent. */
export function text(env: Environment, name: string): string | undefined {
  const value = env[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}
