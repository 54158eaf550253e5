import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { AccessDenied, AuthError } from '../../errors.js'
import { createAuth } from '../../index.js'
import { Browser, everythingIn, origin } from '../../test-support/browser.js'
import { withMail } from '../../test-support/email.js'
import { waitedFor } from '../../test-support/time.js'
import type { Callbacks, LogEvent } from '../../types.js'

clock({ timers: true })

/** A deployment whose app decides on each mail, with all its log lines. */
function deciding(signIn: () => unknown) {
  const events: LogEvent[] = []
  const errors: Error[] = []
  const notes: unknown[][] = []
  const made = withMail(
    {},
    {
      callbacks: { signIn: signIn as Callbacks['signIn'] },
      debug: true,
      logger: {
        error: (error) => void errors.push(error),
        warn: () => {},
        debug: (...note) => void notes.push(note),
        info: (event) => void events.push(event),
      },
    },
  )
  const refusals = () => events.filter(({ event }) => event === 'sign-in-refused')
  return { ...made, refusals, errors, notes }
}

const line = {
  time: expect.any(String),
  event: 'sign-in-refused',
  claimed: expect.stringMatching(/^[\w-]{22}$/),
  provider: 'email',
}

describe('the log has the reason that the person does not see', () => {
  it.each<[string, () => unknown, object, string[]]>([
    ['says no', () => false, { ...line, by: 'callback', error: 'AccessDenied' }, []],
    [
      'throws AccessDenied',
      () => {
        throw new AccessDenied('not invited')
      },
      { ...line, by: 'callback', error: 'AccessDenied' },
      [],
    ],
    ['names a page', () => '/invitations', { ...line, by: 'callback' }, []],
    [
      'fails',
      () => {
        throw new Error('the database is down')
      },
      { ...line, error: 'AccessDenied' },
      ['AccessDenied'],
    ],
    [
      'throws an error of the app’s own type',
      () => {
        throw new (class Unknown extends AuthError {
          static override type = 'Unknown'
        })('no')
      },
      { ...line, error: 'Unknown' },
      ['Unknown'],
    ],
    ['answers nonsense', () => 7, { ...line, by: 'callback', error: 'AccessDenied' }, []],
  ])('if the signIn callback %s', async (_, signIn, event, names) => {
    const { ask, mails, refusals, errors } = deciding(signIn)
    await ask()
    expect(mails).toEqual([])
    expect(refusals()).toEqual([event])
    expect(errors.map(({ name }) => name)).toEqual(names)
  })

  it('the reason of a refusal is a note for debugging, without the address', async () => {
    const { ask, notes } = deciding(() => {
      throw new AccessDenied('not invited')
    })
    await ask()
    expect(notes).toContainEqual(['no mail is sent', { reason: 'not invited' }])
    expect(everythingIn(notes)).not.toContain('ada@')
  })

  it('nothing is refused if a mail is sent', async () => {
    const { ask, mails, refusals, notes } = deciding(() => true)
    await ask()
    expect(mails).toHaveLength(1)
    expect(refusals()).toEqual([])
    expect(everythingIn(notes)).not.toContain('no mail is sent')
  })
})

it('a mail that cannot be sent after the answer is in the log, and in no other page', async () => {
  const errors: Error[] = []
  let fail = (_: Error) => {}
  const { ask, mails } = withMail(
    {
      sendVerificationRequest: () =>
        new Promise<void>((_, reject) => {
          fail = reject
        }),
    },
    {
      callbacks: { signIn: () => true },
      logger: { error: (error) => void errors.push(error), warn: () => {}, info: () => {} },
    },
  )
  const { answer, browser, flow } = await ask()
  expect(new URL(answer.headers.get('location') ?? '').pathname).toBe('/auth/verify-request')
  expect(errors).toEqual([])
  fail(new Error('down'))
  await waitedFor(Promise.resolve())
  expect(errors.map(({ name }) => name)).toEqual(['EmailNotSent'])
  expect(mails).toEqual([])
  expect([...browser.jar.keys()].filter((name) => name.includes(flow))).toHaveLength(1)
})

it('a mail that is sent beside the answer is kept alive by the platform', async () => {
  let send = () => {}
  const { config, mails } = withMail(
    {
      sendVerificationRequest: (request) =>
        new Promise<void>((resolve) => {
          send = () => {
            mails.push(request)
            resolve()
          }
        }),
    },
    { callbacks: { signIn: () => true } },
  )
  const kept: Promise<unknown>[] = []
  const auth = createAuth(config)
  const context = { waitUntil: (work: Promise<unknown>) => void kept.push(work) }
  const answer = (request: Request) => waitedFor(auth.fetch(request, {}, context))
  const browser = new Browser(config, { at: origin, answer })
  const fields = { email: 'ada@example.com', callbackUrl: '/inbox' }
  expect((await browser.submit('/auth/signin/email', fields)).status).toBe(302)
  expect(mails).toEqual([])
  let isSent = false
  const all = Promise.all(kept).then(() => {
    isSent = true
  })
  await waitedFor(Promise.resolve())
  expect(isSent).toBe(false)
  send()
  await waitedFor(all)
  expect(mails).toHaveLength(1)
})
