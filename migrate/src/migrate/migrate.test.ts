import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { main } from 'latchkey/main'
import { terminalOf } from 'latchkey/test-support/terminal'
import { afterEach, beforeEach, expect, test } from 'vitest'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'latchkey-migrate-'))
})
afterEach(() => rm(folder, { recursive: true }))

const code = `import { getSession } from '@auth/express'\n`

async function put(path: string, text: string) {
  await mkdir(dirname(join(folder, path)), { recursive: true })
  await writeFile(join(folder, path), text)
}

async function run(...args: string[]) {
  const terminal = terminalOf({ directory: folder })
  const exit = await main(['migrate', ...args], terminal)
  return { exit, printed: terminal.printed(), noted: terminal.noted() }
}

test('it shows what would change, and writes only when it is told to', async () => {
  await put('package.json', '{}')
  await put('src/app.ts', code)
  const shown = await run()
  expect(shown.printed).toContain(`--- a/src/app.ts
+++ b/src/app.ts
@@ -1,1 +1,1 @@
-import { getSession } from '@auth/express'
+import { getSession } from '@latchkey/express'
`)
  expect(await readFile(join(folder, 'src/app.ts'), 'utf8')).toBe(code)
  expect((await run('.', '--write')).printed).toContain('Changed 2 files.')
  expect(await readFile(join(folder, 'src/app.ts'), 'utf8')).toContain('@latchkey/express')
  expect(await run()).toMatchObject({ exit: 0, printed: 'There is nothing to change.\n' })
})

test('with --json changes and decisions are one document', async () => {
  await put('package.json', '{}')
  await put('src/app.ts', `import { getSession, isAuthAction } from '@auth/express'\n`)
  const { exit, printed } = await run('.', '--json')
  expect(exit).toBe(1)
  const { changes, decisions } = JSON.parse(printed)
  expect(changes).toContainEqual({
    path: 'src/app.ts',
    patch: expect.stringContaining('@latchkey/express'),
  })
  expect(decisions).toContainEqual({
    path: 'src/app.ts',
    line: 1,
    text: expect.stringContaining('isAuthAction'),
  })
})

test('an open decision ends it with 1, and is listed by its place', async () => {
  await put('package.json', '{}')
  await put('src/app.ts', `\nimport { getSession, isAuthAction } from '@auth/express'\n`)
  const { exit, printed } = await run('.')
  expect(exit).toBe(1)
  expect(printed).toContain('  src/app.ts:2\n    `isAuthAction` has no counterpart')
})

test('no value of a file of variables is shown', async () => {
  await put('package.json', '{}')
  await put('app.ts', code)
  await put(
    '.env',
    'OTHER="a secret"\nNEXTAUTH_SECRET=another secret\nexport NEXTAUTH_URL = third\n',
  )
  const { printed } = await run()
  expect(printed).toContain('-NEXTAUTH_SECRET=…\n')
  expect(printed).toContain('+AUTH_SECRET=…\n')
  expect(printed).not.toMatch(/secret$|third/m)
})

test('the rename of an empty variable is shown', async () => {
  await put('package.json', '{}')
  await put('app.ts', code)
  await put('.env.example', 'NEXTAUTH_SECRET=\n')
  expect((await run()).printed).toContain('-NEXTAUTH_SECRET=…\n+AUTH_SECRET=…\n')
})

test('each package of a repository is changed by itself', async () => {
  await put('package.json', '{ "private": true }')
  await put('apps/one/package.json', '{ "dependencies": { "@auth/express": "1" } }')
  await put('apps/one/app.ts', code)
  await put('apps/two/package.json', '{ "dependencies": { "@auth/express": "1" } }')
  await run('--write')
  expect(await readFile(join(folder, 'apps/one/package.json'), 'utf8')).toContain(
    '@latchkey/express',
  )
  expect(await readFile(join(folder, 'apps/two/package.json'), 'utf8')).toContain('@auth/express')
  expect(await readFile(join(folder, 'package.json'), 'utf8')).toBe('{ "private": true }')
})

