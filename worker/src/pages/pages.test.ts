import { describe, expect, it } from 'vitest'
import { VerifyRequestPage } from '../features/email/verify-request-page.js'
import { passkeyForm } from '../features/passkeys/forms.js'
import { inEnglish } from '../test-support/english.js'
import { ErrorPage } from './error-page.js'
import { addressForm, buttonForm, type ProviderForm, passwordForm } from './provider-forms.js'
import { SignInPage, type SignInPageProps } from './sign-in-page.js'
import { SignOutPage } from './sign-out-page.js'

const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&`
const common = {
  theme: {},
  words: inEnglish,
  base: '/auth',
  csrfToken: 'token-1',
  callbackUrl: '/app?a=1&b=2',
}

const oauth = { id: 'videoapp', name: 'Video App' }
const email = { id: 'email', name: 'Email' }
const credentials = {
  id: 'credentials',
  name: 'Password',
  credentials: {
    username: { label: 'User name', placeholder: 'ada', value: 'ada"1', required: true },
    password: { label: 'Password', type: 'password' },
    totp: { autocomplete: 'one-time-code' },
    tenant: { type: 'hidden', value: 'acme' },
  },
}

const providers = [buttonForm(oauth), addressForm(email), passwordForm(credentials)]
const signIn = (props: Partial<SignInPageProps> = {}) =>
  String(SignInPage({ ...common, providers, ...props }))
const tags = (html: string, name: string) => html.match(new RegExp(`<${name}\\b[^>]*>`, 'g')) ?? []
const attribute = (tag: string, name: string) => tag.match(new RegExp(` ${name}="([^"]*)"`))?.[1]
const input = (html: string, name: string) =>
  tags(html, 'input').find((tag) => attribute(tag, 'name') === name) ?? ''

