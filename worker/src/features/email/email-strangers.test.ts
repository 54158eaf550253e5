import { AuthError, CredentialsSignin } from '@latchkey/session'
import { describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { AccessDenied, Verification } from '../../errors.js'
import {
  type Browser,
  errorOf,
  everythingIn,
  locationOf,
  origin,
  setsSession,
} from '../../test-support/browser.js'
import { withMail } from '../../test-support/email.js'
import type { Callbacks } from '../../types.js'

clock({ timers: true })

const known = 'ada@example.com'
const stranger = 'eve@example.com'

/** The ways in which an app may refuse an address. */
const refusals: [string, () => unknown][] = [
  ['returns false', () => false],
  ['returns nothing', () => undefined],
  ['returns another value', () => 1],
  ['sends them elsewhere', () => '/sign-up'],
  ['resolves to false', async () => false],
  [
    'throws',
    () => {
      throw new Error('not in the list')
    },
  ],
  [
    'throws nothing',
    () => {
      throw undefined
    },
  ],
  [
    'throws AccessDenied',
    () => {
      throw new AccessDenied('not in the list')
    },
  ],
  [
    'throws CredentialsSignin with a code',
    () => {
      throw Object.assign(new CredentialsSignin('no'), { code: 'not_invited' })
    },
  ],
  [
    'throws another error of ours',
    () => {
      throw new Verification('no')
    },
  ],
  [
    'throws an error of its own kind',
    () => {
      throw new (class Unknown extends AuthError {
        static override type = 'Unknown'
      })('no')
    },
  ],
]

function inviting(refuse: () => unknown) {
  const signIn = vi.fn(({ user }: Parameters<Callbacks['signIn']>[0]) =>
    user.email === known ? true : refuse(),
  )
  const made = withMail({}, { callbacks: { signIn: signIn as unknown as Callbacks['signIn'] } })
  return { ...made, signIn }
}

/** Everything visible of an answer, without its random parts. */
async function seen(answer: Response, address: string): Promise<string> {
  const headers = [...answer.headers].map(([name, value]) => `${name}: ${value}`)
  const text = [answer.status, ...headers, await answer.text()].join('\n')
  return text
    .replaceAll(address, '<address>')
    .replace(/[\w-]{40,}/g, (random) => `<${random.length}>`)
    .replace(/(?<![\w-])[\da-z]{9}-[\w-]{11}(?![\w-])/g, '<flow>')
    .replace(/retry-after: \d+/, 'retry-after: <seconds>')
}

/** The answers to a browser whose sign-in fails in every way. */
async function transcript(
  { browser }: ReturnType<typeof withMail>,
  address: string,
  headers: Record<string, string> = {},
): Promise<string[]> {
  const where = browser()
  const steps: Response[] = []
  const post = async (path: string, fields: Record<string, string>) => {
    const answer = await where.submit(path, fields, headers)
    steps.push(answer.clone())
    return answer
  }
  for (let count = 0; count < 6; count++) {
    const started = Date.now()
    const answer = await post('/auth/signin/email', { email: address, callbackUrl: '/inbox' })
    if (answer.status !== 429) expect(Date.now() - started).toBeGreaterThanOrEqual(1000)
    const text = headers['x-auth-return-redirect']
      ? ((await answer.json()) as { url: string }).url
      : locationOf(answer)
    const flow = URL.parse(text)?.searchParams.get('flow')
    if (!flow) continue
    steps.push((await where.get(`/auth/verify-request?provider=email&flow=${flow}`)).clone())
    // Two wrong codes; the chance that one is right is two in a million.
    for (const code of ['', 'x']) await post('/auth/callback/email', { flow, code })
    steps.push(await where.get('/auth/session'))
  }
  return Promise.all(steps.map((answer) => seen(answer, address)))
}

describe('whether an address is known', () => {
  it.each(refusals)(
    'is not visible if the signIn callback %s: answers, cookies, pages, codes, limits',
    async (_, refuse) => {
      const made = inviting(refuse)
      const [one, other] = [await transcript(made, known), await transcript(made, stranger)]
      expect(one.length).toBeGreaterThan(20)
      expect(other).toEqual(one)
      expect(new Set(made.mails.map(({ identifier }) => identifier))).toEqual(new Set([known]))
      expect(made.mails).toHaveLength(5)
    },
  )

  it('is not visible in JSON either', async () => {
    const made = inviting(() => false)
    const json = { 'x-auth-return-redirect': '1' }
    const [one, other] = [
      await transcript(made, known, json),
      await transcript(made, stranger, json),
    ]
    expect(one.length).toBeGreaterThan(20)
    expect(other).toEqual(one)
  })

  it('is not visible in the calls of the ledger, which are the same for both', async () => {
    const made = inviting(() => false)
    const asked = async (address: string) => {
      const calls: string[] = []
      for (const name of ['admit', 'startVerification', 'withdrawVerification'] as const) {
        vi.spyOn(made.store.ledger, name).mockImplementation((async () => {
          calls.push(name)
          return 0
        }) as never)
      }
      await made.ask(address)
      vi.restoreAllMocks()
      return calls
    }
    expect(await asked(stranger)).toEqual(['admit', 'startVerification'])
    expect(await asked(known)).toEqual(['admit', 'startVerification'])
  })

  it('the callback learns that this is a request for a mail, and gets the normalized address', async () => {
    const { ask, signIn } = inviting(() => false)
    const { browser, path } = await ask(' ADA@example.com')
    const asked = signIn.mock.calls[0]?.[0]
    expect(asked).toMatchObject({
      user: { email: known },
      account: { provider: 'email', type: 'email', providerAccountId: known },
      email: { verificationRequest: true },
    })
    await browser.get(path)
    const signedIn = signIn.mock.calls[1]?.[0]
    expect(signedIn).toMatchObject({ user: { email: known } })
    expect(signedIn).not.toHaveProperty('email')
    expect(signedIn?.account.userId).toBe(asked?.account.userId)
  })

  it('a callback that fails is in the log as an error, and a refusal is not', async () => {
    const failing = inviting(() => {
      throw new Error('the database is down')
    })
    await failing.ask(stranger)
    expect(failing.errors).toHaveLength(1)
    expect(everythingIn(failing.errors)).toContain('the database is down')
    const refusing = inviting(() => false)
    await refusing.ask(stranger)
    expect(refusing.errors).toEqual([])
  })

  it('changes of the callback to its arguments change no address', async () => {
    const signIn = vi.fn(({ user, account }: Parameters<Callbacks['signIn']>[0]) => {
      user.email = stranger
      account.providerAccountId = stranger
      account.userId = 'somebody'
      return true
    })
    const { ask } = withMail({}, { callbacks: { signIn } })
    const { browser, path, mail } = await ask()
    expect(mail?.mail.to).toBe(known)
    await browser.get(path)
    expect((await browser.session())?.user?.email).toBe(known)
  })
})

describe('a person who is refused only with the link or the code', () => {
  const later = (refuse: () => unknown) => {
    let isOpen = true
    const signIn = (() => (isOpen ? true : refuse())) as Callbacks['signIn']
    const made = withMail({}, { callbacks: { signIn } })
    return {
      ...made,
      close: () => {
        isOpen = false
      },
    }
  }
  const ways: [
    string,
    (asked: { browser: Browser; path: string } & Record<string, unknown>) => Promise<Response>,
  ][] = [
    ['the link', ({ browser, path }) => browser.get(path)],
    ['a confirmation', ({ browser, token }) => browser.submit('/auth/callback/email', { token })],
    [
      'the code',
      ({ browser, flow, code }) => browser.submit('/auth/callback/email', { flow, code }),
    ],
  ]

  it.each(ways)('by %s: no session, and the mail is used up', async (_, come) => {
    const { ask, close, browser, store } = later(() => false)
    const put = vi.spyOn(store.sessions, 'put')
    const asked = await ask()
    close()
    const answer = await come(asked as never)
    expect(errorOf(answer)).toBe('/auth/error AccessDenied')
    expect(setsSession(answer)).toBe(false)
    expect(put).not.toHaveBeenCalled()
    expect(errorOf(await browser().get(asked.path))).toBe('/auth/error Verification')
  })

  it.each(ways)('by %s, redirected by the callback: never to a foreign site', async (_, come) => {
    for (const [target, end] of [
      ['/sign-up', `${origin}/sign-up`],
      ['https://evil.example/', `${origin}/`],
    ] as const) {
      const { ask, close } = later(() => target)
      const asked = await ask()
      close()
      const answer = await come(asked as never)
      expect([locationOf(answer), setsSession(answer)]).toEqual([end, false])
    }
  })

  it.each(ways)('by %s, if the callback throws: no session and no failure', async (_, come) => {
    const { ask, close } = later(() => {
      throw new Error('down')
    })
    const asked = await ask()
    close()
    const answer = await come(asked as never)
    expect(errorOf(answer)).toBe('/auth/error AccessDenied')
    expect(setsSession(answer)).toBe(false)
  })
})
