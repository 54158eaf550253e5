import { type ProofKey, proofKeyOf, TokenVerifier } from '@latchkey/session/internal'
import { deriveBytes, deriveSessionKeys, type SessionKeys } from '@latchkey/session/issue'
import { createPseudonyms, type Pseudonyms } from './pseudonyms.js'
import { encodeBase64Url } from './random.js'
import { createSealer, type Sealer } from './seal.js'

/** Everything that is derived from the secrets, made once: importing a key costs more than using it. */
export interface KeyRing {
  readonly session: SessionKeys
  readonly verifier: TokenVerifier
  /** Names users for who reads tokens and feed. */
  readonly pseudonyms: Pseudonyms
  /** HMAC keys of the csrf token; the first signs, all verify. */
  readonly csrf: readonly CryptoKey[]
  /** Seals a started sign-in into its cookie. */
  readonly flow: Sealer
  /** Seals the posted answer of a provider while the browser brings the flow's cookie. */
  readonly posted: Sealer
  /** Seals what a session record keeps. */
  readonly record: Sealer
  /** Seals whom a mail was sent to, in the ledger. */
  readonly verification: Sealer
  /** Seals whom a browser has signed in as. Made at its first use, since few deployments have one. */
  readonly device: () => Promise<Sealer>
  /** Seals the tokens of a connection, in the ledger. Made at its first use, since many people have none. */
  readonly connection: () => Promise<Sealer>
  /** Seals what a way to sign in tells of its person. Made at its first use, as well. */
  readonly way: () => Promise<Sealer>
  /** Seals keys of second factors, and sign-ins that wait for one. Made at its first use, as well. */
  readonly factor: () => Promise<Sealer>
  /** What the log calls somebody, by their `sub`: nobody without the secret can compute it. */
  readonly logName: (sub: string) => Promise<string>
  /** By what a store on Node knows a service again, by each secret. Derived where there is such a store. */
  readonly storeMarks: (text: string) => Promise<readonly string[]>
  /** The WebAuthn user handle of somebody who begins to add a passkey, alike in every tab: 256 bits. */
  readonly passkeyHandle: (sub: string) => Promise<string>
  /** The keys by which apps that have the secret prove themselves: derived when the first one does. */
  readonly proof: () => Promise<readonly ProofKey[]>
  /** The keys by which accounts of elsewhere are brought: derived when the first are. */
  readonly import: () => Promise<readonly ProofKey[]>
}

/**
 * Derives every key. Each purpose has its own HKDF `info`, so that no token made for one purpose
 * is ever accepted for another (RFC 8725, section 3.12).
 */
export async function deriveKeyRing(
  secrets: readonly string[],
  now: () => number,
): Promise<KeyRing> {
  const [session, pseudonyms, csrf, flow, posted, record, verification] = await Promise.all([
    deriveSessionKeys(secrets),
    createPseudonyms(secrets),
    Promise.all(secrets.map(csrfKey)),
    createSealer(secrets, 'flow', now),
    createSealer(secrets, 'posted', now),
    createSealer(secrets, 'record', now),
    createSealer(secrets, 'verification', now),
  ])
  const verifier = new TokenVerifier({ keys: session.verify, now })
  let device: Sealer | undefined
  let connection: Sealer | undefined
  let way: Sealer | undefined
  let factor: Sealer | undefined
  let proofKeys: readonly ProofKey[] | undefined
  let importKeys: readonly ProofKey[] | undefined
  return {
    session,
    pseudonyms,
    csrf,
    flow,
    posted,
    record,
    verification,
    verifier,
    logName: namesBy(secrets[0] as string, 'latchkey/log/hmac-sha256/v1', 16),
    passkeyHandle: namesBy(secrets[0] as string, 'latchkey/passkey-handle/hmac-sha256/v1', 32),
    storeMarks: (text) =>
      Promise.all(
        secrets.map((secret) => namesBy(secret, 'latchkey/store/hmac-sha256/v1', 16)(text)),
      ),
    device: async () => {
      device ??= await createSealer(secrets, 'device', now)
      return device
    },
    connection: async () => {
      connection ??= await createSealer(secrets, 'connection', now)
      return connection
    },
    way: async () => {
      way ??= await createSealer(secrets, 'way', now)
      return way
    },
    factor: async () => {
      factor ??= await createSealer(secrets, 'factor', now)
      return factor
    },
    proof: async () => {
      proofKeys ??= await Promise.all(secrets.map((secret) => proofKeyOf(secret)))
      return proofKeys
    },
    import: async () => {
      importKeys ??= await Promise.all(secrets.map((secret) => proofKeyOf(secret, 'import')))
      return importKeys
    },
  }
}

function csrfKey(secret: string): Promise<CryptoKey> {
  return hmacKey(secret, 'latchkey/csrf/hmac-sha256/v1')
}

/** Bytes of HMAC-SHA-256. Its key is derived at the first name, since a start needs none. */
function namesBy(secret: string, info: string, bytes: number): KeyRing['logName'] {
  let key: CryptoKey | undefined
  return async (sub) => {
    key ??= await hmacKey(secret, info)
    const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(sub))
    return encodeBase64Url(new Uint8Array(mac, 0, bytes))
  }
}

async function hmacKey(secret: string, info: string): Promise<CryptoKey> {
  const bytes = await deriveBytes(secret, info, 32)
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', bytes, algorithm, false, ['sign', 'verify'])
}
