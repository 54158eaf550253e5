import { isRecord } from '@latchkey/session/internal'
import { compactVerify } from 'jose'
import { decodeBase64Url } from '../../lib/base64url.js'
import { JweOpener, parsed } from './jwe.js'

/** A longer cookie fits no header. Characters. */
const MAX_COOKIE = 32_768
/** The limit of a session's token. Characters. */
const MAX_TOKEN = 256

/** A token, and its HMAC in base64 with its padding. */
const SIGNED = /^([!-~]{1,256})\.([A-Za-z0-9+/]{43}=)$/

/** Reads the cookies that better-auth has signed and encrypted with one of its secrets. */
export class BetterAuthCookies {
  readonly #secrets: readonly string[]
  readonly #jwe: JweOpener
  #keys: readonly CryptoKey[] | undefined

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets
    this.#jwe = new JweOpener(secrets, {
      salt: 'better-auth-session',
      info: 'BetterAuth.js Generated Encryption Key',
      thumbprint: () => 'sha256',
    })
  }

  /** The session token in a signed cookie; `undefined` without a good signature. */
  async tokenIn(cookie: string): Promise<string | undefined> {
    if (cookie.length > 3 * MAX_TOKEN) return undefined
    const [, token, signature] = SIGNED.exec(decoded(cookie)) ?? []
    if (token === undefined || signature === undefined) return undefined
    return (await this.#hasSigned(token, base64Url(signature))) ? token : undefined
  }

  /**
   * The copy of a session that better-auth keeps in a cookie, in any of its three forms, while it counts.
   *
   * @param now milliseconds since the epoch
   */
  async copyIn(cookie: string, now: number): Promise<Record<string, unknown> | undefined> {
    if (cookie.length > MAX_COOKIE) return undefined
    try {
      const dots = cookie.split('.', 6).length - 1
      if (dots === 0) return await this.#compact(decoded(cookie), now)
      const claims = dots === 2 ? await this.#signed(cookie) : await this.#jwe.open(cookie)
      return isAfter(claims?.exp, now / 1000) ? claims : undefined
    } catch {
      // An unsigned value may have any form, and may be as deep as the stack.
      return undefined
    }
  }

  /** The signature covers JSON, so the contents have to be written as JSON once more. */
  async #compact(cookie: string, now: number): Promise<Record<string, unknown> | undefined> {
    const { session, expiresAt, signature } = parsed(decodeBase64Url(cookie)) ?? {}
    if (!isRecord(session) || !isAfter(expiresAt, now)) return undefined
    const text = JSON.stringify({ ...session, expiresAt })
    return (await this.#hasSigned(text, String(signature))) ? session : undefined
  }

  async #signed(token: string): Promise<Record<string, unknown> | undefined> {
    for (const secret of this.#secrets) {
      // Times are judged by the service's own clock.
      const verified = await compactVerify(token, new TextEncoder().encode(secret), {
        algorithms: ['HS256'],
      }).catch(() => undefined)
      if (verified) return parsed(verified.payload)
    }
    return undefined
  }

  /** Compared by the platform, in constant time. @param mac in base64url */
  async #hasSigned(text: string, mac: string): Promise<boolean> {
    const signature = decodeBase64Url(mac)
    if (signature?.length !== 32) return false
    this.#keys ??= await Promise.all(this.#secrets.map(hmacKey))
    const bytes = new TextEncoder().encode(text)
    const matches = await Promise.all(
      this.#keys.map((key) => crypto.subtle.verify('HMAC', key, signature, bytes)),
    )
    return matches.includes(true)
  }
}

function hmacKey(secret: string): Promise<CryptoKey> {
  const how = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', new TextEncoder().encode(secret), how, false, ['verify'])
}

function isAfter(time: unknown, now: number): boolean {
  return typeof time === 'number' && time > now
}

function base64Url(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replace(/=$/, '')
}

/** A cookie's value without its percent-encoding. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    return value
  }
}
