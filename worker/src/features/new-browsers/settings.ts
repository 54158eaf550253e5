import { textOf } from '@latchkey/host/shared'
import { InvalidConfiguration } from '../../errors.js'
import type { FeatureSurroundings } from '../../service/feature.js'
import type { AuthConfig } from '../../types.js'

const NAME = 'AUTH_NEW_BROWSER_MAIL'

/** @returns `undefined`: it is off @throws {InvalidConfiguration} naming the option or the variable */
export function isSwitchedOn(
  { newBrowserMail }: AuthConfig,
  { env }: FeatureSurroundings,
): true | undefined {
  if (newBrowserMail !== undefined && typeof newBrowserMail !== 'boolean') {
    throw new InvalidConfiguration('newBrowserMail must be true or false.')
  }
  const text = textOf(env, NAME)?.trim() ?? ''
  if (!['', 'true', 'false'].includes(text)) {
    throw new InvalidConfiguration(`${NAME} must be true or false.`)
  }
  return (newBrowserMail ?? text === 'true') || undefined
}
