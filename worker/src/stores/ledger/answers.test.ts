import { describe, expect, it } from 'vitest'
import { answerOf, isMissing, isPartOfEndings } from './answers.js'
import type { Ledger } from './rules.js'

const nothing = [undefined, null, 0, 1, '', 'x', [], {}]
const yesOrNo: [unknown[], unknown[]] = [[true, false], nothing]
const lately = { sessions: [], users: [], next: 0, hasMore: false }

type Case = [name: keyof Ledger, good: unknown[], bad: unknown[]]

const cases: Case[] = [
  ['consume', ...yesOrNo],
  ['isConsumed', ...yesOrNo],
  ['isRevoked', ...yesOrNo],
  ['cutOff', ...yesOrNo],
  ['changeDocument', ...yesOrNo],
  ['enter', [{ isFirst: true }, { isFirst: false, document: 'x' }], [...nothing, { isFirst: 1 }]],
  ['admit', [0, 1, 1.5], [-1, Number.NaN, Number.POSITIVE_INFINITY, '0', null, undefined]],
  [
    'insertDocuments',
    [
      [null, null],
      [{ version: 1, content: 'x' }, null],
    ],
    [...nothing, [null], [null, null, null]],
  ],
  [
    'liveDocument',
    [
      { isOver: true, isChanged: false },
      { isOver: false, isChanged: true, document: { version: 2, content: '' } },
    ],
    [...nothing, { isOver: 0, isChanged: false }, { isOver: false }, { isChanged: true }],
  ],
  [
    'revokedSince',
    [lately, { ...lately, hasMore: true, sessions: [{ sid: 'a', at: 1 }] }],
    [
      ...nothing,
      { ...lately, next: '0' },
      { ...lately, next: Number.NaN },
      { ...lately, hasMore: 0 },
      { ...lately, sessions: undefined },
      { ...lately, sessions: {} },
      { ...lately, users: undefined },
      { ...lately, users: 'x' },
    ],
  ],
]

/** The argument of `insertDocuments`. */
const entries = ['way\na', 'way\nb'].map((key) => ({ key, content: null }))

const asked = (name: keyof Ledger, answer: unknown) =>
  answerOf({ [name]: async () => answer } as unknown as Ledger, name, [entries])

describe.each(cases)('an answer to %s', (name, good, bad) => {
  it.each(good.map((answer) => ({ answer })))('is taken: $answer', async ({ answer }) => {
    expect(await asked(name, answer)).toBe(answer)
  })
  it.each(bad.map((answer) => ({ answer })))(
    'is refused, as one of another version: $answer',
    async ({ answer }) => {
      await expect(asked(name, answer)).rejects.toThrow(
        new TypeError(`The ledger's answer to "${name}" is invalid.`),
      )
    },
  )
})

it('a method whose answer stops its caller anyway is not checked', async () => {
  expect(await asked('document', 7)).toBe(7)
  expect(await asked('revoke', undefined)).toBeUndefined()
})

it('all arguments reach the object, and its fault is the caller’s', async () => {
  const given: unknown[] = []
  const consume = async (...args: unknown[]) => given.push(...args) > 0
  await answerOf({ consume } as unknown as Ledger, 'consume', ['a', 5])
  expect(given).toEqual(['a', 5])
  const failing = { consume: () => Promise.reject(new Error('overloaded')) }
  await expect(answerOf(failing as unknown as Ledger, 'consume', [])).rejects.toThrow('overloaded')
})

it('a collector’s endings come by the second', () => {
  const { sessions: _, ...rest } = lately
  expect(isPartOfEndings({ ...rest, seconds: [[700, 'one,two']] }, 'seconds')).toBe(true)
  expect(isPartOfEndings(lately, 'seconds')).toBe(false)
  expect(isPartOfEndings({ ...rest, seconds: { 700: 'one' } }, 'seconds')).toBe(false)
})

it.each<[Error, boolean]>([
  [new TypeError('The RPC receiver does not implement the method "handedFrom".'), true],
  [new TypeError('stub.handedFrom is not a function'), true],
  [new TypeError('Cannot read properties of undefined'), false],
  [new Error('does not implement'), false],
])('%s says that the class has no such method: %s', (error, expected) => {
  expect(isMissing(error)).toBe(expected)
})
