import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { promisify } from 'node:util'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { publishedFolders, readManifest } from '../../scripts/published-packages.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { type Packed, packAll } from '../support/packed.ts'
import { layOut } from '../support/user-project.ts'
import { usersNode } from '../support/users-node.ts'
import { withoutDocstring } from '../support/without-docstring.ts'

/** Every package as npm would publish it, checked, installed and used. */
const run = promisify(execFile)
/** The older compiler reads every declaration once beside each platform; the newer one, which takes a tenth of the time, reads the rest. */
const tsc6 = join(rootDir, 'node_modules/typescript/bin/tsc')
const tsc7 = join(rootDir, 'node_modules/typescript7/bin/tsc')
const attw = join(rootDir, 'node_modules/@arethetypeswrong/cli/dist/index.js')

const folders = publishedFolders(rootDir)
let packed: ReadonlyMap<string, Packed>
let temp: string

function pathsOf(folder: string): string[] {
  return packed.get(folder)?.files.map(({ path }) => path) ?? []
}

function providersOf(folder: string): string[] {
  return namesIn(folder, /^dist\/providers\/([^/.]+)[.]js$/)
}

function namesIn(folder: string, path: RegExp): string[] {
  return pathsOf(folder).flatMap((file) => path.exec(file)?.[1] ?? [])
}

/** The entries of a package that its exports name by a star. */
function wildEntriesOf(folder: string): string[] {
  return [
    ...providersOf(folder).map((id) => `providers/${id}`),
    ...namesIn(folder, /^dist\/features\/([^/.]+)\/index[.]js$/).map((name) => `features/${name}`),
    ...namesIn(folder, /^dist\/languages\/tags\/([^/.]+)[.]js$/).map((tag) => `languages/${tag}`),
  ]
}

function tarball(folder: string): string {
  return packed.get(folder)?.tarball ?? 'missing.tgz'
}

beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'latchkey-packages-'))
  packed = await packAll()
})
afterAll(() => rm(temp, { recursive: true, force: true }))

