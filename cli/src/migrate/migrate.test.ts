import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { main } from '../main.js'

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
  let printed = ''
  let noted = ''
  const exit = await main(['migrate', ...args], {
    print: (text) => {
      printed += text
    },
    note: (text) => {
      noted += text
    },
    isWatched: false,
    env: {},
    directory: folder,
  })
  return { exit, printed, noted }
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
  expect(await run()).toMatchObject({ exit: 0, printed: 'Nothing is to be changed.\n' })
})

test('what is left to decide ends it with 1, and is listed by its place', async () => {
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

test('what is installed, built, hidden or only linked to is no code of the app', async () => {
  await put('package.json', '{}')
  for (const name of ['node_modules', 'dist', '.svelte-kit']) await put(`${name}/a.ts`, code)
  const outside = await mkdtemp(join(tmpdir(), 'latchkey-outside-'))
  await writeFile(join(outside, 'a.ts'), code)
  await symlink(outside, join(folder, 'linked'))
  await symlink(join(outside, 'a.ts'), join(folder, 'a.ts'))
  expect((await run('--write')).printed).toBe('Nothing is to be changed.\n')
  expect(await readFile(join(outside, 'a.ts'), 'utf8')).toBe(code)
  await rm(outside, { recursive: true })
})

test.each([
  [['--force'], '--force'],
  [['a', 'b'], 'Only one folder'],
  [['missing'], 'is no folder'],
  [['.'], 'There is no package.json'],
])('%j is wrong use', async (args, message) => {
  const { exit, noted } = await run(...args)
  expect([exit, noted.includes(message)]).toEqual([2, true])
})
