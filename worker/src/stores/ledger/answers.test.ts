import { describe, expect, it } from 'vitest'
import {
  isBoolean,
  isCollected,
  isDecidedCutoff,
  isDocumentOrNone,
  isDocuments,
  isEntrance,
  isListOf,
  isLiveDocument,
  isNumber,
  isRefreshedTokens,
  isRevokedLately,
  isState,
} from './answers.js'

const nothing = [undefined, null, 0, 1, '', 'x', true, [], {}]
const tokens = { version: 0, sealed: '' }
const cutoff = { sub: 'ada', until: 1, expires: 2 }
const lately = {
  sessions: [{ sid: 'a', at: 1 }],
  users: [{ sub: 'ada', until: 1 }],
  next: 0,
  hasMore: false,
}
const isMine = (answer: unknown) => isState(answer, ['yours', 'over'])

type Case = readonly [
  name: string,
  is: (answer: unknown) => boolean,
  good: unknown[],
  bad: unknown[],
]

const cases: Case[] = [
  ['yes or no', isBoolean, [true, false], nothing.filter((one) => one !== true)],
  [
    'a number',
    isNumber,
    [0, -1, 1.5],
    [Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined],
  ],
  [
    'a state',
    isMine,
    [{ state: 'yours' }, { state: 'over', more: 1 }],
    [{ state: 'mine' }, ...nothing],
  ],
  [
    'refreshed tokens',
    isRefreshedTokens,
    [tokens, { version: 7, sealed: 'x' }],
    [
      ...nothing,
      { sealed: 'x' },
      { ...tokens, version: '1' },
      { version: 1 },
      { ...tokens, sealed: 1 },
    ],
  ],
  [
    'a cut-off that was decided',
    isDecidedCutoff,
    [cutoff, { ...cutoff, except: 'sid' }, { ...cutoff, except: undefined }],
    [
      ...nothing,
      { ...cutoff, sub: 7 },
      { ...cutoff, until: '1' },
      { ...cutoff, expires: null },
      { ...cutoff, except: null },
      { ...cutoff, except: 7 },
    ],
  ],
  [
    'a document, or none',
    isDocumentOrNone,
    [undefined, { version: 1, content: 'x' }, { version: 2, content: null }],
    [
      ...nothing.filter((one) => one !== undefined),
      { version: 1 },
      { content: 'x' },
      { version: '1', content: 'x' },
      { version: 1, content: 7 },
    ],
  ],
  [
    'an entrance',
    isEntrance,
    [
      { isFirst: true },
      { isFirst: false, document: { version: 1, content: null } },
      { isFirst: true, person: null },
      { isFirst: true, person: { version: 2, content: 'x' } },
    ],
    [
      ...nothing,
      { isFirst: 1 },
      { isFirst: true, document: null },
      { isFirst: true, document: 'x' },
      { isFirst: true, person: 'x' },
      { isFirst: true, person: { version: 2 } },
    ],
  ],
  [
    'documents that were there',
    isDocuments,
    [[[]], [[null]], [[null, { version: 1, content: 'x' }]], [[{ version: 1, content: null }]]],
    [
      ...nothing.filter((one) => !Array.isArray(one)),
      [[undefined]],
      [['x']],
      [[null, {}]],
      [[{ version: '1', content: 'x' }]],
    ],
  ],
  [
    'a live document',
    isLiveDocument,
    [
      { isOver: true, isChanged: false },
      { isOver: false, isChanged: false, deleted: 2 },
      { isOver: false, isChanged: false, document: undefined },
      { isOver: true, isChanged: false, document: { version: 1, content: 'x' } },
      { isOver: false, isChanged: true, document: { version: 2, content: '', expires: 9 } },
    ],
    [
      ...nothing,
      { isOver: 0, isChanged: false },
      { isOver: false },
      { isChanged: true, document: { version: 1, content: 'x' } },
      { isOver: true, isChanged: true, document: { version: 1, content: 'x' } },
      { isOver: false, isChanged: false, deleted: '2' },
      // A changed document is there.
      { isOver: false, isChanged: true },
      { isOver: false, isChanged: false, document: null },
      { isOver: false, isChanged: false, document: { version: 1, content: null } },
      { isOver: false, isChanged: false, document: { version: '1', content: 'x' } },
    ],
  ],
  [
    'the documents of a home',
    (answer) => isListOf(answer, 'ada', ['grant', 'consent']),
    [
      [[]],
      [
        [
          { key: 'grant\nada\none', version: 1, content: 'x', expires: 9 },
          { key: 'consent\nada\n', version: 2, content: null },
        ],
      ],
    ],
    [
      ...nothing.filter((one) => !Array.isArray(one)),
      ...[
        null,
        'x',
        { key: 'grant\nada\none', version: 1 },
        { version: 1, content: 'x' },
        { key: 7, version: 1, content: 'x' },
        // Documents of another person, and of a kind that the caller did not name.
        { key: 'grant\nada2\none', version: 1, content: 'x' },
        { key: 'grant\nAda\none', version: 1, content: 'x' },
        { key: 'grant\nada', version: 1, content: 'x' },
        { key: 'key\nada\none', version: 1, content: 'x' },
      ].map((one) => [[{ key: 'grant\nada\none', version: 1, content: 'x' }, one]]),
    ],
  ],
  [
    'the recent endings',
    isRevokedLately,
    [
      lately,
      { ...lately, sessions: [], users: [] },
      { ...lately, hasMore: true, users: [{ sub: 'ada', until: 1, except: 'sid' }] },
    ],
    [
      ...nothing,
      { ...lately, next: '0' },
      { ...lately, next: undefined },
      { ...lately, hasMore: 0 },
      { ...lately, sessions: {} },
      { ...lately, sessions: 'x' },
      { ...lately, users: undefined },
      ...[null, [], 'a', { sid: 'a' }, { sid: 1, at: 1 }, { sid: 'a', at: '1' }].flatMap((one) => [
        { ...lately, sessions: [one] },
        { ...lately, sessions: [...lately.sessions, one] },
      ]),
      ...[null, [], 'ada', { sub: 'ada' }, { sub: 1, until: 1 }].flatMap((one) => [
        { ...lately, users: [one] },
        { ...lately, users: [...lately.users, one] },
      ]),
      { ...lately, users: [{ sub: 'ada', until: 1, except: null }] },
    ],
  ],
]

