import { describe, expect, it } from 'vitest'
import {
  addressForm,
  buttonForm,
  type ProviderForm,
  passwordForm,
} from '../../pages/provider-forms.js'
import { SignInPage, type SignInPageProps } from '../../pages/sign-in-page.js'
import type { PersonWay } from '../../person/person.js'
import { inEnglish } from '../../test-support/english.js'
import { AccountPage } from '../account/account-page.js'
import { passkeyForm } from './forms.js'
import { passkeyWays } from './way-kind.js'

const passkeys = passkeyForm({ id: 'passkey', name: 'Passkey' })
const oauth = buttonForm({ id: 'videoapp', name: 'Video App' })
const email = addressForm({ id: 'email', name: 'Email' })
const password = passwordForm({
  id: 'password',
  name: 'Password',
  credentials: {
    username: {},
    password: { type: 'password' },
    login: { type: 'hidden', value: 'x' },
    code: { autocomplete: 'one-time-code' },
  },
})
const common = {
  theme: {},
  words: inEnglish,
  base: '/auth',
  csrfToken: 'token-1',
  callbackUrl: '/app',
}

const signIn = (providers: ProviderForm[], props: Partial<SignInPageProps> = {}) =>
  String(SignInPage({ ...common, providers, ...props }))

const attributesOf = (html: string, tag: string, name: string) =>
  (html.match(new RegExp(`<${tag}\\b[^>]*>`, 'g')) ?? []).map(
    (found) => found.match(new RegExp(` ${name}="([^"]*)"`))?.[1],
  )

/** The page in a browser without scripts. */
function withoutHidden(html: string): string {
  let left = html
  for (;;) {
    const tag = /<(form|div) hidden=""/.exec(left)
    if (!tag) return left
    let depth = 0
    const ends = new RegExp(`<(/?)${tag[1]}\\b`, 'g')
    ends.lastIndex = tag.index
    for (let found = ends.exec(left); found; found = ends.exec(left)) {
      depth += found[1] ? -1 : 1
      if (depth === 0) break
    }
    left = left.slice(0, tag.index) + left.slice(left.indexOf('>', ends.lastIndex) + 1)
  }
}

/** Without the space between tags, and what says where browsers may offer passkeys. */
const essence = (html: string) => html.replaceAll(/>\s+</g, '><').replaceAll(' webauthn"', '"')

describe('the sign-in page with passkeys', () => {
  it('posts each ceremony to the callback, with the token and how fresh a sign-in was asked for', () => {
    const html = signIn([oauth, passkeys], { maxAge: 300 })
    const forms = html.match(/<form hidden="" data-script="[^"]+"[^>]*>.*?<\/form>/gs) ?? []
    expect(forms.map((form) => attributesOf(form, 'form', 'data-script')[0])).toEqual([
      'sign-in',
      'sign-up',
    ])
    for (const form of forms) {
      expect(attributesOf(form, 'form', 'action')).toEqual(['/auth/callback/passkey'])
      expect(form).toContain('name="csrfToken" value="token-1"')
      expect(form).toContain('name="callbackUrl" value="/app"')
      expect(form).toContain('name="maxAge" value="300"')
    }
    expect(html).toContain('<span>Sign in with a passkey</span>')
    expect(html).toContain('<span>Create an account with a passkey</span>')
  })

  it.each([
    ['an address', [passkeys, email], [email]],
    ['a password', [passkeys, password, email], [password, email]],
    ['another provider', [oauth, passkeys], [oauth]],
    ['all of them', [passkeys, oauth, email, password], [oauth, email, password]],
  ])('is the same without a script as without passkeys, beside %s', (_, providers, others) => {
    const html = signIn(providers).replace(/<p class="alert"[^>]* hidden=""><\/p>/, '')
    const plain = withoutHidden(html).replaceAll('form-2', 'form-1')
    const expected = signIn(others).replaceAll('button main', 'button')
    expect(essence(plain).replaceAll('button main', 'button')).toBe(essence(expected))
  })

  it('says what signing in takes if there is nothing else, until the script hides it', () => {
    expect(signIn([passkeys])).toMatch(/<p class="mid" data-script="">[^<]*JavaScript/)
    expect(signIn([passkeys, email])).not.toContain('JavaScript')
  })

  it.each([
    ['the address', [passkeys, email], ['email webauthn', 'name']],
    ['the user name', [passkeys, password], ['username webauthn', 'name']],
    ['a field of its own, without another', [oauth, passkeys], ['username webauthn']],
  ])('lets browsers offer passkeys at %s', (_, providers, expected) => {
    const found = attributesOf(signIn(providers), 'input', 'autocomplete').filter(Boolean)
    expect(found.filter((value) => !/password|one-time/.test(value ?? ''))).toEqual(expected)
  })

  it('lets browsers offer none if no passkeys are', () => {
    const html = signIn([oauth, email, password])
    expect(html).not.toMatch(/webauthn|data-script|hidden=""/)
  })

  it('offers no account to a user who has one and signs in again', () => {
    const html = signIn([passkeys, email], { stepUp: { isStale: true }, user: { name: 'Ada' } })
    expect(html).toContain('Sign in with a passkey')
    expect(html).not.toContain('Create an account')
  })

  it('has one place for what goes wrong, which an error of the service takes', () => {
    expect(signIn([passkeys]).match(/role="alert"/g)).toHaveLength(1)
    expect(signIn([passkeys])).toMatch(/<p class="alert" role="alert" id="problem"[^>]* hidden="">/)
    const failed = signIn([passkeys], { error: 'CredentialsSignin', code: 'unknown_passkey' })
    expect(failed.match(/id="problem"/g)).toHaveLength(1)
    expect(failed).toContain('This passkey no longer works here.')
  })
})

