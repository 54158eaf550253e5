import { describe, expect, it } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { withMail, wrong } from '../../test-support/email.js'

clock({ timers: true })

type World = ReturnType<typeof withMail>

describe('the log says why a mail signs no user in', () => {
  it.each<[string, (world: World) => Promise<unknown>, string]>([
    [
      'a text that is not an address',
      ({ ask }) => ask('ada'),
      'The address is not one that mail is sent to.',
    ],
    [
      'a link that is opened and unknown',
      ({ browser }) => browser().get('/auth/callback/email?token=x'),
      'A link was opened that works no longer.',
    ],
    [
      'a link without its token',
      ({ browser }) => browser().get('/auth/callback/email'),
      'A link was opened that works no longer.',
    ],
    [
      'a link that is confirmed and unknown',
      ({ browser }) => browser().submit('/auth/callback/email', { token: 'x' }),
      'A link was used that works no longer.',
    ],
    [
      'a code in a browser that has not asked',
      async ({ ask, browser }) => {
        const { flow, code } = await ask()
        await browser().submit('/auth/callback/email', { flow, code })
      },
      'No mail was asked for in this browser, or too long ago.',
    ],
    [
      'a code that does not name the browser that asked for it',
      async ({ ask }) => {
        const { browser, code } = await ask()
        await browser.submit('/auth/callback/email', { code })
      },
      'No mail was asked for in this browser, or too long ago.',
    ],
    [
      'a code for a list of needs',
      async ({ ask }) => {
        const { browser, flow, code } = await ask()
        await browser.send('/auth/callback/email', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ csrfToken: await browser.csrfToken(), flow: [flow], code }),
        })
      },
      'No mail was asked for in this browser, or too long ago.',
    ],
    [
      'a wrong code',
      async ({ ask }) => {
        const { browser, flow, code } = await ask()
        await browser.submit('/auth/callback/email', { flow, code: wrong(code) })
      },
      'A code was wrong, or works no longer.',
    ],
    [
      'no code at all',
      async ({ ask }) => {
        const { browser, flow } = await ask()
        await browser.submit('/auth/callback/email', { flow })
      },
      'A code was wrong, or works no longer.',
    ],
  ])('%s', async (_, run, reason) => {
    const world = withMail()
    await run(world)
    expect(world.errors.map(({ message }) => message)).toEqual([reason])
  })
})

it('a link that is opened in another browser shows a page that asks first, by its title too', async () => {
  const { ask, browser } = withMail()
  const { path } = await ask()
  const page = await (await browser().get(path)).text()
  expect(page).toContain('<title>Confirm sign-in')
})
