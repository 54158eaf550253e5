import { expect, test } from 'vitest'
import { migrateApp } from './migrate-app.js'

const now = new Date('2026-11-22T12:00:00Z')
const manifest = JSON.stringify({ dependencies: { '@auth/express': '0.12.3' } })

/** Changes one file of an app. @returns its new text and the decisions that are left */
function changed(text: string, path = 'src/auth.ts', others: Record<string, string> = {}) {
  const files = new Map(Object.entries({ 'package.json': manifest, ...others, [path]: text }))
  const { changed, decisions } = migrateApp(files, '1.2.3', now)
  const again = migrateApp(new Map([...files, ...changed]), '1.2.3', now)
  expect([...again.changed.keys()], 'run again, it changes nothing more').toEqual([])
  return {
    text: changed.get(path) ?? text,
    files: changed,
    decisions: decisions.map(({ path, line, text }) => `${path}:${line ?? ''} ${text}`),
  }
}

test('names change wherever they are used, and nowhere else', () => {
  const { text } = changed(`import { ExpressAuth } from "@auth/express";
const mount = ExpressAuth;
app.use("/auth", ExpressAuth({ providers: [] }), other.ExpressAuth);
function inner(ExpressAuth) { return ExpressAuth }
export const all = { ExpressAuth };
`)
  expect(text).toContain('import { MiddlewareAuth } from "@latchkey/express";')
  expect(text).toContain('import { authjs } from "@latchkey/worker/migrate";')
  expect(text).toContain('const mount = MiddlewareAuth;')
  expect(text).toContain('app.use("/auth", MiddlewareAuth({ providers: [], migrateFrom: [')
  expect(text).toContain('}), other.ExpressAuth);')
  expect(text).toContain('function inner(ExpressAuth) { return ExpressAuth }')
  expect(text).toContain('{ ExpressAuth: MiddlewareAuth }')
})

test('a name that the file has already, or exports, stays as it is', () => {
  const taken = changed(`import { ExpressAuth } from '@auth/express'
const MiddlewareAuth = 1
use(ExpressAuth, MiddlewareAuth)
`)
  expect(taken.text).toContain(`import { MiddlewareAuth as ExpressAuth } from '@latchkey/express'`)
  expect(taken.text).toContain('use(ExpressAuth, MiddlewareAuth)')
  const given = changed(`export { SvelteKitAuth } from '@auth/sveltekit'\n`)
  expect(given.text).toBe(
    `export { ComponentKitAuth as SvelteKitAuth } from '@latchkey/sveltekit'\n`,
  )
})

test('a name without a counterpart keeps its import, with its package', () => {
  const { text, files, decisions } =
    changed(`import { ExpressAuth, isAuthAction } from '@auth/express'
use(ExpressAuth, isAuthAction)
`)
  expect(text).toContain(`import { isAuthAction } from '@auth/express'
import { MiddlewareAuth } from '@latchkey/express'`)
  expect(decisions.join('\n')).toContain('src/auth.ts:1 `isAuthAction` has no c')
  const { dependencies } = JSON.parse(files.get('package.json') ?? '')
  expect(dependencies).toEqual({
    '@auth/express': '0.12.3',
    '@latchkey/express': '^1.2.3',
    '@latchkey/worker': '^1.2.3',
  })
})

test.each([
  [`import * as everything from '@auth/express'\neverything.getSession()\n`, 'not all as one'],
  [`const { getSession } = await import('@auth/express')\n`, 'the names that you need'],
  [`const { getSession } = require('@auth/express')\n`, 'the names that you need'],
  [`export * from '@auth/express'\n`, 'the names that you need'],
  [
    `import { initAuthConfig } from '@hono/auth-js'\nimport GitHub from '@auth/core/providers/github'\n`,
    'The command changes only apps that use `@auth/express`',
  ],
  [`import Hubs from '@auth/express/providers/hubs'\n`, 'There is no preset `hubs`'],
  [`import Mail from '@auth/express/providers/nodemailer'\n`, 'docs/email.md'],
])('%j is left as it is, and listed', (source, why) => {
  const { text, decisions } = changed(source)
  expect(text).toBe(source)
  expect(decisions.join('\n')).toContain(why)
})

test('in a file that goes on with another Auth.js nothing is taken from under it', () => {
  const { text, decisions } = changed(
    `import { initAuthConfig } from '@hono/auth-js'
import GitHub from '@auth/core/providers/github'
`,
    'src/hono.ts',
    { 'src/app.ts': `import { getSession } from '@auth/express'\n` },
  )
  expect(text).toContain('@auth/core/providers/github')
  expect(decisions.join('\n')).toContain('Nothing is known here of `@hono/auth-js`')
})

test('the version of the package is that of the new one', () => {
  const { text } = changed(`import { version } from '@auth/sveltekit/package.json'\n`)
  expect(text).toBe(`import { version } from '@latchkey/sveltekit/package.json'\n`)
})

test('code that cannot be read is left as it is, and listed', () => {
  const source = `import { ExpressAuth } from '@auth/express'\nconst = 1\n`
  const { text, decisions } = changed(source)
  expect(text).toBe(source)
  expect(decisions).toEqual(['src/auth.ts: It cannot be read, and is left as it is.'])
})

