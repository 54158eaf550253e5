import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { siteverify, turnstileKeys } from '../../../../test/support/siteverify.js'
import { createAuth } from '../../index.js'
import { TIMES_SCRIPT } from '../../pages/times-script.js'
import { copyOf, fakeProvider, locationOf } from '../../test-support/browser.js'
import { mailProvider } from '../../test-support/email.js'
import { withTurnstile } from '../../test-support/with-turnstile.js'
import type { AuthConfig } from '../../types.js'
import { COUNTDOWN_SCRIPT } from '../email/countdown-script.js'

const turnstile = siteverify()
const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js'

/** Browsers of one deployment with Turnstile and without, which has it turned on and off. */
function both(changes: Partial<AuthConfig> = {}) {
  const { config, mails, browser } = withTurnstile(turnstile, changes)
  const off = createAuth(config)
  const env = {}
  return {
    mails,
    browser,
    without: (own: ReturnType<typeof browser>) =>
      copyOf(own, config, { answer: (request) => off.fetch(request, env) }),
  }
}

type Forms = Readonly<Record<string, boolean>>

/** The forms of a page that post, by where they post to: do they have the widget? */
function formsOf(html: string): Forms {
  const forms = html.match(/<form[\s\S]*?<\/form>/g) ?? []
  return Object.fromEntries(
    forms.map((form) => {
      const action = form.match(/action="([^"]*)"/)?.[1] ?? ''
      const widgets = form.match(/<div class="cf-turnstile"[^>]*>/g) ?? []
      expect(widgets.length).toBeLessThan(2)
      for (const widget of widgets) {
        expect(widget).toContain(`data-sitekey="${turnstileKeys.siteKey}"`)
      }
      expect(form.includes('<noscript>')).toBe(widgets.length === 1)
      return [action, widgets.length === 1]
    }),
  )
}

/** A page and its policy without the scripts of times and pauses, which pages that have some have anyway. */
async function withoutTimes(answer: Response): Promise<{ html: string; policy: string }> {
  let policy = answer.headers.get('content-security-policy') ?? ''
  let html = await answer.text()
  for (const code of [TIMES_SCRIPT, COUNTDOWN_SCRIPT]) {
    const digest = createHash('sha256').update(code).digest('base64')
    html = html.replace(`<script>${code}</script>`, '')
    policy = policy.replace(` 'sha256-${digest}'`, '')
  }
  return { html, policy: policy.replace('script-src; ', '') }
}

/** A page's forms. Checks first that it allows Cloudflare's script, and that it is otherwise the same. */
async function look(
  path: string,
  { browser, without }: ReturnType<typeof both>,
  own = browser(),
): Promise<Forms> {
  await own.csrfToken()
  const [on, off] = [await own.get(path), await without(own).get(path)]
  const [{ html, policy }, { html: plain, policy: plainPolicy }] = [
    await withoutTimes(on),
    await withoutTimes(off),
  ]
  const forms = formsOf(html)
  const scripts = html.match(/<script[\s\S]*?<\/script>/g) ?? []
  const isShown = Object.values(forms).includes(true)
  expect(scripts).toEqual(isShown ? [`<script src="${SCRIPT}" async defer></script>`] : [])
  const allowed = policy
    .split('; ')
    .filter((part) => /script|frame-src|connect|cloudflare/.test(part))
  const origin = 'https://challenges.cloudflare.com'
  expect(allowed).toEqual(isShown ? [`script-src ${origin}`, `frame-src ${origin}`] : [])
  expect(plain).not.toMatch(/class="cf-turnstile|<script|<noscript/)
  const cut = html
    .replaceAll(/\n *<div class="cf-turnstile"[^>]*><\/div>\n *<noscript>.*?<\/noscript>/g, '')
    .replaceAll(/<script.*?<\/script>/g, '')
    // It has room of its own in a form of nothing but a button.
    .replaceAll(/<form class="stack" (?=.*\/auth\/(?:signin|callback)\/email")/g, '<form ')
  expect(cut).toBe(plain)
  const rest = policy.split('; ').filter((part) => !allowed.includes(part))
  expect(rest.join('; ')).toBe(plainPolicy)
  return forms
}

test('the sign-in page has a widget in the forms for a mail and for a password, not at a provider’s button', async () => {
  const providers = [
    fakeProvider(),
    mailProvider([]),
    ...(withTurnstile(turnstile).config.providers ?? []).slice(1),
  ]
  expect(await look('/auth/signin', both({ providers }))).toEqual({
    '/auth/signin/fake': false,
    '/auth/signin/email': true,
    '/auth/callback/credentials': true,
  })
})

test.each([
  '/auth/signin',
  '/auth/signout',
  '/auth/error?error=AccessDenied',
  '/auth/verify-request',
])('%s, which has no such form, allows no script', async (path) => {
  const forms = await look(path, both({ providers: [fakeProvider()] }))
  expect(Object.values(forms)).not.toContain(true)
})

test('the pages of a mail have one: for its code, for another mail, and for its link elsewhere', async () => {
  const deployment = both()
  const own = deployment.browser()
  const human = { 'cf-turnstile-response': turnstile.issue() }
  const asked = await own.submit('/auth/signin/email', { email: 'ada@example.com', ...human })
  const page = new URL(locationOf(asked))
  const forms = await look(page.pathname + page.search, deployment, own)
  expect(forms).toEqual({ '/auth/callback/email': true, '/auth/signin/email': true })
  const { pathname, search } = new URL(deployment.mails[0]?.url ?? '')
  expect(await look(pathname + search, deployment)).toEqual({ '/auth/callback/email': true })
})

test('the account page has one where an address is added, and nowhere else', async () => {
  const deployment = both({ accountDeletion: true })
  const own = deployment.browser()
  const human = { 'cf-turnstile-response': turnstile.issue() }
  await own.submit('/auth/callback/credentials', {
    username: 'ada',
    password: 'lovelace',
    ...human,
  })
  const forms = await Promise.all(
    ['', '/sessions', '/ways', '/security'].map((section) =>
      look(`/auth/account${section}`, deployment, own),
    ),
  )
  expect(Object.assign({}, ...forms)).toEqual({
    '/auth/signout': false,
    '/auth/sessions/revoke': false,
    '/auth/ways/remove': false,
    '/auth/ways/add': true,
    '/auth/account/delete': false,
  })
})

test('a page on which a stranger’s text looks like the widget allows no script: injection', async () => {
  const providers = [fakeProvider({}, { name: '<div class="cf-turnstile" data-sitekey="evil">' })]
  await look('/auth/signin', both({ providers }))
})

test('the widget has the colors that the operator has fixed', async () => {
  const html = async (theme: AuthConfig['theme'] = {}) =>
    (await withTurnstile(turnstile, { theme }).browser().get('/auth/signin')).text()
  expect(await html()).toContain(' data-theme="auto" ')
  expect(await html({ colorScheme: 'dark' })).toContain(' data-theme="dark" ')
})
