import ts from 'typescript'
import { describe, expect, test } from 'vitest'
import { migrateApp } from './migrate-app.js'

const now = new Date('2026-11-22T12:00:00Z')
const manifest = JSON.stringify({ dependencies: { 'better-auth': '1.7.25' } })
const server = `import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { auth } from './auth.js'
app.all('/api/auth/*', toNodeHandler(auth))
app.get('/', async (req, res) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) })
  res.json(session.user)
})
`

function changed(options: string, app = server, others: Record<string, string> = {}) {
  const auth = `import { betterAuth } from 'better-auth'
export const auth = betterAuth({
${options}
})
`
  const files = new Map(
    Object.entries({ 'package.json': manifest, 'auth.ts': auth, 'app.ts': app, ...others }),
  )
  const { changed, decisions } = migrateApp(files, '1.2.3', now)
  const again = migrateApp(new Map([...files, ...changed]), '1.2.3', now)
  expect([...again.changed.keys()], 'run again, it changes nothing more').toEqual([])
  const text = changed.get('auth.ts') ?? auth
  const kept = text.replaceAll(/^import .*\n/gm, '')
  expect(kept.startsWith(auth.replaceAll(/^import .*\n/gm, '').trim())).toBe(true)
  return {
    config: text.slice(text.indexOf('export const authConfig')),
    text,
    app: changed.get('app.ts') ?? app,
    files: changed,
    decisions: decisions.map(({ path, line, text }) => `${path}:${line ?? ''} ${text}`),
  }
}

test('the instance stays, and the app is served by a configuration beside it', () => {
  const { app, files } = changed('  database,')
  expect(app).toBe(`import { getSession, MiddlewareAuth } from '@latchkey/express'
import { authConfig } from './auth.js'
app.use('/api/auth/*', MiddlewareAuth(authConfig))
app.get('/', async (req, res) => {
  const session = await getSession(req, authConfig)
  res.json(session.user)
})
`)
  const { dependencies } = JSON.parse(files.get('package.json') ?? '')
  expect(Object.keys(dependencies)).toEqual([
    '@latchkey/express',
    '@latchkey/worker',
    'better-auth',
  ])
})

test('without a database nothing is looked up', () => {
  const { config } = changed('  socialProviders: {},')
  expect(config).not.toMatch(/findSession|subject/i)
  expect(config).toContain(`until: '2026-11-30'`)
})

test('with one, old sessions and accounts are looked up there', () => {
  const { config } = changed(`  database,
  secret: secrets.old,
  session: { expiresIn: 60 * 60, updateAge: 60 },
  advanced: { cookiePrefix: 'shop' },`)
  expect(config).toContain('session: { maxAge: 60 * 60, updateAge: 60 },')
  expect(config).toContain(
    'findSession: async (token) => (await auth.$context).internalAdapter.findSession(token),',
  )
  expect(config).toContain('return found?.userId')
  expect(config).toContain(`secret: secrets.old,
      until: '2026-11-23',
      cookiePrefix: 'shop',`)
})

test('a provider that has another id here keeps its old one, and so its address', () => {
  const { config, text, decisions } = changed(`  socialProviders: {
    microsoft: { clientId: 'a', clientSecret, tenantId: 'b' },
    nobody: { clientId: 'a' },
  },`)
  expect(config).toContain(`issuer: \`https://login.microsoftonline.com/\${'b'}/v2.0\``)
  expect(config).toContain(`microsoftEntraId({`)
  expect(config).toContain(`id: 'microsoft',`)
  expect(text).toContain(
    `import microsoftEntraId from '@latchkey/express/providers/microsoft-entra-id'`,
  )
  expect(decisions).toContain('auth.ts:5 Add the provider `nobody` yourself: docs/any-provider.md.')
})

test('passwords are verified where they are, and only of a verified address if that was demanded', () => {
  const plain = changed('  database,\n  emailAndPassword: { enabled: true },')
  expect(plain.text).toContain('if (!isRight) return null')
  const strict = changed(
    '  database,\n  emailAndPassword: { enabled: true, requireEmailVerification: true },',
  )
  expect(strict.text).toContain('if (!isRight || !found.user.emailVerified) return null')
  const lax = changed(
    '  database,\n  emailAndPassword: { enabled: true, requireEmailVerification: false },',
  )
  expect(lax.text).toContain('if (!isRight) return null')
  const off = changed('  database,\n  emailAndPassword: { enabled: false },')
  expect(off.text).not.toContain('byPassword')
})

