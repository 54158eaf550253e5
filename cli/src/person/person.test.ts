import { stripVTControlCharacters } from 'node:util'
import { afterEach, describe, expect, test } from 'vitest'
import { Failed, type Questions } from '../command.js'
import { printableLines } from '../printable.js'
import { KEY, latchkey, operatorApi, serverOf } from '../test-support/operator-api.js'

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0)) await close()
})

async function service(...given: Parameters<typeof operatorApi>) {
  const server = await operatorApi(...given)
  open.push(server.close)
  return server
}

const SUB = 'q0Wn5yZ2pXk8sVb3rTfGhA'
const results = {
  getPerson: {
    sub: SUB,
    blocked: { since: '2026-11-28T00:01:02.003Z', reason: 'spam' },
    sessions: 2,
    ways: 1,
    connections: 1,
    factors: [{ type: 'totp', added: '2026-11-01T10:00:00.000Z', recoveryCodes: 8 }],
  },
  listSessions: [
    {
      id: 'aB3dE6gH9jK2mN5pQ8sT1v',
      provider: 'videoapp',
      device: 'Firefox on Windows',
      place: 'Berlin, DE',
      created: '2026-11-27T23:59:00.000Z',
      lastUsed: '2026-11-28T00:00:00.000Z',
      expires: '2026-12-27T23:59:00.000Z',
    },
  ],
  listWays: [
    {
      id: 'wB3dE6gH9jK2mN5pQ8sT1v',
      provider: 'email',
      name: 'a…@example.com',
      added: '2026-11-01T10:00:00.000Z',
      lastUsed: null,
    },
  ],
}

/** `person` of a line of the log. */
const LINE = 'V1StGXR8_Z5jdHi6B-myTw'

const SHOWN = `Person       q0Wn5yZ2pXk8sVb3rTfGhA
Blocked      yes, since 2026-11-28 00:01 UTC: spam
Factors      totp, added 2026-11-01, 8 recovery codes left
Connections  1

Sessions
  aB3dE6gH9jK2mN5pQ8sT1v  videoapp, Firefox on Windows, Berlin, DE
                          began 2026-11-27 23:59 UTC, last used 2026-11-28

Ways to sign in
  wB3dE6gH9jK2mN5pQ8sT1v  email, a…@example.com
                          added 2026-11-01, last used unknown
`

