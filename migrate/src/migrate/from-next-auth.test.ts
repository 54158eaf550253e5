import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { migrateApp } from './migrate-app.js'

const now = new Date('2026-11-22T12:00:00Z')
const apps = join(import.meta.dirname, '../../../test/moving-in-next')

/** Changes an app. @returns its texts afterwards, and the decisions that are left */
function changed(files: ReadonlyMap<string, string>) {
  const { changed, decisions } = migrateApp(files, '1.2.3', now)
  const after = new Map([...files, ...changed])
  const again = migrateApp(after, '1.2.3', new Date('2027-01-01'))
  expect([...again.changed.keys()], 'run again, it changes nothing more').toEqual([])
  return {
    after,
    changed: [...changed.keys()].sort(),
    text: (path: string) => after.get(path) ?? '',
    decisions: decisions.map(({ path, line, text }) => `${path}:${line ?? ''} ${text}`),
  }
}

function ofFolder(name: string) {
  const cwd = join(apps, name)
  const paths = globSync(['**/*', '.env*'], { cwd }).filter((path) =>
    statSync(join(cwd, path)).isFile(),
  )
  return changed(new Map(paths.map((path) => [path, readFileSync(join(cwd, path), 'utf8')])))
}

function of(version: 4 | 5, files: Record<string, string>) {
  const names = { 4: '4.24.11', 5: '5.0.0-beta.32' }
  const manifest = { dependencies: { next: '16.0.0', 'next-auth': names[version] } }
  return changed(new Map(Object.entries({ 'package.json': JSON.stringify(manifest), ...files })))
}

test('an app of version 5, with its configuration in two files', () => {
  const { text, changed, decisions } = ofFolder('next-auth-5')
  expect(changed).not.toContain('app/api/auth/[...nextauth]/route.ts')
  expect(text('auth.ts')).toContain('auth, signIn, signOut, update } = NextAuth({')
  expect(text('app/members/rename.ts')).toContain('await update({ user:')
  expect(text('package.json')).not.toContain('next-auth"')
  const files = ['auth.ts', 'auth.config.ts'].map(text)
  expect(
    files.map((one) => one.split('migrateFrom').length - 1),
    'for both',
  ).toEqual([0, 1])
  expect(
    files.map((one) => one.split('subject').length - 1),
    'where the ids are',
  ).toEqual([1, 0])
  expect(decisions.map((one) => one.slice(0, 48))).toEqual([
    'app/api/me/route.ts:3 `auth(handler)` does not a',
    'app/layout.tsx:9 Remove `refetchOnWindowFocus`: ',
    'auth.config.ts:6 Old cookies are read until 2026',
    'auth.config.ts:13 `session`, the data of `update',
    'middleware.ts:1 Next 15 runs `middleware.ts` at ',
    'middleware.ts:4 A second instance renews session',
  ])
})

test('a small app of version 5', () => {
  const { text, changed, decisions } = ofFolder('next-auth-5-small')
  expect(changed).toEqual(['package.json', 'src/auth.ts'])
  expect(text('src/auth.ts')).toContain('import Google from "@latchkey/next/providers/google";')
  expect(decisions).toHaveLength(1)
})

