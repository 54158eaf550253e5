/** The auth service: its address with the base path, or a service binding of a Worker. */
export type WorkerAddress =
  | string
  | { fetch: (input: string, init?: RequestInit) => Promise<Response> }

/** The auth service did not give a usable answer. Nobody is signed in or out by that. */
export class WorkerUnavailable extends Error {
  override name = 'WorkerUnavailable'
  /** What an app answers with. */
  readonly status = 503
}

/** What the service says of a session cookie. */
export interface WorkerSession {
  /** Is anybody signed in by it? */
  readonly isSignedIn: boolean
  /** Cookies that the service sets: a fresh token, or the end of the old one. */
  readonly setCookie: readonly string[]
}

/** The service has this long for an answer. Milliseconds. */
const TIMEOUT = 5_000

/** Where the service is reached, and as which issuer it answers. */
export interface WorkerRoute {
  readonly worker: WorkerAddress
  /** Public origin and base path. */
  readonly issuer: string
  readonly fetch: typeof fetch
}

/** The public keys (RFC 7517). @throws {WorkerUnavailable} */
export async function fetchKeys(route: WorkerRoute): Promise<unknown> {
  return readJson(await ask(route, '/jwks.json'))
}

/** The signed revocation feed. @param since seconds since the epoch @throws {WorkerUnavailable} */
export async function fetchFeed(route: WorkerRoute, since: number | undefined): Promise<string> {
  const answer = await ask(
    route,
    since === undefined ? '/revocations' : `/revocations?since=${since}`,
  )
  return answer.text()
}

/**
 * Shows a session cookie to the service, which renews it when that is due. Nothing else of the
 * request goes along.
 *
 * @param online ask the ledger also about a token that has not ended
 * @throws {WorkerUnavailable}
 */
export async function fetchSession(
  route: WorkerRoute,
  cookie: string,
  online = false,
): Promise<WorkerSession> {
  const answer = await ask(route, online ? '/session?online=1' : '/session', { cookie })
  const session = await readJson(answer)
  if (session !== null && typeof session !== 'object') throw unusable('/session')
  return { isSignedIn: session !== null, setCookie: answer.headers.getSetCookie() }
}

async function ask(
  { worker, issuer, fetch }: WorkerRoute,
  path: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  const { protocol, host } = new URL(issuer)
  const init = {
    headers: {
      accept: 'application/json',
      // Whom the service answers for, where it is not reached by its public address.
      'x-forwarded-host': host,
      'x-forwarded-proto': protocol.slice(0, -1),
      ...headers,
    },
    redirect: 'manual' as const,
    signal: AbortSignal.timeout(TIMEOUT),
  }
  let answer: Response
  try {
    answer =
      typeof worker === 'string'
        ? await fetch(worker + path, init)
        : await worker.fetch(issuer + path, init)
  } catch (error) {
    throw new WorkerUnavailable('The auth service cannot be reached.', { cause: error })
  }
  if (answer.status !== 200) {
    await answer.body?.cancel()
    throw new WorkerUnavailable(`The auth service answered ${path} with status ${answer.status}.`)
  }
  return answer
}

async function readJson(answer: Response): Promise<unknown> {
  try {
    return await answer.json()
  } catch {
    // A parser quotes what it could not read.
    throw unusable(new URL(answer.url || 'about:blank').pathname)
  }
}

function unusable(path: string): WorkerUnavailable {
  return new WorkerUnavailable(`The auth service answered ${path} with something else.`)
}
