import { describe, expect, it } from 'vitest'
import { createAuth } from '../index.js'
import passkey from '../providers/passkey.js'
import { Browser, configWith, fakeProvider, secret } from '../test-support/browser.js'
import type { AuthConfig } from '../types.js'

const VARIABLES = {
  AUTH_THEME_NAME: 'Acme',
  AUTH_THEME_HELP_URL: '/help',
  AUTH_THEME_BRAND_COLOR: '#0f766e',
  AUTH_THEME_RADIUS: '0',
}

function serviceWith(changes: Partial<AuthConfig>, env: object = VARIABLES) {
  const warnings: string[] = []
  const warn = (code: string, detail = '') => void warnings.push(`${code}: ${detail}`)
  const config = configWith({
    providers: [fakeProvider()],
    logger: { warn, error: () => {}, info: () => {} },
    ...changes,
  })
  const auth = createAuth(() => config)
  const variables = { AUTH_SECRET: secret, ...env }
  const browser = new Browser(config, { answer: (request) => auth.fetch(request, variables) })
  return { browser, warnings }
}

describe('the theme', () => {
  it('comes from variables', async () => {
    const { browser, warnings } = serviceWith({})
    const html = await (await browser.get('/auth/signin')).text()
    expect(html).toContain('<title>Sign in · Acme</title>')
    expect(html).toContain('<h1>Sign in to Acme</h1>')
    expect(html).toContain('<a href="/help">Help</a>')
    expect(html).toContain('--fill:#0f766e')
    expect(html).toContain('--radius:0rem')
    expect(warnings.filter((line) => line.startsWith('theme'))).toEqual([])
  })

  it('warns once of a color without quotes in .dev.vars, which arrives empty, and of no color scheme', async () => {
    const empty = {
      AUTH_THEME_BRAND_COLOR: '',
      AUTH_THEME_PAGE_COLOR_DARK: '',
      AUTH_THEME_COLOR_SCHEME: '',
      AUTH_THEME_NAME: '',
    }
    const { browser, warnings } = serviceWith({}, empty)
    for (let times = 0; times < 2; times++) await browser.get('/auth/signin')
    expect(warnings.filter((line) => line.startsWith('theme'))).toEqual([
      'theme: AUTH_THEME_BRAND_COLOR is empty. In .dev.vars and .env a color needs quotes, since # begins a comment: AUTH_THEME_BRAND_COLOR="#0f766e".',
      'theme: AUTH_THEME_PAGE_COLOR_DARK is empty. In .dev.vars and .env a color needs quotes, since # begins a comment: AUTH_THEME_PAGE_COLOR_DARK="#0f766e".',
    ])
  })

  it('is that of the configuration where both say it', async () => {
    const { browser } = serviceWith({ theme: { name: 'Own' } })
    const html = await (await browser.get('/auth/signin')).text()
    expect(html).toContain('<h1>Sign in to Own</h1>')
    expect(html).toContain('--fill:#0f766e')
  })

  it('is on the pages of errors too', async () => {
    const { browser } = serviceWith({})
    const html = await (await browser.get('/auth/error?error=AccessDenied')).text()
    expect(html).toContain('<p class="site">Acme</p>')
    expect(html).toContain('<a href="/help">Help</a>')
  })

  it('CSS injection, and a link that runs a script, by a variable: both are left out, and named once in the log', async () => {
    const evil = {
      AUTH_THEME_RADIUS: '0}evil{display:none',
      AUTH_THEME_HELP_URL: 'javascript:evil()',
    }
    const { browser, warnings } = serviceWith({}, evil)
    for (let times = 0; times < 2; times++) {
      const html = await (await browser.get('/auth/signin')).text()
      expect(html).not.toMatch(/evil|javascript:|<footer/)
    }
    expect(warnings.filter((line) => line.startsWith('theme'))).toEqual([
      expect.stringMatching(/^theme: theme\.radius must be/),
      expect.stringMatching(/^theme: theme\.links\.help must be/),
    ])
  })

  it('names passkeys, if nothing else does', async () => {
    const nameWith = async (given: Parameters<typeof passkey>[0], env: object) => {
      const { browser } = serviceWith({ providers: [passkey(given)] }, { ...VARIABLES, ...env })
      const told = await browser.submit('/auth/passkey/options', { for: 'sign-up' })
      return ((await told.json()) as { publicKey?: { rp: { name: string } } }).publicKey?.rp.name
    }
    expect(await nameWith({}, {})).toBe('Acme')
    expect(await nameWith({}, { AUTH_PASSKEY_NAME: 'Passkeys' })).toBe('Passkeys')
    expect(await nameWith({ rpName: 'Own' }, { AUTH_PASSKEY_NAME: 'Passkeys' })).toBe('Own')
    expect(await nameWith({}, { AUTH_THEME_NAME: 'Acme\u202e' })).toBeUndefined()
  })
})
