import {
  createECDH,
  createHash,
  createPrivateKey,
  createPublicKey,
  hkdfSync,
  type KeyObject,
  sign,
} from 'node:crypto'

/**
 * Signs the vectors of verifiers with the platform alone, so that they say what the formats are and not what our sources do.
 * The same content has the same signature each time, also by ES256. Services refuse the secret.
 */
export interface Signer {
  readonly alg: 'EdDSA' | 'ES256' | 'RS256'
  readonly kid: string
  /** The public members, as services publish them. */
  readonly jwk: Readonly<Record<string, string>>
  readonly sign: (input: string) => Buffer
}

/** The order of the group of P-256 (SP 800-186, 3.2.1.3). */
export const P256_ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** An RSA key for tests alone: PKCS #1, DER. */
const RSA = [
  'MIIEogIBAAKCAQEA2ctLL5EZQ+BRqmn0P/hWnnvoLe09Ej+4X0ij16Eaq2jKt7++ST+t2qfLNHylUWEJz5B06beh6opX',
  '0eE1ESLy2pSU7WNr01q0Mg0Z9xOEcejv66uFQ82YRJLs9QLAVhUKPFwNKuw3VnX8EXJPmWFRnfTe/Xv/un3tIyjJonRO',
  'ZlWNyR+CJZ8wZvciyGvKbz4x+TnlGuDK393vJEMeCopCeboLRzCb6I05oM/4umvpGUcxc3vKwLoVcwgKgHFL7y7Q0VjM',
  '7Vothug4amObBxsWziLk66OJE6E2TIRQLDcaYm70WiMbnTAVSP8UuOU7okqL2cH/GN1pO199ULLtmo3fjwIDAQABAoIB',
  'AFo6KOtLWuKuV1bYr0ojKUtd/MmuC4t4X3sF/m6R/Rj/AGCQbJYu7ej0c7BKZTiqEWTurSi4HTmr14cJHDF9v4uDW5Ff',
  'C2gTnyxPFi8wZEHGpUKGm96Dma3rCoTUf3cKH2PzJLdgBerpVSSrLUPXN/dO32S3TrHlgmz69FG7ilFFIxsuG+g/Zi9i',
  'hy8gNjtMvf098MQVLDPyBOqHhxQrzPIK1IrGC9c2CXvKzBCS1jZQCaeBxLfHi82Kt1Erf9kGf08M+hvNk7mJXLCUWmKA',
  'vUKgxAuiSwCUOV8rlY2jJ/b5h4bgTQIWkXHgSQ23RloOeUZkZaTJEIp0Pi2K6LIrly0CgYEA/jAE27vnByuDQZaBRnUB',
  '7Idf4e0KBu6xa20HRFbxrOAawx6Dt0kmPFk1A4p9l/s2oxjkyL/PyYSHKIm7ZGBVRSdiAawR3Cd0Kd0b6f25LYUFjFLq',
  'EsxI3S/eVXZAkqM3qoeR8FveUQ2XYtV4LeT1extrCwmmIxUaJR26EZ6sqa0CgYEA21jYDYAwuYGY3S1DjeCzwHprH5yc',
  'Sgs5Uf8gCeyFA3em4rBEZVupTk3XAw2+GXAwML9wCmnpyWMq1yGGOhzbBdMZiIiGk6g5lzXlp5cZGAt93RaKc+1o7xzp',
  'rBS2WLurtkUq9xmgrBNfVQNyv4OcLNtr6xE2f24Wm9u+izvdzasCgYBp1mSveZXAjoWgkaJSS/X5HoT19VTvfgOxzzvv',
  'YKRQbx+1jscZUgPxrNM+HjQdTCR71KmuTO+f4ObGIlM8gEABA1zzhUoKeQMNS1uMGnE4WuLsgrmkChtsvbm9q/dHF17e',
  'SoShqB7xcM9P/8KCmYr9L3VqqyHaCbdRLQeEvqT2IQKBgD47jMD319sp+9b02q/MSvOXSAFmC6muWYr8GXj3VB3RutWi',
  'MSWYxgZja1eAdKj+/Y03I3Cw8BWlPyheaJjgSvvyEtJ7+cK2/e/66LeN1R7PU9yAYrPVbeo5h8q87adrR6KlKTWGXeG0',
  'dV3HZq0TiCHp90pwTcgF0gBSblNOnvWVAoGADnOKFf3GMy+TV3pUHAETljYJXtkikOUxXDyk6hBUxTSFlV7kw+tbi3cj',
  'QPddbBWkvjcpS0sN8nYaXnWoJzrFKNj5a7S7ZI50kMTd+EiJNuGFRr/UY6hU01Ny22TfrVfPjI0QUfgdlasS5WbFmv8e',
  'PgRdAMlpNnpyRONp2depmf8=',
]