describe('the account page with passkeys', () => {
  const way = {
    id: 'way-1',
    current: false,
    provider: 'Passkey',
    name: 'Some Keychain',
    added: '2026-11-01',
    lastUsed: '2026-11-21',
  }
  const passkey = (bs: boolean) => ({
    kind: passkeyWays,
    entry: { passkey: { bs } } as PersonWay,
  })
  const account = (changes: object, more: object = {}) =>
    String(
      AccountPage({
        ...common,
        user: { name: 'Ada' },
        sessions: [],
        ways: [{ ...way, ...changes }],
        addable: [{ ...passkeys, type: passkeyWays.type }],
        sections: [{ name: 'passkeys', title: () => 'Passkeys', ways: passkeyWays }],
        ...more,
      }),
    )

  it('shows a passkey’s place and date, and a form that names it', () => {
    const html = account(passkey(true), { section: 'passkeys' })
    expect(html).toContain('<strong>Some Keychain</strong>')
    expect(html).toContain('Synced')
    expect(html).toContain('2026-11-21')
    expect(attributesOf(html, 'form', 'action')).toContain('/auth/ways/rename')
    expect(html).toMatch(/name="way" value="way-1"\/>\s*<input name="name" value="Some Keychain"/)
    expect(html).toContain('aria-label="Remove: Passkey, Some Keychain"')
    expect(account(passkey(false), { section: 'passkeys' })).toContain('On one device')
  })

  it('says the name of a passkey without one once', () => {
    const html = account({ name: 'Passkey', ...passkey(true) }, { section: 'passkeys' })
    expect(html).toContain('aria-label="Remove: Passkey"')
  })

  it('has no form to rename another way, and no place for it', () => {
    expect(account({})).not.toMatch(/rename|Synced|On one device/)
  })

  it('adds one by the script alone', () => {
    const html = account({}, { section: 'passkeys' })
    expect(html).toMatch(/<form hidden="" data-script="add"[^>]*action="\/auth\/callback\/passkey"/)
    expect(html).toContain('<span>Add a passkey</span>')
    expect(account({}, { addable: [email] })).not.toMatch(/role="alert"|data-script/)
  })

  it('gives the passkey that is added the name of its person, as far as it may be long', () => {
    const nameIn = (user: object) =>
      /<form[^>]*data-script="add".*?name="name" value="([^"]*)"/s.exec(
        account({}, { user, section: 'passkeys' }),
      )?.[1]
    expect(nameIn({ name: 'Ada' })).toBe('Ada')
    expect(nameIn({ name: '😀'.repeat(65) })).toBe('😀'.repeat(64))
    for (const name of [null, undefined, 7, {}]) expect(nameIn({ name })).toBe('')
  })

  it('has the accepted ones for the script, whatever they are', () => {
    const hostile = `"><script>alert(1)</script>'&`
    const accepted = [{ rpId: hostile, userId: hostile, allAcceptedCredentialIds: [hostile] }]
    const html = account({}, { accepted })
    const [text = ''] = attributesOf(html, 'div', 'data-accepted').filter(Boolean)
    const unescaped = text.replace(
      /&(quot|lt|gt|amp|#39);/g,
      (it) =>
        ({ '&quot;': '"', '&lt;': '<', '&gt;': '>', '&amp;': '&', '&#39;': "'" })[it] as string,
    )
    expect(JSON.parse(unescaped)).toEqual(accepted)
    expect(html).not.toContain('<script')
    expect(account({})).not.toContain('data-accepted')
  })
})