/** No value became an element or an attribute, and no picture or link has a scheme of its own. */
function expectNoInjection(html: string) {
  expect(html).not.toMatch(/<script|javascript:/i)
  for (const tag of html.match(/<[^>]*>/g) ?? []) {
    expect(tag.replace(/"[^"]*"/g, '')).toMatch(/^<\/?[a-z0-9]+(?:\s+(?!on)[a-z-]+=)*\/?>$/i)
  }
  for (const tag of tags(html, 'img')) {
    expect(attribute(tag, 'src')).toMatch(/^(https:|data:image\/)/)
  }
}

describe('SignInPage', () => {
  describe('sign-up is in sight', () => {
    const [video, address, password] = providers
    const lead = (props: Partial<SignInPageProps>) =>
      /<p class="lead">([^<]*)/.exec(signIn(props))?.[1]
    const first = 'New here? Signing in creates your account'

    it.each([
      [[video, address], `${first}.`],
      [[video, password], `${first}, except with a password.`],
      // An app gives accounts with passwords, and a passkey has a form of its own for a new one.
      [[password], undefined],
      [[password, passkeyForm({ id: 'passkey', name: 'P' })], undefined],
      [[], undefined],
    ])('case %#', (forms, said) => {
      expect(lead({ providers: forms.flatMap((form) => form ?? []) })).toBe(said)
    })

    it('for no signed-in user, and not if an app leaves the text empty', () => {
      expect(lead({ providers: [buttonForm(oauth)], user: { name: 'Ada' } })).toBeUndefined()
      const texts = inEnglish.texts
      const words = { ...inEnglish, texts: { ...texts, signIn: { ...texts.signIn, signUp: '' } } }
      expect(lead({ providers: [buttonForm(oauth)], words })).toBeUndefined()
    })
  })

  it('a person who is signed in has the other ways folded, unless something went wrong or nothing else is left', () => {
    const folded = (props: Partial<SignInPageProps>) => {
      const html = signIn({ user: { name: 'Ada' }, ...props })
      const [, open, inside = ''] =
        /<details class="others"( open="")?>(.*?)<\/details>/s.exec(html) ?? []
      expect(tags(inside, 'form')).toHaveLength(3)
      expect(inside).toContain('<summary class="button"><span>Use another account</span>')
      return open === undefined
    }
    expect(folded({})).toBe(true)
    expect(folded({ error: 'CredentialsSignin' })).toBe(false)
    expect(folded({ maxAge: 300 })).toBe(false)
    expect(folded({ callbackUrl: 'app://inbox' })).toBe(false)
    expect(signIn()).not.toContain('class="others"')
    expect(signIn({ user: { name: 'Ada' }, stepUp: { isStale: true } })).not.toContain(
      'class="others"',
    )
  })

  it('more than three providers are a grid of names, each of which is read out whole', () => {
    const some = (count: number) =>
      Array.from({ length: count }, (_, at) => buttonForm({ id: `p${at}`, name: `Name ${at}` }))
    const key = passkeyForm({ id: 'passkey', name: 'P' })
    expect(signIn({ providers: [key, ...some(3)] })).not.toContain('class="grid"')
    const html = signIn({ providers: [...some(4), key, addressForm(email)] })
    const [, grid = ''] = html.split('<div class="grid">')
    const [inside = ''] = grid.split('<p class="or">')
    expect(tags(inside, 'form').map((tag) => attribute(tag, 'action'))).toEqual(
      [0, 1, 2, 3].map((at) => `/auth/signin/p${at}`),
    )
    expect(inside).toMatch(/aria-label="Continue with Name 3">[\s\S]*<span>Name 3<\/span>/)
    expect(html.split('<div class="grid">')[0]).toContain('data-script="sign-in"')
  })

  it('posts each provider to its own route with the token and the callbackUrl', () => {
    const html = signIn()
    const forms = tags(html, 'form')
    expect(forms.map((tag) => attribute(tag, 'action'))).toEqual([
      '/auth/signin/videoapp',
      '/auth/signin/email',
      '/auth/callback/credentials',
    ])
    for (const form of forms) expect(attribute(form, 'method')).toBe('post')
    expect(html.match(/name="csrfToken" value="token-1"/g)).toHaveLength(3)
    expect(html.match(/name="callbackUrl" value="\/app\?a=1&amp;b=2"/g)).toHaveLength(3)
    expect(html).toContain('Continue with Video App')
    expect(html.match(/<p class="or">or<\/p>/g)).toHaveLength(1)
  })

  it('has one open form: the one used last, or else the first; the others are folded', () => {
    const [video, address, password] = providers as [ProviderForm, ProviderForm, ProviderForm]
    const folded = (html: string) =>
      /<details class="folded"( open="")?>\s*<summary class="button"><span>([^<]*)/
        .exec(html)
        ?.slice(1)
    expect(folded(signIn())).toEqual([undefined, 'Sign in with Password'])
    const used = signIn({ providers: [video, address, { ...password, isLastUsed: true }] })
    expect(folded(used)).toEqual([undefined, 'Sign in with Email'])
    expect(folded(signIn({ error: 'CredentialsSignin' }))?.[0]).toBe(' open=""')
    expect(folded(signIn({ error: 'Verification' }))?.[0]).toBeUndefined()
    expect(folded(signIn({ providers: [video, password] }))).toBeUndefined()
  })

  it('tells a wrong password beside its fields, and a wrong address beside that one', () => {
    const [, ofForm = ''] = signIn({ error: 'CredentialsSignin' }).split(
      '/auth/callback/credentials',
    )
    expect(ofForm).toMatch(/name="tenant"[^>]*>\s*<p class="alert"/)
    expect(attribute(input(ofForm, 'password'), 'aria-invalid')).toBe('true')
    const wrong = signIn({ error: 'CredentialsSignin', code: 'invalid_address' })
    expect(wrong).toMatch(/name="email"[^>]*>\s*<\/div>\s*<p class="alert"/)
    expect(input(wrong, 'password')).not.toContain('aria-invalid')
    // With two forms for passwords, nothing says which one it was.
    const two = [passwordForm(credentials), passwordForm({ ...credentials, id: 'two' })]
    const top = signIn({ providers: two, error: 'CredentialsSignin' })
    expect(top.indexOf('class="alert"')).toBeLessThan(top.indexOf('<form'))
    for (const page of [wrong, top]) expect(page.match(/id="problem"/g)).toHaveLength(1)
  })

  it('escapes hostile values', () => {
    const provider = {
      id: `../${hostile}`,
      name: hostile,
      style: { logo: `javascript:${hostile}`, brandColor: hostile, text: hostile },
    }
    const field = { label: hostile, placeholder: hostile, value: hostile, autocomplete: hostile }
    const html = signIn({
      base: `/${hostile}`,
      csrfToken: hostile,
      callbackUrl: hostile,
      error: hostile,
      code: hostile,
      theme: { logo: `javascript:${hostile}`, brandColor: hostile },
      user: { name: hostile, email: hostile, image: `javascript:${hostile}` },
      providers: [
        buttonForm(provider),
        buttonForm({ ...provider, style: { logo: `https://cdn.example/${hostile}` } }),
        buttonForm({ ...provider, style: { logo: `data:image/png,${hostile}` } }),
        passwordForm({ ...credentials, name: hostile, credentials: { [hostile]: field } }),
        addressForm({ ...email, name: hostile }),
      ],
    })
    expectNoInjection(html)
    expect(html).toContain('&lt;script&gt;')
    expect(html).toContain('/signin/..%2F%22%3E%3Cscript%3E')
  })

  it('labels every input', () => {
    const second = passwordForm({ ...credentials, id: 'two' })
    const first = [buttonForm(oauth), passwordForm(credentials)]
    const html = signIn({ providers: [...first, second, addressForm(email)] })
    const visible = tags(html, 'input').filter((tag) => attribute(tag, 'type') !== 'hidden')
    const ids = visible.map((tag) => attribute(tag, 'id'))
    expect(visible).toHaveLength(7)
    expect(new Set(ids).size).toBe(7)
    expect(tags(html, 'label').map((tag) => attribute(tag, 'for'))).toEqual(ids)
  })

  it('shows the declared fields, and the attributes for password managers', () => {
    const html = signIn()
    const name = input(html, 'username')
    expect(name).toMatch(/ type="text" .*placeholder="ada" required="" autocomplete="username"/)
    expect(attribute(name, 'value')).toBe('ada&quot;1')
    expect(attribute(input(html, 'password'), 'autocomplete')).toBe('current-password')
    expect(input(html, 'password')).not.toContain('required')
    expect(attribute(input(html, 'totp'), 'autocomplete')).toBe('one-time-code')
    expect(html).toContain('<input type="hidden" name="tenant" value="acme"/>')
    expect(html).toMatch(/<label for="[^"]+">totp<\/label>/)
    expect(attribute(input(html, 'email'), 'autocomplete')).toBe('email')
  })

  it('announces an error and ties a refused password to its fields', () => {
    const html = signIn({ error: 'CredentialsSignin', code: 'user_not_found' })
    expect(html).toMatch(/<p class="alert" role="alert" id="problem" tabindex="-1" autofocus="">/)
    expect(html).toContain('Sign-in failed. Check the details you provided.')
    expect(attribute(input(html, 'username'), 'aria-describedby')).toBe('problem')
    expect(html).toBe(signIn({ error: 'CredentialsSignin', code: 'wrong_password' }))
    expect(signIn()).not.toMatch(/role="alert"|aria-describedby/)
  })

  it('distinguishes a canceled sign-in from a failed one', () => {
    const error = 'OAuthCallbackError'
    expect(signIn({ error, code: 'access_denied' })).toContain('You canceled')
    expect(signIn({ error, code: 'server_error' })).toContain('could not sign you in')
  })

  it.each(['Surprise', 'constructor', '__proto__', 'toString'])('never repeats %s', (error) => {
    const html = signIn({ error, code: 'very-secret-code' })
    expect(html).not.toContain(error)
    expect(html).not.toContain('very-secret-code')
    expect(html).toContain('Sign-in did not work. Please try again.')
  })

  it('names the signed-in person, and lets them sign out', () => {
    const user = { name: 'Ada', email: 'ada@example.com', image: 'https://cdn.example/ada.png' }
    const html = signIn({ user })
    expect(html).toContain('<h1>You are signed in</h1>')
    expect(html).not.toContain('You are signed in as')
    expect(html).toContain('<strong>Ada</strong>')
    expect(html).toContain('ada@example.com')
    // The button that leads on comes first, and the one that signs out looks like a link.
    expect(attribute(tags(html, 'form').at(-1) ?? '', 'action')).toBe('/auth/signout')
    expect(html.indexOf('Continue as Ada')).toBeLessThan(html.indexOf('class="quiet"'))
    expect(html).toContain('Use another account')
    expect(signIn({ user: { email: 'ada@example.com' } })).toContain('<strong>ada@example.com<')
    expect(signIn({ user: {} })).not.toContain('<section')
  })

  it('a signed-in user goes on by the one filled button, and browsers offer no passkeys', () => {
    const user = { name: 'Ada', email: 'ada@example.com' }
    const passkeys = passkeyForm({ id: 'passkey', name: 'Passkey' })
    const html = signIn({ user, providers: [passkeys, ...providers] })
    expect(html).toContain(
      '<a class="button main" href="/app?a=1&amp;b=2"><span>Continue as Ada</span>',
    )
    expect(html.match(/class="button main"/g)).toHaveLength(1)
    expect(html).not.toContain('webauthn')
    expect(signIn({ providers: [passkeys, ...providers] })).toContain('webauthn')
    expect(signIn({ user: {} })).toContain('<span>Continue</span>')
    const alone = signIn({ user, providers: [buttonForm(oauth)] })
    expect(alone.match(/class="button main"/g)).toHaveLength(1)
  })

  it.each([
    ['again', { stepUp: { isStale: true } }],
    ['by age', { maxAge: 300 }],
    ['by strength', { acr: '2' }],
  ])('a user who has to prove who they are is not offered to go on without: %s', (_, asked) => {
    const html = signIn({ user: { name: 'Ada' }, ...asked })
    expect(html).not.toContain('Continue as')
    expect(html).not.toContain('href="/app')
  })

  it('marks the way that this browser has used last, beside its button, if there are several', () => {
    const used = { ...buttonForm(oauth), isLastUsed: true }
    const html = signIn({ providers: [used, addressForm(email)] })
    expect(html).toMatch(
      /Continue with Video App<\/span>\s*<\/button><span class="here">Last used</,
    )
    expect(html.match(/Last used/g)).toHaveLength(1)
    expect(signIn({ providers: [used] })).not.toContain('Last used')
    const form = { ...addressForm(email), isLastUsed: true }
    expect(signIn({ providers: [buttonForm(oauth), form] })).toMatch(
      /link<\/span>\s*<\/button><span/,
    )
  })

  it('a cancel is not an alarm', () => {
    const cancelled = signIn({ error: 'OAuthCallbackError', code: 'access_denied' })
    expect(cancelled).toMatch(/<p class="note" role="status" id="problem" tabindex="-1"/)
    expect(cancelled).not.toContain('role="alert"')
  })

  it('marks an invalid address, and no other field', () => {
    const html = signIn({ error: 'CredentialsSignin', code: 'invalid_address' })
    expect(attribute(input(html, 'email'), 'aria-invalid')).toBe('true')
    expect(attribute(input(html, 'email'), 'aria-describedby')).toBe('problem')
    expect(html.match(/aria-invalid|aria-describedby/g)).toHaveLength(2)
  })

  it('leads back to the app, by the site’s name or by its host', () => {
    const home = 'https://app.example/'
    expect(signIn({ home })).toContain(
      '<a href="https://app.example/">Back to <bdi>app.example</bdi></a>',
    )
    expect(signIn({ home, theme: { name: 'Acme' } })).toContain('Back to <bdi>Acme</bdi>')
    expect(signIn({ home: 'javascript:alert(1)' })).not.toMatch(/Back to|javascript/)
  })

  it('says so when no provider is configured', () => {
    const html = signIn({ providers: [] })
    expect(html).toContain('No way to sign in is configured')
    expect(html).toContain('AUTH_VIDEO_ID')
    // Only the log names providers that are configured, but lack something.
    expect(html).toMatch(/its log names what a configured provider lacks/)
  })
})

describe('SignOutPage', () => {
  it('asks for confirmation, and escapes', () => {
    const html = String(SignOutPage({ ...common, user: { name: hostile }, callbackUrl: hostile }))
    expectNoInjection(html)
    expect(attribute(tags(html, 'form')[0] ?? '', 'action')).toBe('/auth/signout')
    expect(html).toContain('name="csrfToken" value="token-1"')
  })
})

describe('SignOutPage', () => {
  it('can be canceled', () => {
    const html = String(SignOutPage({ ...common }))
    expect(html).toContain('<a class="button" href="/app?a=1&amp;b=2"><span>Cancel</span></a>')
    const odd = String(SignOutPage({ ...common, callbackUrl: 'javascript:alert(1)' }))
    expect(odd).not.toContain('Cancel')
  })
})

describe('VerifyRequestPage', () => {
  const asked = { provider: 'email', flow: 'f', isAdding: false, works: 600, wait: 20 } as const
  const page = (address: string, changes: object = {}, props: object = {}) =>
    String(VerifyRequestPage({ ...common, asked: { ...asked, address, ...changes }, ...props }))

  it('has one field for a code however it is parted, which phones fill in', () => {
    const field = input(page('ada@example.com'), 'code')
    expect(field).toMatch(
      /class="code" dir="ltr" required="" inputmode="numeric" autocomplete="one-time-code"/,
    )
    // `1 2 3 - 4 5 6`, as mails and clipboards have it.
    expect(Number(attribute(field, 'maxlength'))).toBeGreaterThan(13)
    expect(field).not.toContain('aria-invalid')
  })

  it('marks a wrong code', () => {
    const html = page('ada@example.com', {}, { error: 'Verification', code: 'wrong_code' })
    expect(attribute(input(html, 'code'), 'aria-invalid')).toBe('true')
    expect(attribute(input(html, 'code'), 'aria-describedby')).toBe('problem works')
  })

  it.each([
    [600, '10 more minutes'],
    [599, '10 more minutes'],
    [61, '1 more minute.'],
    [5, '1 more minute.'],
    [86_400, '24 more hours'],
  ])('says how long link and code work: %d s', (works, says) => {
    expect(page('ada@example.com', { works })).toContain(`Both work for ${says}`)
  })

  it('asks for no code that works no longer', () => {
    const html = page('ada@gmail.com', { works: 0, wait: 0 })
    expect(html).toContain('has expired. Ask for a new one')
    expect(input(html, 'code')).toBe('')
    expect(html).not.toContain('Open Gmail')
    expect(html).toContain('Send a new email')
  })

  it('says the pause before another mail, and keeps it without a script', () => {
    expect(page('ada@example.com')).toMatch(
      /class="wait-20">\s*<p class="button" data-seconds="20" data-forms="[^"]*"><span>You can ask for a new one after 20 seconds/,
    )
    expect(page('ada@example.com', { wait: 0 })).not.toContain('You can ask')
  })

  it.each([
    ['ada@gmail.com', 'Gmail', 'https://mail.google.com/'],
    ['ada@GoogleMail.com', 'Gmail', 'https://mail.google.com/'],
    ['ada@web.de', 'WEB.DE', 'https://web.de/'],
    ['"a@gmx.de"@proton.me', 'Proton Mail', 'https://mail.proton.me/'],
  ])('opens where the mails of %s are read', (address, name, url) => {
    expect(page(address)).toContain(
      `<a class="button" href="${url}" target="_blank" rel="noopener noreferrer"><span>Open ${name}</span>`,
    )
  })

  it.each([
    'ada@example.com',
    'ada@gmail.com.evil.example',
    'ada@notgmail.com',
    'ada@ gmail.com',
    '@',
    hostile,
  ])('knows no mail program of %s, and no part of it is in a link', (address) => {
    const html = page(address)
    expectNoInjection(html)
    expect(html).not.toContain('target="_blank"')
  })
})

