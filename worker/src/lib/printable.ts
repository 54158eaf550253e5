/** A short line for the log, or nothing: a provider's text must not forge log lines. */
export function printable(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return value.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)
}

/**
 * Text without secrets, in whatever spelling they stand there. Before it is cut or re-spelled: then
 * they can no longer be found.
 */
export function hideSecrets(text: string, secrets: readonly unknown[]): string {
  return secrets.flatMap(spellingsOf).reduce((left, one) => left.replaceAll(one, '[hidden]'), text)
}

/** A secret as it stands, and as a form or a URL has it. */
function spellingsOf(secret: unknown): string[] {
  if (typeof secret !== 'string' || secret === '') return []
  const form = new URLSearchParams({ '': secret }).toString().slice(1)
  return [...new Set([secret, form, encodeURIComponent(secret)])]
}
