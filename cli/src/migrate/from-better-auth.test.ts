import { expect, test } from 'vitest'
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

test('with one, sessions and accounts of before are looked up there', () => {
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
  expect(config).toContain(`microsoftEntraId({ id: 'microsoft', clientId: 'a', clientSecret })`)
  expect(text).toContain(
    `import microsoftEntraId from '@latchkey/express/providers/microsoft-entra-id'`,
  )
  expect(decisions).toContain('auth.ts:4 Take `tenantId` of `microsoft` over: docs/presets.md.')
  expect(decisions).toContain('auth.ts:5 Add the provider `nobody` yourself: docs/any-provider.md.')
})

test('passwords are verified where they are, and only of a verified address where that was demanded', () => {
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

test('what else asks the instance is left as it is, and listed', () => {
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
  expect(decisions.join('\n')).toContain('app.ts:4 `api.signUpEmail` asks the instance of before')
  expect(decisions.join('\n')).toContain('app.ts:5 `api.getSession` asks the instance of before')
})

test('a user that may be missing is read so', () => {
  const source = server.replace('session.user)', '[session.user.name, session?.user?.id])')
  const { app } = changed('  database,', source)
  expect(app).toContain('[session.user?.name, session?.user?.id]')
})

test('whoever reads the old shape of a session is told', () => {
  const source = server.replace('session.user', '[session.session.id, session.user]')
  const { decisions } = changed('  database,', source)
  expect(decisions.join('\n')).toContain('app.ts:6 The session is `{ user, expires }`')
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
      'auth.ts:4 The plugin `twoFactor` has no place here: '.slice(0, 44),
      'auth.ts:4 The plugin `magicLink` has no place here: '.slice(0, 44),
      'auth.ts:4 The plugin `own` has no place here: it is '.slice(0, 44),
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
  expect(decisions.join('\n')).toContain('Set AUTH_SECRET where the app runs')
  const shared = changed('  database,', server, { '.env': `AUTH_SECRET='${'x'.repeat(32)}'\n` })
  expect(shared.config).toContain('secret: process.env.AUTH_SECRET,')
  expect(shared.decisions.join('\n')).not.toContain('AUTH_SECRET')
})
