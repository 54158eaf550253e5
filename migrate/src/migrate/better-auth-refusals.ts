import ts from 'typescript'
import { PLUGINS } from './better-auth-options.js'
import type { Instance } from './instance.js'
import { memberOf, nameOf, objectAt, valueIn } from './objects.js'
import { ownOf } from './own-of.js'

/** May an instance have this plugin? A part that is not written out may contain any. */
export function mayHave({ options, code }: Instance, plugin: string): boolean {
  if (options.properties.some((one) => nameOf(one) === undefined)) return true
  const member = memberOf(options, 'plugins')
  if (!member) return false
  const plugins = valueIn(member)
  if (!plugins || !ts.isArrayLiteralExpression(plugins)) return true
  return plugins.elements.some((one) => {
    const name = ts.isCallExpression(one) ? one.expression.getText(code.tree) : ''
    return name === plugin || ownOf(PLUGINS, name) === undefined
  })
}

/** The function that says whether the plugin `admin` has banned a user, if the app may have that plugin. */
export function banCheck(instance: Instance): string[] {
  if (!mayHave(instance, 'admin')) return []
  const { code } = instance
  const { quote, end } = code.style
  const type = /[.][cm]?tsx?$/.test(code.path) ? ': object' : ''
  return [
    '/** Has the plugin `admin` banned this person, and does the ban last? */',
    `function isBanned(user${type}) {`,
    `  if (!(${quote}banned${quote} in user) || !user.banned) return false${end}`,
    `  if (!(${quote}banExpires${quote} in user) || !user.banExpires) return true${end}`,
    `  return !(new Date(String(user.banExpires)).getTime() < Date.now())${end}`,
    '}',
    '',
  ]
}

/** Options by which a provider signs in only users with an account. */
const CLOSED = ['disableSignUp', 'disableImplicitSignUp']

/** The providers that make no new accounts. */
function closedOf({ options }: Instance): readonly string[] {
  const social = objectAt(options, 'socialProviders')
  return (social?.properties ?? []).flatMap((one) => {
    const settings = valueIn(one)
    const id = nameOf(one)
    if (id === undefined || !settings || !ts.isObjectLiteralExpression(settings)) return []
    const values = CLOSED.map((option) => memberOf(settings, option))
    const isOpen = values.every(
      (value) => !value || valueIn(value)?.kind === ts.SyntaxKind.FalseKeyword,
    )
    return isOpen ? [] : [id]
  })
}

/**
 * Banned people cannot come in by another method or with an old session either. A new person cannot
 * come in by a provider that was only for people with an account.
 */
export function signInCallback(instance: Instance): string[] {
  const hasBans = mayHave(instance, 'admin')
  const closed = closedOf(instance)
  if (!hasBans && closed.length === 0) return []
  const { name, code } = instance
  const { end, quote } = code.style
  const ids = closed.map((id) => quote + id + quote).join(', ')
  return [
    [
      'callbacks: {',
      `  async signIn({ user${closed.length > 0 ? ', account' : ''} }) {`,
      `    const { internalAdapter } = await ${name.text}.$context${end}`,
      `    const id = String(user.id)${end}`,
      `    const found = await internalAdapter.findUserById(id).catch((error) => {`,
      '      // A new user’s id has 22 letters, which a column of numbers or UUIDs refuses.',
      `      if (/^[\\w-]{22}$/.test(id)) return null${end}`,
      `      throw error${end}`,
      `    })${end}`,
      ...(closed.length > 0
        ? [
            '    // These providers make no new accounts.',
            `    if (!found) return ![${ids}].includes(account.provider)${end}`,
          ]
        : []),
      `    return ${hasBans ? '!found || !isBanned(found)' : 'true'}${end}`,
      '  },',
      '}',
    ].join('\n'),
  ]
}
