import { textOf } from '@latchkey/host/shared'
import { InvalidConfiguration } from '../errors.js'
import password from '../providers/password.js'
import type { Environment, PasswordConfig } from '../types.js'

/** The provider of passwords, if `AUTH_PASSWORD` asks for it. @throws {InvalidConfiguration} naming the variable */
export function passwordIn(env: Environment): PasswordConfig[] {
  const isOn = isTrue(env, 'AUTH_PASSWORD')
  const breached = isTrue(env, 'AUTH_PASSWORD_BREACHED')
  const minLength = leastLength(env)
  if (!isOn) return []
  return [password({ breached, ...(minLength === undefined ? {} : { minLength }) })]
}

/** @throws {InvalidConfiguration} it has another value than `true` */
function isTrue(env: Environment, name: string): boolean {
  const text = textOf(env, name)
  if (text === undefined || text === 'true') return text === 'true'
  throw new InvalidConfiguration(`${name} must be true, or left out.`)
}

function leastLength(env: Environment): number | undefined {
  const text = textOf(env, 'AUTH_PASSWORD_MIN_LENGTH')
  if (text === undefined) return undefined
  if (/^\d{1,2}$/.test(text) && Number(text) >= 8 && Number(text) <= 64) return Number(text)
  throw new InvalidConfiguration('AUTH_PASSWORD_MIN_LENGTH must be a whole number from 8 to 64.')
}
