import { cookiePairs, isRemoval } from '@latchkey/session/internal'
import { MAX_TOKEN_LIFE } from '@latchkey/session/issue'
import { APP_HEADER } from '../shared/app-header.js'
import { clientOf } from './client-address.js'
import type { HostRequest } from './host-request.js'
import { mergeCookies, nameOfCookie } from './merge-cookies.js'
import type { MountState } from './mounts.js'
import type { PublicOrigin } from './origins.js'
import type { Service, ServiceCall } from './service.js'
import type { Settings } from './settings.js'

/** A request that is passed to the service. */
export interface Call {
  readonly request: HostRequest
  readonly settings: Settings
  readonly service: Service
  readonly origin: PublicOrigin
  readonly mountState: Pick<MountState, 'warnings' | 'introduction'>
}

const PUBLIC_PROXY =
  'A sign-in has forwarded headers and comes from a public address that the app does not trust. If this is your proxy, all visitors count as one client, and a stranger can keep them out: set `trust proxy` of Express, ADDRESS_HEADER of adapter-node, or AUTH_TRUST_HOST=true if the proxy sets X-Forwarded-For itself. Otherwise a client made the header up.'

const UNKNOWN_CLIENT =
  'Requests come from a proxy that the app does not trust, so the addresses of clients are unknown, and all clients share one limit of sign-ins. Set `trust proxy` of Express, ADDRESS_HEADER of adapter-node, or AUTH_TRUST_HOST=true if the proxy sets X-Forwarded-For itself.'

/** @throws {WorkerUnavailable} */
export async function askService(
  { request, settings, service, origin, mountState }: Call,
  { base, route, init }: Pick<ServiceCall, 'base' | 'route' | 'init'>,
): Promise<Response> {
  const address = clientOf(request, settings.origins.trustsProxy)
  const { waitUntil } = request
  if (address.isProxy && settings.worker === undefined && init.method === 'POST') {
    mountState.warnings.once('unknown-client', UNKNOWN_CLIENT, settings.warn)
  }
  // Over a service binding the Worker is asked by the app's own address, which it takes for its own.
  if (typeof settings.worker === 'string') mountState.introduction.ask(init.headers, origin)
  if (address.mayBeProxy && init.method === 'POST') {
    mountState.warnings.once('public-proxy', PUBLIC_PROXY, settings.warn)
  }
  const response = await service.answer({ base, route, init, origin, ...address, waitUntil })
  if (init.headers.has(APP_HEADER)) mountState.introduction.hear(response, origin, settings.warn)
  if (init.method === 'POST' && route.split('?', 1)[0] === '/signout') {
    await rememberSignOut(settings, origin, init.headers.get('cookie'), response)
  }
  return response
}

/** The sessions of a browser that are looked at: as many as the service ends at once. */
const MAX_SESSIONS = 8

/**
 * Every session that the browser sent to a sign-out here is over at the next request, without a call. A
 * refused sign-out leaves the browser its cookie.
 */
async function rememberSignOut(
  { verifier, ended }: Settings,
  { issuer }: PublicOrigin,
  cookie: string | null,
  { headers }: Response,
): Promise<void> {
  const lines = headers.getSetCookie()
  if (!lines.some(isRemoval)) return
  const cookies = mergeCookies(cookie, lines)
  try {
    const readings = await Promise.all(
      sessionHeaders(cookie, lines).map((header) => verifier.read(header, { issuer })),
    )
    const left = await verifier.read(cookies, { issuer })
    if (left.claims) return
    const at = Math.floor(Date.now() / 1000)
    const sids = new Set(readings.flatMap(({ claims }) => claims?.sid ?? []))
    if (sids.size === 0) return
    const sessions = [...sids].map((sid) => ({ sid, at }))
    // Another token of the session may live longer than the one that was sent.
    ended.add({ sessions, users: [] }, MAX_TOKEN_LIFE)
  } catch {
    // The feed announces the end a little later.
  }
}

/** The header, and if it may hold several sessions, one header with each. */
function sessionHeaders(cookie: string | null, lines: readonly string[]): (string | null)[] {
  const removed = new Set(lines.filter(isRemoval).map(nameOfCookie))
  const own = cookiePairs(cookie ?? '').filter(([name]) => removed.has(name))
  if (own.length < 2) return [cookie]
  const headerOf = (pairs: Iterable<readonly [string, string]>) =>
    [...pairs].map((pair) => pair.join('=')).join('; ')
  const isChunk = (name: string) => /\.\d+$/.test(name)
  const chunks = own.filter(([name]) => isChunk(name))
  const whole = own.filter(([name]) => !isChunk(name))
  // A map keeps the last of two chunks with the same number.
  const joined = [new Map(chunks), new Map(chunks.toReversed())].map(headerOf)
  return [cookie, ...whole.slice(2 - MAX_SESSIONS).map((pair) => headerOf([pair])), ...joined]
}
