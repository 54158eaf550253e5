import {
  IMPORT_HEADER,
  type ImportRow,
  type ProofKey,
  proofKeyOf,
  requireSecrets,
  signImport,
} from '@latchkey/host/shared'
import { WrongUse } from 'latchkey/internal'
import { type ImportAnswer, ImportStopped, type Target } from './target.js'

/** The environment, network and clock that the command uses to reach a running service. */
interface Reach {
  readonly env: Readonly<Record<string, string | undefined>>
  readonly fetch: (url: URL, init?: RequestInit) => Promise<Response>
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly sleep: (milliseconds: number) => Promise<unknown>
}

/** No request takes longer. Milliseconds. */
const TIMEOUT = 30_000
/** Before each further try. Milliseconds. */
const PAUSES = [500, 1_000, 2_000, 4_000, 8_000]
/** Fewer are not sent in two parts if they are too much work for one request. */
const FEW = 25

/**
 * A running service, by the address of its auth routes.
 *
 * @throws {WrongUse} the address is invalid, or there is no secret
 * @throws {ImportStopped} nothing there answers as a service does
 */
export async function serviceAt(address: string, reach: Reach): Promise<Target> {
  const base = baseOf(address)
  const key = await keyIn(reach.env)
  const providers = await providersAt(base, reach)
  return { providers, send: (rows) => deliver(base, key, rows, reach), close: async () => {} }
}

function baseOf(address: string): string {
  const url = URL.parse(address)
  const isLocal = /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(url?.hostname ?? '')
  if (!url || !/^https?:$/.test(url.protocol) || url.search || url.hash) {
    throw new WrongUse(
      '--to must be the address of the auth routes, such as https://example.com/auth.',
    )
  }
  if (url.username || url.password)
    throw new WrongUse('--to must not contain a user name or a password.')
  if (url.protocol === 'http:' && !isLocal) {
    throw new WrongUse('--to must begin with https://, unless the service is on this machine.')
  }
  return url.href.replace(/\/+$/, '')
}

async function keyIn(env: Reach['env']): Promise<ProofKey> {
  try {
    const [secret = ''] = requireSecrets({}, env)
    return await proofKeyOf(secret, 'import')
  } catch (error) {
    throw new WrongUse(
      `Set AUTH_SECRET of the service in the environment. ${(error as Error).message}`,
    )
  }
}

async function providersAt(base: string, reach: Reach): Promise<ReadonlySet<string>> {
  const answer = await ask(new URL(`${base}/providers`), {}, reach).catch((cause: unknown) => {
    throw new ImportStopped(`${base} cannot be reached (${reasonOf(cause)}).`, { cause })
  })
  checkRedirect(answer)
  const listed: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined
  if (typeof listed === 'object' && listed !== null) return new Set(Object.keys(listed))
  throw new ImportStopped(
    `${base}/providers is not a list of providers (${answer.status}): --to is the address of the auth routes, such as https://example.com/auth.`,
  )
}

/** Sends accounts, in parts if they are too many for one request, and again without an answer. */
async function deliver(
  base: string,
  key: ProofKey,
  rows: readonly ImportRow[],
  reach: Reach,
  tries = 0,
): Promise<ImportAnswer> {
  let trouble: string
  try {
    const answer = await post(base, key, rows, reach)
    if (answer.ok) return await answerIn(answer)
    checkRedirect(answer)
    if (answer.status < 500 && answer.status !== 429 && answer.status !== 408) {
      throw await refusal(answer)
    }
    trouble = `it answers ${answer.status}`
  } catch (error) {
    if (error instanceof ImportStopped) throw error
    trouble = reasonOf(error)
  }
  const pause = PAUSES[tries]
  if (pause === undefined) {
    throw new ImportStopped(`The service takes no more accounts (${trouble}): look at its log.`)
  }
  await reach.sleep(pause)
  if (rows.length < FEW) return deliver(base, key, rows, reach, tries + 1)
  // A service may have too little processor time for many.
  const half = Math.ceil(rows.length / 2)
  const one = await deliver(base, key, rows.slice(0, half), reach, tries + 1)
  const other = await deliver(base, key, rows.slice(half), reach, tries + 1)
  const left = other.left.map(([at, why]) => [at + half, why] as const)
  return {
    added: one.added + other.added,
    known: one.known + other.known,
    left: [...one.left, ...left],
  }
}