test('an app of version 4 gets one instance, whose proxy lets the same users in', () => {
  const { text, decisions } = ofFolder('next-auth-4')
  expect(text('src/lib/auth.ts')).toContain(
    'export const { handlers, auth } = NextAuth(authOptions);',
  )
  expect(text('src/lib/auth.ts')).toContain('    authorized: ({ auth }) => auth !== null,\n  },')
  expect(text('src/lib/auth.ts')).toContain('cookie: "next-auth.session-token"')
  expect(text('src/lib/auth.ts')).toContain('export const getAuth = () => auth();')
  expect(text('src/app/api/auth/[...nextauth]/route.ts')).toBe(
    'import { handlers } from "@/lib/auth";\n\nexport const { GET, POST } = handlers;\n',
  )
  expect(text('src/app/api/me/route.ts')).toBe(`import { auth } from "@/lib/auth";

export async function GET() {
  const session = await auth();
  return Response.json(session?.user ?? null);
}
`)
  expect(text('src/middleware.ts')).toContain('export { auth as middleware } from "@/lib/auth";\n')
  expect(
    text('src/types/next-auth.d.ts'),
  ).toBe(`import { type DefaultSession } from "@latchkey/next";

declare module "@latchkey/session" {
  interface Session extends DefaultSession {
    user: { role?: string } & DefaultSession["user"];
  }
  interface User {
    role?: string;
  }
}

declare module "@latchkey/worker/types" {
  interface JWT {
    role?: string;
  }
}
`)
  expect(text('package.json')).not.toContain('next-auth"')
  expect(
    decisions.filter((one) => !one.startsWith('.env')).map((one) => one.split(' ')[0]),
  ).toEqual(['src/lib/auth.ts:5', 'src/lib/auth.ts:9', 'src/lib/auth.ts:20', 'src/middleware.ts:1'])
})

test('in an app with both routers the Pages Router is left to a person, at its lines', () => {
  const { text, changed, decisions } = ofFolder('next-auth-4-pages')
  expect(changed).toEqual([
    '.env',
    'app/new/page.js',
    'lib/auth-options.js',
    'package.json',
    'pages/_app.js',
    'pages/old.js',
  ])
  expect(text('pages/old.js')).toContain(`import { getServerSession } from 'next-auth/next'\n`)
  expect(text('package.json')).toContain('"next-auth"')
  expect(text('lib/auth-options.js')).toContain(`import('@latchkey/next').NextAuthConfig`)
  const places = decisions.map((one) => one.split(' ')[0])
  expect(places).toEqual([
    '.env:',
    '.env:',
    'lib/auth-options.js:4',
    'middleware.js:3',
    'package.json:',
    'pages/_app.js:5',
    'pages/api/auth/[...nextauth].js:4',
    'pages/api/me.js:4',
    'pages/old.js:6',
  ])
})

const ROUTE = 'app/api/auth/[...nextauth]/route.js'
const OPTIONS = `import { getServerSession } from 'next-auth'
export const authOptions = { providers: [] }
export const read = () => getServerSession(authOptions)
`

describe('the routes of version 4', () => {
  const HANDLERS = "import { handlers } from '../../../../auth'"
  const IMPORTS = `import NextAuth from 'next-auth'\nimport { authOptions } from '../../../../auth'\n`
  test.each([
    [
      'a handler under two names',
      'const handler = NextAuth(authOptions)\nexport { handler as GET, handler as POST }\n',
      `${HANDLERS}\nexport const { GET, POST } = handlers\n`,
    ],
    [
      'a handler with a type',
      'const handler = NextAuth(authOptions) as never;\nexport { handler as POST }\n',
      `${HANDLERS}\nexport const { POST } = handlers\n`,
    ],
    [
      'two constants of it',
      'const it = NextAuth(authOptions)\nexport const GET = it\nexport const POST = it\n',
      `${HANDLERS}\nexport const { GET, POST } = handlers\n`,
    ],
    [
      'two handlers',
      'export const GET = NextAuth(authOptions)\nexport const POST = NextAuth(authOptions)\n',
      `${HANDLERS}\nexport const GET = handlers.GET\nexport const POST = handlers.POST\n`,
    ],
  ])('%s', (_, route, after) => {
    const path = 'app/api/auth/[...nextauth]/route.ts'
    expect(of(4, { 'auth.js': OPTIONS, [path]: IMPORTS + route }).text(path)).toBe(after)
  })

  test.each([
    ['a wrapper', 'const it = NextAuth(authOptions)\nexport const GET = (r, c) => it(r, c)\n'],
    ['a method that is not known', 'const it = NextAuth(authOptions)\nexport { it as PUT }\n'],
    ['each request', 'export const GET = (q, s) => NextAuth(q, s, authOptions)\n'],
  ])('%s is left as it is, and listed', (_, route) => {
    const { text, decisions } = of(4, { 'auth.js': OPTIONS, [ROUTE]: IMPORTS + route })
    expect(text(ROUTE)).toBe(IMPORTS + route)
    expect(decisions.join('\n')).toContain(`${ROUTE}:`)
    expect(text('package.json')).toContain('"next-auth"')
  })

  test('with the configuration in them they are the one file', () => {
    const { text } = of(4, {
      [ROUTE]: `import NextAuth from 'next-auth'

const handler = NextAuth({ providers: [] })

export { handler as GET, handler as POST }
`,
      'app/page.js': `import { getServerSession } from 'next-auth'
export default async () => <p>{(await getServerSession())?.user.name}</p>
`,
    })
    expect(text(ROUTE)).toContain('export const { handlers: { GET, POST }, auth } = NextAuth({ pro')
    expect(text(ROUTE)).not.toContain('export {')
    expect(text('app/page.js')).toBe(`import { auth } from './api/auth/[...nextauth]/route'

export default async () => <p>{(await auth())?.user.name}</p>
`)
  })
})

