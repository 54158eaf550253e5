import { textOf } from '@latchkey/host/shared'
import { InvalidConfiguration } from '../../../errors.js'
import { isLoopback } from '../../../lib/is-loopback.js'
import type { Environment } from '../../../types.js'
import { isEventName } from '../event-names.js'

/** Where messages go, and how they are signed. */
export interface WebhookSettings {
  readonly url: string
  /** One or two keys of HMAC-SHA256. A message has a signature by each. */
  readonly secrets: readonly Uint8Array<ArrayBuffer>[]
  /** The events that are sent; `undefined`: all. */
  readonly events: ReadonlySet<string> | undefined
}

/** Standard Webhooks 1.0 has 24 to 64 bytes for a secret. */
const MIN_BYTES = 24
const MAX_BYTES = 64
/** The one that is replaced, and the new one. */
const MAX_SECRETS = 2

/**
 * `AUTH_WEBHOOK_URL`, `AUTH_WEBHOOK_SECRET` and `AUTH_WEBHOOK_EVENTS`. The service reads them, and each object of the
 * ledger again.
 *
 * @returns `undefined`: neither a URL nor a secret is set, and webhooks are off
 * @throws {InvalidConfiguration} one is missing or malformed. The message names the variable, and never has its value
 */
export function readWebhook(env: Environment): WebhookSettings | undefined {
  const url = textOf(env, 'AUTH_WEBHOOK_URL')
  const secret = textOf(env, 'AUTH_WEBHOOK_SECRET')
  if (url === undefined && secret === undefined) return undefined
  if (url === undefined || secret === undefined) {
    throw new InvalidConfiguration('Webhooks need both AUTH_WEBHOOK_URL and AUTH_WEBHOOK_SECRET.')
  }
  return { url: checkedUrl(url), secrets: readSecrets(secret), events: readEvents(env) }
}

/** The operator alone chooses the URL, so hosts of a private network are allowed. */
function checkedUrl(text: string): string {
  const url = URL.parse(text)
  const isPrivate = url?.protocol === 'https:' || (url && isLoopback(url))
  if (url && isPrivate && !url.username && !url.password) return url.href
  throw new InvalidConfiguration(
    'AUTH_WEBHOOK_URL is an https URL, or http on this machine, without a user name and a password.',
  )
}

function readSecrets(text: string): WebhookSettings['secrets'] {
  const secrets = text.split(',', MAX_SECRETS + 1).map((secret) => readSecret(secret.trim()))
  if (secrets.length <= MAX_SECRETS) return secrets
  throw new InvalidConfiguration(
    'AUTH_WEBHOOK_SECRET has two secrets at most, with a comma between.',
  )
}

function readSecret(text: string): Uint8Array<ArrayBuffer> {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? []
  const bytes = base64 === undefined ? undefined : decodeBase64(base64)
  if (bytes && bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES) return bytes
  throw new InvalidConfiguration(
    `AUTH_WEBHOOK_SECRET is whsec_ and the base64 of ${MIN_BYTES} to ${MAX_BYTES} random bytes: latchkey secret webhook makes one.`,
  )
}

/** `undefined` for a spelling that a receiver may not decode to the same bytes. */
function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    const binary = atob(text)
    if (btoa(binary) !== text) return undefined
    return Uint8Array.from(binary, (byte) => byte.charCodeAt(0))
  } catch {
    return undefined
  }
}

function readEvents(env: Environment): ReadonlySet<string> | undefined {
  const names = textOf(env, 'AUTH_WEBHOOK_EVENTS')
    ?.split(',')
    .map((name) => name.trim())
  if (names === undefined || names.every(isEventName)) return names && new Set(names)
  throw new InvalidConfiguration(
    'AUTH_WEBHOOK_EVENTS has a name that is not an event of the audit log: docs/log-events.md has the list.',
  )
}
