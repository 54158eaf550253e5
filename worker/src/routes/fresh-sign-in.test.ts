import { describe, expect, it } from 'vitest'
import { clock } from '../../../test/support/clock.js'
import { TIMES_SCRIPT } from '../pages/times-script.js'
import credentials from '../providers/credentials.js'
import { Browser, claimsIn, errorOf, locationOf, origin } from '../test-support/browser.js'
import { accountsAt, people } from '../test-support/people.js'

const { pass } = clock({ start: Date.UTC(2026, 10, 1) + 990 })

const actionsIn = (html: string) =>
  [...html.matchAll(/action="([^"]*)"/g)]
    .map(([, path]) => path)
    .filter((path) => path !== '/auth/signout')
const page = '/auth/signin?maxAge=300&callbackUrl=%2Finbox'

describe('GET /signin?maxAge=', () => {
  it('leads who has signed in lately to the callbackUrl, to the second', async () => {
    const { signIn } = people()
    const ada = await signIn('one', 'ada')
    pass(300)
    expect(locationOf(await ada.get(page))).toBe(`${origin}/inbox`)
    const head = await ada.send(page, { method: 'HEAD' })
    expect(locationOf(head)).toBe(`${origin}/inbox`)
    pass(1)
    expect((await ada.get(page)).status).toBe(200)
  })

  it('a renewed token is not fresher', async () => {
    const { signIn } = people()
    const ada = await signIn('one', 'ada')
    pass(290)
    await ada.session()
    pass(20)
    expect(await ada.session()).not.toBeNull()
    expect((await ada.get(page)).status).toBe(200)
  })

  it('shows the person’s own ways alone; a sign-in with one leads back, and is fresh', async () => {
    const { signIn, add, browser } = people()
    const ada = await signIn('one', 'ada')
    const { sub } = claimsIn(ada)
    pass(400)
    const one = actionsIn(await (await ada.get(page)).text())
    expect(one).toEqual(['/auth/signin/one'])
    await signIn('one', 'ada', ada)
    await add(ada, 'email', 'ada@mail.example')
    pass(400)
    const two = actionsIn(await (await ada.get(page)).text())
    // An account that cannot show when they proved who they are is not offered beside one that can.
    expect(two).toEqual(['/auth/signin/email'])
    await signIn('one', 'ada', ada)
    expect(claimsIn(ada).sub).toBe(sub)
    expect(locationOf(await ada.get(page))).toBe(`${origin}/inbox`)
    // Nobody gets the usual page.
    const usual = actionsIn(await (await browser().get(page)).text())
    expect(usual).toEqual(['/auth/signin/one', '/auth/signin/two', '/auth/signin/email'])
  })

  it('says why, and offers neither another account nor the page that may have led here', async () => {
    const { signIn, browser } = people()
    const ada = await signIn('one', 'ada')
    pass(400)
    const html = await (await ada.get(page)).text()
    expect(html).toContain('<h1>Sign in again</h1>')
    expect(html).toContain('You signed in a while ago.')
    // Their token has ended, and is not renewed by this page.
    expect(html).toContain('<strong>ada at one</strong>')
    expect(html).not.toMatch(/another account|href="\/auth\/account"/)
    expect(await (await browser().get(page)).text()).not.toMatch(/again|a while ago/)
  })

  it('shows all providers if none of the person’s own is configured any more', async () => {
    const { signIn, config, copyOf } = people()
    const ada = copyOf(await signIn('one', 'ada'))
    const later = new Browser({ ...config, providers: [accountsAt('two')] })
    for (const [name, value] of ada.jar) later.jar.set(name, value)
    pass(400)
    expect(actionsIn(await (await later.get(page)).text())).toEqual(['/auth/signin/two'])
  })

  it('a session that is over signs no user in, however good its token', async () => {
    const { signIn, copyOf } = people()
    const thief = await signIn('one', 'ada')
    await copyOf(thief).submit('/auth/signout')
    const answer = await thief.get(page)
    expect([answer.status, locationOf(answer)]).toEqual([200, ''])
  })

  it.each(['', '-1', '1.5', '1e3', '0x10', ' 300', 'NaN', '３００', '99999999999999999999'])(
    'a value that is not a whole number (%j) is as if absent',
    async (maxAge) => {
      const { signIn } = people()
      const ada = await signIn('one', 'ada')
      const query = new URLSearchParams({ maxAge, callbackUrl: '/inbox' })
      const answer = await ada.get(`/auth/signin?${query}`)
      expect(answer.status).toBe(200)
      const html = await answer.text()
      expect(actionsIn(html)).toContain('/auth/signin/two')
      expect(html).not.toContain('name="maxAge"')
    },
  )

  it('an app’s own page gets both', async () => {
    const { signIn } = people({ pages: { signIn: '/login' } })
    const ada = await signIn('one', 'ada')
    pass(400)
    const url = new URL(locationOf(await ada.get(page)))
    expect([url.pathname, Object.fromEntries(url.searchParams)]).toEqual([
      '/login',
      { callbackUrl: `${origin}/inbox`, maxAge: '300' },
    ])
  })

  it.each([
    ['a provider that refuses', 'one', { error: 'access_denied' }],
    ['a provider that fails', 'one', { code: '' }],
  ])('errors keep maxAge and callbackUrl: %s', async (_, provider, back) => {
    const { signIn } = people()
    const ada = await signIn('one', 'ada')
    pass(400)
    const fields = { callbackUrl: '/inbox', maxAge: '300' }
    const start = await ada.submit(`/auth/signin/${provider}`, fields)
    const state = new URL(locationOf(start)).searchParams.get('state') ?? ''
    const query = new URLSearchParams({ ...(back as Record<string, string>), state })
    const url = new URL(locationOf(await ada.get(`/auth/callback/${provider}?${query}`)))
    expect([
      url.pathname,
      url.searchParams.get('maxAge'),
      url.searchParams.get('callbackUrl'),
    ]).toEqual(['/auth/signin', '300', `${origin}/inbox`])
  })

  it('errors keep them if the form itself is refused: an old form, a wrong password, a bad address', async () => {
    const password = credentials({ credentials: { username: {} }, authorize: () => null })
    const { browser } = people({ providers: [password, ...people().config.providers] })
    const ada = browser()
    const fields = { callbackUrl: '/inbox', maxAge: '300' }
    const answers = [
      await ada.post('/auth/signin/one', fields),
      await ada.submit('/auth/callback/credentials', { ...fields, username: 'x' }),
      await ada.submit('/auth/signin/email', { ...fields, email: 'none' }),
    ]
    for (const answer of answers) {
      const { pathname, searchParams } = new URL(locationOf(answer))
      expect(pathname).toBe('/auth/signin')
      expect(searchParams.get('maxAge')).toBe('300')
      expect(searchParams.get('callbackUrl')).toBe(`${origin}/inbox`)
    }
    expect(answers.map((answer) => errorOf(answer).split(' ')[1])).toEqual([
      'MissingCSRF',
      'CredentialsSignin',
      'CredentialsSignin',
    ])
  })

  it('the page of a mail’s code leads back to it too', async () => {
    const { browser } = people()
    const ada = browser()
    const start = await ada.submit('/auth/signin/email', {
      email: 'ada@mail.example',
      callbackUrl: '/inbox',
      maxAge: '300',
    })
    const html = await (await ada.get(locationOf(start).slice(origin.length))).text()
    expect(html.match(/name="maxAge" value="300"/g)).toHaveLength(2)
    expect(html).toContain('maxAge=300')
  })
})

