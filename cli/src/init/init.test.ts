import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { WrongUse } from '../command.js'
import { doctor } from '../doctor/doctor.js'
import { main } from '../main.js'
import { terminalOf } from '../test-support/terminal.js'
import { init } from './init.js'
import { PROVIDER_IDS } from './providers.js'
import { rangesOf } from './versions.js'

let directory: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'latchkey-init-'))
})
afterEach(() => rmSync(directory, { recursive: true, force: true }))

const KIT = { devDependencies: { '@sveltejs/kit': '3.2.0' } }
const NEXT = { dependencies: { next: '16.0.0' } }

function place(files: Readonly<Record<string, string | object>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true })
    writeFileSync(join(directory, name), typeof text === 'string' ? text : JSON.stringify(text))
  }
}

const read = (path: string) => readFileSync(join(directory, path), 'utf8')

/** All files, but for a repository's own. */
function files(): string[] {
  const all = readdirSync(directory, { recursive: true, withFileTypes: true })
  return all
    .filter((one) => one.isFile())
    .map((one) => join(one.parentPath, one.name).slice(directory.length + 1))
    .filter((path) => !path.startsWith('.git/'))
    .sort()
}

async function run(...args: string[]) {
  const terminal = terminalOf({ directory, isJson: true })
  const code = await main(['init', ...args, '--json'], terminal)
  return { code, told: JSON.parse(terminal.printed()), noted: terminal.noted() }
}

const kinds: [
  kind: string,
  there: Parameters<typeof place>[0],
  variables: string,
  written: string[],
][] = [
  ['worker', {}, '.dev.vars', ['package.json', 'src/worker.ts', 'wrangler.toml']],
  ['express', {}, '.env', ['.data/.gitignore', 'app.js', 'package.json']],
  ['hono', {}, '.env', ['.data/.gitignore', 'app.js', 'package.json']],
  [
    'sveltekit',
    { 'package.json': KIT },
    '.env',
    ['.data/.gitignore', 'src/auth.js', 'src/hooks.server.js'],
  ],
  [
    'next',
    { 'package.json': NEXT, 'tsconfig.json': {} },
    '.env',
    ['.data/.gitignore', 'app/api/auth/[...nextauth]/route.ts', 'auth.ts', 'proxy.ts'],
  ],
]

describe.each(kinds)('%s', (kind, there, variables, written) => {
  test('writes what the app needs, in which the doctor finds no error, and the second time nothing', async () => {
    place(there)
    execFileSync('git', ['init', '--quiet'], { cwd: directory })
    const first = await run('--kind', kind, '--provider', 'videoapp', '--provider', 'github')
    const all = [variables, '.gitignore', ...written].sort()
    expect({ ...first.told, written: first.told.written.toSorted() }).toEqual({
      folder: '.',
      written: all,
      kept: [],
      next: [expect.stringMatching(/^npm install/), 'npm run dev'],
    })
    expect(first.code).toBe(0)
    expect(first.noted).toBe('')
    expect(files()).toEqual([...new Set([...all, ...Object.keys(there)])].sort())
    expect(read(variables)).toMatch(/^AUTH_SECRET=[0-9a-f]{64}$/m)
    expect(statSync(join(directory, variables)).mode & 0o777).toBe(0o600)
    const status = execFileSync('git', ['status', '--short', '-uall'], {
      cwd: directory,
      encoding: 'utf8',
    })
    expect(status).not.toContain(variables)

    const terminal = terminalOf({ directory, isJson: true })
    expect(await doctor.run([], terminal)).toBe(0)
    const { findings } = JSON.parse(terminal.printed())
    expect(findings.filter(({ level }: { level: string }) => level === 'error')).toEqual([])

    const before = Object.fromEntries(files().map((path) => [path, read(path)]))
    const second = await run('--kind', kind, '--provider', 'videoapp', '--provider', 'github')
    expect([second.code, second.told.written, second.noted]).toEqual([0, [], ''])
    expect(Object.fromEntries(files().map((path) => [path, read(path)]))).toEqual(before)
  })

  test('a folder that is missing is made, and the commands begin there', async () => {
    if (Object.keys(there).length > 0) {
      await expect(
        init.run(['my app', '--kind', kind, '--provider', 'github'], terminalOf({ directory })),
      ).rejects.toThrow(WrongUse)
      expect(files()).toEqual([])
      return
    }
    const { code, told } = await run('my app', '--kind', kind, '--provider', 'github')
    expect([code, told.folder, told.next[0]]).toEqual([0, 'my app', "cd 'my app'"])
    expect(JSON.parse(read('my app/package.json')).name).toBe('my-app')
  })
})

