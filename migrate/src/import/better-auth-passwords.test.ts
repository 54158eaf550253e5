import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createAuth } from '@latchkey/worker'
import { passwords } from '@latchkey/worker/features/passwords'
import email from '@latchkey/worker/providers/email'
import password from '@latchkey/worker/providers/password'
import { sqliteStore } from '@latchkey/worker/stores/sqlite'
import { type BetterAuthOptions, betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { terminalOf } from 'latchkey/test-support/terminal'
import { afterAll, expect, test } from 'vitest'
import { runImport } from './import.js'

const secret = 'a-secret-of-the-tests-0123456789abcdef'
const origin = 'http://localhost:3000'
const folder = mkdtempSync(join(tmpdir(), 'latchkey-better-auth-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** The tables as `.dump user account` of SQLite prints them. */
function dumpOf(database: DatabaseSync): string {
  const lines = ['user', 'account'].flatMap((table) => {
    const made = database.prepare('SELECT sql FROM sqlite_master WHERE name = ?').get(table)
    const columns = database.prepare(`PRAGMA table_info("${table}")`).all()
    const values = columns.map(({ name }) => `quote("${name}")`).join(` || ',' || `)
    const rows = database.prepare(`SELECT ${values} AS row FROM "${table}"`).all()
    return [`${made?.sql};`, ...rows.map(({ row }) => `INSERT INTO ${table} VALUES(${row});`)]
  })
  return ['PRAGMA foreign_keys=OFF;', 'BEGIN TRANSACTION;', ...lines, 'COMMIT;\n'].join('\n')
}

test('ten people of a real better-auth sign in with their old passwords, twice', async () => {
  const database = new DatabaseSync(':memory:')
  const options = {
    ...{ database, secret, baseURL: origin },
    emailAndPassword: { enabled: true },
  } satisfies BetterAuthOptions
  await (await getMigrations(options)).runMigrations()
  const old = betterAuth(options)
  const { internalAdapter } = await old.$context
  const people: { email: string; password: string; id: string }[] = []
  for (let at = 0; at < 10; at++) {
    const one = { email: `person${at}@example.com`, password: `secret ü ${at}` }
    const { user } = await old.api.signUpEmail({ body: { ...one, name: 'Somebody' } })
    await internalAdapter.updateUser(user.id, { emailVerified: at > 0 })
    people.push({ ...one, id: user.id })
  }
  const text = dumpOf(database)
  const path = join(folder, 'app.db')
  const terminal = terminalOf({ env: { AUTH_SECRET: secret }, directory: folder })
  const args = ['-', '--store', `file:${path}`, '--email', 'email', '--passwords']
  const code = await runImport(args, terminal, {
    ...{ fetch, now: Date.now, sleep: async () => {} },
    open: async function* () {
      yield text
    },
  })
  expect([code, terminal.printed()]).toEqual([1, expect.stringContaining('18 taken over')])

  const store = sqliteStore(path)
  const auth = createAuth({
    ...{ basePath: '/auth', secret, store, trustHost: true },
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    providers: [email({ from: 'a@example.com', sendVerificationRequest: () => {} }), password()],
    features: [passwords],
  })
  const signIn = async (fields: Record<string, string>) => {
    const csrf = await auth.fetch(new Request(`${origin}/auth/csrf`))
    const { csrfToken = '' } = (await csrf.json()) as { csrfToken?: string }
    const cookie = csrf.headers
      .getSetCookie()
      .map((one) => one.split(';', 1)[0])
      .join('; ')
    const body = new URLSearchParams({ csrfToken, ...fields })
    const headers = { origin, cookie, 'x-auth-return-redirect': '1' }
    const post = { method: 'POST', body, headers }
    return auth.fetch(new Request(`${origin}/auth/callback/password`, post))
  }
  for (const [at, { email, password, id }] of people.entries()) {
    const statuses = [
      (await signIn({ email, password: `${password}!` })).status,
      (await signIn({ email, password })).status,
      (await signIn({ email, password })).status,
    ]
    expect([email, statuses]).toEqual([email, at > 0 ? [401, 200, 200] : [401, 401, 401]])
    const exported = await auth.exportPerson(id, {})
    expect(exported?.password !== undefined).toBe(at > 0)
  }
  await store.close()
}, 120_000)
