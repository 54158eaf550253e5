import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'
import { WrongUse } from './command.js'

/**
 * The arguments of a command. A value may begin with a hyphen, as ids do.
 *
 * @param args after the command's name
 * @param options as `parseArgs` of Node has them
 * @example const { values, positionals } = parsed(args, { to: { type: 'string' } })
 * @throws {WrongUse} an option is unknown, has no value or one too many, or is given twice
 */
export function parsed<const Options extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: Options,
) {
  const joined = joinValues(args, options)
  check(joined, options)
  return parseArgs({ args: joined, options, allowPositionals: true })
}

/** `--sub -ab3…` as `--sub=-ab3…`: an id of 22 letters of base64url may begin with a hyphen. */
function joinValues(args: readonly string[], options: ParseArgsOptionsConfig): string[] {
  const joined: string[] = []
  const end = args.includes('--') ? args.indexOf('--') : args.length
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? ''
    const value = args[at + 1]
    const takesValue = /^--[a-z]/.test(arg) && options[arg.slice(2)]?.type === 'string'
    if (at < end && takesValue && value !== undefined && /^-(?!-|$)|^-[\w-]{21}$/.test(value)) {
      joined.push(`${arg}=${value}`)
      at++
    } else {
      joined.push(arg)
    }
  }
  return joined
}

/** @throws {WrongUse} with a sentence that has the option's name, and no value */
function check(args: string[], options: ParseArgsOptionsConfig): void {
  const { tokens } = parseArgs({
    args,
    options,
    allowPositionals: true,
    strict: false,
    tokens: true,
  })
  const seen = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const { name, rawName, value, inlineValue } = token
    const option = Object.hasOwn(options, name) ? options[name] : undefined
    if (!option) throw new WrongUse(`There is no option ${JSON.stringify(rawName)}.`)
    const isOption = inlineValue === false && /^-./.test(value)
    if (option.type === 'string' && (!value || isOption)) {
      throw new WrongUse(`${rawName} needs a value.`)
    }
    if (option.type === 'boolean' && value !== undefined) {
      throw new WrongUse(`${rawName} takes no value.`)
    }
    if (seen.has(name) && !option.multiple) throw new WrongUse(`${rawName} is there twice.`)
    seen.add(name)
  }
}

/**
 * Checks that a part of a command was given its own options alone.
 *
 * @param values of `parsed`
 * @param part as a person types it, such as `latchkey secret rotate`
 * @throws {WrongUse} naming the option
 */
export function onlyOptions(values: object, own: readonly string[], part: string): void {
  const other = Object.keys(values).find((name) => !own.includes(name))
  if (other !== undefined) throw new WrongUse(`--${other} is not an option of ${part}.`)
}