describe('the session of version 4', () => {
  const page = (text: string, more: Record<string, string> = {}) =>
    of(4, { 'auth.js': OPTIONS, 'app/page.js': text, ...more })

  test.each([
    [
      'by another name',
      `import { getServerSession as read } from 'next-auth'\nimport { authOptions as it } from '../auth'\nread(it)\n`,
      `import { auth } from '../auth'\nauth()\n`,
    ],
    [
      'where the name is taken',
      `import { getServerSession } from 'next-auth'\nimport { authOptions } from '../auth'\nconst auth = await getServerSession(authOptions)\n`,
      `import { auth as currentSession } from '../auth'\nconst auth = await currentSession()\n`,
    ],
    [
      'in a file that uses the options too',
      `import { getServerSession } from 'next-auth'\nimport { authOptions } from '@/auth'\nuse(authOptions, getServerSession(authOptions))\n`,
      `import { authOptions } from '@/auth'\nimport { auth } from '@/auth'\nuse(authOptions, auth())\n`,
    ],
    [
      'by an import that has more',
      `import { unstable_getServerSession } from 'next-auth'\nimport { read, authOptions } from '../auth'\nuse(read, unstable_getServerSession(authOptions))\n`,
      `import { read, auth } from '../auth'\nuse(read, auth())\n`,
    ],
    [
      'in an action',
      `'use server'\nimport { getServerSession } from 'next-auth'\nexport const a = () => getServerSession()\n`,
      `'use server'\nimport { auth } from '../auth'\nexport const a = () => auth()\n`,
    ],
  ])('%s', (_, before, after) => {
    expect(page(before).text('app/page.js')).toBe(after)
  })

  test('the options are found through a default, a re-export and the aliases of tsconfig.json', () => {
    const files = {
      'tsconfig.json': '{ "compilerOptions": { /* ours */ "paths": { "#lib/*": ["./lib/*"] } } }',
      'lib/options.js': `const options = { providers: [] }\nexport default options\n`,
      'lib/index.js': `export { default as authOptions } from './options'\n`,
      [ROUTE]: `import NextAuth from 'next-auth'\nimport options from '#lib/options'\nconst h = NextAuth(options)\nexport { h as GET, h as POST }\n`,
      'app/page.js': `import { getServerSession } from 'next-auth'\nimport { authOptions } from '#lib/index'\ngetServerSession(authOptions)\n`,
    }
    const { text, decisions } = of(4, files)
    expect(text('app/page.js')).toBe(`import { auth } from '#lib/options'\nauth()\n`)
    expect(text(ROUTE)).toBe(
      `import { handlers } from '#lib/options'\nexport const { GET, POST } = handlers\n`,
    )
    expect(decisions).toHaveLength(2)
  })

  test.each([
    ['a call of the Pages Router', 'getServerSession(req, res, authOptions)', 'Pages Router'],
    ['a call with other options', 'getServerSession(other)', 'the one instance'],
  ])('%s is left as it is, and listed', (_, call, why) => {
    const source = `import { getServerSession } from 'next-auth'\nimport { authOptions } from '../auth'\n${call}\n`
    const { text, decisions } = page(source)
    expect(text('app/page.js')).toBe(source)
    expect(decisions.join('\n')).toContain(`app/page.js:3`)
    expect(decisions.join('\n')).toContain(why)
  })

  test('a function for both routers reads it in the App Router', () => {
    const { text, decisions } = of(4, {
      'auth.js': `import { getServerSession } from 'next-auth'
export const config = { providers: [] }
export function auth(...args) {
  return getServerSession(...args, config)
}
`,
    })
    expect(text('auth.js')).toContain(
      'export const { handlers, auth: currentSession } = NextAuth(co',
    )
    expect(text('auth.js')).toContain('return currentSession()')
    expect(decisions.join('\n')).toContain('auth.js:4 The Pages Router')
  })
})

