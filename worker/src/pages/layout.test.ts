import { describe, expect, it } from 'vitest'
import { inEnglish } from '../test-support/english.js'
import { ErrorPage } from './error-page.js'
import { Document, WithOwnLine } from './layout.js'
import { addressForm, buttonForm } from './provider-forms.js'
import { SignInPage } from './sign-in-page.js'
import { stylesheet } from './styles.js'
import type { Theme } from './theme.js'

const words = inEnglish
const common = { words, base: '/auth', csrfToken: 'token', callbackUrl: '/', providers: [] }
const document = (theme: Theme, title = 'Sign in') => {
  const page = SignInPage({ ...common, theme })
  return String(Document({ theme, words, title, css: '', page }))
}
const error = (theme: Theme) => String(ErrorPage({ theme, words, base: '/auth', error: 'x' }))
const logo = 'https://cdn.example/logo.svg'

describe('the name of a site', () => {
  it('stands in the title and in the tab', () => {
    const html = document({ name: 'Acme' })
    expect(html).toContain('<h1>Sign in to Acme</h1>')
    expect(html).toContain('<title>Sign in · Acme</title>')
    expect(document({})).toContain('<h1>Sign in</h1>')
    expect(document({})).toContain('<title>Sign in</title>')
    expect(document({ name: 'Acme' }, 'Sign in to Acme')).toContain(
      '<title>Sign in to Acme</title>',
    )
  })

  it('is above a title that lacks it, or is read out if the logo is', () => {
    expect(error({ name: 'Acme' })).toContain('<p class="site">Acme</p>')
    expect(error({ name: 'Acme', logo })).toContain(`<img src="${logo}" alt="Acme"/>`)
    expect(error({ name: 'Acme', logo })).not.toContain('class="site"')
    expect(document({ name: 'Acme', logo })).toContain(`<img src="${logo}" alt=""/>`)
    expect(document({ name: 'Acme' })).not.toContain('class="site"')
    expect(error({})).not.toContain('class="site"')
  })

  it('gives its first letter to the mark', () => {
    expect(document({ name: 'zebra' })).toMatch(/<svg class="mark".*<text [^>]*>Z<\/text>/s)
    expect(document({ name: 'zebra', logo })).not.toContain('class="mark"')
  })

  it('cross-site scripting by a name: it is text wherever it stands', () => {
    const name = `"><script>alert(1)</script>{name}$&`
    for (const html of [document({ name }), error({ name }), error({ name, logo })]) {
      expect(html).not.toContain('<script')
      expect(html).toContain('&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;{name}$&amp;')
    }
  })

  it('CVE-2021-42574: a name that turns the text after it is left out', () => {
    const name = 'Acme\u202e'
    for (const html of [document({ name }), error({ name }), error({ name, logo })]) {
      expect(html).not.toMatch(/Acme|\u202e/)
    }
  })
})

describe('the foot of a page', () => {
  it('has the links that there are', () => {
    expect(document({})).not.toContain('<footer>')
    const links = { terms: '/terms?a=1&b=2', help: 'mailto:help@acme.example' }
    expect(document({ links })).toContain(
      '<footer><a href="/terms?a=1&amp;b=2">Terms</a><a href="mailto:help@acme.example">Help</a></footer>',
    )
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', '//evil.example'])(
    'script in a link: %s leads nowhere',
    (url) => {
      const html = document({ links: { terms: url, privacy: url, help: url } })
      expect(html).not.toContain('<footer>')
    },
  )

  it('an address in quotes stays in its attribute', () => {
    const html = document({
      links: { terms: 'https://acme.example/"onclick="alert(1)', help: 'https://"x' },
    })
    expect(html).toContain('href="https://acme.example/%22onclick=%22alert(1)"')
  })
})

describe('a logo', () => {
  const dark = 'https://cdn.example/a b,c.svg'

  it('has a picture for the dark, whose address stays one', () => {
    const html = error({ logo: { light: logo, dark } })
    expect(html).toContain(
      '<source media="(prefers-color-scheme:dark)" srcset="https://cdn.example/a%20b%2Cc.svg"/>',
    )
    expect(html).toContain(`<img src="${logo}" alt=""/>`)
  })

  it('is one if there is one scheme', () => {
    const both = { light: logo, dark: 'https://cdn.example/dark.svg' }
    expect(error({ logo: both, colorScheme: 'dark' })).not.toContain('<source')
    expect(error({ logo: both, colorScheme: 'dark' })).toContain('dark.svg')
    expect(error({ logo: both, colorScheme: 'light' })).not.toContain('dark.svg')
  })
})

it('a date beside Arabic letters, which turn the order of numbers, keeps its own', () => {
  expect(stylesheet({})).toMatch(/\btime\{unicode-bidi:plaintext\b/)
})

it('the door of a way without a mark opens to the left if texts run from right to left, and no envelope turns', () => {
  const door = String(buttonForm({ id: 'own', name: 'Own' }).mark?.())
  const tile = buttonForm({ id: 'own', name: 'Own', style: { brandColor: '#123' } })
  expect(door).toContain('<svg class="logo" data-turns=""')
  for (const { mark } of [tile, addressForm({ id: 'email', name: 'Email' })]) {
    expect(String(mark?.())).not.toContain('data-turns')
  }
  expect(stylesheet({})).toContain('[dir=rtl] [data-turns]{transform:scaleX(-1)}')
})

it('a text of the app’s own that names a person twice is shown to its end', () => {
  const shown = (text: string) => String(WithOwnLine(text, '<ada>'))
  expect(shown('You are signing in as {name}')).toBe(
    'You are signing in as<br/><strong>&lt;ada&gt;</strong>',
  )
  expect(shown('{name}.')).toBe('<strong>&lt;ada&gt;</strong>.')
  expect(shown('For {name}: no other than {name} signs in')).toBe(
    'For<br/><strong>&lt;ada&gt;</strong><br/>: no other than &lt;ada&gt; signs in',
  )
})