test.each(PROVIDER_IDS)(
  'the code of %s is imported under a name of JavaScript, and its variables are named',
  async (id) => {
    expect((await run('--kind', 'express', '--provider', id)).code).toBe(0)
    const name = id.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
    expect(read('app.js')).toContain(`import ${name} from '@latchkey/express/providers/${id}'`)
    const module = new URL(`../../../adapters/express/src/providers/${id}.ts`, import.meta.url)
    expect(existsSync(module)).toBe(true)
    expect(read('.env').match(/^AUTH_(?!SECRET|STORE)\w+=/gm)?.length).toBeGreaterThan(0)
  },
)

test.each([
  ['no kind', ['--provider', 'github'], '--kind'],
  ['no provider', ['--kind', 'express'], '--provider'],
  ['an unknown kind', ['--kind', 'rails', '--provider', 'github'], 'rails'],
  [
    'the name of a member of each object',
    ['--kind', 'constructor', '--provider', 'github'],
    'no kind',
  ],
  ['an unknown provider', ['--kind', 'express', '--provider', 'githup'], 'Did you mean github?'],
  ['two folders', ['one', 'two', '--kind', 'express', '--provider', 'github'], 'one folder'],
])('%s is wrong use, and nothing is written', async (_, args, said) => {
  const { code, told } = await run(...args)
  expect([code, told.error]).toEqual([2, 'WrongUse'])
  expect(told.message).toContain(said)
  expect(files()).toEqual([])
})

