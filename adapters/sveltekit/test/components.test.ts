import type { Component, ComponentProps } from 'svelte'
import { render } from 'svelte/server'
import { afterEach, describe, expect, it } from 'vitest'
import { SignIn, SignOut } from '../src/components/index.js'
import { setRoot } from './app-paths.js'
import PassedOn from './PassedOn.svelte'
import Slots from './Slots.svelte'
import Snippets from './Snippets.svelte'

afterEach(() => setRoot('/'))

// These tests ignore the comments that Svelte writes for hydration.
const withoutMarks = (html: string) => html.replaceAll(/<!--.*?-->/g, '')
const signIn = (props: ComponentProps<typeof SignIn> = {}) =>
  withoutMarks(render(SignIn, { props }).body)
const signOut = (props: ComponentProps<typeof SignOut> = {}) =>
  withoutMarks(render(SignOut, { props }).body)

const hidden = (html: string) =>
  [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
    ([, name, value]) => `${name}=${value}`,
  )
const formTag = (html: string) => /<form[^>]*>/.exec(html)?.[0].replace(' class=""', '')

type Wrapper = Component<{ provider?: ComponentProps<typeof SignIn>['provider']; given?: string }>
const wrappers: [string, Wrapper][] = [
  ['slots', Slots],
  ['snippets', Snippets],
  ['snippets passed on', PassedOn],
]

describe.each(wrappers)('an app with %s', (_, Wrapper) => {
  const html = (props: ComponentProps<Wrapper>) => withoutMarks(render(Wrapper, { props }).body)

  it('sets the text of the buttons', () => {
    const shown = html({ provider: 'github' })
    expect(shown).toMatch(/<button type="submit">\s*own button\s*<\/button>/)
    expect(shown).toMatch(
      /<button type="submit">\s*(<span[^>]*>|)own way out(<\/span>|)\s*<\/button>/,
    )
    expect(shown).not.toContain('Sign in')
    expect(shown).not.toContain('Sign out')
  })

  it.each([
    ['a type', { id: 'password', type: 'credentials' }],
    ['the usual id', 'credentials'],
    ['an id that has only the usual type', { id: 'credentials' }],
  ])('shows its fields for credentials by %s', (_, provider) => {
    expect(html({ provider })).toContain('own credentials')
    expect(html({ provider })).not.toContain('own email')
  })

  it.each([
    ['a type', { id: 'magic-link', type: 'email' }],
    ['the usual id', 'email'],
    ['a type that its id does not suggest', { id: 'credentials', type: 'email' }],
  ])('shows its own email field by %s', (_, provider) => {
    expect(html({ provider })).toContain('own email')
    expect(html({ provider })).not.toContain('own credentials')
    expect(html({ provider })).not.toContain('Email address')
  })

  it('shows no fields for a provider that takes none, or may take either', () => {
    for (const provider of [{ id: 'github', type: 'oauth' }, 'github', undefined]) {
      expect(html({ provider })).not.toMatch(/own (credentials|email)/)
    }
  })

  it('shows the given fields for a provider of which only the id is known', () => {
    expect(html({ provider: 'password', given: 'credentials' })).toContain('own credentials')
    expect(html({ provider: 'magic-link', given: 'email' })).toContain('own email')
  })

  it('shows no fields of another type, even when there are no others', () => {
    const oauth = { id: 'github', type: 'oauth' }
    expect(html({ provider: oauth, given: 'credentials' })).not.toContain('own credentials')
    expect(html({ provider: 'email', given: 'credentials' })).not.toContain('own credentials')
    expect(html({ provider: 'credentials', given: 'email' })).not.toContain('own email')
  })
})