describe('the page of the account', () => {
  /** Submits a form of a page as a browser without scripts does. */
  const formsIn = (html: string) =>
    [...html.matchAll(/<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/g)].map(
      ([, action = '', inner = '']) => ({
        action,
        fields: Object.fromEntries(
          [...inner.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, name, value]) => [
            name,
            value,
          ]),
        ) as Record<string, string>,
      }),
    )

  it('adds and removes a way without a script, and each form says what it is for', async () => {
    const { signIn, comeBack, ways } = people()
    const ada = await signIn('one', 'ada')
    const html = await (await ada.get('/auth/account/ways')).text()
    // That of times adds and removes nothing.
    expect(html.replace(TIMES_SCRIPT, '')).not.toMatch(/<script>[^<]|onclick/)
    const forms = formsIn(html)
    const adds = forms.filter(({ action }) => action === '/auth/ways/add')
    expect(adds.map(({ fields }) => fields.provider)).toEqual(['two', 'email', 'one'])
    const start = await ada.post('/auth/ways/add', adds[0]?.fields ?? {})
    const here = `${origin}/auth/account/ways`
    expect(locationOf(await comeBack(ada, 'two', start, 'x'))).toBe(here)
    const after = await (await ada.get('/auth/account/ways')).text()
    const removes = formsIn(after).filter(({ action }) => action === '/auth/ways/remove')
    expect(removes.map(({ fields }) => fields.way)).toEqual((await ways(ada)).map(({ id }) => id))
    expect(after).toContain('aria-label="Remove: TWO, x at two"')
    const end = await ada.post('/auth/ways/remove', removes[1]?.fields ?? {})
    expect(locationOf(end)).toBe(here)
    expect(await ways(ada)).toHaveLength(1)
  })

  it('the page of the code that adds an address sends another such mail, and says what it does', async () => {
    const { signIn, startAdding, mails, ways, lastMail } = people()
    const ada = await signIn('one', 'ada')
    const start = await startAdding(ada, 'email', { email: 'ada@mail.example' })
    const html = await (await ada.get(locationOf(start).slice(origin.length))).text()
    expect(html).toContain('<span>Add this address</span>')
    const again = formsIn(html).find(({ action }) => action === '/auth/ways/add')
    await ada.post('/auth/ways/add', again?.fields ?? {})
    expect(mails.map(({ purpose }) => purpose)).toEqual(['add', 'add'])
    await ada.get(lastMail().path)
    expect(await ways(ada)).toHaveLength(2)
  })
})
