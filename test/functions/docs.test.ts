import { execFile } from 'node:child_process'
import { globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { ROUTES } from '@latchkey/host/shared'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { rootDir } from '../../scripts/wrangler-dev.ts'
import { brokenLinks } from '../../site/pages.ts'

/** Every TypeScript example of the documentation, compiled as a user's own project would be. */
const run = promisify(execFile)
const folder = join(rootDir, 'test', '.docs')

interface Example {
  readonly page: string
  readonly code: string
  readonly kind: string | undefined
}

function examplesOf(page: string): Example[] {
  const text = readFileSync(join(rootDir, page), 'utf8')
  return [...text.matchAll(/```(tsx?)\n([\s\S]*?)```/g)].map(([, kind, code = '']) => ({
    page,
    kind,
    code,
  }))
}

const pages = [
  'README.md',
  'bench/README.md',
  ...readdirSync(join(rootDir, 'docs')).filter(isPage).map(inDocs),
]
const examples = pages.flatMap(examplesOf)
const published = [
  ...globSync('adapters/*/README.md', { cwd: rootDir }),
  'client/README.md',
  'worker/README.md',
  'cli/README.md',
  'migrate/README.md',
]
const linking = globSync(
  ['*.md', '{docs,bench,examples,adapters,session,host,client,worker,cli,migrate,sandbox}/**/*.md'],
  { cwd: rootDir, exclude: ['**/node_modules', '**/dist'] },
)

function isPage(name: string): boolean {
  return name.endsWith('.md')
}

function inDocs(name: string): string {
  return `docs/${name}`
}

beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  examples.forEach(({ page, kind, code }, index) => {
    // A tutorial has several files, which import each other.
    const [, name] = page.includes('quick-start')
      ? (/^\/\/ ([\w./+[\]-]+\.tsx?)\n/.exec(code) ?? [])
      : []
    const file = join(folder, name ? join(basename(page, '.md'), name) : `example-${index}.${kind}`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, code)
  })
  const config = {
    extends: '../../tsconfig.base.json',
    compilerOptions: {
      composite: false,
      incremental: false,
      noEmit: true,
      lib: ['es2023', 'dom'],
      types: ['node', '@cloudflare/workers-types'],
      jsx: 'react-jsx',
      // As in an app of Next, whose own bundlers resolve modules.
      paths: {
        ...ourPaths(),
        '@/*': ['./quick-start-next/*.ts'],
        'next/server': ['../../node_modules/next/server.d.ts'],
        'expo-auth-session': ['../expo/expo-auth-session.d.ts'],
        'expo-secure-store': ['../expo/expo-secure-store.d.ts'],
      },
    },
    include: ['**/*.ts', '**/*.tsx'],
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
})

/** The packages of this repository, as seen from the folder of the examples. */
function ourPaths(): Readonly<Record<string, readonly string[]>> {
  const { compilerOptions } = JSON.parse(read('tsconfig.base.json'))
  const paths = Object.entries(compilerOptions.paths as Record<string, string[]>)
  return Object.fromEntries(paths.map(([name, all]) => [name, all.map((one) => `../../${one}`)]))
}

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every example type-checks in strict mode against the packages', async () => {
  expect(examples.length).toBeGreaterThan(5)
  const tsc = join(rootDir, 'node_modules/typescript7/bin/tsc')
  const { stdout } = await run(process.execPath, [tsc, '-p', folder, '--singleThreaded']).catch(
    (error: { stdout: string }) => error,
  )
  expect(stdout).toBe('')
})

test.each(linking)(
  'every link and picture of %s leads to a file, and to a heading that it has',
  (page) => {
    expect(brokenLinks(rootDir, page)).toEqual([])
  },
)

test.each(published)('%s has no link that its package could not follow', (page) => {
  const text = readFileSync(join(rootDir, page), 'utf8')
  expect(text.match(/\]\((?!https:|#)[^)]*\)/g)).toBeNull()
})

test('docs/endpoints.md lists every route', () => {
  const text = readFileSync(join(rootDir, 'docs/endpoints.md'), 'utf8')
  const listed = [...text.matchAll(/^\| (?:GET|POST)(?:, POST)? `([^`]+)`/gm)].map(
    ([, path]) => path,
  )
  expect(new Set(listed)).toEqual(new Set(ROUTES))
})

test('the README names the adapter for Cloudflare that the example is built with', () => {
  const { devDependencies } = JSON.parse(
    readFileSync(join(rootDir, 'examples/sveltekit/package.json'), 'utf8'),
  )
  const readme = readFileSync(join(rootDir, 'adapters/sveltekit/README.md'), 'utf8')
  const name = '@sveltejs/adapter-cloudflare'
  expect(readme).toContain(`npm install --save-dev ${name}@${devDependencies[name]}\n`)
})

test('a reader of the command’s instructions installs its package first, so that npx fetches no stranger’s', () => {
  for (const room of ['cli', 'migrate']) {
    const [beforeFirstRun = ''] = read(`${room}/README.md`).split(/^npx latchkey/m)
    const packs = `^npm pack .*-w ${room} .*\\n.*npm install \\./latchkey-\\*\\.tgz$`
    expect(beforeFirstRun).toMatch(new RegExp(packs, 'm'))
  }
  const running = pages.filter((page) => read(page).includes('npx latchkey'))
  expect(running).not.toEqual([])
  expect(running.filter((page) => !leadsToInstall(read(page)))).toEqual([])
})

/** Does a page name the package of the command before its first command line? */
function leadsToInstall(text: string): boolean {
  const [beforeFirstRun = ''] = text.split('npx latchkey')
  return /\b(?:cli|migrate)\/README\.md#install/.test(beforeFirstRun)
}

function read(page: string): string {
  return readFileSync(join(rootDir, page), 'utf8')
}

test('a page that shows `authorize` shows the line that makes its id the id of the session', () => {
  const showing = [...pages, ...published].filter((page) =>
    examplesOf(page).some(({ code }) => /\bauthorize\s*[:(]/.test(code)),
  )
  expect(showing.length).toBeGreaterThan(2)
  const silent = showing.filter((page) => {
    const text = readFileSync(join(rootDir, page), 'utf8')
    return !/provider === 'credentials' \? account\.providerAccountId : undefined/.test(text)
  })
  expect(silent).toEqual([])
})
