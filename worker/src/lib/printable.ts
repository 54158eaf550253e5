/** A short line for the log, or nothing: a provider's text must not forge log lines. */
export function printable(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return value.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)
}

/**
 * Text without the given secrets, in every spelling. Call it before the text is cut or re-encoded,
 * since a secret can no longer be found afterwards.
 */
export function hideSecrets(text: string, secrets: readonly unknown[]): string {
  return secrets.flatMap(spellingsOf).reduce((left, one) => left.replaceAll(one, '[hidden]'), text)
}

/** A secret as it is, and as a form or a URL encodes it. */
function spellingsOf(secret: unknown): string[] {
  if (typeof secret !== 'string' || secret === '') return []
  const form = new URLSearchParams({ '': secret }).toString().slice(1)
  return [...new Set([secret, form, encodeURIComponent(secret)])]
}

const own = new WeakSet<object>()

/**
 * Marks the `cause` of an error as made by the service, with nothing secret in it: it is logged
 * whole. For any other cause, such as an app's own error, the log has only name and message.
 */
export function ownDetail<Detail extends object>(detail: Detail): Detail {
  own.add(detail)
  return detail
}

export function isOwnDetail(cause: unknown): cause is Record<string, unknown> {
  return typeof cause === 'object' && cause !== null && own.has(cause)
}