test('other calls of the instance are left as they are, and listed', () => {
  const source = `import { toNodeHandler } from 'better-auth/node'
import { auth } from './auth.js'
app.all('/api/auth/*', toNodeHandler(auth))
await auth.api.signUpEmail({ body })
const { session } = await auth.api.getSession({ headers: new Headers() })
`
  const { app, decisions } = changed('  database,', source)
  expect(app).toContain(`import { auth, authConfig } from './auth.js'`)
  expect(app).toContain('await auth.api.signUpEmail({ body })')
  expect(app).toContain('await auth.api.getSession({ headers: new Headers() })')
  expect(decisions.join('\n')).toContain('app.ts:4 `api.signUpEmail` asks the old instance')
  expect(decisions.join('\n')).toContain('app.ts:5 `api.getSession` asks the old instance')
})

test('a user that may be missing is read so', () => {
  const source = server.replace('session.user)', '[session.user.name, session?.user?.id])')
  const { app } = changed('  database,', source)
  expect(app).toContain('[session.user?.name, session?.user?.id]')
})

test('code that reads the old shape of a session is listed', () => {
  const source = server.replace('session.user', '[session.session.id, session.user]')
  const { decisions } = changed('  database,', source)
  expect(decisions.join('\n')).toContain('app.ts:6 The session is `{ user, expires }`')
})

const PASSWORDS = '  database,\n  emailAndPassword: { enabled: true },'

/** Runs the written code for passwords, over the old tables. */
async function byPassword(text: string, user: object) {
  const from = text.indexOf('/** ', text.indexOf('export const auth = '))
  const written = text.slice(from, text.indexOf('/** Takes the place'))
  const code = ts.transpile(written, { target: ts.ScriptTarget.ESNext })
  const auth = {
    $context: Promise.resolve({
      internalAdapter: {
        findUserByEmail: async () => ({
          user: { id: '1', name: 'Ada', email: 'a@example.com', image: null, ...user },
          accounts: [{ providerId: 'credential', password: 'hash' }],
        }),
      },
      password: { hash: async () => '', verify: async () => true },
    }),
  }
  const run = new Function('auth', `${code}\nreturn byPassword({ email: 'a', password: 'b' })`)
  return (await run(auth)) as { id: string } | null
}

/** Runs the written configuration, beside an instance. */
function configIn(config: string, auth: object) {
  const code = ts.transpile(config, { target: ts.ScriptTarget.ESNext }).replace(/^export /, '')
  const made = (options: object) => options
  const names = ['auth', 'google', 'betterAuthSessions', 'clientId', 'clientSecret'] as const
  return new Function(...names, `${code}\nreturn authConfig`)(auth, made, made)
}

describe('people that better-auth keeps out are kept out', () => {
  const admin = `${PASSWORDS}\n  plugins: [admin()],`

  test.each<[string, object, boolean]>([
    ['is not banned', { banned: false }, true],
    ['has never been looked at', {}, true],
    ['is banned', { banned: true, banExpires: null }, false],
    ['is banned by a number', { banned: 1 }, false],
    [
      'is banned for another day',
      { banned: true, banExpires: new Date(Date.now() + 86_400_000) },
      false,
    ],
    ['is banned until a date that cannot be read', { banned: true, banExpires: 'soon' }, false],
    [
      'was banned until yesterday',
      { banned: true, banExpires: new Date(Date.now() - 86_400_000) },
      true,
    ],
  ])('by a password: a user who %s', async (_, user, isIn) => {
    const { text } = changed(admin)
    expect(Boolean(await byPassword(text, user))).toBe(isIn)
  })

  test('by every other method, and with an old session', () => {
    const { config, decisions } = changed(admin)
    expect(config).toContain('async signIn({ user })')
    expect(config).toContain('return !found || !isBanned(found)')
    expect(decisions.join('\n')).toContain('users that it has banned are refused')
  })

  test('a new user with an id that the column refuses comes in, and no user while the database is away', async () => {
    const refuses = async () => {
      throw new Error('invalid input syntax for type uuid')
    }
    const { config } = changed('  database,\n  plugins: [admin()],')
    const context = { internalAdapter: { findUserById: refuses } }
    const { callbacks } = configIn(config, { $context: Promise.resolve(context) })
    expect(await callbacks.signIn({ user: { id: 'a'.repeat(22) } })).toBe(true)
    const id = 'b6406df5-229e-4fbc-8fa5-583c8b0894a3'
    await expect(callbacks.signIn({ user: { id } })).rejects.toThrow('invalid input')
  })

  test.each<[object, boolean]>([
    [{ twoFactorEnabled: true }, false],
    [{ twoFactorEnabled: 1 }, false],
    [{ twoFactorEnabled: false }, true],
    [{}, true],
  ])('people with two factors by their password alone: %j', async (user, isIn) => {
    const { text, decisions } = changed(`${PASSWORDS}\n  plugins: [twoFactor()],`)
    expect(Boolean(await byPassword(text, user))).toBe(isIn)
    expect(decisions.join('\n')).toContain('do not sign in by their password alone')
  })

  test.each([
    ['plugins: [own]', true],
    ['plugins: [...shared]', true],
    ['plugins', true],
    ['...base', true],
    ['plugins: [username(), magicLink()]', false],
    ['plugins: []', false],
  ])('also if it is unclear which plugins there are: %s', (more, isWritten) => {
    const { text } = changed(`${PASSWORDS}\n  ${more},`)
    expect(text.includes('isBanned(')).toBe(isWritten)
    expect(text.includes('twoFactorEnabled')).toBe(isWritten)
  })
})