describe('latchkey person <sub>', () => {
  test('shows the person, their sessions and their ways, in 80 columns', async () => {
    const { base, asked } = await service(results)
    expect(await latchkey(base, ['person', SUB])).toEqual({ code: 0, noted: '', printed: SHOWN })
    expect(asked.map(({ body }) => body)).toEqual(Array(3).fill(JSON.stringify({ sub: SUB })))
    for (const line of SHOWN.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  })

  test('has the same text below its colors', async () => {
    const { base } = await service(results)
    const { printed } = await latchkey(base, ['person', SUB], {
      env: { LATCHKEY_URL: base, AUTH_OPERATOR_KEY: KEY },
      hasColor: true,
    })
    expect(printed).toContain('\u001b[31myes\u001b[39m')
    expect(stripVTControlCharacters(printed)).toBe(SHOWN)
  })

  test('prints the three answers with --json', async () => {
    const { base } = await service(results)
    const { code, printed } = await latchkey(base, ['person', SUB, '--json'])
    expect(code).toBe(0)
    expect(JSON.parse(printed)).toEqual({
      person: results.getPerson,
      sessions: results.listSessions,
      ways: results.listWays,
    })
  })

  test('ends with 1 if nothing is kept of the person', async () => {
    const { base } = await service({ listSessions: [], listWays: [] })
    expect(await latchkey(base, ['person', 'nobody'])).toEqual({
      code: 1,
      noted: '',
      printed: 'Nothing is kept of this person.\n',
    })
    const { code, printed } = await latchkey(base, ['person', 'nobody', '--json'])
    expect({ code, ...JSON.parse(printed) }).toEqual({
      code: 1,
      person: null,
      sessions: [],
      ways: [],
    })
  })

  test('says of an only way, whose times the service does not keep, since when sessions have used it', async () => {
    const [session, way] = [results.listSessions[0], results.listWays[0]]
    const created = '2026-10-02T10:00:00.000Z'
    const { base } = await service({
      ...results,
      listSessions: [session, { ...session, created }],
      listWays: [{ ...way, provider: 'videoapp', added: null }],
    })
    const { printed } = await latchkey(base, ['person', SUB])
    expect(printed).toContain('  used since 2026-10-02 at least, last used 2026-11-27\n')
  })

  test('looks for the person of a log line, part by part, and shows them', async () => {
    const parts = [
      { sub: null, next: 'one' },
      { sub: SUB, next: null },
    ]
    const bodies: unknown[] = []
    const server = await serverOf(async (request, response) => {
      const method = request.url?.replace('/auth/operator/', '') ?? ''
      const body = JSON.parse(server.asked.at(-1)?.body ?? '{}')
      if (method === 'findPerson') bodies.push(body)
      const isLine = body.sub === LINE
      const known: Record<string, unknown> = isLine ? { listSessions: [], listWays: [] } : results
      const result = method === 'findPerson' ? parts.shift() : (known[method] ?? null)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ result }))
    })
    open.push(server.close)
    expect(await latchkey(server.base, ['person', LINE])).toMatchObject({ code: 0, printed: SHOWN })
    expect(bodies).toEqual([{ person: LINE }, { person: LINE, after: 'one' }])
  })

  test('says what to pass if nobody with a session has the line', async () => {
    const nobody = { listSessions: [], listWays: [], findPerson: { sub: null, next: null } }
    const { base } = await service(nobody)
    const { code, printed } = await latchkey(base, ['person', LINE])
    expect(code).toBe(1)
    expect(printed).toContain('nobody with a session has it')
    expect(printed).toContain('docs/operate.md ("Find a person in the log")')
  })

  test('attack: a service that never ends a search is not asked for ever', async () => {
    const forever = { listSessions: [], listWays: [], findPerson: { sub: null, next: 'more' } }
    const { base, asked } = await service(forever)
    expect(await latchkey(base, ['person', LINE])).toMatchObject({ code: 1 })
    expect(asked).toHaveLength(503)
  })

  test('finds the person who signs in with an address, and blocks them', async () => {
    const { base, asked } = await service({ ...results, findPerson: { sub: SUB, next: null } })
    const email = ['--email', 'ada@films.example']
    expect(await latchkey(base, ['person', ...email])).toMatchObject({ code: 0, printed: SHOWN })
    expect(asked[0]?.body).toBe(JSON.stringify({ email: 'ada@films.example' }))
    asked.length = 0
    expect(await latchkey(base, ['person', 'block', '--reason', 'spam', ...email])).toMatchObject({
      code: 0,
    })
    expect(asked.map(({ path, body }) => [path, body])).toEqual([
      ['/auth/operator/findPerson', JSON.stringify({ email: 'ada@films.example' })],
      ['/auth/operator/blockPerson', JSON.stringify({ sub: SUB, reason: 'spam' })],
    ])
  })

  test('does nothing if nobody signs in with the address', async () => {
    const { base, asked } = await service({ findPerson: { sub: null, next: null } })
    const args = ['person', 'delete', '--yes', '--email', 'eve@films.example']
    const { code, noted } = await latchkey(base, args)
    expect(code).toBe(1)
    expect(noted).toContain('Nobody signs in by mails to this address')
    expect(asked).toHaveLength(1)
  })

  test('attack: shows texts of strangers on their lines, and obeys none of them', async () => {
    const evil = '\u001b]0;owned\u0007\u001b[2J\r\n  Person   admin\u202e\u2028x'
    const { base } = await service({
      getPerson: { ...results.getPerson, blocked: { since: evil, reason: evil }, factors: [evil] },
      listSessions: [
        { ...results.listSessions[0], device: evil, created: evil, id: evil },
        evil,
        7,
      ],
      listWays: [{ ...results.listWays[0], name: evil, provider: { toString: evil } }],
    })
    const { code, printed } = await latchkey(base, ['person', SUB])
    expect(code).toBe(0)
    expect(printableLines(printed)).toBe(printed)
    expect(printed).not.toContain('\r')
    expect(printed).not.toMatch(/^ {2}Person/m)
    expect(printed.split('\n')).toHaveLength(17)
    const json = await latchkey(base, ['person', SUB, '--json'])
    expect(json.printed).toMatch(/^[\x20-\x7e…]+\n$/)
    expect(JSON.parse(json.printed).sessions[0].device).toBe(evil)
  })

  test.each([
    ['getPerson', []],
    ['listSessions', {}],
    ['listWays', null],
  ])('a result of another shape for %s is said', async (method, result) => {
    const { base } = await service({ ...results, [method]: result })
    const { code, printed } = await latchkey(base, ['person', SUB, '--json'])
    expect({ code, ...JSON.parse(printed) }).toMatchObject({
      code: 1,
      error: 'Unreachable',
      message: expect.stringContaining(method),
    })
  })
})

