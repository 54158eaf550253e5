import ts from 'typescript'
import { addImport } from './add-import.js'
import type { App } from './app.js'
import {
  LIMITS,
  NOT_TAKEN,
  PLUGINS,
  SOCIAL,
  SOCIAL_OPTIONS,
  TAKEN_OVER,
} from './better-auth-options.js'
import { banCheck, mayHave, signInCallback } from './better-auth-refusals.js'
import type { Code } from './code.js'
import type { Instance } from './instance.js'
import { memberOf, nameOf, numberOf, objectAt, valueIn } from './objects.js'
import { ownOf } from './own-of.js'
import { PRESETS } from './presets.js'
import { unreadOptions } from './unread-options.js'
import { untilOf } from './until.js'

/** How long its copy of a session counts unless the configuration says otherwise. Seconds. */
const COPY_MAX_AGE = 5 * 60

/** How long a session of better-auth lives unless the configuration says otherwise. */
const EXPIRES_IN = 7 * 24 * 60 * 60

/** Puts the configuration that takes its place behind an instance. */
export function changeInstance(app: App, instance: Instance): void {
  const { code, statement, options, config, name } = instance
  decideOptions(app, instance)
  decidePasswords(app, instance)
  const { quote, end } = code.style
  // An object that is spread in may have the option.
  const hasDatabase = options.properties.some((one) =>
    [undefined, 'database'].includes(nameOf(one)),
  )
  const members = [...providersOf(app, instance)]
  const session = sessionOf(code, options)
  if (session) members.unshift(session)
  if (hasDatabase) members.push(subjectOf(instance))
  members.push(...signInCallback(instance))
  members.push(migrateFromOf(app, instance, hasDatabase))
  const isTyped = /[.][cm]?tsx?$/.test(code.path)
  const type = isTyped ? ': MiddlewareAuthConfig' : ''
  if (isTyped) addImport(app, code, 'type { MiddlewareAuthConfig }', '@latchkey/express')
  const isExported = statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  const lines = members.map((member) => `  ${member.replaceAll('\n', '\n  ')},`)
  const text = [
    '',
    '',
    ...banCheck(instance),
    ...passwordsOf(app, instance),
    `/** Takes the place of ${quote}${name.text}${quote}, which is asked for the old sessions and accounts. */`.replaceAll(
      quote,
      '`',
    ),
    `${isExported ? 'export ' : ''}const ${config}${type} = {`,
    ...lines,
    `}${end}`,
  ]
  code.edit.appendLeft(statement.end, text.join(code.style.newline))
  app.needed.add('@latchkey/express')
  app.needed.add('@latchkey/worker')
}

function decideOptions(app: App, { code, options }: Instance): void {
  for (const { path, node, text } of unreadOptions(options)) {
    if (TAKEN_OVER.has(path)) continue
    const isPrefixAlone =
      path === 'advanced' &&
      objectAt(options, 'advanced')?.properties.every((one) => nameOf(one) === 'cookiePrefix')
    if (!isPrefixAlone) app.decide(code, node, `\`${path}\`: ${text}`)
  }
  for (const one of options.properties) {
    const name = nameOf(one)
    const text = ownOf(NOT_TAKEN, name ?? '')
    if (name === undefined) {
      app.decide(code, one, 'The command does not read a spread part of the configuration.')
    } else if (text !== undefined) app.decide(code, one, `\`${name}\`: ${text}`)
  }
  const fields = memberOf(objectAt(options, 'user'), 'additionalFields')
  if (fields) {
    const text =
      'the fields stay in your table, and the `session` callback puts them into the session.'
    app.decide(code, fields, `\`user.additionalFields\`: ${text}`)
  }
  const copy = memberOf(objectAt(objectAt(options, 'session'), 'cookieCache'), 'maxAge')
  if (copy && !((numberOf(valueIn(copy)) ?? Number.POSITIVE_INFINITY) <= COPY_MAX_AGE)) {
    const text =
      'for so long a session that was ended in the old app moves in by its copy. Make it five minutes there, and change the app when the old copies are over.'
    app.decide(code, copy, `\`session.cookieCache.maxAge\`: ${text}`)
  }
  decidePlugins(app, code, valueIn(memberOf(options, 'plugins')))
}

function decidePlugins(app: App, code: Code, plugins: ts.Expression | undefined): void {
  if (!plugins) return
  if (!ts.isArrayLiteralExpression(plugins)) {
    app.decide(
      code,
      plugins,
      'The command does not read the plugins: they are not written as a list.',
    )
    return
  }
  for (const one of plugins.elements) {
    const name = ts.isCallExpression(one)
      ? one.expression.getText(code.tree)
      : one.getText(code.tree)
    const instead = ownOf(PLUGINS, name) ?? 'it is not known here'
    app.decide(code, one, `The plugin \`${name}\` has no counterpart: ${instead}.`)
  }
}

