import type { Environment } from '../types.js'

/** Variables by what they say, such as `REDIRECT_URIS`. */
export type Variables = Readonly<Record<string, unknown>>

/**
 * The variables of a form, by the name in their middle.
 *
 * @param form groups: that name, and what the variable says
 */
export function variablesOf(env: Environment, form: RegExp): ReadonlyMap<string, Variables> {
  const found = new Map<string, Record<string, unknown>>()
  for (const [variable, value] of Object.entries(env)) {
    const [, name, said] = form.exec(variable) ?? []
    if (name === undefined || said === undefined || value === undefined || value === '') continue
    const variables = found.get(name) ?? {}
    variables[said] = value
    found.set(name, variables)
  }
  return found
}