describe('attack: the proxy of version 4 lets in a user that it refused before', () => {
  const proxy = (text: string, options = OPTIONS) => of(4, { 'auth.js': options, 'proxy.js': text })

  test.each([
    [
      `export { default } from 'next-auth/middleware'\n`,
      `export { auth as proxy } from './auth'\n`,
    ],
    [
      `export { default as middleware } from 'next-auth/middleware'\n`,
      `export { auth as middleware } from './auth'\n`,
    ],
    [
      `import all from 'next-auth/middleware'\nexport default all\n`,
      `import { auth } from './auth'\n\nexport default auth\n`,
    ],
    [
      `import { withAuth } from 'next-auth/middleware'\nexport default withAuth()\n`,
      `import { auth } from './auth'\n\nexport default auth()\n`.replace('auth()\n', 'auth\n'),
    ],
    [
      `import { withAuth } from 'next-auth/middleware'\nexport default withAuth({ callbacks: { authorized: ({ token }) => !!token } })\n`,
      `import { auth } from './auth'\n\nexport default auth\n`,
    ],
  ])('%j', (before, after) => {
    const { text, decisions } = proxy(before)
    const matcher = `\nexport const config = { matcher: ['/', '/((?!_next|favicon.ico).*)'] }\n`
    expect(text('proxy.js')).toBe(after + matcher)
    expect(text('auth.js')).toContain('callbacks: { authorized: ({ auth }) => auth !== null }')
    expect(decisions.join('\n')).not.toContain('proxy.js')
  })

  test('a handler of its own gets signed-in users alone', () => {
    const { text } = proxy(`import { withAuth } from 'next-auth/middleware'
export default withAuth(
  function middleware(request) {
    return seen(request)
  },
  { callbacks: { authorized: ({ token }) => !!token } },
)
export const config = { matcher: ['/a'] }
`)
    expect(text('proxy.js')).toBe(`import { requireSession } from './auth'

export default requireSession(
  function middleware(request) {
    return seen(request)
  },
)
export const config = { matcher: ['/a'] }
`)
    expect(text('auth.js')).toContain('export const { handlers, auth, requireSession } = NextAuth(')
    expect(text('auth.js')).not.toContain('authorized')
  })

  test('a callback that asks only whether there is a token goes into the configuration, with its pages', () => {
    const { text } = proxy(`import { withAuth } from 'next-auth/middleware'
export default withAuth({
  pages: { signIn: '/login' },
  callbacks: {
    authorized({ req, token }) {
      if (req.nextUrl.pathname.startsWith('/admin')) return !!token
      return true
    },
  },
})
`)
    expect(text('auth.js')).toContain(`pages: { signIn: '/login' }`)
    expect(text('auth.js')).toContain(`authorized: ({ request: req, auth: token }) => {`)
  })

  test.each([
    [`withAuth({ callbacks: { authorized: ({ token }) => token?.role === 'admin' } })`],
    [`withAuth({ callbacks: { authorized: ({ token }) => token } })`],
    [`withAuth({ callbacks: { authorized: ({ token: { role } }) => !!role } })`],
    [`withAuth({ callbacks: { authorized: ({ token }) => allowed(token) } })`],
    [`withAuth({ callbacks: { authorized } })`],
    [`withAuth({ callbacks })`],
    [`withAuth(options)`],
    [`withAuth((request) => use(request.nextauth.token))`],
    [`withAuth((request) => use(request), { callbacks: { authorized: () => true } })`],
    [`wrap(withAuth)`],
    [`async (request) => (await withAuth(request)) ?? go()`],
  ])('%s is left as it is, and listed', (middleware) => {
    const source = `import { withAuth } from 'next-auth/middleware'\nexport default ${middleware}\n`
    const { text, decisions } = proxy(source)
    expect(text('proxy.js')).toBe(source)
    expect(text('auth.js')).not.toContain('authorized')
    expect(decisions.join('\n')).toContain('proxy.js:2 Write this proxy by hand')
    expect(text('package.json')).toContain('"next-auth"')
  })

  test.each([
    'providers: [], callbacks',
    'providers: [], ...base',
    'providers: [], callbacks: { jwt }, ...base',
    'providers: [], callbacks: { authorized: () => true }',
  ])('a configuration with %s is not trusted with it', (members) => {
    const options = OPTIONS.replace('providers: []', members)
    const { text, decisions } = proxy(`export { default } from 'next-auth/middleware'\n`, options)
    expect(text('proxy.js')).toBe(`export { default } from 'next-auth/middleware'\n`)
    expect(text('auth.js').split('authorized')).toHaveLength(options.split('authorized').length)
    expect(decisions.join('\n')).toContain('proxy.js:1 Write this proxy by hand')
  })

  test('a spread configuration before its own callbacks does not take the guard away', () => {
    const options = OPTIONS.replace('providers: []', '...base, callbacks: { jwt }')
    const { text } = proxy(`export { default } from 'next-auth/middleware'\n`, options)
    expect(text('auth.js')).toContain('callbacks: { jwt, authorized: ({ auth }) => auth !== null }')
  })

  test('pages of the proxy take no place of pages that are spread in', () => {
    const options = OPTIONS.replace('providers: []', '...base, callbacks: {}')
    const source = `import { withAuth } from 'next-auth/middleware'\nexport default withAuth({ pages: { signIn: '/login' } })\n`
    expect(proxy(source, options).text('proxy.js')).toBe(source)
  })
})