/** An Ed25519 key by HKDF, as a service derives it of its secret. */
export function ed25519(secret: string, info: string): Signer {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', info, 32))
  const der = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed])
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  const { x } = publicMembers(key)
  const point = { crv: 'Ed25519', kty: 'OKP', x: x ?? '' }
  return signer('EdDSA', point, (input) => sign(null, Buffer.from(input), key))
}

/** A P-256 key by HKDF, as a service derives it of its secret. */
export function p256(secret: string): Signer {
  const bytes = Buffer.from(hkdfSync('sha256', secret, '', 'latchkey/oauth/p256/v1', 48))
  const d = (numberOf(bytes) % (P256_ORDER - 1n)) + 1n
  const [x, y] = pointOf(d).map((half) => half.toString('base64url'))
  const point = { crv: 'P-256', kty: 'EC', x: x ?? '', y: y ?? '' }
  return signer('ES256', point, (input) => {
    // It follows from the key and the message, so that the signature is the same each time.
    const nonce = createHash('sha512').update(bytes32(d)).update(input).digest()
    const k = (numberOf(nonce) % (P256_ORDER - 1n)) + 1n
    const r = numberOf(pointOf(k)[0]) % P256_ORDER
    const z = numberOf(createHash('sha256').update(input).digest())
    const s = (inverse(k) * (z + r * d)) % P256_ORDER
    return Buffer.concat([bytes32(r), bytes32(s > P256_ORDER / 2n ? P256_ORDER - s : s)])
  })
}

export function rsa(): Signer {
  const der = Buffer.from(RSA.join(''), 'base64')
  const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs1' })
  const { e, n } = publicMembers(key)
  const point = { e: e ?? '', kty: 'RSA', n: n ?? '' }
  return signer('RS256', point, (input) => sign('sha256', Buffer.from(input), key))
}

/** A JWS in its compact form. The parts may be texts that are not JSON. */
export function signed(header: object | string, payload: object | string, by: Signer): string {
  const input = `${encoded(header)}.${encoded(payload)}`
  return `${input}.${by.sign(input).toString('base64url')}`
}

export function encoded(part: object | string | Buffer): string {
  const content = typeof part === 'object' && !Buffer.isBuffer(part) ? JSON.stringify(part) : part
  return Buffer.from(content as string).toString('base64url')
}

export function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

export function bytes32(number: bigint): Buffer {
  return Buffer.from(number.toString(16).padStart(64, '0'), 'hex')
}

function publicMembers(key: KeyObject): JsonWebKey {
  return createPublicKey(key).export({ format: 'jwk' }) as JsonWebKey
}

/** @param point in lexical order (RFC 7638, 3.2) */
function signer(alg: Signer['alg'], point: Record<string, string>, sign: Signer['sign']): Signer {
  const kid = createHash('sha256').update(JSON.stringify(point)).digest('base64url')
  return { alg, kid, jwk: { ...point, kid, alg, use: 'sig' }, sign }
}

/** The two coordinates of a multiple of the generator. */
function pointOf(scalar: bigint): [Buffer, Buffer] {
  const curve = createECDH('prime256v1')
  curve.setPrivateKey(bytes32(scalar))
  const point = curve.getPublicKey()
  return [point.subarray(1, 33), point.subarray(33)]
}

/** By Fermat's little theorem. */
function inverse(number: bigint): bigint {
  let [result, base] = [1n, number % P256_ORDER]
  for (let power = P256_ORDER - 2n; power > 0n; power >>= 1n) {
    if (power & 1n) result = (result * base) % P256_ORDER
    base = (base * base) % P256_ORDER
  }
  return result
}