function sessionOf(code: Code, options: ts.ObjectLiteralExpression): string | undefined {
  const session = objectAt(options, 'session')
  const parts = [
    ['maxAge', valueIn(memberOf(session, 'expiresIn'))?.getText(code.tree) ?? '7 * 24 * 60 * 60'],
    ['updateAge', valueIn(memberOf(session, 'updateAge'))?.getText(code.tree)],
  ].flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  return `session: { ${parts.join(', ')} }`
}

function* providersOf(app: App, instance: Instance): Generator<string> {
  const { code, options } = instance
  const lines: string[] = []
  const social = valueIn(memberOf(options, 'socialProviders'))
  const properties = social && ts.isObjectLiteralExpression(social) ? social.properties : []
  if (social && !ts.isObjectLiteralExpression(social)) {
    app.decide(code, social, 'Add the providers: they are not written as an object.')
  }
  for (const one of properties) {
    const line = providerOf(app, code, one)
    if (line) lines.push(line)
  }
  if (hasPasswords(instance)) {
    addImport(app, code, 'credentials', '@latchkey/express/providers/credentials')
    const field = (name: string, label: string, type: string) =>
      `    ${name}: { label: 'X', type: 'Y' },`
        .replace('X', label)
        .replace('Y', type)
        .replaceAll("'", code.style.quote)
    lines.push(
      [
        'credentials({',
        '  credentials: {',
        field('email', 'Email', 'email'),
        field('password', 'Password', 'password'),
        '  },',
        '  authorize: byPassword,',
        '})',
      ].join('\n'),
    )
  }
  yield `providers: [${lines.map((line) => `\n  ${line.replaceAll('\n', '\n  ')},`).join('')}\n]`
}

function providerOf(app: App, code: Code, one: ts.ObjectLiteralElementLike): string | undefined {
  const old = nameOf(one)
  const settings = valueIn(one)
  const id = ownOf(PRESETS, old ?? '') ? old : ownOf(SOCIAL, old ?? '')
  if (
    old === undefined ||
    id === undefined ||
    !settings ||
    !ts.isObjectLiteralExpression(settings)
  ) {
    const text = `Add the provider${old === undefined ? '' : ` \`${old}\``} yourself: docs/any-provider.md.`
    app.decide(code, one, text)
    return undefined
  }
  const limit = settings.properties.find((setting) => isLimit(setting))
  if (limit) {
    app.decide(
      code,
      limit,
      `The provider \`${old}\` is left out, since \`${nameOf(limit) ?? 'a spread object'}\` may limit who signs in: add it with the same limit (docs/presets.md).`,
    )
    return undefined
  }
  const { quote } = code.style
  const parts = id === old ? [] : [`id: ${quote}${old}${quote}`]
  for (const setting of settings.properties) {
    const name = nameOf(setting)
    const value = valueIn(setting)
    if (name === 'tenantId' && value && id === 'microsoft-entra-id') {
      parts.push(
        `issuer: \`https://login.microsoftonline.com/\${${value.getText(code.tree)}}/v2.0\``,
      )
    } else if (name !== undefined && value && SOCIAL_OPTIONS.has(name)) {
      const text = value.getText(code.tree)
      parts.push(ts.isShorthandPropertyAssignment(setting) ? name : `${name}: ${text}`)
    } else app.decide(code, setting, `Copy \`${name ?? '…'}\` of \`${old}\`: docs/presets.md.`)
  }
  const local = id.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  addImport(app, code, local, `@latchkey/express/providers/${id}`)
  const text = `${local}({ ${parts.join(', ')} })`
  if (text.length < 90) return text
  return [`${local}({`, ...parts.map((part) => `  ${part},`), '})'].join('\n')
}

/** May an option of a provider keep a user out? */
function isLimit(setting: ts.ObjectLiteralElementLike): boolean {
  const name = nameOf(setting)
  const isOn = name === 'enabled' && valueIn(setting)?.kind === ts.SyntaxKind.TrueKeyword
  return name === undefined || (LIMITS.has(name) && !isOn)
}

function hasPasswords({ options }: Instance): boolean {
  const enabled = valueIn(memberOf(objectAt(options, 'emailAndPassword'), 'enabled'))
  return enabled?.kind === ts.SyntaxKind.TrueKeyword
}

/**
 * If it is unclear whether people have passwords, the passwords are not taken over, and a decision
 * says so.
 */
function decidePasswords(app: App, { code, options }: Instance): void {
  const member = memberOf(options, 'emailAndPassword')
  const enabled = valueIn(memberOf(objectAt(options, 'emailAndPassword'), 'enabled'))
  const { TrueKeyword, FalseKeyword } = ts.SyntaxKind
  if (!member || enabled?.kind === TrueKeyword || enabled?.kind === FalseKeyword) return
  app.decide(
    code,
    member,
    'Passwords are not moved: `emailAndPassword` has no `enabled: true` that the command can read. To move them, add it and run the command again on the original code.',
  )
}