describe('files that are there stay, byte for byte', () => {
  test('the patch of variables has no value', async () => {
    const own = '# mine\r\nAUTH_GITHUB_ID="canary-of-the-id"\r\nOTHER=canary'
    place({ '.env': own, '.gitignore': 'dist\n', 'app.js': 'mine()\n' })
    const { code, told, noted } = await run('--kind', 'express', '--provider', 'github')
    expect([code, told.kept]).toEqual([1, ['.gitignore', '.env', 'app.js']])
    expect(read('.env')).toBe(own)
    expect(read('app.js')).toBe('mine()\n')
    expect(noted).toContain('+AUTH_SECRET=…')
    expect(noted).toContain('+AUTH_GITHUB_SECRET=…')
    expect(noted).not.toContain('+AUTH_GITHUB_ID')
    expect(noted).toContain('+node_modules')
    expect(noted + JSON.stringify(told)).not.toContain('canary')
  })

  test('a package.json keeps its scripts and versions', async () => {
    const manifest = { name: 'x', scripts: { dev: 'mine' }, dependencies: { express: '5.0.0' } }
    place({ 'package.json': JSON.stringify(manifest, null, 2) })
    const { code, noted } = await run('--kind', 'express', '--provider', 'github')
    expect(code).toBe(1)
    expect(JSON.parse(read('package.json'))).toEqual(manifest)
    expect(noted).toMatch(/^\+.*"@latchkey\/express"/m)
    expect(noted).not.toContain(rangesOf('express').express)
    expect(noted).not.toContain('--watch')
  })

  test.each([
    [
      'a function',
      'export async function handle({ event, resolve }) {}\n',
      'async function ownHandle',
    ],
    ['a constant', 'export const handle = own\n', 'const ownHandle = own'],
    ['none', 'export const handleError = () => {}\n', "export { handle } from './auth.js'"],
  ])('a hook of SvelteKit, %s, is put behind ours', async (_, hook, said) => {
    place({ 'package.json': KIT, 'src/hooks.server.ts': hook })
    const { code, told, noted } = await run('--kind', 'sveltekit', '--provider', 'github')
    expect([code, told.kept]).toEqual([1, ['src/hooks.server.ts']])
    expect(read('src/hooks.server.ts')).toBe(hook)
    expect(noted).toContain(`+${said}`)
  })

  test.each(['ts', 'js'])(
    'attack: beside src/hooks.server/index.%s no second hook takes one of the two out',
    async (ending) => {
      const path = `src/hooks.server/index.${ending}`
      const hook = 'export const handle = own\n'
      place({ 'package.json': KIT, 'tsconfig.json': {}, [path]: hook })
      const { told, noted } = await run('--kind', 'sveltekit', '--provider', 'github')
      expect(told.kept).toEqual([path])
      expect(files().filter((one) => one.startsWith('src/hooks'))).toEqual([path])
      expect(noted).toContain(`+import { handle as authHandle } from '../auth.js'`)
    },
  )

  test.each(['wrangler.json', 'wrangler.jsonc'])(
    'attack: beside %s no wrangler.toml is written, which wrangler does not read',
    async (path) => {
      place({ [path]: { name: 'other', main: 'other.ts' } })
      const { code, told } = await run('--kind', 'worker', '--provider', 'github')
      expect([code, told.error]).toEqual([2, 'WrongUse'])
      expect(told.message).toContain(path)
      expect(files()).toEqual([path])
    },
  )

  test('a dangling link is not written through', async () => {
    symlinkSync(join(directory, 'elsewhere'), join(directory, '.env'))
    const { code } = await run('--kind', 'express', '--provider', 'github')
    expect(code).toBe(1)
    expect(existsSync(join(directory, 'elsewhere'))).toBe(false)
  })
})

