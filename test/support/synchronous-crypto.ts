import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  sign,
  timingSafeEqual,
  verify,
} from 'node:crypto'
import { callsInThreads } from './calls-in-threads.ts'

// Node's WebCrypto hands each call to a thread, which costs six to fifteen times what the call computes. Function tests make
// millions of calls, so here the same library (OpenSSL) answers them on the same thread. Node's WebCrypto still answers
// unusual calls and calls that fail, so that errors are its own. Tests in workerd and end to end have the platform's
// cryptography alone.

/** A synchronous answer, or `undefined` if Node's WebCrypto has to answer. */
type Answer = (...args: never[]) => ArrayBuffer | boolean | undefined

/** The imported keys that have synchronous answers. Keys that Node has generated have none. */
const keys = new WeakMap<CryptoKey, () => KeyObject>()

/** A copy, which does not change when the caller writes over the bytes. Throws on anything but bytes. */
function copyOf(data: BufferSource): Uint8Array<ArrayBuffer> {
  if (data instanceof ArrayBuffer) return new Uint8Array(data.slice(0))
  return new Uint8Array(Buffer.from(data.buffer, data.byteOffset, data.byteLength))
}

/** An answer of WebCrypto has a buffer of its own; small buffers of Node share one. */
const answerOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer

const HASHES = new Map<string, 'sha1' | 'sha256' | 'sha384' | 'sha512'>([
  ['SHA-1', 'sha1'],
  ['SHA-256', 'sha256'],
  ['SHA-384', 'sha384'],
  ['SHA-512', 'sha512'],
])

const nameOf = (algorithm: AlgorithmIdentifier) =>
  typeof algorithm === 'string' ? algorithm : algorithm.name
const hashOf = (algorithm: AlgorithmIdentifier) => HASHES.get(nameOf(algorithm))

/** The key, if it has this usage and belongs to this algorithm. */
function keyFor(algorithm: AlgorithmIdentifier, key: CryptoKey, usage: KeyUsage) {
  const isAllowed = key.algorithm.name === nameOf(algorithm) && key.usages.includes(usage)
  return isAllowed ? keys.get(key)?.() : undefined
}

function macOf(key: KeyObject, { algorithm }: CryptoKey, data: BufferSource) {
  const hash = hashOf((algorithm as HmacKeyAlgorithm).hash)
  return hash && createHmac(hash, key).update(copyOf(data)).digest()
}

const TAG = 16

/** What AES-GCM needs for a nonce of twelve bytes and a whole tag. */
function gcmFor(params: AesGcmParams, key: CryptoKey, usage: KeyUsage) {
  const isUsual =
    params.name === 'AES-GCM' && params.tagLength === undefined && params.iv.byteLength === 12
  const name = `aes-${(key.algorithm as AesKeyAlgorithm).length}-gcm` as 'aes-256-gcm'
  const keyObject = isUsual ? keyFor(params, key, usage) : undefined
  return keyObject && { name, key: keyObject, nonce: copyOf(params.iv) }
}

