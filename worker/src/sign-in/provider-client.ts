import { optionOrVariable, variablePrefix } from '../config/variable-prefix.js'
import { ProviderMisconfigured } from '../errors.js'
import type { Environment, OAuthUserConfig } from '../types.js'

/** This service as a provider's client: an id and, mostly, a secret. */
interface ClientConfig
  extends Pick<OAuthUserConfig<never>, 'clientId' | 'clientSecret' | 'issuer'> {
  readonly id: string
}

/** The rule for every provider: `AUTH_<ID>_ID`, `AUTH_<ID>_SECRET`, `AUTH_<ID>_ISSUER`. */
export function withEnvironment<Config extends ClientConfig>(
  provider: Config,
  env: Environment,
): Config {
  const setting = optionOrVariable(env, variablePrefix(provider.id))
  return {
    ...provider,
    ...optional({
      clientId: setting('ID', provider.clientId) || undefined,
      clientSecret: setting('SECRET', provider.clientSecret) || undefined,
      issuer: setting('ISSUER', provider.issuer) || undefined,
    }),
  }
}

/** @param variable the end of the name of the variable that can be set instead */
export function missing(
  { id, variables = variablePrefix(id) }: { readonly id: string; readonly variables?: string },
  what: string,
  variable: string,
): ProviderMisconfigured {
  const error = new ProviderMisconfigured(
    `Provider "${id}" has no ${what}: set it in its options or in the environment (${variables}_${variable}).`,
  )
  return variable === 'ID' ? Object.assign(error, { lacks: `${variables}_ID` }) : error
}

type Optional<Members> = { [Key in keyof Members]?: Exclude<Members[Key], undefined> }

/** The object without `undefined` members. */
export function optional<Members extends object>(members: Members): Optional<Members> {
  const there = Object.entries(members).filter(([, value]) => value !== undefined)
  return Object.fromEntries(there) as Optional<Members>
}
