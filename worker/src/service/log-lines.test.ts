import { createHmac, hkdfSync } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { CredentialsSignin } from '../errors.js'
import { type Browser, claimsIn, origin, signInAt } from '../test-support/browser.js'
import { wrong } from '../test-support/email.js'
import { fails } from '../test-support/faulty.js'
import {
  issuer,
  MARK,
  SECRET,
  WITH_CAUSE,
  type World,
  world,
} from '../test-support/marked-world.js'
import type { Callbacks } from '../types.js'

/** Shortly before the end of a second, for which the end of all sessions waits. */
const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990, waits: true })
const MINUTE = 60

/** What the log calls a person, as docs/operate.md has it. */
function nameInLog(sub: string): string {
  const key = hkdfSync('sha256', SECRET, '', 'latchkey/log/hmac-sha256/v1', 32)
  const digest = createHmac('sha256', Buffer.from(key)).update(sub).digest()
  return digest.subarray(0, 16).toString('base64url')
}

type Level = 'error' | 'warn' | 'info' | 'debug'
const levels: Level[] = ['error', 'warn', 'info', 'debug']

/** The lines of the console, as they are printed: what a call is given is joined with spaces. */
let lines: { readonly level: Level; readonly text: string }[] = []
beforeEach(() => {
  lines = []
  for (const level of levels) {
    vi.spyOn(console, level).mockImplementation((...given: unknown[]) => {
      expect(given.map((one) => typeof one)).toEqual(given.map(() => 'string'))
      const text = given.join(' ')
      const [, said = level] = /^(?:\[auth\]\[|.*"level":")(\w+)/.exec(text) ?? []
      lines.push({ level: said as Level, text })
    })
  }
})
afterEach(() => void vi.restoreAllMocks())

/** The action, the members that its lines must have, and the app's callbacks. */
type Case = readonly [
  title: string,
  run: (it: World) => Promise<readonly object[]>,
  callbacks?: Partial<Callbacks>,
]

const info = { level: 'info' } as const
const warn = { level: 'warn' } as const
const fault = { level: 'error' } as const
const refused = { event: 'sign-in-refused' } as const

/** A provider's answer that was not asked for in this browser. */
const strange = (where: Browser, query = `code=${MARK}-code&state=${MARK}-state`) =>
  where.get(`/auth/callback/fake?${query}`)

async function claimOf(it: World): Promise<string> {
  // Only a line of the log has the name that was typed.
  await it.post({ password: 'x' })
  const line = lines.pop()?.text ?? ''
  return /claimed"?[=:]"?([\w-]{22})/.exec(line)?.[1] ?? 'none'
}

const table: readonly Case[] = [
  ...(
    [
      ['OAuth', 'fake', (where: Browser) => where.signIn('fake', `${MARK}-code`)],
      ['OpenID', 'test', (where: Browser) => signInAt(where, 'test')],
      ['a middleware', 'hono', (where: Browser) => where.signIn('hono', `${MARK}-code`)],
    ] as const
  ).map(
    ([kind, provider, come]) =>
      [
        `a sign-in by ${kind}`,
        async (it: World) => {
          const where = it.browser()
          await come(where)
          return [{ ...info, event: 'sign-in', person: nameInLog(it.subOf(where)), provider }]
        },
      ] satisfies Case,
  ),
  [
    'a sign-in by password',
    async (it) => {
      const where = await it.signIn()
      const person = nameInLog(it.subOf(where))
      return [{ ...info, event: 'sign-in', person, provider: 'credentials' }]
    },
  ],
  [
    'a sign-in by a mailed link, in the browser that asked and in another',
    async (it) => {
      const asked = await it.ask()
      await asked.where.get(asked.path)
      const line = { ...info, event: 'sign-in', provider: 'email' } as const
      const person = nameInLog(it.subOf(asked.where))
      const elsewhere = it.browser()
      const { path } = await it.ask()
      await elsewhere.get(path)
      const token = new URL(path, origin).searchParams.get('token') ?? ''
      await elsewhere.submit('/auth/callback/email', { token })
      return [
        { ...line, person },
        { ...line, person },
      ]
    },
  ],
  [
    'a sign-in by a mailed code',
    async (it) => {
      const { where, enter, code } = await it.ask()
      await enter(code)
      return [{ ...info, event: 'sign-in', person: nameInLog(it.subOf(where)), provider: 'email' }]
    },
  ],
  [
    'a sign-in in the place of another one',
    async (it) => {
      const where = await it.signIn()
      const before = nameInLog(it.subOf(where))
      await it.post({ username: 'grace' }, where)
      const sign = { ...info, event: 'sign-in', provider: 'credentials' } as const
      return [
        { ...sign, person: before },
        { ...info, event: 'sessions-ended', person: before, which: 'one', by: 'sign-in' },
        { ...sign, person: nameInLog(it.subOf(where)) },
      ]
    },
  ],
  [
    'a sign-out, and one without a session',
    async (it) => {
      const where = await it.signIn()
      const person = nameInLog(it.subOf(where))
      await where.submit('/auth/signout')
      await where.submit('/auth/signout')
      const line = { ...info, person, provider: 'credentials' } as const
      return [
        { ...line, event: 'sign-in' },
        { ...line, event: 'sign-out' },
      ]
    },
  ],
  [
    'a browser with tossed sessions that signs out, or ends all: a line for each',
    async (it) => {
      const both = async () => {
        const [where, other] = [await it.signIn(), it.browser()]
        await it.post({ username: 'grace' }, other)
        const people = [it.subOf(where), it.subOf(other)].map(nameInLog).sort()
        await where.csrfToken()
        const token = other.jar.get('auth.session-token')
        return {
          where,
          people,
          headers: { cookie: `${where.cookie}; auth.session-token=${token}` },
        }
      }
      const [out, ends] = [await both(), await both()]
      lines.length = 0
      await out.where.submit('/auth/signout', {}, out.headers)
      await ends.where.submit('/auth/sessions/revoke', { session: 'all' }, ends.headers)
      lines.sort((one, other) => (one.text < other.text ? -1 : 1))
      const ended = { ...info, event: 'sessions-ended', which: 'one', by: 'person' } as const
      const signedOut = { ...info, event: 'sign-out', provider: 'credentials' } as const
      return [
        ...ends.people.map((person) => ({ ...ended, person })),
        ...out.people.map((person) => ({ ...signedOut, person })),
      ]
    },
  ],
  [
    'sessions that their owner ends: one, an unknown one, the others, all, all again',
    async (it) => {
      const [where, other] = [await it.signIn(), await it.signIn()]
      const person = nameInLog(it.subOf(where))
      it.subOf(other)
      lines.length = 0
      const revoke = (session: string) => where.submit('/auth/sessions/revoke', { session })
      await revoke(claimsIn(other).sid)
      await revoke('x'.repeat(22))
      await revoke('others')
      const again = new Map(where.jar)
      await revoke('all')
      for (const [name, value] of again) where.jar.set(name, value)
      await revoke('all')
      const line = { ...info, event: 'sessions-ended', person, by: 'person' } as const
      return [
        { ...line, which: 'one' },
        { ...line, which: 'others' },
        { ...line, which: 'all' },
        { ...line, which: 'all' },
      ]
    },
  ],
  [
    'sessions that the operator ends',
    async (it) => {
      const where = await it.signIn()
      const sub = it.subOf(where)
      lines.length = 0
      await it.endSessions({ sub, except: claimsIn(where).sid })
      await it.endSessions({ sub })
      const line = { ...info, event: 'sessions-ended', person: nameInLog(sub) } as const
      return [
        { ...line, which: 'others', by: 'operator' },
        { ...line, which: 'all', by: 'operator' },
      ]
    },
  ],
  [
    'a session that the session callback ends at a renewal',
    async (it) => {
      const where = await it.signIn()
      const person = nameInLog(it.subOf(where))
      lines.length = 0
      pass(6 * MINUTE)
      await where.session()
      return [{ ...info, event: 'sessions-ended', person, which: 'one', by: 'callback' }]
    },
    { session: ({ session }) => (Date.now() > Date.UTC(2026, 10, 1, 0, 5) ? null : session) },
  ],
  [
    'a session that the jwt callback ends at an update',
    async (it) => {
      const where = await it.signIn()
      const person = nameInLog(it.subOf(where))
      lines.length = 0
      await where.submit('/auth/session', { data: `${MARK}-data` })
      return [{ ...info, event: 'sessions-ended', person, which: 'one', by: 'callback' }]
    },
    { jwt: ({ token, trigger }) => (trigger === 'update' ? null : token) },
  ],
  [
    'reads, renewals, an update, the list: nothing',
    async (it) => {
      const where = await it.signIn()
      it.subOf(where)
      lines.length = 0
      for (const path of [
        'session',
        'session?online=1',
        'sessions',
        'account',
        'csrf',
        'jwks.json',
      ]) {
        await where.get(`/auth/${path}`)
      }
      pass(6 * MINUTE)
      await where.session()
      await where.submit('/auth/session', { data: `${MARK}-data` })
      return []
    },
  ],
  [
    'a wrong password',
    async (it) => {
      const claimed = await claimOf(it)
      await it.post({ password: `${MARK}-wrong` })
      return [{ ...warn, ...refused, claimed, provider: 'credentials', error: 'CredentialsSignin' }]
    },
  ],
  [
    'an authorize that throws, with more than its message',
    async (it) => {
      const claimed = await claimOf(it)
      it.app.authorize = () => {
        throw new Error('the database is away', WITH_CAUSE)
      }
      await it.post()
      const line = { ...fault, ...refused, claimed, provider: 'credentials' } as const
      return [{ ...line, error: 'CredentialsFailed' }]
    },
  ],
  [
    'an authorize that refuses with an error of its own, with a cause and a code',
    async (it) => {
      class Locked extends CredentialsSignin {
        override code = `${MARK}-code`
      }
      const claimed = await claimOf(it)
      it.app.authorize = () => {
        throw new Locked('too often', WITH_CAUSE)
      }
      await it.post()
      const line = { ...warn, ...refused, claimed, provider: 'credentials' } as const
      return [{ ...line, error: 'CredentialsSignin' }]
    },
  ],
  ...(
    [
      ['refuses', () => false, { ...warn, error: 'AccessDenied' }],
      ['leads elsewhere', () => `/terms?of=${MARK}`, { ...warn, by: 'callback' }],
      [
        'throws',
        () => {
          throw new Error('away', WITH_CAUSE)
        },
        { ...fault, error: 'AccessDenied' },
      ],
    ] as const
  ).map(
    ([does, signIn, line]) =>
      [
        `a signIn callback that ${does}`,
        async (it: World) => {
          await it.browser().signIn('fake', `${MARK}-code`)
          return [{ ...refused, ...line, person: expect.any(String), provider: 'fake' }]
        },
        { signIn },
      ] satisfies Case,
  ),
  [
    'a jwt callback that refuses the sign-in',
    async (it) => {
      await it.browser().signIn('fake', `${MARK}-code`)
      const line = { ...warn, ...refused, person: expect.any(String), provider: 'fake' }
      return [{ ...line, error: 'AccessDenied' }]
    },
    { jwt: () => null },
  ],
  [
    'a session callback that throws at the sign-in',
    async (it) => {
      await it.browser().signIn('fake', `${MARK}-code`)
      const line = { ...fault, ...refused, person: expect.any(String), provider: 'fake' }
      return [{ ...line, error: 'CallbackFailed' }]
    },
    {
      session: () => {
        throw Object.assign(new Error('away', WITH_CAUSE), { token: MARK })
      },
    },
  ],
  [
    'a callback that throws at a renewal: no event',
    async (it) => {
      const where = await it.signIn()
      it.subOf(where)
      lines.length = 0
      pass(6 * MINUTE)
      await where.get('/auth/session')
      return [{ ...fault, error: 'CallbackFailed' }]
    },
    {
      jwt: ({ token, trigger }) => {
        if (trigger !== 'signUp') throw new Error('away', WITH_CAUSE)
        return token
      },
    },
  ],
  [
    'a person who cancels at the provider',
    async (it) => {
      const where = it.browser()
      const state = (await where.start('fake')).searchParams.get('state') ?? ''
      await strange(where, `error=access_denied&error_description=${MARK}&state=${state}`)
      const line = { ...warn, ...refused, provider: 'fake' } as const
      return [{ ...line, error: 'OAuthCallbackError', code: 'access_denied' }]
    },
  ],
  [
    'a provider that fails, and repeats what it got',
    async (it) => {
      it.app.token = () =>
        Response.json({ error: 'invalid_grant', code: `${MARK}-code` }, { status: 400 })
      await it.browser().signIn('fake', `${MARK}-code`)
      return [{ ...fault, ...refused, provider: 'fake', error: 'OAuthCallbackError' }]
    },
  ],
  [
    'a profile that throws, with more than its message',
    async (it) => {
      it.app.profile = () => {
        throw new Error('no profile', WITH_CAUSE)
      }
      await it.browser().signIn('fake', `${MARK}-code`)
      return [{ ...fault, ...refused, provider: 'fake', error: 'OAuthCallbackError' }]
    },
  ],
  [
    'a forged ID token',
    async (it) => {
      issuer.sign = async () => `e30.${btoa(MARK)}.${MARK}`
      await signInAt(it.browser(), 'test')
      return [{ ...fault, ...refused, provider: 'test', error: 'OAuthCallbackError' }]
    },
  ],
  [
    'an answer without a started sign-in, and one that comes twice',
    async (it) => {
      const where = it.browser()
      await strange(where)
      const state = (await where.start('fake')).searchParams.get('state') ?? ''
      const jar = new Map(where.jar)
      const query = `code=${MARK}-code&state=${state}`
      await strange(where, query)
      for (const [name, value] of jar) where.jar.set(name, value)
      await strange(where, query)
      const invalid = { ...warn, ...refused, provider: 'fake', error: 'InvalidCheck' } as const
      const person = nameInLog(it.subOf(where))
      return [invalid, { ...info, event: 'sign-in', person, provider: 'fake' }, invalid]
    },
  ],
  [
    'a form of another site, and a provider that there is not',
    async (it) => {
      const where = it.browser()
      await where.post('/auth/signin/fake', { csrfToken: `${MARK}-csrf` })
      await where.submit('/auth/signin/email', {}, { origin: 'https://evil.example' })
      await where.submit('/auth/signin/nobody')
      await where.get(`/auth/callback/nobody?code=${MARK}-code`)
      return [
        { ...warn, ...refused, provider: 'fake', error: 'MissingCSRF' },
        { ...warn, ...refused, provider: 'email', error: 'MissingCSRF' },
        { ...warn, ...refused, error: 'UnknownProvider' },
        { ...warn, ...refused, error: 'UnknownProvider' },
      ]
    },
  ],
  [
    'a mail to no address, a wrong code, and a link that is used twice',
    async (it) => {
      await it.browser().submit('/auth/signin/email', { email: `${MARK}@` })
      const { where, enter, code, path } = await it.ask()
      await enter(wrong(code))
      await where.get(path)
      await where.get(path)
      const person = nameInLog(it.subOf(where))
      const line = { ...warn, ...refused, provider: 'email' } as const
      return [
        { ...line, error: 'CredentialsSignin' },
        { ...line, claimed: person, error: 'Verification', code: 'wrong_code' },
        { ...info, event: 'sign-in', person, provider: 'email' },
        { ...line, claimed: person, error: 'Verification' },
      ]
    },
  ],
  [
    'a mail that cannot be sent, whose sender repeats it',
    async (it) => {
      it.app.send = ({ identifier, url, code }) => {
        throw new Error(`no mail to ${identifier}: ${url} ${code}`, WITH_CAUSE)
      }
      await it.ask()
      const line = { ...fault, ...refused, claimed: expect.any(String), provider: 'email' }
      return [{ ...line, error: 'EmailNotSent', code: 'not_sent' }]
    },
  ],
  [
    'a mail that the app refuses, which its person does not see',
    async (it) => {
      await it.ask()
      const line = { ...warn, ...refused, claimed: expect.any(String), provider: 'email' }
      return [{ ...line, by: 'callback', error: 'AccessDenied' }]
    },
    { signIn: () => false },
  ],
  [
    'stores that are away: at a sign-in, a sign-out, and where the operator ends sessions',
    async (it) => {
      const where = await it.signIn()
      const person = nameInLog(it.subOf(where))
      lines.length = 0
      it.faults.set('put', fails)
      await it.post()
      it.faults.set('revoke', fails)
      it.faults.set('cutOff', fails)
      await where.submit('/auth/signout')
      await expect(it.endSessions({ sub: it.subOf(where) })).rejects.toThrow()
      const line = { ...fault, error: 'StoreUnavailable' } as const
      return [{ ...line, ...refused, person, provider: 'credentials' }, line, line]
    },
  ],
  [
    'too many wrong passwords',
    async (it) => {
      const claimed = await claimOf(it)
      for (let count = 0; count < 11; count++) await it.post({ password: `${MARK}-${count}` })
      const line = { ...warn, claimed, provider: 'credentials' } as const
      const wrong = { ...line, ...refused, error: 'CredentialsSignin' } as const
      const over = { ...line, event: 'too-many-attempts', wait: 15 * MINUTE } as const
      return [...Array(9).fill(wrong), over, over]
    },
  ],
  [
    'too many made-up codes of one network, whose address no line shows',
    async (it) => {
      it.app.token = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
      it.hidden.add('192.0.2.7')
      const where = it.browser()
      for (let count = 0; count < 31; count++) {
        const state = (await where.start('fake')).searchParams.get('state') ?? ''
        const query = new URLSearchParams({ code: `${MARK}-${count}`, state })
        const from = { 'cf-connecting-ip': '192.0.2.7' }
        await where.get(`/auth/callback/fake?${query}`, from)
      }
      const wrong = { ...fault, ...refused, provider: 'fake', error: 'OAuthCallbackError' } as const
      const over = { ...warn, event: 'too-many-attempts', provider: 'fake', wait: MINUTE } as const
      return [...Array(30).fill(wrong), over]
    },
  ],
  [
    'too many mails, and too many codes',
    async (it) => {
      const { enter, code, where, path } = await it.ask()
      for (let count = 0; count < 5; count++) await it.ask()
      for (let count = 1; count < 12; count++) await enter(wrong(code, count))
      const limits = lines.filter(({ text }) => text.includes('too-many-attempts'))
      lines.splice(0, lines.length, ...limits)
      await where.get(path)
      lines.length = 2
      const person = expect.any(String)
      const over = { ...warn, event: 'too-many-attempts', claimed: person, provider: 'email' }
      return [
        { ...over, wait: 60 * MINUTE },
        { ...over, wait: 60 * MINUTE },
      ]
    },
  ],
]

const members = ['event', 'person', 'claimed', 'provider', 'which', 'by', 'error', 'code', 'wait']

/** What a line says, of either format. */
function said({ level, text }: (typeof lines)[number], format: string): Record<string, unknown> {
  expect(text).not.toMatch(/[\n\r]/)
  if (format === 'json') {
    const line = JSON.parse(text) as Record<string, unknown>
    expect(line.level).toBe(level)
    expect(new Date(String(line.time)).toISOString()).toBe(line.time)
    const there = members.filter((name) => line[name] !== undefined)
    return Object.fromEntries([['level', level], ...there.map((name) => [name, line[name]])])
  }
  const [, at, time, rest = ''] = /^\[auth\]\[(\w+)\] (\d{4}-\S+Z) (.*)$/.exec(text) ?? []
  expect(at).toBe(level)
  expect(new Date(String(time)).toISOString()).toBe(time)
  const [, event, more = rest] = /^([a-z-]+)( .*|$)/.exec(rest) ?? []
  const [pairs = '', tail = ''] = event ? splitAtError(more) : ['', rest]
  const found = [...pairs.matchAll(/ (\w+)=(\S+)/g)].map(([, name = '', value]) => [
    name,
    name === 'wait' ? Number(value) : value,
  ])
  const error = /^\s*(\w+)(?::|$)/.exec(tail)?.[1]
  return Object.fromEntries([
    ['level', level],
    ...(event ? [['event', event]] : []),
    ...found,
    ...(error ? [['error', error]] : []),
  ])
}

/** The error comes after the pairs of an event. */
function splitAtError(text: string): [string, string] {
  const [pairs = ''] = /^(?: \w+=\S+)*/.exec(text) ?? []
  return [pairs, text.slice(pairs.length)]
}

describe.each(['json', 'text'])('the log in %s', (format) => {
  const cases = table.map(([title, run, callbacks]) => ({ title, run, callbacks }))

  it.each(cases)('$title', async ({ run, callbacks }) => {
    const made = await world(format, callbacks)
    const expected = await run(made)
    expect(lines.map((line) => said(line, format))).toEqual(expected)
    const text = lines.map((line) => line.text).join('\n')
    expect(made.hidden.size).toBeGreaterThan(3)
    for (const secret of made.hidden) expect(text).not.toContain(secret)
  })
})
