/** One message, with the same bytes at each try. */
export interface Message {
  /** The `id` of its record. */
  readonly id: string
  /** JSON. */
  readonly body: string
}

/** Imported keys: an import costs more than a signature. */
const imported = new WeakMap<Uint8Array, Promise<CryptoKey>>()

/**
 * The headers that prove who has sent a message, and when (Standard Webhooks 1.0: HMAC-SHA256 of
 * `<id>.<timestamp>.<body>`). With two secrets there are two signatures, so that a receiver may have either.
 *
 * @param now milliseconds: the time of this try, not of the event
 * @example fetch(url, { method: 'POST', body: message.body, headers: await signatureOf(message, secrets, now) })
 */
export async function signatureOf(
  { id, body }: Message,
  secrets: readonly Uint8Array<ArrayBuffer>[],
  now: number,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(now / 1000))
  const content = new TextEncoder().encode(`${id}.${timestamp}.${body}`)
  const signatures = secrets.map(async (secret) => {
    const bytes = await crypto.subtle.sign('HMAC', await keyOf(secret), content)
    return `v1,${btoa(String.fromCharCode(...new Uint8Array(bytes)))}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': (await Promise.all(signatures)).join(' '),
  }
}

function keyOf(secret: Uint8Array<ArrayBuffer>): Promise<CryptoKey> {
  const known = imported.get(secret)
  if (known) return known
  const hmac = { name: 'HMAC', hash: 'SHA-256' }
  const key = crypto.subtle.importKey('raw', secret, hmac, false, ['sign'])
  imported.set(secret, key)
  return key
}
