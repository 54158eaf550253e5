import { PROOF_HEADER, proofInput, proofKeyOf } from '@latchkey/host/shared'
import { encodeBase64Url, randomToken } from '../lib/base64url.js'

/** What an app says of a request that it forwards. */
export interface Said {
  readonly origin?: string | undefined
  readonly client?: string | undefined
}

/** Adds the proof of an app that has these secrets, as the adapters do. */
export async function prove(
  secrets: readonly string[],
  { url, method, headers }: Pick<Request, 'url' | 'method' | 'headers'>,
  said: Said,
): Promise<void> {
  const statement = { ...said, time: Math.floor(Date.now() / 1000), nonce: randomToken(16) }
  const text = encodeBase64Url(new TextEncoder().encode(JSON.stringify(statement)))
  const input = proofInput(method, new URL(url).pathname, text)
  const parts = [text]
  for (const secret of secrets) {
    const { id, key } = await proofKeyOf(secret)
    const mac = await crypto.subtle.sign('HMAC', key, input)
    parts.push(id, encodeBase64Url(new Uint8Array(mac)))
  }
  headers.set(PROOF_HEADER, parts.join('.'))
}
