/** A short line for the log, or nothing: a provider's text must not forge log lines. */
export function printable(value: unknown): string | undefined {
  if (typeof value !== 'string' || value === '') return undefined
  return value.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)
}