describe.each(cases)('%s', (_, is, good, bad) => {
  it.each(good)('is taken: %j', (answer) => expect(is(answer)).toBe(true))
  it.each(bad)('is refused if it is %j', (answer) => expect(is(answer)).toBe(false))
})

describe('the answers of a collector', () => {
  const answer = { seconds: [[700, 'one,two']], users: [], next: 700, hasMore: false }

  it('are seconds with handles of sessions, and cut-offs', () => {
    expect(isCollected(answer)).toBe(true)
    expect(isCollected({ ...answer, seconds: [], hasMore: true })).toBe(true)
    expect(isCollected({ ...answer, users: [{ sub: 'ada', until: 1, except: 'sid' }] })).toBe(true)
  })

  it.each([
    undefined,
    null,
    [],
    'one,two',
    {},
    { ...answer, next: undefined },
    { ...answer, next: '700' },
    { ...answer, next: Number.NaN },
    { ...answer, hasMore: undefined },
    { ...answer, hasMore: 0 },
    { ...answer, seconds: undefined },
    { ...answer, seconds: { 700: 'one' } },
    { ...answer, seconds: [...answer.seconds, null] },
    { ...answer, seconds: [['700', 'one']] },
    { ...answer, seconds: [[700, ['one']]] },
    { ...answer, seconds: [[700]] },
    { ...answer, seconds: [{ 0: 700, 1: 'one' }] },
    { ...answer, users: undefined },
    { ...answer, users: [{ sub: 'ada' }] },
    { ...answer, users: [null] },
  ])('are not %j: “nothing ended” would let ended sessions in', (rubbish) => {
    expect(isCollected(rubbish)).toBe(false)
  })
})