describe('ErrorPage', () => {
  it('shows a reference that a person can quote, and leads back', () => {
    const reference = 'KQWT-MXDB'
    const home = 'https://app.example/'
    const html = String(ErrorPage({ ...common, error: 'Configuration', reference, home }))
    expect(html).toContain('If you ask for help, quote <code>KQWT-MXDB</code>')
    expect(html).toContain('Back to <bdi>app.example</bdi>')
    expect(String(ErrorPage({ ...common, error: 'Configuration' }))).not.toContain('quote')
  })

  it.each([
    ['Configuration', 'not set up correctly'],
    ['AccessDenied', 'Access denied'],
    ['Verification', 'no longer works'],
    ['Unavailable', 'unavailable'],
    ['constructor', 'Something went wrong'],
    [hostile, 'Something went wrong'],
  ])('%s', (error, text) => {
    const html = String(ErrorPage({ ...common, error }))
    expectNoInjection(html)
    expect(html).toContain(text)
    expect(html).toContain('href="/auth/signin"')
  })
})

it('the page of a blocked person leads to help, and not into the same refusal again', () => {
  const blocked = { ...common, error: 'AccessDenied', code: 'blocked' }
  const theme = { links: { help: 'mailto:help@example.com' } }
  const html = String(ErrorPage({ ...blocked, theme }))
  expect(html).toContain('<a class="button main" href="mailto:help@example.com"><span>Help</span>')
  expect(html).not.toContain('/auth/signin')
  expect(String(ErrorPage(blocked))).not.toContain('class="button main"')
})

