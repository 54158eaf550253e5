import type { App, Server } from './settings.js'

/** What an app may ask for: of each resource, by its URI, all scopes or these. */
export type AllowedResources = ReadonlyMap<string, 'all' | ReadonlySet<string>>

type Asking = Pick<App, 'resources' | 'isFirstParty' | 'isMachine'>

/**
 * May an app ask for a configured resource? Nobody is asked for consent to a first-party app or to a machine, so that the operator
 * has to name its resources. Any other app may ask a person for all of them, unless it has a list.
 */
export function mayAskFor({ resources, isFirstParty, isMachine }: Asking, uri: string): boolean {
  return resources ? resources.has(uri) : !isFirstParty && !isMachine
}

/** The resources that an app may ask for, by their URIs. */
export function resourcesFor({ resources }: Pick<Server, 'resources'>, app: Asking): string[] {
  return [...resources.keys()].filter((uri) => mayAskFor(app, uri))
}

/** May the app have this scope of the resource? OpenID's scopes belong to no resource. */
export function mayHave(
  { resources }: Pick<Server, 'resources'>,
  app: Asking | undefined,
  uri: string,
  scope: string,
): boolean {
  if (!resources.get(uri)?.scopes.has(scope)) return false
  if (!app) return true
  const listed = app.resources?.get(uri)
  return listed === undefined || listed === 'all' ? mayAskFor(app, uri) : listed.has(scope)
}