describe('attack: an id of one provider is never that of another provider', () => {
  const ids = (providers: string, more = '') => {
    const imports = `import NextAuth from 'next-auth'\nimport A from 'next-auth/providers/github'\nimport C from 'next-auth/providers/credentials'\n`
    const route = `${imports}const h = NextAuth({ providers: [${providers}]${more} })\nexport { h as GET }\n`
    const { text, decisions } = of(4, { [ROUTE]: route })
    return { subject: /subject:[^,]*(?:,[^,]*\})?[^,]*,/s.exec(text(ROUTE))?.[0], decisions }
  }
  test('one provider keeps its ids', () => {
    expect(ids('A({})').subject).toBe('subject: ({ account }) => account.providerAccountId,')
  })
  test.each(['A({}), C({ authorize })', '...list, C({ authorize })'])(
    'with %s only passwords keep their ids',
    (providers) => {
      const { subject, decisions } = ids(providers)
      expect(subject).toContain(`provider === 'credentials' ?`)
      expect(decisions.join('\n')).toContain('Two providers may have the same ids')
    },
  )
  test('with an adapter the ids are those of its rows', () => {
    expect(ids('A({})', ', adapter').subject).toBeUndefined()
  })
})

describe('nothing is changed, and a decision says what to do first,', () => {
  test.each<[string, Record<string, string>, string]>([
    [
      'if the configuration is in the Pages Router',
      {
        'pages/api/auth/[...nextauth].js': `import NextAuth from 'next-auth'\nexport const authOptions = { providers: [] }\nexport default NextAuth(authOptions)\n`,
        'app/page.js': `import { getServerSession } from 'next-auth'\nimport { authOptions } from '../pages/api/auth/[...nextauth]'\ngetServerSession(authOptions)\n`,
      },
      'Move the configuration to a file of its own',
    ],
    [
      'if there is only the Pages Router',
      {
        'auth.js': OPTIONS,
        'pages/api/auth/[...nextauth].js': `import NextAuth from 'next-auth'\nimport { authOptions } from '../../../auth'\nexport default NextAuth(authOptions)\n`,
      },
      'The Pages Router is left to you',
    ],
    [
      'if the configuration has no name',
      {
        'auth.js': `export default { providers: [] }\n`,
        [ROUTE]: `import NextAuth from 'next-auth/next'\nimport o from '../../../../auth'\nconst h = NextAuth(o)\nexport { h as GET }\n`,
      },
      'write `export const authOptions',
    ],
  ])('%s', (_, files, why) => {
    const { changed, decisions } = of(4, files)
    expect(changed).toEqual([])
    expect(decisions.join('\n')).toContain(why)
  })
})