describe.each(folders)('%s', (folder) => {
  test('passes publint', async () => {
    const { buffer } = new Uint8Array(await readFile(tarball(folder)))
    const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true })
    expect(messages.map((message) => formatMessage(message, pkg, { color: false }))).toEqual([])
  })

  test('passes are-the-types-wrong', async () => {
    const wild = wildEntriesOf(folder)
    const included = wild.length > 0 ? ['--include-entrypoints', ...wild] : []
    const args = [attw, tarball(folder), '--profile', 'esm-only', '--format', 'ascii', ...included]
    const { stdout, code = 0 } = await run(process.execPath, args).catch((error) => error)
    expect(code, stdout).toBe(0)
    expect(stdout).toContain('🟢')
    if (wild.length > 0) expect(stdout).toContain('/providers/videoapp')
  })

  test('publishes what runs, its types, its README and its license, and nothing else', () => {
    const stray = /[.]test[.]|test-support|(?:^|\/)test-|tsbuildinfo|node_modules/
    const meant =
      /^(?:package[.]json|words[.]json|openapi[.]json|README[.]md|LICENSE|dist\/.+[.](?:js|js[.]map|d[.]ts|svelte|d[.]svelte[.]ts)|src\/.+(?<![.]d)[.]ts)$/
    const paths = pathsOf(folder)
    expect(paths).toEqual(expect.arrayContaining(['package.json', 'README.md', 'LICENSE']))
    expect(paths.filter((path) => stray.test(path) || !meant.test(path))).toEqual([])
  })

  test('has the sources that its maps point to and no other, and names no map that it lacks', async () => {
    const paths = new Set(pathsOf(folder))
    const read = (path: string) => readFile(join(rootDir, folder, path), 'utf8')
    const mapped = new Set<string>()
    for (const map of [...paths].filter((path) => path.endsWith('.map'))) {
      const { sources } = JSON.parse(await read(map)) as { sources: string[] }
      for (const source of sources) mapped.add(posix.join(dirname(map), source))
    }
    expect([...mapped].toSorted()).toEqual(
      [...paths].filter((path) => path.startsWith('src/')).toSorted(),
    )
    const naming: string[] = []
    for (const path of [...paths].filter((path) => path.startsWith('dist/'))) {
      if (!path.endsWith('.map') && (await read(path)).includes('//# sourceMappingURL=')) {
        naming.push(`${path}.map`)
      }
    }
    expect(naming.filter((map) => !paths.has(map))).toEqual([])
  })

  test('has a README that begins with its purpose, and soon has a block to copy', async () => {
    const text = await readFile(join(rootDir, folder, 'README.md'), 'utf8')
    const { name } = readManifest(rootDir, folder)
    expect(text).toMatch(new RegExp(`^# ${name}\n\n[A-Z]`))
    const [beforeBlock = ''] = text.split(/^```(?:sh|ts)$/m)
    expect(beforeBlock.split('\n').length).toBeLessThan(25)
  })

  test('says in an editor what each name is for that it exports', () => {
    expect(withoutDocstring(join(rootDir, folder))).toEqual([])
  })
})

test.each(['express', 'hono', 'sveltekit', 'web'])(
  '@latchkey/%s has the providers of the worker',
  async (name) => {
    const ids = providersOf('worker')
    expect(ids).toContain('videoapp')
    expect(providersOf(`adapters/${name}`)).toEqual(ids)
    const program = ids.map(
      (id, at) => `
      import here${at} from '@latchkey/${name}/providers/${id}'
      import there${at} from '@latchkey/worker/providers/${id}'
      if (typeof here${at} !== 'function' || here${at} !== there${at}) throw new Error('${id}')`,
    )
    await run(process.execPath, ['--input-type=module', '--eval', program.join('')], {
      cwd: rootDir,
    })
  },
)

describe('in an empty project of a user', () => {
  let project: string

  beforeAll(async () => {
    project = join(temp, 'project')
    await mkdir(project)
    const manifest = { name: 'project', private: true, type: 'module' }
    await writeFile(join(project, 'package.json'), JSON.stringify(manifest))
    const { devDependencies } = JSON.parse(
      await readFile(join(rootDir, 'package.json'), 'utf8'),
    ) as { devDependencies: Record<string, string> }
    const types = ['@types/node', '@cloudflare/workers-types']
    const wanted = types.map((name) => `${name}@${devDependencies[name]}`)
    const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-save']
    // Packages with a framework as peer have test projects of their own, and so has the command.
    const own = ['session', 'host', 'client', 'worker']
    await run('npm', [...args, ...own.map(tarball), ...wanted], { cwd: project })
  })

  test('the packages install their dependencies and nothing else', async () => {
    const { stdout } = await run('npm', ['ls', '--all', '--parseable'], { cwd: project }).catch(
      (error: { stdout: string }) => error,
    )
    const installed = stdout
      .split('\n')
      .map((path) => path.split('node_modules/').slice(1).at(-1) ?? '')
      .filter((name) => name !== '' && !/^(@types\/node|undici-types|@cloudflare\/.*)$/.test(name))
    const ours = ['@latchkey/session', '@latchkey/host', '@latchkey/client', '@latchkey/worker']
    const known = [...ours, 'hono', 'jose', 'oauth4webapi']
    const unknown = installed.filter((name) => ![...known, '@hono/oauth-providers'].includes(name))
    expect(installed).toEqual(expect.arrayContaining(known))
    expect(unknown).toEqual([])
  })

  test('programs for Node type-check, with every declaration of the packages', async () => {
    await writeFile(join(project, 'core.ts'), CORE)
    await writeFile(join(project, 'program.ts'), PROGRAM)
    const options = { types: ['node'], skipLibCheck: false }
    expect(await typeErrors(['core.ts', 'program.ts'], options, tsc6)).toBe('')
  })

  test('every feature and language is there by its name, and a program of the core runs with one of each', async () => {
    const features = wildEntriesOf('worker').filter((entry) => entry.startsWith('features/'))
    const languages = wildEntriesOf('worker').filter((entry) => entry.startsWith('languages/'))
    expect(features.length).toBeGreaterThan(10)
    expect(languages.length).toBeGreaterThan(10)
    const args = ['core.ts', ...features, ...languages]
    const { stdout } = await run(process.execPath, args, { cwd: project })
    expect(JSON.parse(stdout)).toEqual({
      names: [...features, ...languages],
      page: 'de',
      name: 'Ann',
      account: 404,
    })
  })

  test('a program for Node runs', async () => {
    const { stdout } = await run(process.execPath, ['program.ts'], { cwd: project })
    expect(JSON.parse(stdout)).toEqual({
      providers: ['videoapp', 'credentials'],
      wrong: 'CredentialsSignin',
      cookie: 'auth.session-token',
      isExpired: false,
      name: 'Ann',
      tampered: null,
      jwks: 200,
    })
  })

  test('the example of a store of one’s own keeps the contract, by the test runner of Node', async () => {
    const page = await readFile(join(rootDir, 'docs/stores.md'), 'utf8')
    const [, section = ''] = page.split('## A store of your own\n')
    await writeFile(join(project, 'store.test.ts'), section.split(/```(?:ts\n)?/)[1] ?? '')
    const options = { types: ['node', '@cloudflare/workers-types'], skipLibCheck: true }
    expect(await typeErrors(['store.test.ts'], options)).toBe('')
    const args = ['--test', '--test-reporter=tap', 'store.test.ts']
    const { stdout } = await run(process.execPath, args, { cwd: project })
    expect(stdout).toMatch(/^# pass 3\d$/m)
    expect(stdout).toMatch(/^# fail 0$/m)
  })

  test('a Worker type-checks, with every declaration of the packages', async () => {
    await writeFile(join(project, 'worker.ts'), WORKER)
    const types = ['@cloudflare/workers-types']
    expect(await typeErrors(['worker.ts'], { types, skipLibCheck: false }, tsc6)).toBe('')
  })

  test.each(['node', '@cloudflare/workers-types'])(
    'the session package type-checks beside %s, with every declaration',
    async (name) => {
      await writeFile(join(project, 'verify.ts'), VERIFY)
      expect(await typeErrors(['verify.ts'], { types: [name], skipLibCheck: false })).toBe('')
    },
  )

  test('every entry loads in the Node of users, but for the Durable Object, which is for Workers alone, and React’s without React', async () => {
    const entries = ['session', 'host', 'client', 'worker'].flatMap((folder) => {
      const { name, exports = {} } = readManifest(rootDir, folder)
      const plain = Object.keys(exports).filter((key) => !/[*]|[.]json$/.test(key))
      return [...plain, ...wildEntriesOf(folder)].map((key) => posix.join(name, key))
    })
    expect(entries.length).toBeGreaterThan(100)
    await writeFile(join(project, 'entries.js'), ENTRIES)
    const { stdout } = await run(usersNode, ['entries.js', ...entries], { cwd: project })
    expect(JSON.parse(stdout)).toEqual([
      '@latchkey/client/react',
      '@latchkey/client/react-internal',
      '@latchkey/worker/ledger',
    ])
  })

  test('private files cannot be imported', async () => {
    for (const path of ['@latchkey/session/dist/verify.js', '@latchkey/worker/dist/seal.js']) {
      const args = ['--input-type=module', '--eval', `await import('${path}')`]
      const { stderr } = await run(process.execPath, args, { cwd: project }).catch((error) => error)
      expect(stderr).toContain('ERR_PACKAGE_PATH_NOT_EXPORTED')
    }
  })

  async function typeErrors(
    files: readonly string[],
    options: object,
    tsc = tsc7,
  ): Promise<string> {
    const config = {
      compilerOptions: {
        target: 'es2023',
        lib: ['es2023'],
        module: 'nodenext',
        strict: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        ...options,
      },
      files,
    }
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify(config))
    const { stdout } = await run(process.execPath, [tsc, '-p', project]).catch(
      (error: { stdout: string }) => error,
    )
    return stdout
  }
})

