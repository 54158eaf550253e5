import { encode } from 'jose/base64url'
import { encodeCbor } from './cbor.js'
import { isAlgorithm, makePasskey, type Passkey, publicKeyOf, signBy } from './passkey.js'

/** The properties of the authenticator. */
export interface AuthenticatorOptions {
  /** The origin of the page that asks: `https://app.example.com`. */
  readonly origin: string
  /** Does it verify the person, by PIN, finger or face? Default `true`. */
  readonly userVerified?: boolean | undefined
  /** May its passkeys be copied to other devices? Default `false`. */
  readonly backupEligible?: boolean | undefined
  /** Have they been backed up? Default: yes, if they can be. */
  readonly backedUp?: boolean | undefined
  /**
   * The counter after one, below 2^32: `() => 0` for an authenticator that does not count, such as one
   * that copies passkeys, and `() => 1` for a cloned passkey. Default: one more.
   */
  readonly counter?: ((last: number) => number) | undefined
  /** The model of the authenticator, as a UUID. Default: all zeros, which names no model. */
  readonly aaguid?: string | undefined
  /** `packed`: each new passkey signs its own registration. Default `none`. */
  readonly attestation?: 'none' | 'packed' | undefined
}

/** The part of `PublicKeyCredentialCreationOptionsJSON` that the authenticator reads. */
export interface CreationOptions {
  readonly challenge: string
  readonly rp: { readonly id?: string | undefined }
  readonly user: { readonly id: string }
  readonly pubKeyCredParams: readonly { readonly alg: number }[]
  readonly excludeCredentials?: readonly { readonly id: string }[] | undefined
}

/** The part of `PublicKeyCredentialRequestOptionsJSON` that the authenticator reads. */
export interface RequestOptions {
  readonly challenge: string
  readonly rpId?: string | undefined
  readonly allowCredentials?: readonly { readonly id: string }[] | undefined
}

/** A credential as the browser's `toJSON()` gives it. */
export interface CredentialJson<Response> {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly authenticatorAttachment: 'platform'
  readonly clientExtensionResults: { readonly credProps?: { readonly rk: boolean } }
  readonly response: Response
}

/**
 * The answer of an authenticator that makes a passkey, with bytes as base64url (WebAuthn Level 3,
 * 5.2.1).
 */
export interface RegistrationResponse {
  readonly clientDataJSON: string
  readonly attestationObject: string
  readonly authenticatorData: string
  readonly publicKey: string
  readonly publicKeyAlgorithm: number
  readonly transports: string[]
}

/** An authenticator's answer to a sign-in, with bytes as base64url (WebAuthn Level 3, 5.2.2). */
export interface AssertionResponse {
  readonly clientDataJSON: string
  readonly authenticatorData: string
  readonly signature: string
  readonly userHandle: string
}

/** An authenticator, and the browser before it. */
export interface Authenticator {
  /**
   * Makes a passkey, as `navigator.credentials.create` does.
   *
   * @throws an Error named `InvalidStateError` if `excludeCredentials` has one that is here, and
   * `NotSupportedError` if no algorithm is ES256, EdDSA or RS256
   */
  create(publicKey: CreationOptions): Promise<CredentialJson<RegistrationResponse>>
  /**
   * Signs in, as `navigator.credentials.get` does, with the passkey that was made last.
   *
   * @throws an Error named `NotAllowedError` if no passkey is here for it
   */
  get(publicKey: RequestOptions): Promise<CredentialJson<AssertionResponse>>
}

/** Bits of the flags (WebAuthn Level 3, section 6.1). */
const FLAGS = { up: 0x01, uv: 0x04, be: 0x08, bs: 0x10, attested: 0x40 }

