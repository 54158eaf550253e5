import { isWorkerd } from '@latchkey/session/internal'
import { builtIn } from '../../stores/node/built-in.js'
import { isPublicAddress } from './public-address.js'

interface Address {
  readonly address: string
  readonly family: number
}

type Done = (error: Error | null, address: string | readonly Address[], family?: number) => void

type Lookup = (
  hostname: string,
  options: object,
  done: (error: Error | null, addresses: readonly Address[]) => void,
) => void

interface Socket {
  readonly remoteAddress?: string
  once(event: 'connect', listener: () => void): unknown
  destroy(error: Error): unknown
}

interface Answer {
  readonly statusCode?: number
  readonly rawHeaders: readonly string[]
  resume(): unknown
}

interface Asking {
  on(event: 'socket', listener: (socket: Socket) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'response', listener: (answer: Answer) => void): unknown
  end(body?: string): unknown
}

interface Https {
  request(url: string, options: object): Asking
  readonly Agent: new (options: object) => object
}

interface Streams {
  readonly Readable: { toWeb(answer: Answer): ReadableStream<Uint8Array> }
}

/** The parts of the system's network that a test replaces. */
export interface Network {
  readonly lookup: Lookup
  readonly isPublic: (address: string) => boolean
  /** Certificates that are trusted besides. */
  readonly ca?: string
}

/** The name leads to an address that is not public, or this runtime cannot tell. */
export class NotPublic extends Error {
  override name = 'NotPublic'
}

/**
 * A fetch that connects to public addresses alone: the address that it checks is the one that it connects to, so that a name
 * which changes between two questions gains nothing (DNS rebinding). Node's own fetch has no such hook. It takes a text or a
 * form as the body, follows no redirect, keeps no connection and no cookie, and goes through no proxy.
 */
export function publicFetch(network?: Network): typeof fetch {
  return async (input, init) => {
    const https = builtIn<Https>('https')
    const streams = builtIn<Streams>('stream')
    const lookup = network?.lookup ?? builtIn<{ readonly lookup: Lookup }>('dns')?.lookup
    // A Worker with Node's modules has no addresses to check.
    if (!https || !streams || !lookup || isWorkerd) {
      throw new NotPublic('This runtime cannot tell which address a name leads to.')
    }
    const { isPublic = isPublicAddress, ca } = network ?? {}
    const body = bodyOf(init?.body)
    // Nothing looks an address up that is written as such, and a handshake begins as soon as it is connected to.
    const literal = addressIn(String(input))
    if (literal !== undefined && !isPublic(literal)) throw notPublic()
    return new Promise((resolve, reject) => {
      const asking = https.request(String(input), {
        method: init?.method ?? 'GET',
        headers: headersOf(init?.headers, body),
        agent: new https.Agent({ keepAlive: false, maxCachedSessions: 0 }),
        lookup: publicLookup(lookup, isPublic),
        maxHeaderSize: MAX_HEADERS,
        signal: init?.signal ?? undefined,
        ca,
      })
      asking.on('error', reject)
      asking.on('socket', (socket) => {
        socket.once('connect', () => {
          if (!isPublic(socket.remoteAddress ?? '')) socket.destroy(notPublic())
        })
      })
      asking.on('response', (answer) => {
        try {
          resolve(responseOf(answer, streams))
        } catch (error) {
          answer.resume()
          reject(error)
        }
      })
      asking.end(body)
    })
  }
}

export const fetchPublic: typeof fetch = publicFetch()

/** The host of a URL, if it is an address. In a URL each spelling of one is this one. */
function addressIn(url: string): string | undefined {
  const { hostname = '' } = URL.parse(url) ?? {}
  return /^[\d.]+$/.test(hostname) ? hostname : /^\[(.*)\]$/.exec(hostname)?.[1]
}

/** @throws {TypeError} it is a stream, or bytes */
function bodyOf(body: unknown): string | undefined {
  if (body === undefined || body === null) return undefined
  if (typeof body === 'string' || body instanceof URLSearchParams) return String(body)
  throw new TypeError('A request to a public address has a text or a form as its body.')
}

function headersOf(given: unknown, body: string | undefined): Record<string, string> {
  const headers = new Headers(given as HeadersInit)
  // Otherwise the body is sent in chunks, which some servers refuse.
  if (body !== undefined)
    headers.set('content-length', String(new TextEncoder().encode(body).length))
  return Object.fromEntries(headers)
}

/** Bytes. */
const MAX_HEADERS = 8 * 1024

function publicLookup(lookup: Lookup, isPublic: Network['isPublic']) {
  return (hostname: string, options: { readonly all?: boolean }, done: Done) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      const [first] = addresses
      // One that is not public among others is a trick, or a mistake of theirs.
      if (!first || !addresses.every(({ address }) => isPublic(address)))
        return done(notPublic(), [])
      if (options.all) return done(null, addresses)
      return done(null, first.address, first.family)
    })
  }
}

function notPublic(): NotPublic {
  return new NotPublic('The name leads to an address that is not public.')
}

/** @throws {RangeError} a status that no response may have */
function responseOf(answer: Answer, { Readable }: Streams): Response {
  const { statusCode: status = 0, rawHeaders } = answer
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  }
  const isEmpty = status === 204 || status === 205 || status === 304
  if (isEmpty) answer.resume()
  return new Response(isEmpty ? null : Readable.toWeb(answer), { status, headers })
}