test('the command is installed by itself, and says how it is used', async () => {
  const project = join(temp, 'command')
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "private": true }')
  await layOut(
    project,
    ['session', 'host', 'worker', 'cli'].flatMap((folder) => packed.get(folder) ?? []),
  )
  const { stdout } = await run('npx', ['latchkey', '--help'], { cwd: project })
  expect(stdout).toContain('Usage: latchkey <command>')
  const doctor = await run('npx', ['latchkey', 'doctor', '--help'], { cwd: project })
  expect(doctor.stdout).toContain('Usage: latchkey doctor')
  const explained = await run('npx', ['latchkey', 'explain', 'StoreUnavailable'], { cwd: project })
  expect(explained.stdout).toContain('What to do\n')
})

test('the operator’s command brings no compiler, which it would not run', () => {
  const needs = (name: string): readonly string[] => {
    const folder = folders.find((one) => readManifest(rootDir, one).name === name)
    const { dependencies = {} } = folder ? readManifest(rootDir, folder) : {}
    return [name, ...Object.keys(dependencies).flatMap(needs)]
  }
  const all = new Set(needs('latchkey'))
  expect(all).toContain('@latchkey/worker')
  expect([...all].filter((name) => /typescript|svelte|magic-string|migrate/.test(name))).toEqual([])
})