test('a configuration is found by its type, in another file, and in what a function returns', () => {
  const typed = changed(`import type { AuthConfig } from '@auth/core'
export const config: AuthConfig = {
  providers: [],
}
`)
  expect(typed.text).toContain('  providers: [],\n  migrateFrom: [authjs({ secret: process.env')
  const lazy = changed(
    `import { SvelteKitAuth } from '@auth/sveltekit'
export const { handle } = SvelteKitAuth(async (event) => {
  const { env } = event.platform
  return { secret: env.AUTH_SECRET, providers: [] }
})
`,
  )
  expect(lazy.text).toContain(
    'providers: [], migrateFrom: [authjs({ secret: env.AUTH_SECRET, until:',
  )
  const apart = changed(
    `export const config = {
  providers: []
}
`,
    'src/config.js',
    {
      'src/app.js': `import { ExpressAuth } from '@auth/express'
import { config } from './config.js'
app.use(ExpressAuth(config))
`,
    },
  )
  expect(apart.text).toContain(`  providers: [],\n  migrateFrom: [authjs(`)
})

test('without a configuration a decision says that all users would be signed out', () => {
  const { decisions } = changed(`import { ExpressAuth } from '@auth/express'
app.use(ExpressAuth(make()))
`)
  expect(decisions.join('\n')).toContain('add `migrateFrom` yourself, or all users are signed out')
})

test('a person who signs in with a password keeps the id that authorize gives', () => {
  const { text } = changed(`import { ExpressAuth } from '@auth/express'
import Password from '@auth/express/providers/credentials'
app.use(
  ExpressAuth({
    providers: [Password({ id: 'staff', authorize }), Password({ authorize })],
  }),
)
`)
  expect(text).toContain(`    subject: ({ provider, account }) =>
      provider === 'staff' || provider === 'credentials' ? account.providerAccountId : undefined,`)
})

test.each([
  ['session: { maxAge: 2 * 24 * 60 * 60 }', '2026-11-25'],
  ['session: { maxAge: (60 * 60) }', '2026-11-23'],
  ['session: {}', '2026-12-23'],
  ['session: { maxAge: age }', '2026-12-23'],
])('old cookies are read as long as one of them can live: %s', (session, until) => {
  const { text } = changed(`import { ExpressAuth } from '@auth/express'
app.use(ExpressAuth({ ${session}, providers: [] }))
`)
  expect(text).toContain(`until: '${until}'`)
})

test('sessions in a database have no cookies that could be read', () => {
  for (const options of [`session: { strategy: 'database' }`, 'adapter: Prisma(db)']) {
    const { text, decisions } = changed(`import { ExpressAuth } from '@auth/express'
app.use(ExpressAuth({ ${options}, providers: [] }))
`)
    expect(text).not.toContain('migrateFrom')
    expect(text).toContain(options)
    expect(decisions.join('\n')).toContain('The change ends sessions in a database')
  }
  const { text } = changed(`import { ExpressAuth } from '@auth/express'
app.use(ExpressAuth({ session: { strategy: 'jwt' }, adapter, providers: [] }))
`)
  expect(text).toContain('migrateFrom')
})

test('a cookie of another name is read under it, and the new one gets its own', () => {
  const { text } = changed(`import { ExpressAuth } from '@auth/express'
app.use(ExpressAuth({ cookies: { sessionToken: { name: 'sid' } }, providers: [] }))
`)
  expect(text).toContain(`cookies: { sessionToken: {  } }`)
  expect(text).toContain(`cookie: 'sid' })]`)
})

test('the contents that the jwt callback put into an old token are kept, or a decision says so', () => {
  const jwt = (callback: string) =>
    changed(`import { ExpressAuth } from '@auth/express'
app.use(ExpressAuth({
  providers: [],
  callbacks: {
    ${callback},
  },
}))
`)
  const { text, decisions } = jwt(`async jwt({ token, user }) {
      if (user) token.role = user.role
      return token
    }`)
  expect(text).toContain(`    async jwt({ token, user, account, profile }) {
      // An old session keeps the contents of its token.
      if (account?.provider === 'authjs') return Object.assign({}, profile, token)
      if (user) token.role = user.role
`)
  expect(decisions.join('\n')).not.toContain('For an old session')
  for (const callback of [
    'jwt: ({ token }) => token',
    'jwt: (all) => { return all.token }',
    'jwt: ({ token: t }) => { return t }',
    'jwt: imported',
    'jwt',
  ]) {
    const { text, decisions } = jwt(callback)
    expect(text).toContain(`    ${callback},`)
    expect(decisions.join('\n')).toContain('src/auth.ts:5 For an old session')
  }
})