it('a check that was not done yet is a note, and no alarm', () => {
  const html = signIn({ error: 'AccessDenied', code: 'turnstile' })
  expect(html).toContain('<p class="note" role="status"')
  expect(signIn({ error: 'AccessDenied' })).toContain('<p class="alert" role="alert"')
})

describe('buttonForm', () => {
  const button = (style: Parameters<typeof buttonForm>[0]['style'], providers = 2) => {
    const forms = [buttonForm({ ...oauth, style }), buttonForm(oauth)].slice(0, providers)
    return signIn({ providers: forms })
  }
  const mark = 'data:image/png,x'

  it('shows a mark on a tile of its own, and never on the color of the brand', () => {
    expect(button({ logo: mark }, 1)).toContain('<button class="button" type="submit">')
    expect(button({ brandColor: '#000' }, 1)).toContain(
      '<button class="button main" type="submit">',
    )
  })

  it('says what the rules of a provider want', () => {
    expect(button({ words: 'sign-in' })).toContain('Sign in with Video App')
    expect(button({ words: 'continue' })).toContain('Continue with Video App')
  })

  it('gives a tile that is black an edge, by which it is seen in the dark', () => {
    for (const brandColor of ['#000', '#111111', '#24292f']) {
      expect(button({ brandColor })).toContain('class="ring"')
    }
    for (const brandColor of ['#fc6d26', '#fee500', '#5865f2']) {
      expect(button({ brandColor })).not.toContain('class="ring"')
    }
  })
})
