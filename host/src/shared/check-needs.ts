import { isRecord } from '@latchkey/session/internal'
import { InvalidConfiguration } from './invalid-configuration.js'

const NAMES: readonly string[] = ['maxAge', 'acr', 'bound']

/**
 * Checks the needs, since an app without types passes anything, and a misspelled name or value
 * would demand nothing.
 *
 * @param others names of further options in the same object
 * @throws {InvalidConfiguration} naming the option
 */
export function checkNeeds(needs: object, others: readonly string[] = []): void {
  if (!isRecord(needs)) {
    throw new InvalidConfiguration('Options must be an object, such as { maxAge: 300 }.')
  }
  const unknown = Object.keys(needs).find((it) => !NAMES.includes(it) && !others.includes(it))
  if (unknown !== undefined) throw new InvalidConfiguration(`There is no option \`${unknown}\`.`)
  const { maxAge, acr, bound } = needs
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && (maxAge as number) >= 0)) {
    throw new InvalidConfiguration('`maxAge` must be a whole number of seconds, 0 or more.')
  }
  if (acr !== undefined && acr !== '1' && acr !== '2') {
    throw new InvalidConfiguration("`acr` must be the text '1' or '2'.")
  }
  if (bound !== undefined && bound !== true) {
    throw new InvalidConfiguration('`bound` must be true, or left out.')
  }
}