test('each option that is not the same is listed with its line', () => {
  const { decisions } = changed(`import { ExpressAuth } from '@auth/express'
app.use(ExpressAuth({
  providers: [
    GitHub({ allowDangerousEmailAccountLinking: true }),
  ],
  adapter,
  useSecureCookies: true,
  jwt: { encode },
  events: { createUser() {}, signIn() {}, signOut() {} },
  madeUp: 1,
  ...rest,
}))
`)
  expect(decisions.map((one) => one.replace(/^(src\/auth[.]ts:\d+ .{0,23}).*/, '$1'))).toEqual([
    'src/auth.ts:4 An address links no acc',
    'src/auth.ts:6 The change ends session',
    'src/auth.ts:6 `adapter`: There is no ',
    'src/auth.ts:7 `useSecureCookies`: Coo',
    'src/auth.ts:8 `jwt.encode`: The sessi',
    'src/auth.ts:9 `events.createUser`: `e',
    'src/auth.ts:9 `events.signOut`: It ge',
    'src/auth.ts:10 `madeUp`: Is it misspel',
    'src/auth.ts:11 The command does not re',
  ])
})

test('types that are extended move, but those that cannot be', () => {
  const { text, files } = changed(
    `declare module '@auth/core/types' {
  interface Session { plan?: string }
}
declare module '@auth/core/jwt' {
  interface JWT { plan?: string }
}
declare module '@auth/express' {
  interface Account { plan?: string }
}
import type { Session } from '@auth/core/types'
`,
    'src/types.d.ts',
  )
  expect(text).toContain(`declare module '@latchkey/session' {`)
  expect(text).toContain(`declare module '@latchkey/worker/types' {`)
  expect(text).toContain(`declare module '@auth/express' {`)
  expect(files.get('package.json')).toContain('@latchkey/session')
})

const component = `<script module lang="ts">
  import { signIn as enter } from '@auth/sveltekit/client'
</script>

<script lang="ts">
  import { SignIn } from '@auth/sveltekit/components'
  import { signOut } from '@auth/sveltekit/client'
  const { callbackUrl, items } = $props()
</script>

<p>import {'{'} SignIn } from '@auth/sveltekit/components'</p>
{#if items.length > 0}
  <SignIn provider="github" options={{ redirectTo: '/a' }} />
  {#each items as { callbackUrl }}
    <button on:click={() => enter('github', { callbackUrl })}>{callbackUrl}</button>
  {/each}
  <button onclick={() => signOut({ callbackUrl: '/' })}>{other({ callbackUrl: '/' })}</button>
{/if}
`

test('in a component scripts and expressions change, and nothing that people read', () => {
  const { text } = changed(component, 'src/routes/+page.svelte')
  expect(text).toBe(
    component
      .replaceAll(/(from '@)auth(\/sveltekit\/\w+'\n)/g, '$1latchkey$2')
      .replace(`enter('github', { callbackUrl })`, `enter('github', { redirectTo: callbackUrl })`)
      .replace(`signOut({ callbackUrl: '/' })`, `signOut({ redirectTo: '/' })`),
  )
})

test('an app of the first release gets its hook and its reader', () => {
  const { text } = changed(
    `import { SvelteKitAuth } from '@auth/sveltekit'
export const handle = SvelteKitAuth({ providers: [] })
export const load = (event) => event.locals.getSession()
`,
    'src/hooks.server.ts',
  )
  expect(text).toContain('export const { handle } = ComponentKitAuth({')
  expect(text).toContain('event.locals.auth()')
  expect(text).toContain(`import { env } from '$env/dynamic/private'`)
})

test.each([
  ['src/app.ts', 'const session = await getSession(req, config)'],
  ['src/routes/+page.server.ts', 'const session = await event.locals.auth()'],
])('in %s code that writes into the session is listed, because ours throws', (path, line) => {
  const source = `import { getSession } from '@auth/express'\n${line}\nsession.user.role = 'x'\n`
  const written = (text: string) =>
    changed(text, path).decisions.filter((one) => one.includes('structuredClone'))
  expect(written(source)).toEqual([expect.stringMatching(/^src\/.*:3 /)])
  expect(written(source.replace('role = ', 'role === '))).toEqual([])
})

test('variables get their names, where they are read too, unless the new name is taken', () => {
  const { text, files, decisions } = changed(
    `import { ExpressAuth } from '@auth/express'
app.use(ExpressAuth({ secret: process.env.NEXTAUTH_SECRET, providers: [] }))
`,
    'src/app.ts',
    {
      '.env': 'NEXTAUTH_SECRET=short\n# NEXTAUTH_URL=x\nNEXTAUTH_URL=http://a\n',
      '.env.production': 'AUTH_URL=http://b\nNEXTAUTH_URL=http://a\n',
    },
  )
  expect(text).toContain('secret: process.env.AUTH_SECRET, providers')
  expect(files.get('.env')).toBe('AUTH_SECRET=short\n# NEXTAUTH_URL=x\nAUTH_URL=http://a\n')
  expect(files.has('.env.production')).toBe(false)
  expect(decisions.join('\n')).toContain('AUTH_SECRET has less than 32 characters')
})

test('an app that does not use them is left alone', () => {
  const source = `import { signIn } from './own'\nsignIn({ callbackUrl: process.env.NEXTAUTH_URL })\n`
  const { files, decisions } = changed(source, 'src/own.ts', { '.env': 'NEXTAUTH_URL=x\n' })
  expect([...files.keys(), ...decisions]).toEqual([])
})
