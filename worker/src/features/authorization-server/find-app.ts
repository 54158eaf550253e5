import type { AuthRequest } from '../../http/request.js'
import { openApp } from './client-documents/open-app.js'
import { type App, serverOf } from './settings.js'

/** The app that is configured by this `client_id`. */
export function findApp(request: AuthRequest, clientId: string): App | undefined {
  return serverOf(request).apps.get(clientId)
}

/** The app for a line of the log, which has no address. */
export function named(request: AuthRequest, clientId: string): { readonly app?: string } {
  return findApp(request, clientId) ? { app: clientId } : {}
}

/**
 * The app that the metadata document at its `client_id` describes: for signed-in people alone, and if a resource is open.
 *
 * @param sub the signed-in person: at most 60 documents are fetched for each in an hour
 * @returns `undefined`: whatever is wrong, which the log says
 * @throws {StoreUnavailable}
 */
export function findOpenApp(
  request: AuthRequest,
  clientId: string,
  sub: string,
): Promise<App | undefined> {
  return openApp(request, clientId, sub)
}