/** Asks the old accounts for a password. */
function passwordsOf(app: App, instance: Instance): string[] {
  if (!hasPasswords(instance)) return []
  const { code, options, name } = instance
  const settings = objectAt(options, 'emailAndPassword')
  for (const one of settings?.properties ?? []) {
    const option = nameOf(one) ?? '…'
    if (option === 'enabled' || option === 'requireEmailVerification') continue
    app.decide(code, one, `\`emailAndPassword.${option}\`: your app does this itself now.`)
  }
  app.decide(
    code,
    settings ?? options,
    'Users with a password sign in with it. New accounts, changed and forgotten passwords are your app’s own now: docs/migrate-from-better-auth.md.',
  )
  const isTyped = /[.][cm]?tsx?$/.test(code.path)
  const type = isTyped ? ': Partial<Record<string, unknown>>' : ''
  const { quote, end } = code.style
  const required = valueIn(memberOf(settings, 'requireEmailVerification'))
  const isChecked = required !== undefined && required.kind !== ts.SyntaxKind.FalseKeyword
  const isVerified = isChecked ? ' || !found.user.emailVerified' : ''
  const isBanned = mayHave(instance, 'admin') ? ' || isBanned(found.user)' : ''
  return [
    '/** The user with this address and password in the old tables. */',
    `async function byPassword({ email, password }${type}) {`,
    `  const { internalAdapter, password: passwords } = await ${name.text}.$context${end}`,
    `  const found = await internalAdapter.findUserByEmail(String(email), { includeAccounts: true })${end}`,
    `  const own = found?.accounts.find(({ providerId }) => providerId === ${quote}credential${quote})${end}`,
    '  if (!found || !own?.password) {',
    '    // As long as for a wrong password: the time must not tell which users have an account.',
    `    await passwords.hash(String(password))${end}`,
    `    return null${end}`,
    '  }',
    `  const isRight = await passwords.verify({ hash: own.password, password: String(password) })${end}`,
    `  if (!isRight${isVerified}${isBanned}) return null${end}`,
    ...(mayHave(instance, 'twoFactor')
      ? [
          '  // A password alone was never enough for these people.',
          `  if (${quote}twoFactorEnabled${quote} in found.user && found.user.twoFactorEnabled) return null${end}`,
        ]
      : []),
    `  const { id, name, email: address, image } = found.user${end}`,
    `  return { id, name, email: address, image: image ?? null }${end}`,
    '}',
    '',
  ]
}

/** People keep the ids that they have in the old tables. */
function subjectOf({ code, name }: Instance): string {
  const { quote, end } = code.style
  return [
    'async subject({ provider, account }) {',
    `  if (provider === ${quote}credentials${quote}) return account.providerAccountId${end}`,
    `  const { internalAdapter } = await ${name.text}.$context${end}`,
    '  const found = await internalAdapter.findAccountByKey({',
    '    providerId: provider,',
    '    accountId: account.providerAccountId,',
    `  })${end}`,
    `  return found?.userId${end}`,
    '},',
    '// Several accounts of one person were linked by better-auth.',
    'sharedSubjects: true',
  ].join('\n')
}

function migrateFromOf(app: App, instance: Instance, hasDatabase: boolean): string {
  const { code, options, name } = instance
  const { quote } = code.style
  const expires = valueIn(memberOf(objectAt(options, 'session'), 'expiresIn'))
  const until = untilOf(app.now, numberOf(expires) ?? EXPIRES_IN)
  app.decide(
    code,
    expires ?? options,
    `Old cookies are read until ${until}: the day of the deployment and \`session.expiresIn\`. Set \`until\` to the end of the last old session.`,
  )
  addImport(app, code, '{ betterAuth as betterAuthSessions }', '@latchkey/worker/migrate')
  const text = valueIn(memberOf(options, 'secret'))?.getText(code.tree)
  const { variables } = app
  const isShared = variables.has('AUTH_SECRET') && !variables.has('BETTER_AUTH_SECRET')
  const secret = text ?? `process.env.${isShared ? 'AUTH_SECRET' : 'BETTER_AUTH_SECRET'}`
  if (!variables.has('AUTH_SECRET')) {
    app.needsSecret = true
    app.decide(code, options, 'Set AUTH_SECRET in the app’s environment: `openssl rand -hex 32`.')
  }
  const prefix = valueIn(memberOf(objectAt(options, 'advanced'), 'cookiePrefix'))
  const lines = [`secret: ${secret}`, `until: ${quote}${until}${quote}`]
  if (prefix) lines.push(`cookiePrefix: ${prefix.getText(code.tree)}`)
  if (hasDatabase) {
    lines.push(
      `findSession: async (token) => (await ${name.text}.$context).internalAdapter.findSession(token)`,
    )
  }
  return [
    'migrateFrom: [',
    '  betterAuthSessions({',
    ...lines.map((line) => `    ${line},`),
    '  }),',
    ']',
  ].join('\n')
}