test('beside the command, its commands that move an app run in one process', async () => {
  const project = join(temp, 'moving')
  await mkdir(project)
  await writeFile(join(project, 'package.json'), '{ "private": true }')
  await layOut(
    project,
    ['session', 'host', 'worker', 'cli', 'migrate'].flatMap((folder) => packed.get(folder) ?? []),
  )
  for (const name of ['import', 'migrate']) {
    const { stdout, stderr } = await run('npx', ['latchkey', name, '--help'], { cwd: project })
    expect(stdout).toContain(`Usage: latchkey ${name}`)
    expect(stderr).toBe('')
    const own = await run('npx', ['latchkey-migrate', name, '--help'], { cwd: project })
    expect(own.stdout).toBe(stdout)
  }
})

const PROGRAM = `
import { createVerifier, type Session } from '@latchkey/session'
import { Auth, type AuthConfig, createAuth } from '@latchkey/worker'
import { CredentialsSignin } from '@latchkey/worker/errors'
import credentials from '@latchkey/worker/providers/credentials'
import videoapp from '@latchkey/worker/providers/videoapp'
import { memoryStore } from '@latchkey/worker/stores/memory'

const origin = 'http://localhost:3000'
const config: AuthConfig = {
  basePath: '/auth',
  secret: 'a-secret-of-an-empty-project-0123456789',
  trustHost: true,
  store: memoryStore(),
  logger: { error() {} },
  providers: [
    videoapp({ clientId: 'id', clientSecret: 'secret' }),
    credentials({
      authorize({ password }) {
        if (password !== 'right') throw new CredentialsSignin('wrong')
        return { id: '1', name: 'Ann' }
      },
    }),
  ],
}

async function get(path: string): Promise<Response> {
  return Auth(new Request(origin + '/auth' + path), config)
}

const providers = Object.keys((await (await get('/providers')).json()) as object)
const csrf = await get('/csrf')
const { csrfToken } = (await csrf.json()) as { csrfToken: string }
const csrfCookie = csrf.headers.getSetCookie()[0]?.split(';')[0] ?? ''

async function signIn(password: string): Promise<Response> {
  const request = new Request(origin + '/auth/callback/credentials', {
    method: 'POST',
    headers: { cookie: csrfCookie },
    body: new URLSearchParams({ csrfToken, password }),
  })
  return Auth(request, config)
}

const refused = await signIn('wrong')
const wrong = new URL(refused.headers.get('location') ?? '', origin).searchParams.get('error')
const cookies = (await signIn('right')).headers.getSetCookie().map((it) => it.split(';')[0] ?? '')
const cookie = cookies.find((it) => it.startsWith('auth.session-token=')) ?? ''

const publicKeys = await (await get('/jwks.json')).text()
const verifier = createVerifier({ publicKeys, issuer: origin + '/auth' })
const { session, isExpired } = await verifier.read(cookie)
const user: Session['user'] = session?.user
const tampered = await verifier.read(cookie.replace('.', '.A'))

const handler = createAuth(() => config)
const { status } = await handler.request('/auth/jwks.json')

console.log(
  JSON.stringify({
    providers,
    wrong,
    cookie: cookie.split('=')[0],
    isExpired,
    name: user?.name,
    tampered: tampered.session,
    jwks: status,
  }),
)
`

