import {
  isFirstTime,
  PROOF_HEADER,
  type ProofKey,
  parseClaimedOrigin,
  proofInput,
  proofKeyOf,
} from '@latchkey/host/shared'
import { isRecord } from '@latchkey/session/internal'
import { CLOCK_SKEW } from '@latchkey/session/issue'
import type { ResolvedConfig } from '../../config/resolve-config.js'
import type { AppProof } from '../../http/forwarded.js'
import { decodeBase64Url } from '../../lib/base64url.js'
import type { KeyRing } from '../../lib/key-ring.js'

/** Why a proof does not count. */
export type ProofFault = 'malformed' | 'unknown-key' | 'bad-signature' | 'another-origin' | 'stale'

/** The parts of a service that a proof is checked by. */
interface Checked {
  readonly config: Pick<ResolvedConfig, 'appKeys' | 'now'>
  readonly keys: Pick<KeyRing, 'proofKeys'>
}

/** A longer header is not read. Characters. */
const MAX_LENGTH = 1_024

/** A statement, and an id and an HMAC for each of up to four keys. */
const SHAPE = /^[\w-]{1,600}(?:\.[\w-]{8}\.[\w-]{43}){1,4}$/

/**
 * The proof in a request's header. One by the shared secret may name any origin, since that secret
 * can sign sessions for it anyway; one by a key of `AUTH_APP_KEYS` names the origin of that key.
 *
 * @param path of the request's URL
 * @returns the reason, a string, when it does not count; `undefined` without the header
 */
export async function readProof(
  { method, headers }: Pick<Request, 'method' | 'headers'>,
  path: string,
  parts: Checked,
): Promise<AppProof | ProofFault | undefined> {
  const header = headers.get(PROOF_HEADER)
  if (header === null) return undefined
  if (header.length > MAX_LENGTH || !SHAPE.test(header)) return 'malformed'
  const [text = '', ...signatures] = header.split('.')
  const keysByConfig = await keysOf(parts)
  for (let at = 0; at < signatures.length; at += 2) {
    const key = keysByConfig.get(signatures[at] ?? '')
    if (!key) continue
    const mac = decodeBase64Url(signatures[at + 1] ?? '')
    const input = proofInput(method, path, text)
    // Compared by the platform, in constant time.
    if (!mac || !(await crypto.subtle.verify('HMAC', key.key, mac, input))) return 'bad-signature'
    return judge(parse(text), key, parts.config.now())
  }
  return 'unknown-key'
}

/** A key with the origins that it proves; `undefined`: any. */
interface KnownKey extends ProofKey {
  readonly origins: ReadonlySet<string> | undefined
}

/** By their ids, for each configuration that an app has proved itself to. */
const keyMaps = new WeakMap<Checked['config'], ReadonlyMap<string, KnownKey>>()

async function keysOf({ config, keys }: Checked): Promise<ReadonlyMap<string, KnownKey>> {
  const found = keyMaps.get(config)
  if (found) return found
  const made = new Map<string, KnownKey>()
  const own = await Promise.all(
    config.appKeys.map(async ({ origin, key }) => ({ origin, ...(await proofKeyOf(key)) })),
  )
  for (const { origin, ...key } of own) {
    made.set(key.id, { ...key, origins: new Set(made.get(key.id)?.origins).add(origin) })
  }
  for (const key of await keys.proofKeys()) made.set(key.id, { ...key, origins: undefined })
  keyMaps.set(config, made)
  return made
}

/** @param now milliseconds since the epoch */
function judge(said: unknown, { origins }: KnownKey, now: number): AppProof | ProofFault {
  if (!isRecord(said)) return 'malformed'
  const { origin, client, time, nonce } = said
  if (!isTextOrNone(origin) || !isTextOrNone(client)) return 'malformed'
  if (typeof nonce !== 'string' || !/^[\w-]{22}$/.test(nonce)) return 'malformed'
  if (typeof time !== 'number' || !(Math.abs(time - now / 1000) <= CLOCK_SKEW)) return 'stale'
  if (origin !== undefined && !isOrigin(origin)) return 'malformed'
  if (origins && origin !== undefined && !origins.has(origin)) return 'another-origin'
  return { origin, client, nonce, expires: Math.ceil(time) + CLOCK_SKEW + 1 }
}

function isTextOrNone(value: unknown): value is string | undefined {
  return value === undefined || typeof value === 'string'
}

function isOrigin(text: string): boolean {
  const [scheme = '', host = ''] = text.split('://')
  return parseClaimedOrigin(scheme, host)?.origin === text
}

/** The signature is genuine, but an app's own key may have signed anything. */
function parse(text: string): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(decodeBase64Url(text)))
  } catch {
    return undefined
  }
}

const FAULT_TEXTS: Readonly<Record<ProofFault | 'replayed', string>> = {
  malformed: 'is malformed',
  'unknown-key':
    'was signed with a key that is not known here: the app needs this AUTH_SECRET, or an AUTH_APP_KEY that is in AUTH_APP_KEYS',
  'bad-signature': 'was signed for another request, or its path was changed on the way',
  'another-origin':
    'names another origin than the one that AUTH_APP_KEYS has for the key of the app',
  stale: 'is older than a minute, or ahead of the time: look at the clock of the app',
  replayed: 'was sent before',
}

/** Logs a proof that does not count, once for each fault: any client can send the header. */
export function reportFault(
  { config, keys }: { readonly config: ResolvedConfig; readonly keys: KeyRing },
  fault: ProofFault | 'replayed',
): void {
  if (!isFirstTime(keys, fault)) return
  const effect = 'The request is answered as without it. This is said once.'
  config.logger.warn(
    'app-proof',
    `The proof of an app that forwards ${FAULT_TEXTS[fault]}. ${effect}`,
  )
}