/**
 * An authenticator for an app's own tests, which then sign in with passkeys without a browser. It
 * takes the options that the service answers and gives what `toJSON()` gives in a browser, signed
 * with keys of its own: ES256, EdDSA or RS256, the first that the options name. It keeps its
 * passkeys (all discoverable) for as long as it lives. It does not judge, as a browser
 * does, whether the page may use the relying party's id.
 *
 * @example
 * const authenticator = createAuthenticator({ origin: 'https://app.example.com' })
 * const credential = await authenticator.create(options)
 */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { origin, userVerified = true, backupEligible = false, attestation = 'none' } = options
  const { backedUp = backupEligible, counter = (last) => last + 1, aaguid = '' } = options
  const passkeys = new Map<string, Passkey>()
  const flags =
    FLAGS.up |
    (userVerified ? FLAGS.uv : 0) |
    (backupEligible ? FLAGS.be : 0) |
    (backedUp ? FLAGS.bs : 0)

  /** The browser's report about a ceremony, with the bytes of it that the authenticator signs. */
  function clientDataOf(type: string, challenge: string) {
    const data = JSON.stringify({ type, challenge, origin, crossOrigin: false })
    return new TextEncoder().encode(data)
  }

  return {
    async create({ challenge, rp, user, pubKeyCredParams, excludeCredentials = [] }) {
      if (excludeCredentials.some(({ id }) => passkeys.has(id))) {
        throw named('InvalidStateError', 'The authenticator has a passkey of this person already.')
      }
      const algs = pubKeyCredParams.map((one) => one.alg)
      // Options that name no algorithm accept ES256 and RS256 (section 5.1.3, step 8).
      const alg = (algs.length > 0 ? algs : [-7]).find(isAlgorithm)
      if (alg === undefined) {
        throw named('NotSupportedError', 'The authenticator does not have these algorithms.')
      }
      const idBytes = crypto.getRandomValues(new Uint8Array(32))
      const id = encode(idBytes)
      const rpId = rp.id ?? new URL(origin).hostname
      const made = { id, rpId, userHandle: user.id, counter: counter(0) }
      const passkey = await makePasskey(alg, made)
      const { cose, spki } = await publicKeyOf(passkey)
      const authData = new Uint8Array([
        ...(await dataHead(passkey, flags | FLAGS.attested)),
        ...uuidBytes(aaguid),
        ...[0, idBytes.length],
        ...idBytes,
        ...cose,
      ])
      const clientData = clientDataOf('webauthn.create', challenge)
      const statement =
        attestation === 'packed'
          ? [
              ['alg', alg] as const,
              ['sig', await signBy(passkey, await signed(authData, clientData))] as const,
            ]
          : []
      const attestationObject = encodeCbor(
        new Map<string, string | Uint8Array | Map<string, number | Uint8Array>>([
          ['fmt', attestation],
          ['attStmt', new Map<string, number | Uint8Array>(statement)],
          ['authData', authData],
        ]),
      )
      passkeys.set(id, passkey)
      return {
        ...credentialOf(id),
        clientExtensionResults: { credProps: { rk: true } },
        response: {
          clientDataJSON: encode(clientData),
          attestationObject: encode(new Uint8Array(attestationObject)),
          authenticatorData: encode(authData),
          publicKey: spki,
          publicKeyAlgorithm: alg,
          transports: ['internal'],
        },
      }
    },

    async get({ challenge, rpId = new URL(origin).hostname, allowCredentials = [] }) {
      const allowed = new Set(allowCredentials.map(({ id }) => id))
      const passkey = [...passkeys.values()].findLast(
        (one) => one.rpId === rpId && (allowed.size === 0 || allowed.has(one.id)),
      )
      if (!passkey) throw named('NotAllowedError', 'The authenticator has no passkey for this.')
      passkey.counter = counter(passkey.counter)
      const authData = await dataHead(passkey, flags)
      const clientData = clientDataOf('webauthn.get', challenge)
      const signature = await signBy(passkey, await signed(authData, clientData))
      return {
        ...credentialOf(passkey.id),
        response: {
          clientDataJSON: encode(clientData),
          authenticatorData: encode(authData),
          signature: encode(signature),
          userHandle: passkey.userHandle,
        },
      }
    },
  }
}

function credentialOf(id: string) {
  return {
    id,
    rawId: id,
    type: 'public-key' as const,
    authenticatorAttachment: 'platform' as const,
    clientExtensionResults: {},
  }
}

/** The beginning of the authenticator data, and in an assertion all of it (section 6.1). */
async function dataHead({ rpId, counter }: Passkey, flags: number): Promise<Uint8Array> {
  const bytes = new Uint8Array([
    ...(await sha256(new TextEncoder().encode(rpId))),
    flags,
    0,
    0,
    0,
    0,
  ])
  new DataView(bytes.buffer).setUint32(33, counter)
  return bytes
}

/** The bytes that both ceremonies sign (section 6.3.3). */
async function signed(authData: Uint8Array, clientData: Uint8Array<ArrayBuffer>) {
  return new Uint8Array([...authData, ...(await sha256(clientData))])
}

async function sha256(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
}

function uuidBytes(uuid: string): number[] {
  const hex = uuid.replaceAll('-', '').padStart(32, '0')
  return Array.from({ length: 16 }, (_, at) => Number.parseInt(hex.slice(2 * at, 2 * at + 2), 16))
}

/** As the browser's own errors are named, which are DOMExceptions. */
function named(name: string, message: string): Error {
  return Object.assign(new Error(message), { name })
}