test('a package with the configuration alone gets the instance, and its app is told to use it', () => {
  const own = of(4, {
    'index.ts': `import type { AuthOptions } from 'next-auth'\nexport const authOptions: AuthOptions = { providers: [] }\n`,
  })
  expect(own.text('index.ts')).toContain(
    'export const { handlers, auth } = NextAuth(authOptions)\n',
  )
  const { decisions } = of(4, {
    [ROUTE]: `import NextAuth from 'next-auth'\nimport { authOptions } from '@acme/auth'\nconst h = NextAuth(authOptions)\nexport { h as GET }\n`,
  })
  expect(decisions.join('\n')).toContain('the one instance here')
})

test('attack: a redirect that authorized gave in version 5 is not lost without a word', () => {
  const make = (callbacks: string) =>
    `import NextAuth from 'next-auth'\nexport const { auth, handlers } = NextAuth({ providers: [], ${callbacks} })\n`
  const handlers = `import { auth } from './auth'\nexport default auth((request) => use(request))\nauth()\nauth({ maxAge: 5 })\n`
  const own = `import NextAuth from 'next-auth'\nconst { auth: it } = NextAuth({ providers: [] })\nexport default it(handler)\nNextAuth(x).auth(async () => {})\n`
  const lines = (callbacks: string) =>
    of(5, { 'auth.ts': make(callbacks), 'proxy.ts': handlers, 'own.ts': own })
      .decisions.filter((one) => one.includes('does not ask'))
      .map((one) => one.split(' ')[0])
  expect(lines('callbacks: { authorized }')).toEqual(['own.ts:3', 'own.ts:4', 'proxy.ts:2'])
  expect(lines('callbacks: {}')).toEqual([])
})

describe('update of version 5', () => {
  const MAKE = `import NextAuth from 'next-auth'\nexport const { auth, unstable_update } = NextAuth({ providers: [] })\n`
  test.each([
    [
      'is renamed wherever it is imported',
      MAKE,
      `import { unstable_update } from '~/auth'\nuse({ unstable_update })\n`,
      `import { update } from '~/auth'\nuse({ unstable_update: update })\n`,
    ],
    [
      'keeps its name where the new one is taken',
      MAKE,
      `import { unstable_update } from './auth'\nconst { update } = useSession()\nunstable_update()\n`,
      `import { update as unstable_update } from './auth'\nconst { update } = useSession()\nunstable_update()\n`,
    ],
    [
      'keeps its name where the instance exports it by a list',
      `import NextAuth from 'next-auth'\nconst { unstable_update } = NextAuth({ providers: [] })\nexport { unstable_update }\n`,
      `import { unstable_update } from './auth'\n`,
      `import { unstable_update } from './auth'\n`,
    ],
  ])('%s', (_, auth, before, after) => {
    const { text } = of(5, { 'auth.ts': auth, 'a.ts': before })
    expect(text('a.ts')).toBe(after)
    expect(text('auth.ts')).toMatch(/update/)
    expect(text('auth.ts')).not.toMatch(/\{ auth, unstable_update \}|const \{ unstable_update \}/)
  })
})

