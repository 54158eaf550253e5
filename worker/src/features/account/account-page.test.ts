import { describe, expect, it } from 'vitest'
import { addressForm, buttonForm } from '../../pages/provider-forms.js'
import type { PersonWay } from '../../person/person.js'
import type { SectionPlace } from '../../service/account-hooks.js'
import type { DeviceKind } from '../../session/device.js'
import { inEnglish } from '../../test-support/english.js'
import { passkeyForm } from '../passkeys/forms.js'
import { passkeys } from '../passkeys/index.js'
import { passkeyWays } from '../passkeys/way-kind.js'
import { FactorSection } from '../second-factor/factor-section.js'
import { AccountPage } from './account-page.js'

const hostile = `"><script>alert(1)</script><img src=x onerror='alert(2)'>&`

const session = (changes = {}) => ({
  id: 'the-id',
  current: false,
  provider: 'Video App',
  device: 'Firefox on Windows',
  kind: 'laptop' as DeviceKind,
  place: 'Berlin, DE',
  created: '2026-11-01T10:00:00.000Z',
  lastUsed: '2026-11-21T10:00:00.000Z',
  ...changes,
})

const way = (changes = {}) => ({
  id: 'way-1',
  current: true,
  provider: 'Video App',
  name: 'Ada',
  added: '2026-11-01T10:00:00.000Z',
  lastUsed: '2026-11-21T00:00:00.000Z',
  ...changes,
})

/** A passkey among the ways, the form that adds one, and the section in which they stand. */
const key = { kind: passkeyWays, entry: { passkey: { bs: true } } as PersonWay }
const addKey = {
  ...passkeyForm({ id: 'passkey', name: 'Passkey' }),
  type: passkeyWays.type,
}
const ofFeatures = [passkeys.pages?.account].flatMap((section) => section ?? [])

/** What the second factor says in the section about security. */
const factorWith = (recoveryCodes?: number) => (place: SectionPlace) => [
  FactorSection({ ...place, recoveryCodes }),
]

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
  [
    ...html.matchAll(/<button class="button(?: bad)?" type="submit"(?: aria-label="([^"]*)")?>/g),
  ].map(([, label]) => label)

