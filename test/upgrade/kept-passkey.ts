import { createHash, createPrivateKey, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import type { At, Browser } from './browser.ts'
import { ORIGIN } from './deployed.ts'

/** A passkey as it is stored between versions: the authenticator of the package keeps its keys to itself. */
export interface KeptPasskey {
  readonly id: string
  /** The user handle. */
  readonly handle: string
  /** The private key, PKCS #8 in base64. */
  readonly key: string
}

const RP_ID = new URL(ORIGIN).hostname
const digest = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest()
const clientData = (type: string, challenge: string) =>
  Buffer.from(JSON.stringify({ type, challenge, origin: ORIGIN, crossOrigin: false }))

/** RP id's hash, flags and counter. The person is verified, and the authenticator does not count. */
const head = (flags: number) =>
  Buffer.concat([digest(Buffer.from(RP_ID)), Buffer.from([flags, 0, 0, 0, 0])])

/** Makes a passkey in a browser, to sign up or to add it. @returns the passkey, and the status of the answer */
export async function makePasskey(browser: Browser, purpose: 'sign-up' | 'add', at: At) {
  const options = await optionsFor(browser, purpose, at)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const id = randomBytes(32)
  const coordinate = (label: number, value: string) =>
    Buffer.concat([Buffer.from([label, 0x58, 0x20]), Buffer.from(value, 'base64url')])
  // COSE: {1: 2, 3: -7, -1: 1, -2: x, -3: y}
  const fixed = Buffer.from([0xa5, 1, 2, 3, 0x26, 0x20, 1])
  const cose = Buffer.concat([fixed, coordinate(0x21, x), coordinate(0x22, y)])
  const authData = Buffer.concat([
    head(0x45),
    Buffer.alloc(16),
    Buffer.from([0, id.length]),
    id,
    cose,
  ])
  const attestationObject = Buffer.concat([
    Buffer.from([0xa3, 0x63]),
    Buffer.from('fmt'),
    Buffer.from([0x64]),
    Buffer.from('none'),
    Buffer.from([0x67]),
    Buffer.from('attStmt'),
    Buffer.from([0xa0, 0x68]),
    Buffer.from('authData'),
    Buffer.from([0x58, authData.length]),
    authData,
  ])
  const spki = publicKey.export({ format: 'der', type: 'spki' })
  const { status } = await finish(browser, at, id.toString('base64url'), {
    clientDataJSON: clientData('webauthn.create', options.challenge).toString('base64url'),
    attestationObject: attestationObject.toString('base64url'),
    authenticatorData: authData.toString('base64url'),
    publicKey: spki.toString('base64url'),
    publicKeyAlgorithm: -7,
    transports: ['internal'],
  })
  const key = privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64')
  const passkey = { id: id.toString('base64url'), handle: options.user?.id ?? '', key }
  return { passkey, status }
}

/** Signs in. @returns the status of the answer, and its error */
export async function signInBy(browser: Browser, { id, handle, key }: KeptPasskey, at: At) {
  const { challenge } = await optionsFor(browser, 'sign-in', at)
  const data = clientData('webauthn.get', challenge)
  const privateKey = createPrivateKey({
    key: Buffer.from(key, 'base64'),
    format: 'der',
    type: 'pkcs8',
  })
  const signature = sign('sha256', Buffer.concat([head(0x05), digest(data)]), privateKey)
  return finish(browser, at, id, {
    clientDataJSON: data.toString('base64url'),
    authenticatorData: head(0x05).toString('base64url'),
    signature: signature.toString('base64url'),
    userHandle: handle,
  })
}

async function optionsFor(browser: Browser, purpose: string, at: At) {
  const answer = await browser.postJson('/auth/passkey/options', { for: purpose }, at)
  const { publicKey } = (await answer.json()) as {
    publicKey?: { readonly challenge: string; readonly user?: { readonly id: string } }
  }
  if (!publicKey) throw new Error(`No ceremony to ${purpose}: ${answer.status}`)
  return publicKey
}

async function finish(browser: Browser, at: At, id: string, response: object) {
  const credential = {
    ...{ id, rawId: id, type: 'public-key', authenticatorAttachment: 'platform' },
    ...{ clientExtensionResults: {}, response },
  }
  const fields = { credential, callbackUrl: '/inbox' }
  const answer = await browser.postJson('/auth/callback/passkey', fields, at)
  const { error, code } = (await answer.json()) as { error?: string; code?: string }
  return { status: answer.status, error: code ?? error }
}