const synchronous: Readonly<Record<string, Answer>> = {
  digest(algorithm: AlgorithmIdentifier, data: BufferSource) {
    const hash = hashOf(algorithm)
    return hash && answerOf(createHash(hash).update(copyOf(data)).digest())
  },
  sign(algorithm: AlgorithmIdentifier, cryptoKey: CryptoKey, data: BufferSource) {
    const key = keyFor(algorithm, cryptoKey, 'sign')
    if (!key) return undefined
    const isMac = nameOf(algorithm) === 'HMAC'
    const signature = isMac ? macOf(key, cryptoKey, data) : sign(null, copyOf(data), key)
    return signature && answerOf(signature)
  },
  verify(
    algorithm: AlgorithmIdentifier,
    cryptoKey: CryptoKey,
    signature: BufferSource,
    data: BufferSource,
  ) {
    const key = keyFor(algorithm, cryptoKey, 'verify')
    if (!key) return undefined
    if (nameOf(algorithm) !== 'HMAC') return verify(null, copyOf(data), key, copyOf(signature))
    const mac = macOf(key, cryptoKey, data)
    return mac && mac.length === signature.byteLength && timingSafeEqual(mac, copyOf(signature))
  },
  encrypt(params: AesGcmParams, cryptoKey: CryptoKey, data: BufferSource) {
    const gcm = gcmFor(params, cryptoKey, 'encrypt')
    if (!gcm) return undefined
    const cipher = createCipheriv(gcm.name, gcm.key, gcm.nonce)
    if (params.additionalData) cipher.setAAD(copyOf(params.additionalData))
    const parts = [cipher.update(copyOf(data)), cipher.final(), cipher.getAuthTag()]
    return answerOf(Buffer.concat(parts))
  },
  decrypt(params: AesGcmParams, cryptoKey: CryptoKey, data: BufferSource) {
    const gcm = gcmFor(params, cryptoKey, 'decrypt')
    if (!gcm) return undefined
    const bytes = copyOf(data)
    if (bytes.length < TAG) return undefined
    const decipher = createDecipheriv(gcm.name, gcm.key, gcm.nonce)
    if (params.additionalData) decipher.setAAD(copyOf(params.additionalData))
    decipher.setAuthTag(bytes.subarray(-TAG))
    return answerOf(Buffer.concat([decipher.update(bytes.subarray(0, -TAG)), decipher.final()]))
  },
  deriveBits(params: HkdfParams, cryptoKey: CryptoKey, bits: number) {
    const key = params.name === 'HKDF' ? keyFor(params, cryptoKey, 'deriveBits') : undefined
    const hash = hashOf(params.hash)
    if (!key || !hash || !(bits > 0 && bits % 8 === 0)) return undefined
    return hkdfSync(hash, key, copyOf(params.salt), copyOf(params.info), bits / 8)
  },
}

/** How Node reads a key of these bytes or members, if its calls have synchronous answers. */
function readerOf(format: KeyFormat, data: unknown, { name }: KeyAlgorithm) {
  if (format === 'raw' && ['HMAC', 'AES-GCM', 'HKDF'].includes(name)) {
    return () => createSecretKey(data as Uint8Array)
  }
  if (name !== 'Ed25519') return undefined
  if (format === 'pkcs8') {
    return () =>
      createPrivateKey({ key: Buffer.from(data as Uint8Array), format: 'der', type: format })
  }
  const jwk = data as JsonWebKey
  const isPublic = format === 'jwk' && jwk.d === undefined
  return isPublic ? () => createPublicKey({ key: { ...jwk }, format }) : undefined
}

/** What Node's WebCrypto does in threads. */
const ASYNCHRONOUS = [
  ...['digest', 'sign', 'verify', 'encrypt', 'decrypt', 'deriveBits', 'deriveKey'],
  ...['generateKey', 'importKey', 'exportKey', 'wrapKey', 'unwrapKey'],
]

const MARK = Symbol.for('latchkey: synchronous cryptography')
const prototype = SubtleCrypto.prototype as unknown as Record<string | symbol, unknown>

// All files of a process share the prototype, and each file runs this module.
if (!prototype[MARK]) {
  prototype[MARK] = true
  for (const name of ASYNCHRONOUS) {
    const inThread = prototype[name] as (...args: never[]) => unknown
    prototype[name] = async function (this: SubtleCrypto, ...args: never[]) {
      callsInThreads.open++
      try {
        return await inThread.apply(this, args)
      } finally {
        callsInThreads.open--
      }
    }
  }
  for (const [name, answer] of Object.entries(synchronous)) {
    const byNode = prototype[name] as (...args: never[]) => Promise<unknown>
    prototype[name] = async function (this: SubtleCrypto, ...args: never[]) {
      // Without its object a method has Node's error, as it has everywhere else.
      if (this !== crypto.subtle) return byNode.apply(this, args)
      try {
        const result = answer(...args)
        if (result !== undefined) return result
      } catch {
        // Node finds the same fault, and reports it in WebCrypto's words.
      }
      return byNode.apply(this, args)
    }
  }
  const byNode = SubtleCrypto.prototype.importKey as (...args: never[]) => Promise<CryptoKey>
  prototype.importKey = async function (this: SubtleCrypto, ...args: never[]) {
    const [format, data] = args as unknown as [KeyFormat, BufferSource | JsonWebKey]
    const isBytes = data instanceof ArrayBuffer || ArrayBuffer.isView(data)
    const copy = isBytes ? copyOf(data) : data
    const key = await byNode.apply(this, args)
    const read = readerOf(format, copy, key.algorithm)
    let keyObject: KeyObject | undefined
    if (read) {
      keys.set(key, () => {
        keyObject ??= read()
        return keyObject
      })
    }
    return key
  }
}