describe('AccountPage', () => {
  it('shows each session with its device, place, provider, first and last use', () => {
    const both = [session({ current: true }), session({ id: 'other', place: null })]
    const html = pageWith(both, { section: 'sessions' })
    expect(html).toContain('Berlin, DE · Video App')
    expect(html).toMatch(/<p class="dim">Video App<\/p>/)
    expect(html).toContain('<time datetime="2026-11-01T10:00:00.000Z">2026-11-01 10:00</time>')
    expect(html).toContain(
      '<time datetime="2026-11-21T10:00:00.000Z" data-day="">2026-11-21</time>',
    )
  })

  it('says once that times are in UTC, and not if there is none', () => {
    const said = (html: string) => html.match(/Times are in UTC/g)?.length
    expect(said(pageWith([session({ current: true }), session({ id: 'other' })]))).toBe(1)
    expect(said(pageWith([], { ways: [way()], section: 'ways' }))).toBe(1)
    const timeless = way({ added: null, lastUsed: null })
    expect(said(pageWith([], { ways: [timeless], section: 'ways' }))).toBeUndefined()
    expect(said(pageWith([], { section: 'security' }))).toBeUndefined()
  })

  it('has a picture of each kind of device, which screen readers read out', () => {
    const kinds = ['phone', 'tablet', 'laptop', 'unknown'] as const
    const all = kinds.map((kind) => session({ id: kind, kind }))
    const html = pageWith(all, { section: 'sessions' })
    const pictures = html.match(/<svg class="kind"[^>]*>/g) ?? []
    expect(pictures.map((tag) => /aria-label="([^"]*)"/.exec(tag)?.[1])).toEqual([
      'Phone',
      'Tablet',
      'Computer',
      undefined,
    ])
    expect(pictures[3]).toContain('aria-hidden="true"')
  })

  it('ends every session at one click, and says that this one ends too', () => {
    const html = pageWith([session({ current: true })], { section: 'sessions' })
    expect(html).toMatch(/name="session" value="all"\/>\s*<button class="button bad"/)
    expect(html).not.toMatch(/<details|popover/)
    expect(html).toContain('including the one on this device')
  })

  it('asks before a way is removed: the button that one sees sends nothing', () => {
    const html = pageWith([], { ways: [way(), way({ id: 'way-2' })], section: 'ways' })
    const asking = [
      ...html.matchAll(/<button class="button" type="button" popovertarget="([^"]*)"/g),
    ]
    const ids = asking.map(([, id]) => id).filter((id, index, all) => all.indexOf(id) === index)
    expect(ids).toHaveLength(2)
    for (const [index, id] of ids.entries()) {
      const [, box = ''] = html.split(`id="${id}" popover=""`)
      expect(box).toMatch(/^ role="dialog" aria-label="Remove: Video App, Ada">/)
      const [form = ''] = box.split('</form>')
      expect(form).toContain(`name="way" value="way-${index + 1}"`)
      expect(form).toMatch(/<button class="button bad" type="submit" aria-label="Remove: /)
    }
  })

  it('a summary has a line for each thing, and its headings lead to the rest', () => {
    const html = pageWith([session({ current: true })], {
      ways: [way(key), way({ id: 'way-2' })],
      addable: [addKey],
      sections: ofFeatures,
      protections: factorWith(7),
      home: '/',
    })
    expect(html).toContain('<section class="who large"')
    for (const section of ['sessions', 'ways', 'security']) {
      expect(html).toMatch(new RegExp(`<h2 id="[a-z]+"><a href="/auth/account/${section}">`))
    }
    expect(html).toContain('7 recovery codes are left')
    expect(html).toContain('<a class="button" href="/auth/account/ways"><span>Add a way to sign in')
    // The only form of the summary ends this session.
    const changes = [...html.matchAll(/ action="([^"]*)"/g)].map(([, action]) => action)
    expect(changes).toEqual(['/auth/signout'])
    expect(html).not.toMatch(/Added <time|<details|popover/)
  })

  it('a summary shows this session, and names three other devices', () => {
    const others = ['a', 'b', 'c', 'd', 'e'].map((id) => session({ id, device: `Device ${id}` }))
    const html = pageWith([session({ current: true }), ...others])
    expect(html).toContain('Signed in <time datetime="2026-11-01T10:00:00.000Z">')
    expect(html).toContain('Device a · Device b · Device c · +2</p>')
    expect(pageWith([session({ current: true })]).match(/<li /g)).toHaveLength(1)
  })

  it('the ways that can be added are one list of buttons; a mistake in a field keeps it open', () => {
    const [other, address] = [
      buttonForm({ id: 'other', name: 'Other' }),
      addressForm({ id: 'email', name: 'Email' }),
    ]
    const page = (typed?: Record<string, string>) =>
      pageWith([], { addable: [other, { ...address, typed }], section: 'ways' })
    const [, list = ''] = page().split('<h2 id="add-ways">Add a way to sign in</h2>')
    expect(list.match(/class="button"( type="submit")?>\s*<svg class="logo"/g)).toHaveLength(2)
    expect(list).toMatch(/<details>\s*<summary class="button">[\s\S]*Add an email address/)
    expect(page({ email: 'ada@' })).toMatch(/<details open="">/)
  })

  it('offers no second account of a provider at once, but behind a button', () => {
    const videoapp = buttonForm({ id: 'videoapp', name: 'Video App' })
    const other = buttonForm({ id: 'other', name: 'Other' })
    const addable = [{ ...videoapp, isThere: true }, other]
    const html = pageWith([], { ways: [way()], addable, section: 'ways' })
    const [, inside = ''] = /<details>(.*?)<\/details>/s.exec(html) ?? []
    expect(inside).toContain('Add Video App')
    expect(html.replace(inside, '')).not.toContain('Add Video App')
    expect(html.replace(inside, '')).toContain('Add Other')
  })

  it('is a list for screen readers, and each button names the session that it signs out', () => {
    const all = [session({ current: true }), session({ id: 'a' }), session({ id: 'b' })]
    const html = pageWith(all, { section: 'sessions' })
    // Without the role Safari drops a list that has no bullets.
    expect(html).toContain('<ul class="rows" role="list">')
    expect(html.match(/<li /g)).toHaveLength(3)
    const about = 'Sign out: Firefox on Windows, Berlin, DE, 2026-11-01 10:00 UTC'
    expect(buttons(html)).toEqual([undefined, about, about, undefined, undefined])
  })

  it('tells two sessions of one day apart, for screen readers too; last use is shown to the day', () => {
    const created = '2026-11-01T09:59:59.000Z'
    const both = [session({ current: true }), session({ id: 'other', created })]
    const html = pageWith(both, { section: 'sessions' })
    expect(html).toContain('2026-11-01 09:59</time>')
    expect(buttons(html)[1]).toMatch(/ 2026-11-01 09:59 UTC$/)
  })

  it('with one session there is no button to sign out elsewhere', () => {
    const html = pageWith([session({ current: true })], { section: 'sessions' })
    expect(html).not.toContain('everywhere else')
    expect(html).toContain('Sign out everywhere')
    expect(html).not.toContain('value="the-id"')
  })

  it('every form carries the csrf token and names its session', () => {
    const both = [session({ current: true }), session({ id: 'other' })]
    const html = pageWith(both, { section: 'sessions' })
    expect(html.match(/<form /g)).toHaveLength(4)
    expect(html.match(/name="csrfToken" value="token-1"/g)).toHaveLength(4)
    const named = [...html.matchAll(/name="session" value="([^"]*)"/g)].map(([, value]) => value)
    expect(named).toEqual(['other', 'others', 'all'])
  })

  it('a way shows when it was added, and the day of UTC on which it was last used', () => {
    const html = pageWith([], { ways: [way()], section: 'ways' })
    expect(html).toContain(
      'Added <time datetime="2026-11-01T10:00:00.000Z">2026-11-01 10:00</time>',
    )
    expect(html).toContain('Last used <time datetime="2026-11-21">2026-11-21</time>')
  })

  it('a way has the mark of its provider, and one without a provider a plain one', () => {
    const { mark } = buttonForm({ id: 'x', name: 'X', style: { brandColor: '#123456' } })
    const ways = [way({ mark: mark?.() }), way({ id: 'way-2' })]
    const html = pageWith([], { ways, section: 'ways' })
    const rows = html.split('role="group"').slice(1)
    expect(rows.map((row) => row.includes('fill="#123456"'))).toEqual([true, false])
    expect(rows.map((row) => row.split('<svg class="logo"').length - 1)).toEqual([1, 1])
  })

  it('offers no removal of the only way, and says why; of two each can be removed', () => {
    const remove = (html: string) =>
      html.match(/<button[^>]*popovertarget[^>]*aria-label="Remove[^>]*>/g) ?? []
    const alone = pageWith([], { ways: [way()], section: 'ways' })
    expect(remove(alone)).toHaveLength(1)
    expect(remove(alone)[0]).toMatch(/ disabled="" aria-describedby="only-way">$/)
    expect(alone).toMatch(/id="only-way">This is your only way to sign in/)
    const ways = [way(), way({ id: 'way-2', current: false })]
    const both = pageWith([], { ways, section: 'ways' })
    expect(remove(both)).toHaveLength(2)
    expect(both).not.toMatch(/disabled|only-way/)
  })

  it('a passkey beside another way can be removed, though it is the only one of its section', () => {
    const passkey = way({ id: 'way-2', ...key })
    const changes = { ways: [way(), passkey], addable: [addKey], sections: ofFeatures }
    for (const section of [undefined, 'ways', 'passkeys']) {
      expect(pageWith([], { ...changes, section })).not.toMatch(/disabled|only-way/)
    }
  })

  describe('a section of it', () => {
    const passkey = way({ id: 'way-2', name: 'My key', ...key })
    const all = {
      ways: [way(), passkey],
      addable: [buttonForm({ id: 'videoapp', name: 'Video App' }), addKey],
      sections: ofFeatures,
      home: '/',
    }
    const sections = ['sessions', 'ways', 'passkeys', 'security'] as const
    const forms = (html: string) =>
      [...html.matchAll(/ action="\/auth([^"]*)"/g)].map(([, path]) => path)

    it('together they have every form, and the summary has none', () => {
      const sessions = [session({ current: true }), session({ id: 'other' })]
      expect(forms(pageWith(sessions, all))).toEqual(['/signout'])
      const parts = sections.flatMap((section) => {
        const [signOut, ...rest] = forms(pageWith(sessions, { ...all, section }))
        expect(signOut).toBe('/signout')
        return rest
      })
      expect(parts).toEqual([
        ...['/sessions/revoke', '/sessions/revoke', '/sessions/revoke'],
        ...['/ways/remove', '/ways/add'],
        ...['/ways/rename', '/ways/remove', '/callback/passkey'],
        '/account/delete',
      ])
    })

    it.each(sections)('%s is linked by each page, and says that it is here', (section) => {
      const here = `<a href="/auth/account/${section}" aria-current="page">`
      expect(pageWith([], { ...all, section })).toContain(here)
      expect(pageWith([], all)).toContain(`<a href="/auth/account/${section}">`)
      expect(pageWith([], all)).toContain('<a href="/auth/account" aria-current="page">')
    })

    it('its forms lead back to it, those of the whole page to that', () => {
      const callbackUrl = 'https://x.example/auth/account/ways'
      const sessions = [session({ current: true }), session({ id: 'other' })]
      for (const section of sections) {
        const html = pageWith(sessions, {
          ...all,
          section,
          callbackUrl,
          protections: factorWith(3),
        })
        // Signing out and deleting the account lead away.
        const count = forms(html).filter((path) => !/signout|delete/.test(path ?? '')).length
        expect(html.split(`name="callbackUrl" value="${callbackUrl}"`)).toHaveLength(count + 1)
      }
    })

    it('about passkeys is there if they can be added; otherwise existing ones stand among the others', () => {
      const ways = [way(), passkey]
      const addable = all.addable.slice(0, 1)
      const html = pageWith([], { ...all, ways, addable, sections: [], section: 'ways' })
      expect(html).not.toContain('/auth/account/passkeys')
      expect(forms(html)).toContain('/ways/rename')
      // The service refuses a name of spaces, and the browser first.
      expect(html).toMatch(/name="name"[^>]* pattern="\.\*\\S\.\*"/)
      expect(html.match(/My key/g)).not.toBeNull()
    })

    it('about passkeys explains them to a person without any', () => {
      const section = 'passkeys'
      const changes = { ...all, ways: [way()], section }
      expect(pageWith([], changes)).toContain('You have no passkeys yet')
      expect(pageWith([], { ...all, section })).not.toContain('You have no passkeys yet')
    })
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