const ID = '-B3dE6gH9jK2mN5pQ8sT1v'

describe('latchkey person <sub> <what> is one call', () => {
  test.each<[args: string[], method: string, members: object]>([
    [['end'], 'endSessions', {}],
    [['end', '--session', ID], 'endSession', { session: ID }],
    [['end', '--except', ID], 'endSessions', { except: ID }],
    [['refresh'], 'refreshClaims', {}],
    [['refresh', '--session', ID], 'refreshClaims', { session: ID }],
    [['block'], 'blockPerson', {}],
    [['block', '--reason', 'spam, 2nd time'], 'blockPerson', { reason: 'spam, 2nd time' }],
    [['unblock'], 'unblockPerson', {}],
    [['disconnect', 'github'], 'disconnect', { provider: 'github' }],
    [['reset-factors'], 'resetFactors', {}],
    [['delete', '--yes'], 'deletePerson', {}],
  ])('%j', async (args, method, members) => {
    const { base, asked } = await service({})
    const { code, printed } = await latchkey(base, ['person', SUB, ...args, '--json'])
    expect({ code, ...JSON.parse(printed) }).toEqual({ code: 0, done: true })
    expect(asked).toMatchObject([
      { path: `/auth/operator/${method}`, body: JSON.stringify({ sub: SUB, ...members }) },
    ])
    const told = await latchkey(base, ['person', SUB, ...args])
    expect(told).toMatchObject({ code: 0, printed: expect.stringMatching(/^[A-Z].+[.]\n$/) })
  })

  test.each([
    ID,
    '--json-is-not-here-22ch',
    'a/b\nc\u202e',
    '👤'.repeat(255),
    'auth0|5f',
    'toString',
  ])('for the id %j', async (sub) => {
    const { base, asked } = await service({})
    const args = sub.startsWith('--')
      ? ['person', '--', sub, 'unblock']
      : ['person', sub, 'unblock']
    expect(await latchkey(base, args)).toMatchObject({ code: 0 })
    expect(asked).toMatchObject([{ body: JSON.stringify({ sub }) }])
  })
})

describe('latchkey person <sub> export', () => {
  const kept = { sub: SUB, sessions: [], user: { name: '\u202eAda' } }

  test('prints the export as JSON', async () => {
    const { base } = await service({ exportPerson: kept })
    const { code, printed } = await latchkey(base, ['person', SUB, 'export'])
    expect(code).toBe(0)
    expect(printed).toBe(`${JSON.stringify(kept, null, 2).replace('\u202e', '\\u202e')}\n`)
    const json = await latchkey(base, ['person', SUB, 'export', '--json'])
    expect(JSON.parse(json.printed)).toEqual(kept)
  })

  test('ends with 1 if nothing is kept', async () => {
    const { base } = await service({})
    const { code, printed } = await latchkey(base, ['person', SUB, 'export', '--json'])
    expect({ code, ...JSON.parse(printed) }).toMatchObject({ code: 1, error: 'NotFound' })
  })
})