describe('strangers that better-auth keeps out are kept out', () => {
  const social = (google: string) =>
    `  database,\n  socialProviders: { google: { clientId, clientSecret, ${google} } },`

  test.each([
    "hd: 'corp.example'",
    'hd',
    'enabled: false',
    'enabled: isOn',
    'enabled',
    'getUserInfo: async () => null',
    'getUserInfo() {}',
    '...settings',
    "authority: 'https://login.example'",
  ])('a provider with %s is left out, and listed', (option) => {
    const { config, decisions } = changed(social(option))
    expect(config).not.toContain('google(')
    expect(decisions.join('\n')).toContain('auth.ts:4 The provider `google` is left out')
  })

  test.each(['disableSignUp: true', 'disableSignUp: isClosed', 'disableImplicitSignUp: true'])(
    'a provider with %s takes no new user',
    async (option) => {
      const { config } = changed(social(option))
      const ask = async (provider: string, found: object | null) => {
        const { callbacks } = configIn(config, {
          $context: Promise.resolve({ internalAdapter: { findUserById: async () => found } }),
        })
        return callbacks.signIn({ user: { id: '1' }, account: { provider } })
      }
      expect(await ask('google', null)).toBe(false)
      expect(await ask('google', { id: '1' })).toBe(true)
      expect(await ask('github', null)).toBe(true)
    },
  )

  test.each(['enabled: true', 'disableSignUp: false'])('one with %s is as any', (option) => {
    const { config } = changed(social(option))
    expect(config).toContain('google(')
    expect(config).not.toContain('signIn')
  })

  test('a tenant of Microsoft stays the only one', () => {
    const { config } = changed(
      '  socialProviders: { microsoft: { clientId, clientSecret, tenantId: process.env.TENANT } },',
    )
    const issuer = 'https://login.microsoftonline.com/$' + '{process.env.TENANT}/v2.0'
    expect(config).toContain(`issuer: \`${issuer}\``)
  })

  test('hooks that refuse users are listed', () => {
    const { decisions } = changed('  database,\n  databaseHooks,\n  hooks: { before },')
    expect(decisions.join('\n')).toContain('auth.ts:4 `databaseHooks`: users that they refuse')
    expect(decisions.join('\n')).toContain('auth.ts:5 `hooks`: users that they refuse')
  })
})

test.each([
  'emailAndPassword,',
  'emailAndPassword: { enabled },',
  'emailAndPassword: { enabled: isOn() },',
  'emailAndPassword: { enabled: true } as const,',
])('unclear passwords are listed: %s', (option) => {
  const { text, decisions } = changed(`  database,\n  ${option}`)
  expect(text).not.toContain('byPassword')
  expect(decisions.join('\n')).toContain('auth.ts:4 Passwords are not moved')
})

test('a spread part may have the database, so that people keep their ids', () => {
  const { config } = changed('  ...options,\n  plugins: [...(options.plugins ?? []), own],')
  expect(config).toContain('return found?.userId')
  expect(config).toContain('findSession')
})

test.each([
  'export default betterAuth({ database })',
  'export const auth = betterAuth({ database }) as Auth',
  'export const auth = betterAuth({ database } satisfies Options)',
  'export const auth = betterAuth(options)',
  'export function make() { return betterAuth({ database }) }',
])('an instance that is not changed is listed: %s', (line) => {
  const files = new Map([
    ['package.json', manifest],
    ['app.ts', server],
    ['auth.ts', `import { betterAuth } from 'better-auth'\n${line}\n`],
  ])
  const { changed, decisions } = migrateApp(files, '1.2.3', now)
  expect([...changed.keys()]).toEqual([])
  expect(decisions.map(({ path, line }) => `${path}:${line}`)).toContain('auth.ts:2')
})