test('files that are installed, built, hidden or only linked to do not count as the app’s code', async () => {
  await put('package.json', '{}')
  for (const name of ['node_modules', 'dist', '.svelte-kit']) await put(`${name}/a.ts`, code)
  const outside = await mkdtemp(join(tmpdir(), 'latchkey-outside-'))
  await writeFile(join(outside, 'a.ts'), code)
  await symlink(outside, join(folder, 'linked'))
  await symlink(join(outside, 'a.ts'), join(folder, 'a.ts'))
  expect((await run('--write')).printed).toBe('There is nothing to change.\n')
  expect(await readFile(join(outside, 'a.ts'), 'utf8')).toBe(code)
  await rm(outside, { recursive: true })
})

test.each([
  [['--force'], '--force'],
  [['a', 'b'], 'Name only one folder'],
  [['missing'], 'is not a folder'],
  [['.'], 'There is no package.json'],
])('%j is wrong use', async (args, message) => {
  const { exit, noted } = await run(...args)
  expect([exit, noted.includes(message)]).toEqual([2, true])
})

test.each([
  ['a call of hasOwnProperty', `process.env.hasOwnProperty('A') || process.env.constructor\n`],
  ['a preset', `import a from '@auth/express/providers/constructor'\n`],
  ['an export', `import { constructor, toString } from '@auth/express'\n`],
  ['an option', `app.use(ExpressAuth({ providers: [], constructor: 1, __proto__: null }))\n`],
])('%s by a name that every object has is unknown', async (_, more) => {
  await put('package.json', '{}')
  await put('a.ts', `import { ExpressAuth } from '@auth/express'\n${more}`)
  await put('.env', 'constructor=1\n__proto__=2\ntoString=3\n')
  const { printed } = await run('.', '--write')
  expect(printed).not.toMatch(/native code|object Object/)
  expect(await readFile(join(folder, '.env'), 'utf8')).toMatch(/^constructor=1\n__proto__=2\n/)
})

test.each([
  ['[', ']'],
  ['(', ')'],
  ['a.', ''],
  ['() => ', ''],
])(
  'a file that nests %s without end is left alone, and the others are changed',
  async (begin, end) => {
    await put('package.json', '{}')
    await put('a.ts', code)
    await put('b.ts', `x = ${begin.repeat(20_000)}a${end.repeat(20_000)}\n`)
    const { printed } = await run('.', '--write')
    expect(printed).toContain('  b.ts\n    It cannot be read')
    expect(await readFile(join(folder, 'a.ts'), 'utf8')).toContain('@latchkey/express')
  },
)

test('no line of a key is shown, nor a value that is commented out', async () => {
  await put('package.json', '{}')
  await put('app.ts', code)
  const key =
    'AUTH_APPLE_SECRET="-----BEGIN PRIVATE KEY-----\nMIGTAgEAMBMG==\nByqGSM49\n-----END PRIVATE KEY-----"\n'
  await put('.env', `#AUTH_GITHUB_SECRET=older\n${key}NEXTAUTH_SECRET=new\n`)
  const { printed } = await run()
  expect(printed).toContain('-NEXTAUTH_SECRET=…\n+AUTH_SECRET=…\n')
  expect(printed).not.toMatch(/older|MIGT|ByqG|BEGIN/)
})

test.each([
  ['alone', '\rconst nothing = 1'],
  ['before the end of a line', '\r'],
])('a carriage return %s hides no change of a patch', async (_, more) => {
  await put('package.json', '{}')
  await put('a.ts', `${code}app.use(steal)${more}\r\n`)
  const { printed } = await run()
  expect(printed).toContain('app.use(steal)\ufffd')
  expect(printed).not.toMatch(/\r(?!\n)/)
})

test('a repository writes nothing to the terminal but text, and no other file into the patch', async () => {
  await put('package.json', '{}')
  await put('a.ts', `${code}// \u001b[2K\u202e\n`)
  await put('b\n--- a/c.ts\n+++ b/c.ts\n.ts', code)
  await put('d\u001b[2J/e.ts', code)
  const { printed } = await run()
  expect(printed).toContain('+++ b/a.ts')
  expect(printed).not.toMatch(/c\.ts|e\.ts|\p{Cc}(?<!\n)|\u202e/u)
})
