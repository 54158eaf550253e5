import { expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { locationOf, origin } from '../../test-support/browser.js'
import { withMail } from '../../test-support/email.js'
import { fails, faulty } from '../../test-support/faulty.js'

clock()

it.each(['the link is opened', 'the code is typed'])(
  'a store that fails while %s leads to the sign-in page with where and how',
  async (how) => {
    const { store, faults } = faulty()
    const { browser, mails } = withMail({}, { store })
    const one = browser()
    const fields = { email: 'ada@example.com', callbackUrl: '/deep?a=1', maxAge: '60', acr: '1' }
    const started = await one.submit('/auth/signin/email', fields)
    const flow = new URL(locationOf(started)).searchParams.get('flow') ?? ''
    const mail = mails.at(-1)
    faults.set('redeemVerification', fails)
    const link = new URL(mail?.url ?? '')
    const page = { accept: 'text/html' }
    const answer =
      how === 'the link is opened'
        ? await one.get(link.pathname + link.search, page)
        : await one.submit('/auth/callback/email', { flow, code: mail?.code ?? '' }, page)
    const again = /href="(\/auth\/signin\?[^"]*)"/.exec(await answer.text())?.[1] ?? ''
    const { searchParams } = new URL(again.replaceAll('&amp;', '&'), origin)
    expect(Object.fromEntries(searchParams)).toEqual({
      callbackUrl: `${origin}/deep?a=1`,
      maxAge: '60',
      acr: '1',
    })
  },
)
