import type { Plural, Texts, Words } from './texts.js'

/**
 * A text with values in the places of its parameters. What stands in braces in a value stays as it is.
 *
 * @example
 * fill('Continue with {name}', { name: 'GitHub' }) // 'Continue with GitHub'
 */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return fillParts(text, values).join('')
}

/** The same in parts, for values that are markup. */
export function fillParts<Value>(
  text: string,
  values: Readonly<Record<string, Value>>,
): (string | Value)[] {
  // Every second part is the name of a parameter.
  return text.split(/\{(\w+)\}/).map((part, index) => {
    if (index % 2 === 0) return part
    return Object.hasOwn(values, part) ? (values[part] as Value) : `{${part}}`
  })
}

/** The form of a text that a number asks for, with the number and other values in it. */
export function fillCount(
  { language }: Words,
  text: Plural,
  count: number,
  values: Readonly<Record<string, string>> = {},
): string {
  const category = new Intl.PluralRules(language).select(count)
  return fill(text[category] ?? text.other, { ...values, count })
}

/** Two things of a list, such as a device and its place; where there is no other, the one. */
export function fillList({ texts }: Words, one: string, other: string | null | undefined): string {
  return other ? fill(texts.devices.and, { one, other }) : one
}

/** The name of a provider, or of a way: in the person's language where it is one of ours, otherwise as it is. */
export function nameIn({ texts }: Words, name: string): string {
  const ours = UNNAMED.get(name)
  return ours === undefined ? name : texts.names[ours]
}

/** The names of providers that a configuration leaves without a name. */
const UNNAMED = new Map<string, keyof Texts['names']>([
  ['Email', 'email'],
  ['Passkey', 'passkey'],
  ['Credentials', 'credentials'],
  ['Password', 'credentials'],
])
