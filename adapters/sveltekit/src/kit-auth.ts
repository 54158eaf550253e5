import type { AuthResult } from '@latchkey/client/internal'
import { configurationFailure, createHost, type Host, logMistake, withPrefix } from '@latchkey/host'
import { AuthError } from '@latchkey/session'
import { isRedirect } from '@sveltejs/kit'
import { appBase } from './app-base.js'
import { canonicalLocation, isMalformed } from './canonical-path.js'
import { runAction } from './form-action.js'
import { keepHost } from './kit-host.js'
import { KitRequest, throwAsKit } from './kit-request.js'
import type { ConfigSource, KitEvent } from './types.js'

/** The result of `ComponentKitAuth`. */
export interface ComponentKitAuthHandlers {
  /** The hook for `src/hooks.server.ts`. */
  handle<Event extends KitEvent>(input: {
    event: Event
    resolve: (event: Event) => Response | Promise<Response>
  }): Promise<Response>
  /**
   * A form action that signs in: fields `providerId`, `redirectTo`, `redirect` (`false` for the
   * outcome instead of a redirect), `authorizationParams-*` and the provider's own.
   *
   * @throws {CredentialsSignin} when the credentials are wrong, with their `code`
   */
  signIn(event: KitEvent): Promise<AuthResult>
  /** A form action that signs out: fields `redirectTo` and `redirect`. */
  signOut(event: KitEvent): Promise<AuthResult>
}

/** The part of the hook that the two entries do not have in common. */
export type KitAuthParts = Pick<Parameters<typeof createHost>[0], 'service' | 'wholeEntry'>

/** Sign-in for a SvelteKit app, with or without the service in its own process. */
export function kitAuth(config: ConfigSource, parts: KitAuthParts): ComponentKitAuthHandlers {
  const host = createHost({
    name: 'ComponentKitAuth',
    root: appBase,
    ...parts,
    isDevelopment: ({ NODE_ENV }) => NODE_ENV === 'development',
    keyHint: ENV_FILE_HINT,
    logsAbsence: true,
  })
  host.mount(config)
  keepHost(host, config)
  /**
   * Requests by the event's `locals`, for form actions: Kit passes copies of the event with the
   * same `locals`.
   */
  const requests = new WeakMap<object, KitRequest>()

  /**
   * The first request logs what the configuration lacks, since requests during a build do not
   * count.
   */
  let isStarted = false

  async function act(action: 'signIn' | 'signOut', { locals }: KitEvent): Promise<AuthResult> {
    const request = requests.get(locals)
    if (request) return runAction(action, request, host)
    throw new AuthError(
      'The form actions need a form that was posted, and the hook: export `handle` of the same ComponentKitAuth from src/hooks.server.ts.',
    )
  }

  return {
    handle: async ({ event, resolve }) => {
      const locals = event.locals as App.Locals
      if (isBuilding(event)) return build(locals, () => resolve(event))
      if (isMalformed(event)) return new Response('Malformed URI', { status: 400 })
      const request = new KitRequest(event, config, host)
      const location = canonicalLocation(event)
      if (location !== undefined) return redirectBelow(host, request, location)
      // A GET has no form, and a WeakMap entry for every request would cost more than the hook
      // itself.
      if (event.request.method !== 'GET') requests.set(locals, request)
      locals.auth = (needs) => request.session(needs)
      // Kit rewrites the URLs of its own requests, one kind by a header of the client.
      const isOwn = event.isDataRequest || event.isRemoteRequest
      const answer = isOwn ? undefined : await host.answer(request)?.catch(answerMistake(request))
      // A request for an auth route has logged the mistake already.
      if (!answer && !isStarted) host.start(request)
      isStarted = true
      if (answer) return answer
      try {
        return request.finish(await resolve(event))
      } catch (thrown) {
        throw request.abandon(thrown)
      }
    },
    signIn: (event) => act('signIn', event),
    signOut: (event) => act('signOut', event),
  }
}

/** To a path of this app, of which a proxy may take a part off. */
async function redirectBelow(host: Host, request: KitRequest, path: string): Promise<Response> {
  // If the configuration cannot be used, the next request says so.
  let prefix = ''
  try {
    prefix = await host.prefixOf(request)
  } catch {}
  const headers = new Headers({ location: withPrefix(prefix, path) })
  // A header of this request decides, which a cache does not compare.
  if (prefix !== '') headers.set('cache-control', 'private, no-store')
  return new Response(null, { status: 308, headers })
}

/**
 * A mistake in the configuration is answered as the service and the other adapters do, not by Kit's "Internal Error".
 *
 * @throws every other fault, as Kit knows it
 */
function answerMistake(request: KitRequest): (fault: unknown) => Response {
  return (fault) => {
    if (!logMistake(fault)) throwAsKit(fault)
    return configurationFailure(request.header('accept'))
  }
}

const ENV_FILE_HINT =
  "If it is in .env: it is read in the folder in which `vite dev` runs. For another folder, put that in the place of process.cwd() in vite.config.ts: defineConfig(({ command, mode }) => { if (command === 'serve') Object.assign(process.env, loadEnv(mode, process.cwd(), 'AUTH_')); return { … } }), with loadEnv from 'vite'."

/**
 * A request of the build. A hook that redirects requests without a session redirects every one
 * then, and Kit would store the redirect instead of the page: the answer tells Kit that the page
 * cannot be prerendered.
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
 * Kit renders pages while the app is built, without a session and without a secret. It removes the
 * query of such requests, and has a path of its own for the fallback page.
 */
function isBuilding({ url }: KitEvent): boolean {
  try {
    // Compared exactly, since a visitor's path must not be taken for it.
    return url.search === '' && url.pathname === '/[fallback]'
  } catch {
    return true
  }
}