describe('<SignIn>', () => {
  it('is a form that posts to the sign-in page, with or without JavaScript', () => {
    const html = signIn({ provider: 'github' })
    expect(formTag(html)).toBe('<form method="POST" action="/signin">')
    expect(hidden(html)).toEqual(['providerId=github'])
    expect(html.match(/<button type="submit">/g)).toHaveLength(1)
  })

  it('takes a provider’s entry of the providers route', () => {
    const provider = { id: 'github', name: 'GitHub', type: 'oauth', signinUrl: 'https://a.example' }
    const html = signIn({ provider })
    expect(hidden(html)).toEqual(['providerId=github'])
    expect(html).toContain('Continue with GitHub')
  })

  it('names a provider that it is given by its id, with its mark', () => {
    const video = signIn({ provider: 'videoapp' })
    expect(video).toContain('Continue with Video App')
    expect(video).toMatch(/<img src="data:image\/svg\+xml,[^"]*" alt="" width="20" height="20"\/>/)
    expect(signIn({ provider: 'microsoft-entra-id' })).toContain('Sign in with Microsoft')
    expect(signIn({ provider: 'okta' })).toContain('Continue with Okta')
    expect(signIn({ provider: 'okta' })).not.toContain('<img')
    expect(signIn({ provider: { id: 'google', name: 'Work' } })).toContain('Continue with Work')
    for (const provider of ['company', 'constructor', '__proto__']) {
      expect(signIn({ provider })).toContain(`Continue with ${provider}`)
      expect(signIn({ provider })).not.toContain('<img')
    }
  })

  it('says what its own fields are for', () => {
    expect(signIn({ provider: { id: 'mail', name: 'Email', type: 'email' } })).toContain(
      'Sign in with Email',
    )
    const password = { id: 'password', name: 'Password', type: 'credentials' }
    expect(signIn({ provider: password })).toContain('Sign in with Password')
  })

  it('names no provider if the app names none', () => {
    expect(hidden(signIn())).toEqual([])
    expect(hidden(signIn({ provider: '' }))).toEqual([])
    expect(signIn()).toMatch(/<button type="submit">\s*Sign in\s*<\/button>/)
  })

  it('does not show an id that only a developer knows', () => {
    for (const provider of ['credentials', { id: 'password', type: 'credentials' }]) {
      expect(signIn({ provider })).toMatch(/<button type="submit">\s*Sign in\s*<\/button>/)
    }
  })

  it('sends options and parameters, and leaves out unset ones', () => {
    const options = {
      redirectTo: '/members',
      redirect: false,
      remember: true,
      a: undefined,
      b: null,
    }
    const unset = { prompt: 'login', login_hint: undefined, nonce: null } as never
    for (const authorizationParams of [{ prompt: 'login' }, unset, 'prompt=login']) {
      expect(hidden(signIn({ provider: 'github', options, authorizationParams }))).toEqual([
        'redirectTo=/members',
        'redirect=false',
        'remember=true',
        'authorizationParams-prompt=login',
        'providerId=github',
      ])
    }
    const none = { options: { redirect: true }, authorizationParams: null as never }
    expect(hidden(signIn(none))).toEqual([])
  })

  it('connects a provider for a signed-in user, and says so on the button', () => {
    const html = signIn({ provider: { id: 'github', name: 'GitHub' }, link: true })
    expect(hidden(html)).toEqual(['providerId=github', 'link=true'])
    expect(html).toContain('Connect GitHub')
    expect(signIn({ provider: 'email', link: true })).toContain('type="email"')
    expect(signIn({ provider: 'github', link: false })).not.toContain('link')
  })

  it('signs in with a passkey, and without JavaScript leads to the sign-in page', () => {
    for (const provider of ['passkey', { id: 'passkey', name: 'Passkey', type: 'webauthn' }]) {
      const html = signIn({ provider, options: { action: 'register' } })
      expect(formTag(html)).toBe('<form method="POST" action="/signin">')
      expect(hidden(html)).toEqual(['action=register', 'providerId=passkey'])
      expect(html).toMatch(/<button type="submit">\s*Create an account with a passkey\s*<\/button>/)
      expect(signIn({ provider })).toContain('Sign in with a passkey')
      expect(signIn({ provider, link: true })).toContain('Add a passkey')
    }
  })

  it('sends no field twice, which the service refuses', () => {
    const html = signIn({ provider: 'github', options: { providerId: 'other' } })
    expect(hidden(html)).toEqual(['providerId=github'])
  })

  it('escapes every value', () => {
    const html = signIn({ provider: { id: '"><script>', name: '<script>' } })
    expect(html).not.toContain('<script>')
    expect(hidden(html)).toEqual(['providerId=&quot;>&lt;script>'])
  })

  it('asks for an email address, so that a browser can fill it in', () => {
    const html = signIn({ provider: { id: 'magic-link', type: 'email' } })
    expect(html).toMatch(
      /<label>Email address <input type="email" name="email" autocomplete="email" required/,
    )
    expect(signIn({ provider: 'github' })).not.toContain('Email address')
  })

  it('finds the page below the base of Kit', () => {
    setRoot('/app/')
    expect(formTag(signIn())).toContain('action="/app/signin"')
    expect(formTag(signIn({ signInPage: 'login?/in' }))).toContain('action="/app/login?/in"')
    expect(formTag(signIn({ signInPage: '/login' }))).toContain('action="/app/login"')
    setRoot('../')
    expect(formTag(signIn())).toContain('action="../signin"')
  })

  it('never posts a password to another site for a page that begins with slashes', () => {
    for (const start of ['//', '\\', '/\\', '\t//', '\u0001\\/', ' \n//']) {
      const signInPage = `${start}evil.example`
      expect(formTag(signIn({ signInPage }))).toContain('action="/evil.example"')
    }
  })

  it('takes a class and other attributes, but stays a form that posts', () => {
    const rest = { id: 'in', 'aria-label': 'In', method: 'GET', action: 'https://evil.example' }
    expect(formTag(signIn({ ...rest, className: 'big' }))).toBe(
      '<form id="in" aria-label="In" method="POST" action="/signin" class="big">',
    )
    expect(formTag(signIn({ class: 'a', className: 'b' }))).toContain('class="a b"')
    expect(formTag(signIn({ class: 'a' }))).toContain('class="a"')
  })
})

describe('<SignOut>', () => {
  it('is a form that posts to the sign-out page', () => {
    const html = signOut({ options: { redirectTo: '/', redirect: false } })
    expect(formTag(html)).toBe('<form method="POST" action="/signout">')
    expect(hidden(html)).toEqual(['redirectTo=/', 'redirect=false'])
    expect(html).toMatch(/<button type="submit">\s*Sign out\s*<\/button>/)
  })

  it('takes another page, a class and other attributes', () => {
    setRoot('/app/')
    expect(formTag(signOut({ signOutPage: '/leave', className: 'small', id: 'out' }))).toBe(
      '<form id="out" method="POST" action="/app/leave" class="small">',
    )
  })
})
