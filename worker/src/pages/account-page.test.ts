import { describe, expect, it } from 'vitest'
import { inEnglish } from '../languages/words.js'
import { AccountPage } from './account-page.js'

const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&`

const session = (changes = {}) => ({
  id: 'the-id',
  current: false,
  provider: 'Video App',
  device: 'Firefox on Windows',
  place: 'Berlin, DE',
  created: '2026-11-01T10:00:00.000Z',
  lastUsed: '2026-11-21T10:00:00.000Z',
  ...changes,
})

const pageWith = (sessions: ReturnType<typeof session>[], changes = {}) =>
  String(
    AccountPage({
      theme: {},
      words: inEnglish,
      base: '/auth',
      csrfToken: 'token-1',
      user: { name: 'Ada', email: 'ada@example.com' },
      sessions,
      ways: [],
      addable: [],
      callbackUrl: '/auth/account',
      ...changes,
    }),
  )

const buttons = (html: string) =>
  [...html.matchAll(/<button class="button" type="submit"(?: aria-label="([^"]*)")?>/g)].map(
    ([, label]) => label,
  )

describe('AccountPage', () => {
  it('shows each session with its device, place, provider, first and last use', () => {
    const html = pageWith([session({ current: true }), session({ id: 'other', place: null })])
    expect(html).toContain('Berlin, DE · Video App')
    expect(html).toMatch(/<p class="dim">Video App<\/p>/)
    expect(html).toContain('<time datetime="2026-11-01T10:00:00.000Z">2026-11-01 10:00 UTC</time>')
    expect(html).toContain('<time datetime="2026-11-21T10:00:00.000Z">2026-11-21</time>')
  })

  it('is a list for screen readers, and each button names the session that it signs out', () => {
    const html = pageWith([session({ current: true }), session({ id: 'a' }), session({ id: 'b' })])
    // Without the role Safari drops a list that has no bullets.
    expect(html).toContain('<ul class="stack sessions" role="list">')
    expect(html.match(/<li /g)).toHaveLength(3)
    const about = 'Sign out: Firefox on Windows, Berlin, DE, 2026-11-01 10:00 UTC'
    expect(buttons(html)).toEqual([undefined, about, about, undefined, undefined])
  })

  it('tells two sessions of one day apart, for screen readers too; last use is shown to the day', () => {
    const created = '2026-11-01T09:59:59.000Z'
    const html = pageWith([session({ current: true }), session({ id: 'other', created })])
    expect(html).toContain('2026-11-01 09:59 UTC</time>')
    expect(buttons(html)[1]).toMatch(/ 2026-11-01 09:59 UTC$/)
  })

  it('with one session there is no button to sign out elsewhere', () => {
    const html = pageWith([session({ current: true })])
    expect(html).not.toContain('everywhere else')
    expect(html).toContain('Sign out everywhere')
    expect(html).not.toContain('value="the-id"')
  })

  it('every form carries the csrf token and names its session', () => {
    const html = pageWith([session({ current: true }), session({ id: 'other' })])
    expect(html.match(/<form /g)).toHaveLength(4)
    expect(html.match(/name="csrfToken" value="token-1"/g)).toHaveLength(4)
    const named = [...html.matchAll(/name="session" value="([^"]*)"/g)].map(([, value]) => value)
    expect(named).toEqual(['other', 'others', 'all'])
  })

  it('escapes hostile values', () => {
    const texts = { id: hostile, provider: hostile, device: hostile, place: hostile }
    const html = pageWith(
      [session({ ...texts, current: true }), session({ ...texts, created: hostile })],
      { base: `/${hostile}`, csrfToken: hostile, user: { name: hostile, email: hostile } },
    )
    expect(html).not.toMatch(/<script|<img src=x/)
    for (const tag of html.match(/<[^>]*>/g) ?? []) {
      expect(tag.replace(/"[^"]*"/g, '')).toMatch(/^<\/?[a-z0-9]+(?:\s+(?!on)[a-z-]+=)*\/?>$/i)
    }
  })
})