describe('code that writes into the session is listed, because ours throws', () => {
  const page = (line: string) => `const session = (await auth())!\n${line}\n`
  const places = (text: string) =>
    of(5, {
      'auth.js': `import NextAuth from 'next-auth'\nexport const { auth } = NextAuth({ providers: [] })\n`,
      'app/page.ts': `import { auth } from '../auth'\n${text}`,
    }).decisions.filter((one) => one.includes('structuredClone'))

  test.each([
    'session.user = { name: session.user.name }',
    'session.user.name ??= "nobody"',
    'delete (session.user as { email?: string }).email',
    'session["views"]++',
  ])('%s', (line) => {
    expect(places(page(line))).toEqual([expect.stringMatching(/^app\/page[.]ts:3 /)])
  })

  test.each([
    'other = session',
    'use(session.user.name)',
    'other[session.user.name] = session.user',
  ])('but not %s', (line) => {
    expect(places(page(line))).toEqual([])
  })

  test('in version 4 too', () => {
    const { decisions } = of(4, {
      'auth.js': OPTIONS,
      'app/page.js': `import { getServerSession } from 'next-auth'
import { authOptions } from '../auth'
const session = await getServerSession(authOptions)
session.user.id = 1
session.user.name = ''
`,
    })
    expect(decisions.filter((one) => one.includes('structuredClone'))).toEqual([
      expect.stringMatching(/^app\/page[.]js:4 /),
    ])
  })
})

test('code without a counterpart is listed at its line, and loses nothing', () => {
  const { text, decisions } = of(5, {
    'auth.ts': `import NextAuth from 'next-auth'
import Mail from 'next-auth/providers/nodemailer'
import type { Adapter } from 'next-auth/adapters'
import { signIn } from 'next-auth/webauthn'
export const { auth } = NextAuth({ providers: [Mail({})] })
`,
    'a.test.tsx': `import { getCsrfToken, useSession as session } from 'next-auth/react'
import * as all from 'next-auth'
vi.mock('next-auth/react')
const one = await import('next-auth')
let a: import('next-auth').Session
let b: typeof import('next-auth')
cookies().get('__Secure-authjs.session-token')
`,
    'pages/api/a.ts': `import { auth } from '../../auth'
import { getToken } from 'next-auth/jwt'
export default async (req, res) => res.json([await auth(req, res), await getToken({ req })])
`,
  })
  expect(decisions.map((one) => one.split(' ')[0])).toEqual([
    'a.test.tsx:1',
    'a.test.tsx:2',
    'a.test.tsx:3',
    'a.test.tsx:4',
    'a.test.tsx:6',
    'a.test.tsx:7',
    'auth.ts:2',
    'auth.ts:3',
    'auth.ts:4',
    'auth.ts:5',
    'pages/api/a.ts:3',
  ])
  expect(text('a.test.tsx')).toContain(`import { getCsrfToken } from 'next-auth/react'
import { useSession as session } from '@latchkey/next/react'
`)
  expect(text('a.test.tsx')).toContain(`let a: import('@latchkey/next').Session\n`)
  expect(text('pages/api/a.ts')).toContain(`import { getToken } from 'next-auth/jwt'`)
})

test('an import of a default keeps it where another name of it stays', () => {
  const { text } = of(5, {
    'auth.ts': `import NextAuth, { AuthError, type Awaitable } from 'next-auth'\nNextAuth({ providers: [] })\n`,
  })
  expect(text('auth.ts')).toContain(`import { type Awaitable } from 'next-auth'
import NextAuth, { AuthError } from '@latchkey/next'
`)
})

