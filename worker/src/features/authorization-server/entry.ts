import { isRecord } from '@latchkey/session/internal'
import type { Variables } from '../../config/variables-of.js'
import type { Environment } from '../../types.js'

/** What a configuration has wrong, so that the operator hears of all of it at once. No value is in it. */
export class Mistakes {
  /** Are the variables known? Then what both leave out is missing. */
  readonly isFinal: boolean
  readonly #all = new Set<string>()

  constructor(isFinal: boolean) {
    this.isFinal = isFinal
  }

  /** @param rule how the value has to be, as the rest of a sentence */
  add(option: string, variable: string, rule: string): void {
    if (this.#all.size < MAX_MISTAKES) this.#all.add(`\`${option}\` (${variable}) ${rule}.`)
  }

  /** The text of an error; `undefined`: there are none. */
  get text(): string | undefined {
    return this.#all.size > 0
      ? `The authorization server is misconfigured: ${[...this.#all].join(' ')}`
      : undefined
  }
}

const MAX_MISTAKES = 50

/** An app or a resource, as an option and variables have it. The option counts before a variable. */
export class Entry {
  readonly #path: string
  readonly #variable: string
  readonly #option: Readonly<Record<string, unknown>>
  readonly #variables: Variables
  readonly #mistakes: Mistakes

  /**
   * @param place the path of the option, such as `apps.spa`, and what the variables begin with, such as `AUTH_APP_SPA`
   * @param known the members of the option
   */
  constructor(
    place: readonly [path: string, variable: string],
    option: unknown,
    variables: Variables,
    known: readonly string[],
    mistakes: Mistakes,
  ) {
    ;[this.#path, this.#variable] = place
    this.#option = isRecord(option) ? option : {}
    this.#variables = variables
    this.#mistakes = mistakes
    if (option !== undefined && !isRecord(option)) this.wrong('must be an object')
    for (const name of Object.keys(this.#option)) {
      if (!known.includes(name)) this.wrong(`has no member ${shortened(name)}`)
    }
  }

  /** @param name of a member; left out: the entry itself is wrong */
  wrong(rule: string, name?: string): void {
    const option = name === undefined ? this.#path : `${this.#path}.${name}`
    const end = name === undefined ? '…' : variableOf(name)
    this.#mistakes.add(option, `${this.#variable}_${end}`, rule)
  }

  /** Is it there as an option, perhaps with the value `undefined`? */
  isNamed(name: string): boolean {
    return Object.hasOwn(this.#option, name)
  }

  /** The value as it was given. */
  value(name: string): unknown {
    return this.#option[name] ?? this.#variables[variableOf(name)]
  }

  /**
   * A value that may be left out.
   *
   * @param read `undefined`: it cannot be used
   * @param rule how it has to be, as the rest of a sentence
   */
  read<Value, Default>(
    name: string,
    read: (value: unknown) => Value | undefined,
    rule: string,
    byDefault: Default,
  ): Value | Default {
    const given = this.value(name)
    if (given === undefined) return byDefault
    const value = read(given)
    if (value === undefined) this.wrong(rule, name)
    return value ?? byDefault
  }

  isTrue(name: string): boolean {
    const read = (value: unknown) => {
      const text = String(value)
      return text === 'true' || (text === 'false' ? false : undefined)
    }
    return this.read(name, read, 'must be true or false', false)
  }
}

/** @returns the name as it stands at the end of a variable: `REDIRECT_URIS` of `redirectUris` */
function variableOf(name: string): string {
  return name.replace(/[A-Z]/g, '_$&').toUpperCase()
}

/** The path of an entry, in the notation of JavaScript. */
export function pathOf(list: string, name: string): string {
  return /^[A-Za-z]\w*$/.test(name) ? `${list}.${name}` : `${list}[${shortened(name)}]`
}

/** A text of the configuration for a message. */
export function shortened(name: string): string {
  return JSON.stringify(name.slice(0, 100))
}

/**
 * Names variables that begin as those of an entry do, and say nothing.
 *
 * @param beginning such as `AUTH_APP_SPA_`
 */
export function strayVariables(env: Environment, beginning: string, form: RegExp): string[] {
  return Object.keys(env).filter(
    (one) => one.startsWith(beginning) && !form.test(one) && env[one] !== '',
  )
}
