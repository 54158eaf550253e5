import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { entriesOf, PAGE, readErrorsPage } from '../../scripts/generate/errors-page.ts'
import { KINDS, type Kind, wordsOfCode } from '../../scripts/generate/words-of-code.ts'
import { rootDir } from '../../scripts/wrangler-dev.ts'

const page = readFileSync(join(rootDir, PAGE), 'utf8')
const words = wordsOfCode(rootDir)
/** A label, which is not a sentence. */
const WHOSE = 'Whose it is.'

test('docs/errors.md has an entry for every word of the code, and no other', () => {
  // If it throws, the message says what to write.
  const entries = readErrorsPage(rootDir)
  expect(entries.map(({ word }) => word).toSorted()).toEqual([...words.keys()].toSorted())
})

test('the words of the code are found, each with all its kinds', () => {
  expect(Object.fromEntries(words)).toMatchObject({
    CredentialsSignin: ['error'],
    DamagedRecord: ['error'],
    SignedOut: ['error'],
    WorkerUnavailable: ['error'],
    invalid_grant: ['error'],
    access_denied: ['error', 'code'],
    last_way: ['code'],
    cancelled: ['code'],
    'sign-in-needed': ['code'],
    'sign-in': ['event'],
    'too-many-attempts': ['event', 'warning'],
    theme: ['warning'],
    timeout: ['operator'],
    'unknown-provider': ['warning', 'import'],
    stale: ['import'],
    gone: ['fault', 'import'],
    'import-open': ['warning', 'finding'],
    'secret-short': ['finding'],
  })
  const kinds = new Set([...words.values()].flat())
  expect([...kinds].toSorted()).toEqual([...KINDS].toSorted())
})

test('each entry stands below the heading of one of its kinds', () => {
  const groups = page.split(/^## /m).slice(1)
  const kindOf = new Map<string, Kind>([
    ['Words that a person or an app meets', 'error'],
    ['Codes beside a word', 'code'],
    ['Errors in the log', 'error'],
    ['Events of the log', 'event'],
    ['Warnings in the log', 'warning'],
    ['Words of the operator API and of the command', 'operator'],
    ['Faults that `latchkey audit verify` finds', 'fault'],
    ['Reasons of `latchkey import`', 'import'],
    ['Findings of `latchkey doctor`', 'finding'],
    ['Words of OAuth', 'error'],
  ])
  expect(groups.map((group) => group.split('\n', 1)[0])).toEqual([...kindOf.keys()])
  for (const group of groups) {
    const kind = kindOf.get(group.split('\n', 1)[0] ?? '') as Kind
    const below = [...group.matchAll(/^### `(.+)`$/gm)].map(([, word = '']) => word)
    expect(below.filter((word) => !words.get(word)?.includes(kind))).toEqual([])
  }
})

describe('the page is refused, with a message that says what to do,', () => {
  const kinds = new Map<string, readonly Kind[]>([['one', ['warning']]])
  const entry = [
    '### `one`',
    '**What happened.** This.',
    `**${WHOSE}** The app's, and nobody else's.`,
    '**What to do.** Nothing.',
  ]
  const pageOf = (paragraphs: readonly string[]) =>
    `# Words\n\n## Kind\n\n${paragraphs.join('\n\n')}\n`
  const read = (paragraphs: readonly string[]) => () => entriesOf(pageOf(paragraphs), kinds)

  test('and a good one is read', () => {
    expect(read(entry)()).toEqual([
      {
        word: 'one',
        kinds: ['warning'],
        happened: 'This.',
        whose: 'app',
        owner: "The app's, and nobody else's.",
        todo: 'Nothing.',
      },
    ])
  })

  test('with everything that is wrong, at once', () => {
    const wrong = ['### `two`', ...entry.slice(1), '### three', ...entry.slice(1)]
    expect(read(wrong)).toThrow(/entry `two`.*\n\n.*heading "three".*\n\n.*warning `one`/)
  })

  test.each([
    ['a new word of the code has no entry', [], 'no entry for the warning `one`.'],
    [
      'a word is not in the code',
      ['### `two`', ...entry.slice(1)],
      'an entry `two`, which the code',
    ],
    ['a word has two entries', [...entry, ...entry], 'two entries `one`'],
    ['a heading is not a word alone', ['### The `one`', ...entry.slice(1)], 'one word in code'],
    ['a paragraph is missing', entry.slice(0, 3), 'paragraph 3 of `one`'],
    ['a paragraph is empty', [...entry.slice(0, 3), '**What to do.** '], 'paragraph 3 of `one`'],
    ['there is a fourth paragraph', [...entry, 'More.'], 'three paragraphs, and no more'],
    [
      'it belongs to nobody',
      [...entry.slice(0, 2), `**${WHOSE}** Ours.`, ...entry.slice(3)],
      "paragraph 2 of `one` must begin with The person's",
    ],
  ])('if %s', (_, paragraphs, message) => {
    expect(read(paragraphs)).toThrow(message)
  })
})
