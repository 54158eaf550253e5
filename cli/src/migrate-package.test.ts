import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { main } from './main.js'
import { commandOfMigrate, type Outside } from './migrate-package.js'
import { terminalOf } from './test-support/terminal.js'

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** Runs `latchkey migrate` with these arguments, and records the programs that it starts. */
async function migrating(args: readonly string[], parts: Partial<Outside>) {
  const started: string[][] = []
  const outside: Outside = {
    installed: () => undefined,
    start: async (program, rest) => {
      started.push([program, ...rest])
      return 0
    },
    platform: 'linux',
    ...parts,
  }
  const terminal = terminalOf()
  const entry = { summary: '', load: () => commandOfMigrate('migrate', outside) }
  const code = await main(args, terminal, { migrate: entry })
  return { code, started, printed: terminal.printed(), noted: terminal.noted() }
}

test('the installed package of the same version runs in this process', async () => {
  const { code, started, printed, noted } = await migrating(['migrate', '--help'], {
    installed: () => version,
  })
  expect({ code, started, noted }).toEqual({ code: 0, started: [], noted: '' })
  expect(printed).toContain('Usage: latchkey migrate')
})

test.each([
  ['without the package', undefined],
  ['with a package of another release', '99.0.0'],
])(
  'attack: %s npx runs no version but the one of the command, and one line says so',
  async (_, installed) => {
    const { code, started, printed, noted } = await migrating(['migrate'], {
      installed: () => installed,
    })
    const wanted = `@latchkey/migrate@${version}`
    expect(started).toEqual([['npx', '--yes', wanted, 'migrate']])
    expect({ code, printed }).toEqual({ code: 0, printed: '' })
    expect(noted).toBe(`${wanted} is not installed here, so npx runs it: npx --yes ${wanted}\n`)
  },
)

test.each([
  [['migrate', 'my app', '--write', '--json']],
  [['--json', 'migrate', '.']],
  [['migrate', '-h']],
  [['help', 'migrate']],
  [['migrate', '--', '--json', '$(id)']],
])('%j reaches the other program word for word', async (args) => {
  const { started } = await migrating(args, {})
  expect(started[0]?.slice(3)).toEqual(args)
})

test.each([
  [0, 0],
  [1, 1],
  [2, 2],
  [127, 1],
  [undefined, 1],
])('if the other program ends with %j, the command ends with %i', async (ended, code) => {
  expect((await migrating(['migrate'], { start: async () => ended })).code).toBe(code)
})

test('attack: on Windows no shell reads the arguments', async () => {
  const { started } = await migrating(['migrate', '& calc'], { platform: 'win32' })
  const [program, script, ...rest] = started[0] ?? []
  expect(program).toBe(process.execPath)
  expect(script).toMatch(/npx-cli\.js$/)
  expect(rest.at(-1)).toBe('& calc')
})

test('without npx the command says which package to install', async () => {
  const start = async () => {
    throw Object.assign(new Error('spawn npx ENOENT'), { code: 'ENOENT' })
  }
  const { code, noted } = await migrating(['migrate'], { start })
  expect(code).toBe(1)
  expect(noted).toContain(`npx cannot be started (ENOENT). Install @latchkey/migrate@${version}.\n`)
})
