import type { TakesMachines } from './access-token-reader.js'
import { serviceOf, type VerifierOptions } from './options.js'
import { readScopes, type TokenNeeds } from './token-refusal.js'

/** A guard of one resource: what tokens must be for, and what they must have. */
interface Guard extends Pick<VerifierOptions, 'worker' | 'issuer'>, Pick<TokenNeeds, 'scope'> {
  readonly audience: string
  readonly machine?: TakesMachines | undefined
}

/**
 * Checks the options of a guard. No resource of a service is spelled in another way than `audience` must be, so that
 * no token would ever count.
 *
 * @returns the scopes, each once, `undefined` if `scope` names none; and the issuer of the tokens, if it is known
 * @throws {TypeError} with the spelling to write
 */
export function readGuard({ audience, scope, machine, ...service }: Guard): {
  readonly scopes: readonly string[] | undefined
  readonly issuer: string | undefined
  readonly machine: TakesMachines
} {
  checkAudience(audience)
  const { href } = new URL(audience)
  if (href !== audience) throw new TypeError(`\`audience\` must be ${href}, as clients write it.`)
  const scopes = scope === undefined ? [] : readScopes(scope)
  return { scopes, issuer: serviceOf(service).issuer, machine: checkMachine(machine) }
}

/** @throws {TypeError} */
export function checkAudience(audience: unknown): void {
  if (typeof audience !== 'string' || !URL.canParse(audience) || audience.includes('#')) {
    throw new TypeError('`audience` must be an absolute URI such as https://api.example.com/.')
  }
}

/**
 * Checks whether tokens of machines count. A text or a number of an app without types would open an API to machines.
 *
 * @throws {TypeError}
 */
export function checkMachine(machine: unknown = false): TakesMachines {
  if (typeof machine === 'boolean' || machine === 'only') return machine
  throw new TypeError("`machine` must be true, false or 'only'.")
}