async function post(
  base: string,
  key: ProofKey,
  accounts: readonly ImportRow[],
  reach: Reach,
): Promise<Response> {
  const url = new URL(`${base}/import`)
  const body = new TextEncoder().encode(JSON.stringify({ accounts }))
  const signed = await signImport(key, url, body, reach.now() / 1000)
  const headers = { [IMPORT_HEADER]: signed, 'content-type': 'application/json' }
  return ask(url, { method: 'POST', headers, body }, reach)
}

function ask(url: URL, init: RequestInit, { fetch }: Reach): Promise<Response> {
  return fetch(url, { ...init, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT) })
}

async function answerIn(answer: Response): Promise<ImportAnswer> {
  const body = (await answer.json()) as Partial<ImportAnswer>
  const { added, known, left } = body
  if (typeof added === 'number' && typeof known === 'number' && Array.isArray(left)) {
    return { added, known, left }
  }
  throw new ImportStopped('The answer does not come from an auth service of this version.')
}

function checkRedirect(answer: Response): void {
  if (answer.status < 300 || answer.status >= 400) return
  const to = URL.parse(answer.headers.get('location') ?? '')?.origin ?? 'another address'
  throw new ImportStopped(`The service redirects to ${to}: give that address.`)
}

async function refusal(answer: Response): Promise<ImportStopped> {
  if (answer.status === 404) {
    return new ImportStopped(
      'The service takes no accounts now. Set its variable AUTH_IMPORT_UNTIL to a date within the next seven days, such as tomorrow, and deploy it. Remove the variable after the import.',
    )
  }
  const said: unknown = await answer.json().catch(() => undefined)
  const { reason, origin } = (typeof said === 'object' ? (said ?? {}) : {}) as {
    readonly reason?: unknown
    readonly origin?: unknown
  }
  if (reason === 'other-host') return otherHost(origin)
  const told = REASONS[String(reason)] ?? `It refuses the request (${answer.status}).`
  const time = reason === 'stale' ? ` Its time is ${answer.headers.get('date')}.` : ''
  return new ImportStopped(told + time)
}

/** @param origin as the service says, so that it may be anything; `undefined`: it has none of its own */
function otherHost(origin: unknown): ImportStopped {
  if (origin === undefined) {
    return new ImportStopped(
      'The service does not know its own address, and a request must be signed for that address: set AUTH_URL of the service.',
    )
  }
  const named = (typeof origin === 'string' && URL.parse(origin)?.origin) || 'another name'
  return new ImportStopped(
    `The service calls itself ${named}, and a request must be signed for that address: use it for --to, or change AUTH_URL of the service.`,
  )
}

const REASONS: Readonly<Record<string, string>> = {
  'unknown-key':
    'The service has another AUTH_SECRET than this environment: the import is signed with it.',
  'bad-signature':
    'The service gets other bytes than the command signed: something on the way changes the path or the body.',
  malformed: 'The service is older than this command: deploy the same version.',
  'old-command': 'The service is newer than this command: install the same version.',
  stale: 'The clock of this machine is more than a minute wrong.',
  'no-passwords':
    'The service has no password() for the addresses of this provider, or it comes from an app without it.',
  replayed: 'Something on the way sends requests twice.',
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as { name?: string; cause?: { code?: string } }
  return name === 'TimeoutError' ? 'no answer in time' : (cause?.code ?? name ?? 'unknown')
}