describe('latchkey person <sub> delete', () => {
  const asking = (confirm: Questions['confirm']) => ({
    ask: { confirm } as unknown as Questions,
  })

  async function deleting(confirm: Questions['confirm']) {
    const { base, asked } = await service({})
    const env = { LATCHKEY_URL: base, AUTH_OPERATOR_KEY: KEY }
    const said = await latchkey(base, ['person', SUB, 'delete'], { env, ...asking(confirm) })
    return { ...said, asked: asked.length }
  }

  test('asks with the name of the service and the id, and does it after a yes', async () => {
    const questions: string[] = []
    const { code, asked } = await deleting(async (question) => {
      questions.push(question)
      return true
    })
    expect({ code, asked }).toEqual({ code: 0, asked: 1 })
    expect(questions).toEqual([expect.stringMatching(`127[.]0[.]0[.]1.*${SUB}`)])
  })

  test.each<[string, Questions['confirm']]>([
    ['no', async () => false],
    [
      'a key that ends the question',
      async () => {
        throw new Failed('Stopped', 'Stopped.')
      },
    ],
  ])('sends nothing after %s', async (_, confirm) => {
    expect(await deleting(confirm)).toMatchObject({ code: 1, asked: 0, printed: '' })
  })

  test('asks nothing where there is no terminal: --yes is missing', async () => {
    const { base, asked } = await service({})
    const { code, noted } = await latchkey(base, ['person', SUB, 'delete'])
    expect(code).toBe(2)
    expect(noted).toContain('--yes')
    expect(asked).toEqual([])
  })
})

test.each([
  [[], 'Name the person'],
  [[''], 'Name the person'],
  [['a'.repeat(256)], 'Name the person'],
  [[SUB, 'ban'], '"ban" is not one of: end, refresh, block'],
  [[SUB, 'toString'], '"toString" is not one of'],
  [[SUB, 'end', 'now'], 'takes no more words'],
  [[SUB, 'end', '--session', 'a', '--except', 'b'], '--session or --except, and not both'],
  [[SUB, 'unblock', '--reason', 'x'], '--reason is not an option of latchkey person <sub> unblock'],
  [[SUB, '--yes'], '--yes is not an option of latchkey person <sub>.'],
  [[SUB, 'export', '--yes'], '--yes is not an option'],
  [[SUB, 'disconnect'], 'needs a provider'],
  [[SUB, 'disconnect', 'a', 'b'], 'takes no more words'],
  [[SUB, 'block', '--reason', 'a\nb'], '1 to 200 characters'],
  [[SUB, 'block', '--reason', 'a'.repeat(201)], '1 to 200 characters'],
  [[SUB, 'block', '--reason', ''], '--reason needs a value'],
  [[SUB, 'block', '--key', KEY], 'There is no option "--key"'],
])('latchkey person %j is wrong use, and sends nothing', async (args, message) => {
  const { base, asked } = await service({})
  const { code, printed } = await latchkey(base, ['person', ...args, '--json'])
  const { error, message: told } = JSON.parse(printed)
  expect({ code, error }).toEqual({ code: 2, error: 'WrongUse' })
  expect(told).toContain(message)
  expect(told).not.toContain(KEY)
  expect(asked).toEqual([])
})

test('an error of the API keeps its word, and the key is in no output', async () => {
  const { base } = await service({}, [403, { error: 'ScopeRequired', scope: 'manage' }])
  const { code, printed, noted } = await latchkey(base, ['person', SUB, 'block', '--json'])
  expect({ code, ...JSON.parse(printed) }).toMatchObject({ code: 1, error: 'ScopeRequired' })
  expect(printed + noted).not.toContain(KEY)
})
