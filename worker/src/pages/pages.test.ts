import { describe, expect, it } from 'vitest'
import { inEnglish } from '../languages/words.js'
import { ErrorPage } from './error-page.js'
import { addressForm, buttonForm, passwordForm } from './provider-forms.js'
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
const email = { id: 'email', name: 'E-mail' }
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
    expect(html.match(/<p class="or">or<\/p>/g)).toHaveLength(2)
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

  it('distinguishes a cancelled sign-in from a failed one', () => {
    const error = 'OAuthCallbackError'
    expect(signIn({ error, code: 'access_denied' })).toContain('You cancelled')
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
    expect(html).toMatch(/You are signed in as<\/span> <strong>Ada<\/strong>/)
    expect(html).toContain('ada@example.com')
    expect(attribute(tags(html, 'form')[0] ?? '', 'action')).toBe('/auth/signout')
    expect(html).toContain('Use another account')
    expect(signIn({ user: { email: 'ada@example.com' } })).toContain('<strong>ada@example.com<')
    expect(signIn({ user: {} })).toContain('You are signed in<')
  })

  it('says so when no provider is configured', () => {
    const html = signIn({ providers: [] })
    expect(html).toContain('No way to sign in is configured')
    expect(html).toContain('AUTH_VIDEO_ID')
    // Only the log names providers that are configured, but lack something.
    expect(html).toMatch(/the log names what a configured provider lacks/)
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

describe('ErrorPage', () => {
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
