import {
  type ActionForm,
  type ActionOptions,
  answerToFault,
  createHost,
  finishNewest,
  formOf,
  processEnv,
  Refusal,
  type RequireSessionOptions,
  submitForm,
} from '@latchkey/host'
import type { SessionNeeds } from '@latchkey/session'
import { type Session, WorkerUnavailable } from '@latchkey/session'
import { type Platform, type Source, WebRequest } from './web-request.js'

/** The session of the request that `handle` was given. */
export interface RequestAuth {
  /** The session; `null` without one, and if it does not suffice. Read once for each request. */
  (needs?: SessionNeeds): Promise<Session | null>
  /**
   * The session of a user who may pass.
   *
   * @throws {Response} the refusal, which `handle` then answers with
   */
  requireSession(options?: RequireSessionOptions): Promise<Session>
}

/** The result of `webAuth`. */
export interface WebAuth {
  /** Answers the auth routes; any other request is `next`'s, or 404 without it. */
  handle(
    request: Request,
    next?: (auth: RequestAuth) => Response | Promise<Response>,
    platform?: Platform,
  ): Promise<Response>
  /** The session of any request. Only the answer to one that `handle` was given renews a cookie. */
  auth(request: Request, needs?: SessionNeeds): Promise<Session | null>
  /** @throws {Response} the refusal */
  requireSession(request: Request, options?: RequireSessionOptions): Promise<Session>
  /**
   * Signs in by a form of the app's own. The answer is 303, or 403 for a form of another site.
   *
   * @throws {CredentialsSignin} when the credentials are wrong, with their `code`
   * @throws {WorkerUnavailable} when the service does not answer
   */
  signIn(
    request: Request,
    provider?: string | null,
    options?: ActionOptions,
    authorizationParams?: ConstructorParameters<typeof URLSearchParams>[0],
  ): Promise<Response>
  /** Signs out by a form of the app's own. @throws {WorkerUnavailable} */
  signOut(request: Request, options?: ActionOptions): Promise<Response>
}

type Environment = WebRequest['env']

/** Workers with Node's compatibility have these too. */
const variables: Environment = processEnv ?? globalThis.process?.env ?? {}

/** @param parts what the two entries differ in */
export function webAuthOver(
  source: Source,
  parts: Pick<Parameters<typeof createHost>[0], 'service' | 'wholeEntry'>,
): WebAuth {
  const common = { name: 'webAuth', root: '', needsService: true, logsAbsence: true }
  const host = createHost({ ...common, ...parts })
  host.mount(source, processEnv)
  const requests = new WeakMap<Request, WebRequest>()
  /** The variables that all requests share, for copies of requests too; `null` if they differ. */
  let shared: Environment | null | undefined

  function keep(request: Request, env: Environment, platform?: Platform): WebRequest {
    const own = new WebRequest(request, source, host, env, platform)
    requests.set(request, own)
    return own
  }
  const find = (request: Request) => requests.get(request) ?? keep(request, shared ?? variables)

  async function submit(request: Request, form: () => ActionForm): Promise<Response> {
    const own = find(request)
    try {
      const { url } = await submitForm(await host.submission(own), async () => form())
      const answer = new Response(null, { status: 303, headers: { location: url } })
      return host.finish(own, answer, true)
    } catch (fault) {
      if (!(fault instanceof Refusal)) throw fault
      const { status, message } = fault
      return host.finish(own, new Response(message, { status }), true)
    } finally {
      own.session.forget()
    }
  }

  return {
    handle: async (request, next, platform = {}) => {
      const env = (platform.env ?? variables) as Environment
      shared = shared === undefined || shared === env ? env : null
      const own = keep(request, env, platform)
      const answer = await host.answer(own)?.catch((fault) => answerToFault(fault, own))
      if (answer) return answer
      if (!next) return new Response('Not Found', { status: 404 })
      const response = await handlerAnswer(own, next)
      await own.session.settled()
      const finished = finishNewest(host, own, response, own.session.wasRead)
      own.takesNoCookies = true
      own.isAnswered = true
      return finished
    },
    auth: (request, needs) => find(request).session.session(needs),
    requireSession: (request, options) => find(request).requireSession(options),
    signIn: (request, provider, options, params) =>
      submit(request, () => {
        const authorizationParams = new URLSearchParams(params)
        // A form without that field.
        const providerId = provider ?? undefined
        return { action: 'signIn', providerId, authorizationParams, ...formOf(options) }
      }),
    signOut: (request, options) =>
      submit(request, () => ({ action: 'signOut', ...formOf(options) })),
  }
}

/**
 * A refusal is the answer, whatever the framework has made of it. While it is unknown whether the user may pass, no
 * page is an answer; an error or a redirect of the app is.
 */
async function handlerAnswer(
  own: WebRequest,
  next: NonNullable<Parameters<WebAuth['handle']>[1]>,
): Promise<Response> {
  const auth = (needs?: SessionNeeds) => own.session.session(needs)
  const requireSession = (options?: RequireSessionOptions) => own.requireSession(options)
  let answer: Response | undefined
  let fault: unknown
  try {
    answer = await next(Object.assign(auth, { requireSession }))
  } catch (thrown) {
    if (thrown instanceof Response) answer = thrown
    else fault = thrown
  }
  const refusal = await own.refusal()
  if (refusal) return refusal
  if (answer && !(answer.ok && own.fault)) return answer
  fault ??= own.fault
  if (fault instanceof WorkerUnavailable) return fault.getResponse()
  throw fault ?? new TypeError('The handler gave no Response.')
}
