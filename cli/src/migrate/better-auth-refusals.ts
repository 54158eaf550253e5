import ts from 'typescript'
import { PLUGINS } from './better-auth-options.js'
import type { Instance } from './instance.js'
import { memberOf, nameOf, valueIn } from './objects.js'
import { ownOf } from './own-of.js'

/** May an instance have this plugin? What is not written out may be any. */
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

/** The function that says whether the plugin `admin` has banned somebody, where there may be that plugin. */
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

/** Banned people come in by no other way either, and with no session of before. */
export function signInCallback(instance: Instance): string[] {
  if (!mayHave(instance, 'admin')) return []
  const { name, code } = instance
  const { end } = code.style
  return [
    [
      'callbacks: {',
      '  async signIn({ user }) {',
      `    const { internalAdapter } = await ${name.text}.$context${end}`,
      `    const found = await internalAdapter.findUserById(String(user.id))${end}`,
      `    return !found || !isBanned(found)${end}`,
      '  },',
      '}',
    ].join('\n'),
  ]
}