test.each([
  ['7 * 24 * 60 * 60', true],
  ['301', true],
  ['age', true],
  ['5 * 60', false],
])('copies of sessions that count for longer than they should are listed: %s', (age, isListed) => {
  const { decisions } = changed(
    `  database,\n  session: { cookieCache: { enabled: true, maxAge: ${age} } },`,
  )
  expect(decisions.join('\n').includes('auth.ts:4 `session.cookieCache.maxAge`')).toBe(isListed)
})

test('names of better-auth that are still used are still imported', () => {
  const source = server.replace('req.headers) }', 'req.headers), query }')
  const { app } = changed('  database,', source)
  expect(app).toContain("import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'")
  expect(app).toContain("import { MiddlewareAuth } from '@latchkey/express'")
})

test.each([
  ['a member', 'res.json(session.session.id)'],
  ['a member that may be missing', 'res.json(session?.session?.id)'],
  ['a member in brackets', "res.json(session['session'].id)"],
  ['a part of it', 'const { session: own } = session'],
  ['an answer of a function', 'return session'],
  ['an argument', 'render(session)'],
])('the other shape of a session is listed, read as %s', (_, use) => {
  const { decisions } = changed('  database,', server.replace('res.json(session.user)', use))
  expect(decisions.join('\n')).toContain('app.ts:6 The session is `{ user, expires }`')
})

test.each([
  'res.json((await auth.api.getSession({ headers: fromNodeHeaders(req.headers) }))?.session.id)',
  'req.session = await auth.api.getSession({ headers: fromNodeHeaders(req.headers) })',
  'type Session = typeof auth.$Infer.Session',
])('the other shape of a session is listed, in %s', (line) => {
  const { decisions } = changed('  database,', server.replace('res.json(session.user)', line))
  expect(decisions.join('\n')).toContain('app.ts:6 The session is `{ user, expires }`')
})

test('fields of the app’s own are listed, where they are configured and where they are read', () => {
  const source = server.replace('session.user)', '[session.user.name, session.user.role])')
  const { decisions } = changed(
    `  database,
  user: { additionalFields: { role: { type: 'string' } } },
  session: { additionalFields: { team: { type: 'string' } } },`,
    source,
  )
  const text = decisions.join('\n')
  expect(text).toContain('auth.ts:4 `user.additionalFields`: ')
  expect(text).toContain('auth.ts:5 `session.additionalFields`: ')
  expect(text).toContain('app.ts:6 `user.role` is not in the session: ')
})

test('options and plugins are listed with what takes their place', () => {
  const { decisions } = changed(`  database,
  plugins: [twoFactor(), magicLink({ sendMagicLink }), own],
  trustedOrigins: [],
  madeUp: 1,
  session: { freshAge: 0, madeUp: 1 },
  advanced: { useSecureCookies: true },`)
  expect(decisions.map((one) => one.slice(0, 44))).toEqual(
    expect.arrayContaining([
      'auth.ts:4 The plugin `twoFactor` has no counterpart: '.slice(0, 44),
      'auth.ts:4 The plugin `magicLink` has no counterpart: '.slice(0, 44),
      'auth.ts:4 The plugin `own` has no counterpart: it is '.slice(0, 44),
      'auth.ts:5 `trustedOrigins`: Name them in AUTH_TRUSTED'.slice(0, 44),
      'auth.ts:6 `madeUp`: Is it misspelt?'.slice(0, 44),
      'auth.ts:7 `session.freshAge`: Each place asks for itself'.slice(0, 44),
      'auth.ts:7 `session.madeUp`: Is it misspelt?'.slice(0, 44),
      'auth.ts:8 `advanced`: `cookies`, `trustHost`, AUTH_URL and'.slice(0, 44),
    ]),
  )
})

test('an app of another framework is left as it is, and listed', () => {
  const source = `import { svelteKitHandler } from 'better-auth/svelte-kit'\n`
  const { files, decisions } = changed('  database,', source)
  expect([...files.keys()]).toEqual([])
  expect(decisions.join('\n')).toContain('auth.ts:2 Only apps that serve better-auth by')
})

test('the new sessions need a secret of their own, unless there is one', () => {
  const example = { '.env.example': 'BETTER_AUTH_SECRET=\nBETTER_AUTH_URL=http://a\n' }
  const { files, decisions } = changed('  database,', server, example)
  expect(files.get('.env.example')).toBe('AUTH_SECRET=\nBETTER_AUTH_SECRET=\nAUTH_URL=http://a\n')
  expect(decisions.join('\n')).toContain('Set AUTH_SECRET in the app’s environment')
  const shared = changed('  database,', server, { '.env': `AUTH_SECRET='${'x'.repeat(32)}'\n` })
  expect(shared.config).toContain('secret: process.env.AUTH_SECRET,')
  expect(shared.decisions.join('\n')).not.toContain('AUTH_SECRET')
})
