import { type ProofKey, proofKeyOf } from '@latchkey/host/shared'
import { SessionTokenVerifier } from '@latchkey/session/internal'
import { deriveBytes, deriveSessionKeys, type SessionKeys } from '@latchkey/session/issue'
import type { CryptoKey } from 'jose'
import { encodeBase64Url } from './base64url.js'
import { createPseudonyms, type Pseudonyms } from './pseudonyms.js'
import { createSealer, type Sealer } from './seal.js'

/** Everything that is derived from the secrets, made once: importing a key costs more than using it. */
export interface KeyRing {
  readonly session: SessionKeys
  readonly verifier: SessionTokenVerifier
  /** Names users for readers of tokens and feed. */
  readonly pseudonyms: Pseudonyms
  /** HMAC keys of the csrf token; the first signs, all verify. */
  readonly csrf: readonly CryptoKey[]
  /** Seals a started sign-in into its cookie. */
  readonly flow: Sealer
  /** Seals the posted answer of a provider while the browser brings the flow's cookie. */
  readonly posted: Sealer
  /** Seals what a session record keeps. */
  readonly record: Sealer
  /** Seals the address of a mail, in the ledger. */
  readonly verification: Sealer
  /**
   * Seals for one purpose of a feature. It is derived at its first use, since most deployments have few of them.
   *
   * @param purpose no two features have the same
   */
  sealer(purpose: string): Promise<Sealer>
  /**
   * What a feature derives from the secrets in its own way, once, at its first use.
   *
   * @param purpose no two features have the same
   * @param derive with the secrets in use, of which the first signs and seals. It may run twice if requests race
   */
  derived<Keys>(
    purpose: string,
    derive: (secrets: readonly string[]) => Promise<Keys>,
  ): Promise<Keys>
  /**
   * A name that only a holder of the secret can compute, of `bytes` bytes in base64url. Its key is
   * derived at the first name.
   */
  nameFor(purpose: NamePurpose, text: string, bytes: number): Promise<string>
  /** The names that each secret in use gives, the newest first: what an older one has named is found by them. */
  allNamesFor(purpose: NamePurpose, text: string, bytes: number): Promise<readonly string[]>
  /** The name of a person in the log, by their `sub`. */
  logName(sub: string): Promise<string>
  /**
   * The marks by which a store on Node recognizes its service, one for each secret. Derived if
   * there is such a store.
   */
  storeMarks(text: string): Promise<readonly string[]>
  /** The keys by which another program that has the secret proves itself: derived when the first one does. */
  proofKeys(purpose?: 'import'): Promise<readonly ProofKey[]>
}

/**
 * The purposes of names. Tokens and proofs have keys of the same form, so no other purpose is taken: a purpose of a feature
 * ends in `-handle`, and no purpose of a token or a proof does.
 */
type NamePurpose = 'log' | 'store' | `${string}-handle`

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
  const verifier = new SessionTokenVerifier({ keys: session.verify, now })
  const [secret = ''] = secrets
  const sealers = new Map<string, Sealer>()
  const derivations = new Map<string, unknown>()
  const namers = new Map<NamePurpose, Namer>()
  const proofs = new Map<string | undefined, readonly ProofKey[]>()
  const nameFor = (purpose: NamePurpose, text: string, bytes: number) => {
    const namer = namers.get(purpose) ?? namesBy(secret, infoOf(purpose), bytes)
    namers.set(purpose, namer)
    return namer(text)
  }
  const allNamesFor = (purpose: NamePurpose, text: string, bytes: number) =>
    Promise.all(secrets.map((one) => namesBy(one, infoOf(purpose), bytes)(text)))
  return {
    session,
    pseudonyms,
    csrf,
    flow,
    posted,
    record,
    verification,
    verifier,
    nameFor,
    logName: (sub) => nameFor('log', sub, 16),
    allNamesFor,
    storeMarks: (text) => allNamesFor('store', text, 16),
    // Values and no promises are kept: the request that derives them may end in the middle.
    async sealer(purpose) {
      const sealer = sealers.get(purpose) ?? (await createSealer(secrets, purpose, now))
      sealers.set(purpose, sealer)
      return sealer
    },
    async derived<Keys>(purpose: string, derive: (secrets: readonly string[]) => Promise<Keys>) {
      const keys = (derivations.get(purpose) as Keys | undefined) ?? (await derive(secrets))
      derivations.set(purpose, keys)
      return keys
    },
    async proofKeys(purpose) {
      const keys =
        proofs.get(purpose) ?? (await Promise.all(secrets.map((one) => proofKeyOf(one, purpose))))
      proofs.set(purpose, keys)
      return keys
    },
  }
}

function csrfKey(secret: string): Promise<CryptoKey> {
  return hmacKey(secret, 'latchkey/csrf/hmac-sha256/v1')
}

type Namer = (text: string) => Promise<string>

function infoOf(purpose: NamePurpose): string {
  return `latchkey/${purpose}/hmac-sha256/v1`
}

/** Bytes of HMAC-SHA-256. Its key is derived at the first name, since a start needs none. */
function namesBy(secret: string, info: string, bytes: number): Namer {
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