describe('an app of Next', () => {
  const at = (version: string) => ({ 'package.json': { dependencies: { next: version } } })
  const write = (...more: string[]) => run('--kind', 'next', '--provider', 'github', ...more)

  test('in Next 15 the proxy is the middleware, on the runtime that has stores, and below src it is there', async () => {
    place({ ...at('^15.4.0'), 'src/app/layout.jsx': '' })
    const { told } = await write()
    expect(told.written).toContain('src/middleware.js')
    expect(read('src/middleware.js')).toContain('export { auth as middleware }')
    expect(read('src/middleware.js')).toContain("runtime: 'nodejs'")
    expect(read('src/app/api/auth/[...nextauth]/route.js')).toContain(`from '../../../../auth'`)
  })

  test('the version that is installed decides, and not a range that allows both', async () => {
    place({ ...at('>=15'), 'node_modules/next/package.json': { version: '16.4.6' } })
    expect((await write()).told.written).toContain('proxy.js')
    rmSync(join(directory, 'proxy.js'))
    place({ ...at('latest'), 'node_modules/next/package.json': { version: '15.5.2' } })
    expect((await write()).told.written).toContain('middleware.js')
  })

  test.each([
    ['src/pages/index.jsx', 'src/'],
    ['src/app/(site)/layout.tsx', 'src/'],
    ['pages/index.js', ''],
    ['app/(site)/layout.tsx', ''],
  ])('with %s its files are below "%s"', async (page, below) => {
    place({ ...at('16.0.0'), [page]: '', 'src/lib/other.js': '' })
    expect((await write()).told.written).toEqual(
      expect.arrayContaining([
        `${below}auth.js`,
        `${below}app/api/auth/[...nextauth]/route.js`,
        `${below}proxy.js`,
      ]),
    )
  })

  test.each([
    ['next.config.ts', "export default {\n  basePath: '/shop',\n}\n", '/shop'],
    ['next.config.mjs', 'export default { reactStrictMode: true, basePath: "/a/b" }\n', '/a/b'],
    ['next.config.js', "const basePath = '/shop'\nmodule.exports = { basePath }\n", '/shop'],
    ['next.config.js', "module.exports = {\n  // basePath: '/shop',\n}\n", ''],
    ['next.config.js', 'module.exports = { basePath: process.env.BASE }\n', ''],
  ])('%s %j: the addresses that it names are below "%s"', async (name, text, root) => {
    place({ ...at('16.0.0'), [name]: text })
    const terminal = terminalOf({ directory })
    await init.run(['--kind', 'next', '--provider', 'github'], terminal)
    const printed = terminal.printed()
    expect(printed).toContain(`Then open http://localhost:3000${root}/api/auth/signin\n`)
    expect(printed).toContain(`URI: http://localhost:3000${root}/api/auth/callback/github\n`)
    expect(read('.env')).toContain(`http://localhost:3000${root}/api/auth/callback/github`)
    expect(read(name)).toBe(text)
  })

  const OWN = `export function proxy(request) {\n  return guarded(request)\n}\n`

  test.each([
    ['16.0.0', 'proxy.js', OWN, ['function ownProxy', 'export const proxy = auth(ownProxy)']],
    ['16.0.0', 'proxy.ts', OWN, ['function ownProxy', 'export const proxy = auth(ownProxy)']],
    ['16.0.0', 'proxy.mjs', OWN, ['function ownProxy', 'export const proxy = auth(ownProxy)']],
    ['16.0.0', 'src/proxy.ts', OWN, ["from '../auth'", 'export const proxy = auth(ownProxy)']],
    [
      '16.0.0',
      'middleware.ts',
      'export default async function (request) {}\n',
      ['async function ownMiddleware', 'export const middleware = auth(ownMiddleware)', 'nodejs'],
    ],
    [
      '15.5.0',
      'middleware.js',
      "export const middleware = own()\nexport const config = { matcher: ['/a'] }\n",
      ['const ownMiddleware = own()', 'auth(ownMiddleware)', "runtime: 'nodejs',"],
    ],
    ['16.0.0', 'proxy.ts', "export { own as proxy } from 'x'\n", ["import { auth } from './auth'"]],
  ])(
    'attack: with next %s no second proxy takes the guard of %s out',
    async (version, path, text, said) => {
      place({ ...at(version), 'tsconfig.json': {}, 'app/page.tsx': '', [path]: text })
      const { code, told, noted } = await write()
      expect([code, read(path)]).toEqual([1, text])
      expect(told.written.filter((one: string) => /proxy|middleware/.test(one))).toEqual([])
      const added = noted.split('\n').filter((line) => line.startsWith('+'))
      for (const one of said) expect(added.join('\n')).toContain(one)
    },
  )

  test('a proxy of the app that already has `auth` stays, and so do files with another ending', async () => {
    const own = "export { auth as proxy } from '@/auth'\n"
    place({ ...at('16.0.0'), 'tsconfig.json': {}, 'auth.mjs': 'mine', 'proxy.js': own })
    const { told, noted } = await write()
    expect(told.kept).toEqual(['auth.mjs', 'proxy.js'])
    expect(noted).not.toContain('proxy.js')
  })

  test('a file called proxy is an app’s own in Next 15, which does not run it', async () => {
    place({ ...at('15.5.0'), 'proxy.js': OWN })
    expect((await write()).told.written).toContain('middleware.js')
  })

  test('a standalone build is told to copy the store', async () => {
    place({ ...at('16.0.0'), 'next.config.js': "module.exports = {\n  output: 'standalone',\n}\n" })
    const { code, noted } = await write()
    expect(code).toBe(1)
    expect(noted).toContain("+  outputFileTracingIncludes: { '/**': ['./node_modules/@latchkey/**'")
  })
})

/** As Next compiles a matcher. A page that no pattern finds is not guarded by `authorized`. */
const { getMiddlewareMatchers } = createRequire(import.meta.url)(
  'next/dist/build/analysis/get-page-static-info.js',
) as {
  getMiddlewareMatchers(
    matcher: readonly string[],
    config: { readonly basePath?: string },
  ): readonly { readonly regexp: string }[]
}

