import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { main } from '../main.js'
import { terminalOf } from '../test-support/terminal.js'
import { type Entry, nearestWords } from './explain.js'
import { shownEntry } from './shown-entry.js'

const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
/** The label of the page, which is not a sentence. */
const WHOSE = 'Whose it is.'
const all = [...page.matchAll(/^### `(.+)`$/gm)].map(([, word = '']) => word)

async function run(args: readonly string[], parts = {}) {
  const terminal = terminalOf(parts)
  const code = await main(['explain', ...args], terminal)
  return { code, printed: terminal.printed(), noted: terminal.noted() }
}

test('every entry of the page is explained, in the same words', async () => {
  expect(all.length).toBeGreaterThan(200)
  for (const word of all) {
    const { code, printed } = await run([word, '--json'])
    expect(code).toBe(0)
    const entry = JSON.parse(printed)
    expect(Object.keys(entry)).toEqual(['word', 'kinds', 'happened', 'whose', 'todo'])
    expect(page).toContain(
      `### \`${word}\`\n\n**What happened.** ${entry.happened}\n\n**${WHOSE}** The ${entry.whose}'s`,
    )
    expect(page).toContain(`**What to do.** ${entry.todo}\n`)
  }
})

test('a link says where it leads, and has no parentheses within others', async () => {
  const texts = await Promise.all(all.map(async (word) => (await run([word])).printed))
  expect(texts.filter((text) => /\([^)]*\([^)]*\)\)|\]\(/.test(text))).toEqual([])
  expect(texts.join('').replaceAll(/\s+/g, ' ')).toContain('(the audit log: docs/audit.md)')
})

test('a word of several kinds is one entry', async () => {
  const { printed } = await run(['gone', '--json'])
  expect(JSON.parse(printed)).toMatchObject({ word: 'gone', kinds: ['fault', 'import'] })
})

test('a person reads it in 80 columns, in their order, without marks of Markdown', async () => {
  for (const word of all) {
    const { printed } = await run([word])
    expect(printed).toMatch(
      /^.+: .+\n\nWhat happened\n {2}\S[\s\S]+\n\nWhose it is\n {2}\S[\s\S]+\n\nWhat to do\n {2}\S/,
    )
    expect(printed).not.toMatch(/\]\(|\*\*|\u00a0/)
    expect(printed).not.toContain('\u001b')
    const long = printed.split('\n').filter((line) => line.length > 80)
    expect(long).toEqual([])
  }
})

test.each([
  ['a word that does not exist', ['storeunavailabel'], 1, 'The nearest: StoreUnavailable, '],
  ['a text that is like no word', ['xyzzy-qqqq'], 1, 'None is like it. All are in docs/errors.md.'],
  [
    'a text that is said of a word',
    ['status page of the provider'],
    1,
    'It is said of: OAuthCallbackError',
  ],
  ['a name that every object has', ['constructor'], 1, 'is not a word of Latchkey'],
  ['no word', [], 2, 'Name one word'],
  ['two words', ['sign', 'in'], 2, 'Name one word'],
  ['an option that it does not have', ['sign-in', '--all'], 2, 'There is no option "--all".'],
])('%s is refused: %j', async (_, args, status, message) => {
  const { code, printed, noted } = await run(args)
  expect([code, printed]).toEqual([status, ''])
  expect(noted).toContain(message)
})

test('a word that does not exist is one document with --json, and cannot write to a terminal', async () => {
  const { code, printed } = await run(['\u001b[2J\u202esign', '--json'])
  expect(code).toBe(1)
  const said = JSON.parse(printed)
  expect(said.error).toBe('UnknownWord')
  expect(said.message).toContain('"\ufffd[2J\ufffdsign"')
})

describe('the nearest words', () => {
  const words = ['AccessDenied', 'access_denied', 'sign-in', 'sign-in-refused', 'StoreUnavailable']

  test.each([
    ['acess-denied', ['AccessDenied', 'access_denied']],
    ['storeunavailable', ['StoreUnavailable']],
    ['refused', ['sign-in-refused']],
    ['Sign-In', ['sign-in', 'sign-in-refused']],
    ['', []],
    ['a'.repeat(10_000), []],
  ])('of %j', (asked, expected) => {
    expect(nearestWords(asked, words)).toEqual(expected)
  })
})

describe('an entry on a terminal', () => {
  const entry: Entry = {
    word: 'one',
    kinds: ['warning', 'finding'],
    happened: `See [the page](scale.md#here) or \`latchkey doctor --to <address>\`, ${'word '.repeat(20)}end.`,
    whose: 'app',
    owner: "The app's.",
    todo: 'Nothing.',
  }

  test('has no color where there is none, says where links lead, and breaks no code', () => {
    expect(shownEntry(entry, { columns: 60, hasColor: false })).toBe(
      `one: a warning of the log, a finding of latchkey doctor

What happened
  See the page (docs/scale.md) or
  \`latchkey doctor --to <address>\`, word word word word word
  word word word word word word word word word word word
  word word word word end.

Whose it is
  The app's.

What to do
  Nothing.
`,
    )
  })

  test('has colors in place of the marks of code', () => {
    const shown = shownEntry(entry, { columns: 200, hasColor: true })
    expect(shown).toContain('\u001b[1mone\u001b[22m: ')
    expect(shown).toContain('\u001b[36mlatchkey doctor --to <address>\u001b[39m')
    expect(shown).not.toContain('`')
  })
})
