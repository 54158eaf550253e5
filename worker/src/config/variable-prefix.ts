import { type Environment, textOf } from '@latchkey/host/shared'

/** The default prefix of a provider's variables: `AUTH_GOOGLE`, `AUTH_MICROSOFT_ENTRA_ID`. */
export function variablePrefix(id: string): string {
  return `AUTH_${id.toUpperCase().replaceAll('-', '_')}`
}

/**
 * Reads options of a provider, each of which a variable can replace. An empty option counts as left out.
 *
 * @param prefix the beginning of the variables, as `variablePrefix` gives it
 * @returns a function from the end of a variable's name, and the option, to the value; empty: there is none
 * @example optionOrVariable(env, variablePrefix(config.id))('ID', config.clientId)
 */
export function optionOrVariable(env: Environment, prefix: string) {
  return <Option = undefined>(end: string, option?: Option): string | NonNullable<Option> =>
    option || (textOf(env, `${prefix}_${end}`) ?? '')
}