test('an environment that the app has made itself keeps its own names', () => {
  const { text } = of(4, {
    'env.js': 'export const env = make({ NEXTAUTH_SECRET: process.env.NEXTAUTH_SECRET })\n',
    'auth.js': `import { getServerSession } from 'next-auth'
import { env } from './env'
const { NEXTAUTH_URL } = process.env
const authOptions = { providers: [], secret: env.NEXTAUTH_SECRET ?? process.env['NEXTAUTH_SECRET'] }
getServerSession(authOptions)
`,
  })
  expect(text('env.js')).toContain('{ NEXTAUTH_SECRET: process.env.AUTH_SECRET }')
  expect(text('auth.js')).toContain('const { AUTH_URL: NEXTAUTH_URL } = process.env')
  expect(text('auth.js')).toContain(`secret: env.NEXTAUTH_SECRET ?? process.env['AUTH_SECRET'],`)
  const [, old] = /authjs\(\{ secret: (.*?), until/.exec(text('auth.js')) ?? []
  expect(old).toBe(`env.NEXTAUTH_SECRET ?? process.env['AUTH_SECRET']`)
})

describe('a spelling that is odd', () => {
  test('options of the proxy that name the secret are left out with it', () => {
    const { text } = of(4, {
      'auth.js': OPTIONS,
      'proxy.js': `import { withAuth } from 'next-auth/middleware'
export default withAuth({ secret: process.env.NEXTAUTH_SECRET })
`,
    })
    expect(text('proxy.js')).toContain('export default auth\n')
  })

  test('a configuration without a member gets several', () => {
    const { text } = of(4, {
      'auth.js': OPTIONS.replace(' providers: [] ', ''),
      'proxy.js': `export { default } from 'next-auth/middleware'\n`,
    })
    expect(text('auth.js')).toMatch(/= \{ callbacks: \{.*\}, migrateFrom: \[/)
  })

  test('code behind an import in its line stays behind the new imports', () => {
    const { text } = of(5, {
      'auth.ts': `import NextAuth from 'next-auth'; export const { auth } = NextAuth({ providers: [] })\n`,
    })
    expect(text('auth.ts')).toContain(`/migrate';\n export const { auth } = NextAuth(`)
  })

  test('a preset in capitals, and the version', () => {
    const { text } = of(5, {
      'auth.ts': `import Hub from 'next-auth/providers/GitHub'\nimport manifest from 'next-auth/package.json'\nuse(Hub, manifest.version)\n`,
    })
    expect(text('auth.ts')).toContain(`import Hub from '@latchkey/next/providers/github'`)
    expect(text('auth.ts')).toContain(`import manifest from '@latchkey/next/package.json'`)
  })

  test('a comment with a type of JavaScript', () => {
    const { text } = of(4, {
      'auth.js': `import { getServerSession } from 'next-auth'
/** @type {import("next-auth").AuthOptions} */
const authOptions = { providers: [] }
/** @param {import('next-auth').Awaitable<1>} a */
export const read = (a) => getServerSession(authOptions)
`,
    })
    expect(text('auth.js')).toContain('{import("@latchkey/next").NextAuthConfig}')
    expect(text('auth.js')).toContain(`{import('next-auth').Awaitable<1>}`)
  })

  test('two configurations: the one of the routes makes the instance, and the other is listed', () => {
    const other = OPTIONS.replaceAll('authOptions', 'otherOptions')
    const route = `import NextAuth from 'next-auth'\nimport { authOptions } from '../../../../auth'\nconst h = NextAuth(authOptions)\nexport { h as GET, h as POST }\n`
    const { text, decisions } = of(4, { 'auth.js': OPTIONS, 'other.js': other, [ROUTE]: route })
    expect(text('auth.js')).toContain('NextAuth(authOptions)')
    expect(text('other.js')).toContain('getServerSession(otherOptions)')
    expect(decisions.join('\n')).toContain('other.js:3 Read the session by `auth()` of the one')
  })

  test('a manifest that cannot tell the version: the names tell it', () => {
    const files = {
      'package.json': '{"dependencies":{"next-auth":"catalog:"}}',
      'auth.js': OPTIONS,
    }
    const { text } = of(5, files)
    expect(text('auth.js')).toContain('export const { handlers, auth } = NextAuth(authOptions)')
  })

  test('a Next that is too old is said', () => {
    const manifest = (next: string) =>
      JSON.stringify({ dependencies: { next, 'next-auth': '5.0.0-beta.4' } })
    const says = (next: string) =>
      of(5, {
        'package.json': manifest(next),
        'a.ts': `import { signIn } from 'next-auth/react'\n`,
      }).decisions.length
    const versions = ['14.2.1', '15.1.9', '~15.0.0', '15.2.0', '^15.0.0', '16.0.0', 'latest']
    expect(versions.map(says)).toEqual([1, 1, 1, 0, 0, 0, 0])
  })
})
