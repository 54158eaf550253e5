import { API_KEY_BYTES, deriveBytes, formatApiKey, parseApiKey } from '@latchkey/session/issue'
import type { AuthRequest } from '../../../http/request.js'
import { digest } from '../../../lib/base64url.js'
import { toHex } from '../../../lib/hex.js'
import { isSameBytes } from '../../../lib/is-same-bytes.js'

/** How the bytes of a key are divided. */
const RANDOM = 16
const MAC = 8
const HOME = API_KEY_BYTES - RANDOM - MAC

/** What a genuine key names. */
export interface NamedKey {
  /** A digest of the key, by which it is listed and ended. Not a credential. */
  readonly id: string
  /** The part of the ledger with the keys of its person, and of few others. */
  readonly home: string
}

/**
 * Makes a key of a person. The secret that signs now proves that the service has made it.
 *
 * @param prefix of the configuration
 */
export async function makeKeyText(
  request: AuthRequest,
  sub: string,
  prefix: string,
): Promise<NamedKey & { readonly text: string }> {
  const random = crypto.getRandomValues(new Uint8Array(RANDOM))
  const home = await homeBytes(sub)
  const [mac] = await macs(request, prefix, random, home)
  const text = formatApiKey({ prefix, bytes: new Uint8Array([...random, ...(mac ?? []), ...home]) })
  return { text, id: await idOf(text), home: toHex(home) }
}

/**
 * Reads a key without the ledger.
 *
 * @returns `undefined`: it is not a key, has another prefix, was made up, or was made with a secret that is no longer in use
 */
export async function readKeyText(
  request: AuthRequest,
  text: string,
  prefix: string,
): Promise<NamedKey | undefined> {
  const parsed = parseApiKey(text)
  if (parsed?.prefix !== prefix) return undefined
  const random = parsed.bytes.slice(0, RANDOM)
  const mac = parsed.bytes.slice(RANDOM, RANDOM + MAC)
  const home = parsed.bytes.slice(RANDOM + MAC)
  const all = await macs(request, prefix, random, home)
  if (!all.map((one) => isSameBytes(one, mac)).includes(true)) return undefined
  return { id: await idOf(text), home: toHex(home) }
}

/** Where the keys of a person are, by a digest that they share with few others: a key alone must find it. */
export async function homeOf(sub: string): Promise<string> {
  return toHex(await homeBytes(sub))
}

async function homeBytes(sub: string): Promise<Uint8Array> {
  const text = new TextEncoder().encode(`latchkey/api-key-home/v1\n${sub}`)
  return new Uint8Array(await crypto.subtle.digest('SHA-256', text), 0, HOME)
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
