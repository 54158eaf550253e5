import { API_KEY_BYTES, deriveBytes, formatApiKey, parseApiKey } from '@latchkey/session/issue'
import type { AuthRequest } from '../../../http/request.js'
import { digest } from '../../../lib/base64url.js'
import { fromHex, toHex } from '../../../lib/hex.js'
import { isSameBytes } from '../../../lib/is-same-bytes.js'

/** How the bytes of a key are divided. */
const RANDOM = 16
const MAC = 8
const HOME = API_KEY_BYTES - RANDOM - MAC

/** What a genuine key names. */
export interface NamedKey {
  /** A digest of the key, by which it is listed and ended. Not a credential. */
  readonly id: string
  /** The part of the ledger that has the key: {@link drawHome}, or {@link homeOf} if an earlier version has made it. */
  readonly home: string
}

/**
 * Makes a key of a person. The secret that signs now proves that the service has made it.
 *
 * @param home of its person
 * @param prefix of the configuration
 */
export async function makeKeyText(
  request: AuthRequest,
  home: string,
  prefix: string,
): Promise<NamedKey & { readonly text: string }> {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM))
  const bytes = fromHex(home)
  const [mac] = await macs(request, prefix, random, bytes)
  const all = new Uint8Array([...random, ...(mac ?? []), ...bytes])
  const text = formatApiKey({ prefix, bytes: all })
  return { text, id: await idOf(text), home }
}

/**
 * Reads a key without the ledger.
 *
 * @returns also the place, among the secrets in use, of that which has made it; `undefined`: it is not a key, has another prefix, was made up, or was made with a secret that is no longer in use
 */
export async function readKeyText(
  request: AuthRequest,
  text: string,
  prefix: string,
): Promise<(NamedKey & { readonly secret: number }) | undefined> {
  const parsed = parseApiKey(text)
  if (parsed?.prefix !== prefix) return undefined
  const random = parsed.bytes.slice(0, RANDOM)
  const mac = parsed.bytes.slice(RANDOM, RANDOM + MAC)
  const home = parsed.bytes.slice(RANDOM + MAC)
  const all = await macs(request, prefix, random, home)
  const secret = all.map((one) => isSameBytes(one, mac)).indexOf(true)
  if (secret < 0) return undefined
  return { id: await idOf(text), home: toHex(home), secret }
}

/** Draws the home of a person's keys, which each key names. It is random, so that no stranger can choose the same. */
export function drawHome(): string {
  return toHex(crypto.getRandomValues(new Uint8Array(HOME)))
}

/** Is it the home of a person's keys? */
export function isHome(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{8}$/.test(value)
}

/**
 * The place in which an earlier version put the keys of a person: 32 bits of a digest, which strangers can share on purpose. So no
 * new key is put there, and a list of the place is filtered by the `sub`.
 */
export async function homeOf(sub: string): Promise<string> {
  const text = new TextEncoder().encode(`latchkey/api-key-home/v1\n${sub}`)
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', text), 0, HOME))
}

/** 144 bits: no two keys have the same. */
function idOf(text: string): Promise<string> {
  return digest(['latchkey/api-key/v1', text], 18)
}

/** The authentication code by each secret in use, the one that signs first. */
async function macs(
  { keys }: AuthRequest,
  prefix: string,
  random: Uint8Array,
  home: Uint8Array,
): Promise<readonly Uint8Array[]> {
  const all = await keys.derived('api-key', (secrets) => Promise.all(secrets.map(macKey)))
  const text = new Uint8Array([...random, ...home, ...new TextEncoder().encode(prefix)])
  return Promise.all(
    all.map(async (key) => new Uint8Array(await crypto.subtle.sign('HMAC', key, text), 0, MAC)),
  )
}

async function macKey(secret: string): Promise<CryptoKey> {
  const bytes = await deriveBytes(secret, 'latchkey/api-key/hmac-sha256/v1', 32)
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
}
