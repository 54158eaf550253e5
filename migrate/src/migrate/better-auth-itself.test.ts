import { DatabaseSync } from 'node:sqlite'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { admin, twoFactor } from 'better-auth/plugins'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { migrateApp } from './migrate-app.js'

const AUTH = `import { betterAuth } from 'better-auth'
export const auth = betterAuth({
  database,
  emailAndPassword: { enabled: true },
  plugins: [admin(), twoFactor()],
})
`
const APP = `import { toNodeHandler } from 'better-auth/node'
import { auth } from './auth.js'
app.all('/api/auth/*', toNodeHandler(auth))
`

/** The written configuration, run beside an instance. */
function writtenFor(auth: object) {
  const files = { 'package.json': '{}', 'auth.js': AUTH, 'app.js': APP }
  const text = migrateApp(new Map(Object.entries(files)), '1.2.3', new Date()).changed.get(
    'auth.js',
  )
  const code = text?.slice(text.indexOf('/** ', text.indexOf('export const auth = '))) ?? ''
  const plain = ts.transpile(code, { target: ts.ScriptTarget.ESNext }).replace(/^export /gm, '')
  const made = (options: object) => options
  const names = ['auth', 'credentials', 'betterAuthSessions']
  return new Function(...names, `${plain}\nreturn { ...authConfig, byPassword }`)(auth, made, made)
}

test.each(['uuid', 'serial'] as const)(
  'the written configuration asks better-auth itself, with ids of the kind %s',
  async (generateId) => {
    const options = {
      database: new DatabaseSync(':memory:'),
      secret: 'a-secret-of-the-tests-0123456789abcdef',
      baseURL: 'http://localhost:3000',
      emailAndPassword: { enabled: true },
      advanced: { database: { generateId } },
      plugins: [admin(), twoFactor()],
    } satisfies BetterAuthOptions
    await (await getMigrations(options)).runMigrations()
    const auth = betterAuth(options)
    const { byPassword, callbacks, migrateFrom, subject } = writtenFor(auth)
    const { internalAdapter } = await auth.$context
    const person = { email: 'Ada@Example.com', password: 'a password', name: 'Ada' }
    const { token, user } = await auth.api.signUpEmail({ body: person })
    const { id } = user
    const [{ findSession }] = migrateFrom
    const signsIn = async () => ({
      byPassword: (await byPassword({ email: 'ada@EXAMPLE.com', password: 'a password' }))?.id,
      otherwise: await callbacks.signIn({ user: { id } }),
    })
    const isIn = { byPassword: id, otherwise: true }
    const isOut = { byPassword: undefined, otherwise: false }

    expect(await signsIn()).toEqual(isIn)
    expect(await byPassword({ email: person.email, password: 'another one' })).toBeNull()
    expect(await findSession(token)).toMatchObject({ session: { userId: id }, user: { id } })
    await internalAdapter.createAccount({ providerId: 'github', accountId: '42', userId: id })
    const of = (providerAccountId: string) =>
      subject({ provider: 'github', account: { providerAccountId } })
    expect([await of('42'), await of('43')]).toEqual([id, undefined])

    await internalAdapter.updateUser(id, { twoFactorEnabled: true })
    expect(await signsIn()).toEqual({ byPassword: undefined, otherwise: true })
    await internalAdapter.updateUser(id, { twoFactorEnabled: false, banned: true })
    expect(await signsIn()).toEqual(isOut)
    expect(await findSession(token)).toMatchObject({ user: { banned: true } })
    const at = (minutes: number) => new Date(Date.now() + minutes * 60_000)
    await internalAdapter.updateUser(id, { banned: true, banExpires: at(1) })
    expect(await signsIn()).toEqual(isOut)
    await internalAdapter.updateUser(id, { banned: true, banExpires: at(-1) })
    expect(await signsIn()).toEqual(isIn)
  },
)
