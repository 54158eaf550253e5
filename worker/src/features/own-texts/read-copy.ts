import { canonicalTag } from '../../languages/choose.js'
import type { Copy, OwnTexts } from '../../languages/own-texts.js'
import type { Table } from '../../languages/texts.js'

/**
 * Checks an app's own texts.
 *
 * @param copy by language tag, from a configuration that may not have been type-checked
 * @param english the texts of the service
 * @param refuse gets the mistake, with its path, and must throw
 */
export function readCopy(copy: unknown, english: Table, refuse: (message: string) => never): Copy {
  const tables = new Map<string, OwnTexts>()
  for (const [tag, own] of entriesOf(copy, '', refuse)) {
    const language = canonicalTag(tag)
    if (language === undefined)
      refuse(`["${tag}"]: a key must be the tag of a language, such as "pt-BR".`)
    if (tables.has(language)) refuse(`["${tag}"]: the texts of "${language}" are there already.`)
    for (const [section, texts] of entriesOf(own, `["${tag}"]`, refuse)) {
      const path = `["${tag}"].${section}`
      const models = Object.hasOwn(english, section) && english[section]
      if (!models) refuse(`${path}: there is no such section.`)
      for (const [name, text] of entriesOf(texts, path, refuse)) {
        if (RETIRED.has(`${section}.${name}`)) continue
        if (!Object.hasOwn(models, name)) refuse(`${path}.${name}: there is no such text.`)
        checkText(text, models[name] ?? '', `${path}.${name}`, refuse)
      }
    }
    tables.set(language, withTitle(own as OwnTexts))
  }
  return tables
}

/** The page of a site with a name has another title: an app that writes the title alone means this one too. */
function withTitle(own: OwnTexts): OwnTexts {
  const title = own.signIn?.title
  return title === undefined ? own : { ...own, signIn: { titleAt: title, ...own.signIn } }
}

/** Texts that pages had before: an app may still change them, and none is shown. */
const RETIRED = new Set(['account.signOutAllOpen', 'signIn.newHere', 'factorCode.how'])

/** A break would begin another line of a mail's head. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are refused
const NOT_IN_TEXTS = /[\0-\x1f\x7f-\x9f\u2028\u2029]/

function checkText(
  text: unknown,
  model: Table[string][string],
  path: string,
  refuse: (message: string) => never,
): void {
  if (typeof model !== 'string') {
    for (const [category, form] of entriesOf(text, path, refuse)) {
      if (!/^(zero|one|two|few|many|other)$/.test(category))
        refuse(`${path}.${category}: there is no such form of a number.`)
      checkText(form, model.other ?? '', `${path}.${category}`, refuse)
    }
    if (!Object.hasOwn(text as object, 'other')) refuse(`${path}: the form "other" is missing.`)
    return
  }
  if (typeof text !== 'string') refuse(`${path} must be text.`)
  if (NOT_IN_TEXTS.test(text)) refuse(`${path} must be text in one line.`)
  const parameters = parametersOf(model)
  for (const name of parametersOf(text)) {
    if (parameters.has(name)) continue
    const those = [...parameters].map((one) => `{${one}}`).join(', ')
    refuse(`${path}: there is no parameter {${name}}${those && `, only ${those}`}.`)
  }
}

/** The names in braces of a text. */
export function parametersOf(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name))
}

function entriesOf(
  value: unknown,
  path: string,
  refuse: (message: string) => never,
): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuse(`${path} must be an object.`)
  return Object.entries(value)
}
