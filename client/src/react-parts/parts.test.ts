import { createElement, type ReactElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { describe, expect, test } from 'vitest'
import { SessionProvider, SignedIn, SignedOut, SignIn, UserButton } from '../react.js'

const ADA = { name: 'Ada', email: 'ada@films.example', image: 'https://pictures.example/ada' }

/** The HTML that a server sends. @param user who is signed in */
function htmlOf(element: ReactElement, user: object | null, basePath = '/auth/'): string {
  const session = user && { user, expires: '2030-01-01T00:00:00.000Z' }
  return renderToStaticMarkup(createElement(SessionProvider, { session, basePath }, element))
}

describe('parts in the HTML of a server', () => {
  test('the button of a user has picture, name, address, account and sign-out', () => {
    const html = htmlOf(createElement(UserButton, { redirectTo: '/', className: 'mine' }), ADA)
    expect(html).toContain(
      '<details class="mine" data-latchkey="user-button"><summary>' +
        '<img src="https://pictures.example/ada" alt="" width="32" height="32" referrerPolicy="no-referrer"/>' +
        '<span>Ada</span></summary><div data-latchkey="menu" tabindex="-1"><p>ada@films.example</p>' +
        '<a href="/auth/account">Account</a><form aria-busy="false" action="/auth/signout">' +
        '<input type="hidden" name="callbackUrl" value="/"/><button type="submit">Sign out</button>' +
        '</form></div></details>',
    )
  })

  test('a user without a name is shown by the address, and one with neither by the label', () => {
    const { email } = ADA
    const button = createElement(UserButton, { labels: { account: 'Konto', signOut: 'Abmelden' } })
    const byAddress = htmlOf(button, { email })
    expect(byAddress.split(email)).toHaveLength(2)
    expect(htmlOf(button, {})).toContain('<span>Konto</span>')
    expect(byAddress).toContain('>Abmelden</button>')
  })

  test('a visitor sees no button, and each part shows only to its own audience', () => {
    expect(htmlOf(createElement(UserButton), null)).toBe('')
    const both = createElement(
      'p',
      null,
      createElement(SignedIn, null, 'in'),
      createElement(SignedOut, null, 'out'),
    )
    expect(htmlOf(both, ADA)).toBe('<p>in</p>')
    expect(htmlOf(both, null)).toBe('<p>out</p>')
    // Before the session is known, the page shows none of them.
    expect(renderToStaticMarkup(both)).toBe('<p></p>')
  })

  test('the list of providers is there if the server hands it over', () => {
    const providers = [
      { id: 'github', name: 'GitHub', type: 'oauth' },
      { id: 'email', name: 'Email', type: 'email' },
    ]
    const continueWith = (name: string) => `Weiter mit ${name}`
    const list = createElement(SignIn, { providers, labels: { continueWith, email: 'E-Mail' } })
    const html = htmlOf(list, null, '/shop/auth')
    expect(html.match(/<form [^>]*action="\/shop\/auth\/signin"/g)).toHaveLength(2)
    expect(html).toContain('Weiter mit GitHub</button>')
    expect(html).toMatch(/<label>E-Mail <input [^>]*type="email"/)
    expect(html).not.toContain('callbackUrl')
  })

  test('attack: an address stays out of the URL of the page that opens without script', () => {
    const providers = [{ id: 'email', name: 'Email', type: 'email' }]
    expect(htmlOf(createElement(SignIn, { providers }), null)).not.toContain('name=')
  })

  test('attack: a strict policy for styles has nothing to refuse', () => {
    const html = htmlOf(createElement(UserButton), ADA) + htmlOf(createElement(SignIn), null)
    expect(html).not.toMatch(/style/)
  })

  test('attack: the name of a provider or a user is text', () => {
    const name = '<script>alert(1)</script>'
    const providers = [{ id: 'x', name, type: 'oauth' }]
    const html =
      htmlOf(createElement(SignIn, { providers }), null) +
      htmlOf(createElement(UserButton), { name })
    expect(html).not.toContain('<script')
  })
})
