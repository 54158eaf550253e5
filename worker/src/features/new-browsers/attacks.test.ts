import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { createAuth } from '../../index.js'
import { Browser, claimsIn, copyOf } from '../../test-support/browser.js'
import { mailProvider } from '../../test-support/email.js'
import { accountsAt, people } from '../../test-support/people.js'
import type { VerificationRequest } from '../../types.js'
import { newBrowsers } from './index.js'

const { pass } = clock()

const profiles = {
  ada: { email: 'ada@mail.example', email_verified: true },
  eve: { email: 'eve@mail.example', email_verified: true },
}

function world() {
  const mails: VerificationRequest[] = []
  const set = people(
    {
      providers: [accountsAt('one', profiles), mailProvider(mails)],
      features: [newBrowsers],
      newBrowserMail: true,
    },
    { mails },
  )
  const auth = createAuth(set.config)
  const work: Promise<unknown>[] = []
  const context = { waitUntil: (one: Promise<unknown>) => void work.push(one) }
  const answer = (request: Request) => auth.fetch(request, undefined, context as never)
  const browser = () => new Browser(set.config, { answer })
  return {
    ...set,
    browser,
    signIn: (account: string, one = browser()) => set.signIn('one', account, one),
    /** The addresses that have got a mail about a new browser since the last call. */
    async told() {
      while (work.length > 0) await Promise.all(work.splice(0))
      return mails.splice(0).map(({ identifier }) => identifier)
    },
  }
}

const DEVICE = 'auth.device'

it('attack: a cookie of a stranger’s own account, whole or changed, makes no browser known to another person', async () => {
  const { browser, signIn, told } = world()
  await signIn('ada')
  const eve = await signIn('eve')
  const own = eve.jar.get(DEVICE) ?? ''
  expect(own.length).toBeGreaterThan(50)
  const other = eve.jar.get([...eve.jar.keys()].find((name) => name !== DEVICE) ?? '') ?? ''
  const forged = [own, `${own}A`, own.slice(0, -2), own.split('.').reverse().join('.'), other]
  for (const [at, value] of forged.entries()) {
    pass(90_000)
    const phone = browser()
    phone.jar.set(DEVICE, value)
    await signIn('ada', phone)
    expect([at, await told()]).toEqual([at, ['ada@mail.example']])
  }
})

it('attack: a browser in which a sign-in as the person was only begun, or canceled, is new', async () => {
  const { browser, signIn, told } = world()
  await signIn('ada')
  const phone = browser()
  await phone.submit('/auth/signin/one', {})
  await phone.get('/auth/callback/one?error=access_denied')
  expect(phone.jar.has(DEVICE)).toBe(false)
  await signIn('ada', phone)
  expect(await told()).toEqual(['ada@mail.example'])
})

it('attack: a thief signs in beside the person’s own session of another account, and is announced', async () => {
  const { signIn, told } = world()
  await signIn('ada')
  const eve = await signIn('eve')
  await told()
  // The browser has a session, of somebody else.
  await signIn('ada', eve)
  expect(claimsIn(eve).sub).not.toBe('')
  expect(await told()).toEqual(['ada@mail.example'])
})

it('attack: many sign-ins at once from one new browser send no more than the bound', async () => {
  const { browser, signIn, told, config } = world()
  await signIn('ada')
  const phone = browser()
  const copies = Array.from({ length: 8 }, () => copyOf(phone, config, { answer: phone.answer }))
  await Promise.all(copies.map((one) => signIn('ada', one)))
  expect((await told()).length).toBeLessThanOrEqual(3)
})
