import { isRedirect } from '@sveltejs/kit'
import { AuthApp } from './auth-app.js'
import { answerAuthRoute } from './auth-routes.js'
import { canonicalLocation, isMalformed } from './canonical-path.js'
import type { AuthResult } from './client-flow.js'
import { signInAction } from './sign-in-action.js'
import { signOutAction } from './sign-out-action.js'
import type { ConfigSource, KitEvent } from './types.js'

/** What {@link ComponentKitAuth} makes. */
export interface ComponentKitAuthHandlers {
  /** The hook for `src/hooks.server.ts`. */
  handle<Event extends KitEvent>(input: {
    event: Event
    resolve: (event: Event) => Response | Promise<Response>
  }): Promise<Response>
  /**
   * A form action that signs in: fields `providerId`, `redirectTo`, `redirect` (`false` for the outcome
   * in the place of a redirect), `authorizationParams-*` and the provider's own.
   *
   * @throws {CredentialsSignin} when the credentials are wrong, with their `code`
   */
  signIn(event: KitEvent): Promise<AuthResult>
  /** A form action that signs out: fields `redirectTo` and `redirect`. */
  signOut(event: KitEvent): Promise<AuthResult>
}

/**
 * Sign-in for a SvelteKit app. The hook serves the auth routes below `/auth`, from this process when the
 * config has `providers` and otherwise from the Worker that `worker` or `AUTH_WORKER_URL` names, and
 * adds `event.locals.auth()`. A function makes the config from each request's own event, once.
 *
 * @throws {AuthError} at once, when `providers` and `worker` are both given or `basePath` is no path
 *
 * @example
 * export const { handle, signIn, signOut } = ComponentKitAuth({ providers: [github()] })
 */
export function ComponentKitAuth(config: ConfigSource): ComponentKitAuthHandlers {
  const app = new AuthApp(config)
  return {
    handle: async ({ event, resolve }) => {
      const locals = event.locals as App.Locals
      if (isBuilding(event)) return build(locals, () => resolve(event))
      if (isMalformed(event)) return new Response('Malformed URI', { status: 400 })
      const location = canonicalLocation(event)
      if (location !== undefined) return new Response(null, { status: 308, headers: { location } })
      const request = app.begin(event)
      locals.auth = () => request.session()
      const answer = await answerAuthRoute(app, request)
      if (answer) return answer
      try {
        return request.finish(await resolve(event))
      } catch (thrown) {
        request.abandon()
        throw thrown
      }
    },
    signIn: async (event) => signInAction(app, app.requestOf(event)),
    signOut: async (event) => signOutAction(app, app.requestOf(event)),
  }
}

/**
 * A request of the build. A hook that sends those away who are not signed in sends everybody away then,
 * and Kit would write that down in the place of the page: it is told that the page is not for now.
 */
async function build(
  locals: App.Locals,
  resolve: () => Response | Promise<Response>,
): Promise<Response> {
  let wasRead = false
  locals.auth = async () => {
    wasRead = true
    return null
  }
  try {
    return await resolve()
  } catch (thrown) {
    if (wasRead && isRedirect(thrown)) return new Response(null, { status: 204 })
    throw thrown
  }
}

/**
 * Kit renders pages while the app is built: nobody is signed in then, and no secret is there. It takes
 * the query away from such requests, and has one path of its own for the fallback page.
 */
function isBuilding({ url }: KitEvent): boolean {
  try {
    // Nothing less: a visitor's path must not pass for it.
    return url.search === '' && url.pathname === '/[fallback]'
  } catch {
    return true
  }
}