/** Its arguments are entries; it prints those that do not load. */
const ENTRIES = `
const failed = []
for (const entry of process.argv.slice(2)) await import(entry).catch(() => failed.push(entry))
console.log(JSON.stringify(failed))
`

/** Its arguments are entries of the worker package. */
const CORE = `
import { createAuth } from '@latchkey/worker/core'
import { credentials as byPassword } from '@latchkey/worker/features/credentials'
import de from '@latchkey/worker/languages/de'
import credentials from '@latchkey/worker/providers/credentials'
import { memoryStore } from '@latchkey/worker/stores/memory'

// A feature with options is a function that makes it.
const nameOf = (value: { name: string } | (() => { name: string })) =>
  typeof value === 'function' ? value().name : value.name

const names: string[] = []
for (const entry of process.argv.slice(2)) {
  const [room, end = ''] = entry.split('/')
  const exported = await import('@latchkey/worker/' + entry)
  const value = end.replace(/-(\\w)/g, (_, letter: string) => letter.toUpperCase())
  names.push(room + '/' + (room === 'languages' ? exported.default.tag : nameOf(exported[value])))
}

const auth = createAuth({
  basePath: '/auth',
  secret: 'a-secret-of-an-empty-project-0123456789',
  store: memoryStore(),
  logger: { info() {} },
  features: [byPassword],
  languages: [de],
  providers: [
    credentials({ authorize: ({ password }) => (password === 'right' ? { id: '1', name: 'Ann' } : null) }),
  ],
})
const at = 'http://localhost:3000/auth'
const pairs = (response: Response) => response.headers.getSetCookie().map((it) => it.split(';')[0] ?? '')
const page = await auth.request(at + '/signin', { headers: { 'accept-language': 'de' } })
const csrf = await auth.request(at + '/csrf')
const { csrfToken } = (await csrf.json()) as { csrfToken: string }
const signedIn = await auth.request(at + '/callback/credentials', {
  method: 'POST',
  headers: { cookie: pairs(csrf).join('; ') },
  body: new URLSearchParams({ csrfToken, password: 'right' }),
})
const session = await auth.request(at + '/session', { headers: { cookie: pairs(signedIn).join('; ') } })
const { user } = (await session.json()) as { user?: { name?: string } }
console.log(
  JSON.stringify({
    names,
    page: /lang="(\\w+)"/.exec(await page.text())?.[1],
    name: user?.name,
    account: (await auth.request(at + '/account')).status,
  }),
)
`

const WORKER = `
import { createAuth } from '@latchkey/worker'
import type { AuthBindings } from '@latchkey/worker/ledger'
import videoapp from '@latchkey/worker/providers/videoapp'

export { Ledger } from '@latchkey/worker/ledger'

interface Env extends AuthBindings {
  ADMIN: string
}

export default createAuth((env: Env) => ({
  basePath: '/auth',
  providers: [videoapp()],
  callbacks: {
    session: ({ session }) => ({ ...session, isAdmin: session.user?.id === env.ADMIN }),
  },
})) satisfies ExportedHandler<Env>

export const plain: ExportedHandler = createAuth({ providers: [] })
export const lazy: ExportedHandler = createAuth((env) => ({ providers: [], secret: String(env.AUTH_SECRET) }))
`

const VERIFY = `
import { createVerifier, type Session } from '@latchkey/session'

declare module '@latchkey/session' {
  interface Session {
    plan?: 'free' | 'paid'
  }
}

const verifier = createVerifier({ publicKeys: { keys: [] }, issuer: 'https://example.com/auth' })
const { session, claims } = await verifier.read('__Host-auth.session-token=a.b.c')
if (session) {
  const found: Session = session
  console.log(found.plan, found.user?.name)
}

// @ts-expect-error: a verified session is read, not written
if (claims) claims.sub = 'other'
`
