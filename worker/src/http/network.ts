import type { AuthRequest } from './request.js'

/**
 * The network of the visitor: behind an app that has proved itself the one that the app names,
 * otherwise the network of the sender. It suffices for counts in this process or location; {@link
 * provenNetwork} is for the ledger.
 */
export function clientNetwork({ proof, original }: AuthRequest): string | undefined {
  return networkIn(proof?.client ?? '') ?? networkOf(original)
}

/**
 * The same, but each proof names a visitor only once: a stolen proof cannot have its thief's tries
 * counted as the visitor's. Called once for each request, after the nearer counts have let it pass:
 * it costs a write.
 *
 * @throws {StoreUnavailable}
 */
export async function provenNetwork(request: AuthRequest): Promise<string | undefined> {
  const { proof, original, stores } = request
  const named = networkIn(proof?.client ?? '')
  if (!proof || named === undefined) return networkOf(original)
  if (await stores.ledger.consume(`proof:${proof.nonce}`, proof.expires)) return named
  request.features.ports.proofs?.notifyReplay(request)
  return networkOf(original)
}

/**
 * The network a request comes from, as a limit counts it: an IPv4 address, or the /64 of an IPv6
 * address, since a single customer has at least that much to choose addresses from (RFC 6177,
 * RFC 4291, 2.5.4). Every spelling of an address gives the same text (RFC 5952), and an
 * IPv4-mapped address (RFC 4291, 2.5.5.2) counts as the IPv4 address.
 *
 * It reads `CF-Connecting-IP` alone, which Cloudflare sets itself. `X-Forwarded-For` and similar
 * headers are never read, since anybody can write them. Without Cloudflare in front anybody can
 * write this one too; a Worker is always behind Cloudflare. `undefined` when it is missing or is
 * not exactly one address: count such requests together, never let them pass uncounted.
 *
 * @example networkOf(request) // '192.0.2.1' or '2001:db8:1:2::/64'
 */
export function networkOf(request: Request): string | undefined {
  return networkIn(request.headers.get('cf-connecting-ip') ?? '')
}

/** The network of an address; `undefined` for a text that is not an address. */
export function networkIn(address: string): string | undefined {
  if (/^\d+(?:\.\d+){3}$/.test(address)) return ipv4(address)
  return /^[0-9a-f:.]+$/i.test(address) ? ipv6(address) : undefined
}

/** The URL parser also takes octal numbers, so only an address that it leaves unchanged counts. */
function ipv4(address: string): string | undefined {
  return hostname(address) === address ? address : undefined
}

function ipv6(given: string): string | undefined {
  const address = hostname(`[${given}]`)?.slice(1, -1)
  if (address === undefined) return undefined
  const [start = '', end = ''] = address.split('::')
  const first = start.split(':').filter(Boolean)
  const last = end.split(':').filter(Boolean)
  const zeros = Array<string>(8 - first.length - last.length).fill('0')
  const groups = [...first, ...zeros, ...last]
  if (/^(?:0:){5}ffff:/.test(groups.join(':'))) return mapped(groups)
  return `${hostname(`[${groups.slice(0, 4).join(':')}::]`)?.slice(1, -1)}/64`
}

function mapped(groups: string[]): string {
  const [high = 0, low = 0] = groups.slice(6).map((group) => Number.parseInt(group, 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

function hostname(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.hostname
}