test.each([
  'examples/next/proxy.ts',
  'docs/quick-start-next.md',
  'adapters/next/README.md',
  'cli/src/init/kinds/next-guard.ts',
  'test/next/app/proxy.ts',
])('attack: the matcher of %s leaves no page out, below a basePath too', (path) => {
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
  const [, first = '', rest = ''] = /\['(\/)', '(\/\(\(\?![^']*)'\]/.exec(text) ?? []
  for (const basePath of ['', '/shop', '/a/b']) {
    const matchers = getMiddlewareMatchers([first, rest], { basePath })
    const isAsked = (page: string) => matchers.some(({ regexp }) => new RegExp(regexp).test(page))
    for (const page of [basePath || '/', `${basePath}/a`, `${basePath}/a/b`, `${basePath}/api/x`]) {
      expect([page, isAsked(page)]).toEqual([page, true])
    }
    expect(isAsked(`${basePath}/_next/static/a.js`)).toBe(false)
  }
})

test('an end in the middle leaves whole files, and the next run writes the rest', async () => {
  // Some files are whole, and an end in the middle has left a part of another.
  await run('--kind', 'worker', '--provider', 'github')
  const whole = Object.fromEntries(files().map((path) => [path, read(path)]))
  rmSync(join(directory, 'src'), { recursive: true })
  rmSync(join(directory, 'wrangler.toml'))
  place({ '.latchkey-0123456789abcdef': 'half' })
  const { code, told } = await run('--kind', 'worker', '--provider', 'github')
  expect([code, told.written]).toEqual([0, ['wrangler.toml', 'src/worker.ts']])
  rmSync(join(directory, '.latchkey-0123456789abcdef'))
  expect(Object.fromEntries(files().map((path) => [path, read(path)]))).toEqual(whole)
})

test('a folder that cannot be made is said', async () => {
  const { code, told } = await run('/dev/null/app', '--kind', 'worker', '--provider', 'github')
  expect([code, told.error]).toEqual([1, 'Unwritable'])
})

test('a file in the place of a folder is said', async () => {
  place({ src: 'a file' })
  const { code, told } = await run('--kind', 'worker', '--provider', 'github')
  expect([code, told.error]).toEqual([1, 'Unwritable'])
  expect(told.message).toContain('src/worker.ts')
})

test('at a terminal it asks for what is missing', async () => {
  const asked: string[] = []
  const ask = {
    confirm: () => Promise.reject(new Error('Not asked.')),
    choose: async <T extends string>(
      question: string,
      choices: readonly { readonly value: T }[],
    ) => {
      asked.push(question)
      return choices[0]?.value as T
    },
    chooseSeveral: async <T extends string>(question: string) => {
      asked.push(question)
      return ['github'] as T[]
    },
  }
  const terminal = terminalOf({ directory, ask })
  expect(await init.run([], terminal)).toBe(0)
  expect(asked).toHaveLength(2)
  expect(terminal.printed()).toContain('written  src/worker.ts')
  expect(terminal.printed()).toContain('http://localhost:8787/auth/callback/github')
})

test('its text is at most 80 columns wide', async () => {
  const terminal = terminalOf({ directory })
  await init.run(['--kind', 'next', '--provider', 'videoapp'], terminal).catch(() => {})
  place({ 'package.json': NEXT })
  await init.run(['--kind', 'next', '--provider', 'videoapp', '--provider', 'zitadel'], terminal)
  const lines = `${init.help}${terminal.printed()}`.split('\n')
  const wide = lines.filter((line) => line.length > 80 && !line.startsWith('  npm install'))
  expect(wide).toEqual([])
})

test('a new app has the versions with which the tests run', () => {
  const own = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  for (const name of ['@hono/node-server', 'express', 'hono', 'wrangler'] as const) {
    expect(rangesOf(name)[name]).toBe(`^${own.devDependencies[name]}`)
  }
})
