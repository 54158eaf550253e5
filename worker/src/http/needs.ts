import type { SessionNeeds } from '@latchkey/session/internal'

/** The greatest age that anybody means: thirty years. In seconds. */
const MAX_AGE = 1_000_000_000

/** How strong a sign-in is asked for, as a query, a form or JSON has it; anything else is as if absent. */
export function acrIn(value: unknown): SessionNeeds['acr'] {
  return value === '1' || value === '2' ? value : undefined
}

/** A whole number of seconds, as a query, a form or JSON has it; anything else is as if absent. */
export function ageIn(value: unknown): number | undefined {
  const isDigits = typeof value === 'string' && /^\d{1,16}$/.test(value)
  const age = isDigits ? Number(value) : value
  if (!Number.isSafeInteger(age) || (age as number) < 0) return undefined
  return Math.min(age as number, MAX_AGE)
}
