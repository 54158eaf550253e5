import { describe, expect, it, vi } from 'vitest'
import { nameIn } from '../languages/fill.js'
import credentials from '../providers/credentials.js'
import email from '../providers/email.js'
import passkey from '../providers/passkey.js'
import password from '../providers/password.js'
import { memoryStore } from '../stores/memory.js'
import { Browser, configWith, locationOf } from '../test-support/browser.js'
import { withMail } from '../test-support/email.js'
import { inEnglish } from '../test-support/english.js'
import { fails } from '../test-support/faulty.js'
import type { AuthConfig } from '../types.js'

const german = { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }
const person = (changes: Partial<AuthConfig> = {}) => new Browser(configWith(changes))
const titleOf = (html: string) => /<h1>([^<]*)/.exec(html)?.[1]
const languageOf = (html: string) => /<html lang="([^"]*)"(?: dir="([^"]*)")?>/.exec(html)?.slice(1)
const page = async (browser: Pick<Browser, 'get'>, path: string, headers = {}) =>
  (await browser.get(path, headers)).text()

describe('the language of a page', () => {
  it('is English for a browser that says nothing', async () => {
    const html = await page(person(), '/auth/signin')
    expect([titleOf(html), languageOf(html)]).toEqual(['Sign in', ['en', undefined]])
  })

  it('is the best of Accept-Language that there is', async () => {
    const html = await page(person(), '/auth/signin', { 'accept-language': 'sw,en;q=0.2,de;q=0.5' })
    expect([titleOf(html), languageOf(html)]).toEqual(['Anmelden', ['de', undefined]])
  })

  it('is that of ui_locales before all, from then on too: on the next page, for a year', async () => {
    const browser = person()
    const answer = await browser.get('/auth/signin?ui_locales=sw+de-CH+en', {
      'accept-language': 'en',
    })
    expect(titleOf(await answer.text())).toBe('Anmelden')
    expect(answer.headers.getSetCookie()).toContain(
      'auth.locale=de; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax',
    )
    expect(titleOf(await page(browser, '/auth/signout', { 'accept-language': 'en' }))).toBe(
      'Abmelden',
    )
    expect(titleOf(await page(browser, '/auth/signin?ui_locales=en', german))).toBe('Sign in')
    expect(browser.jar.get('auth.locale')).toBe('en')
  })

  it('is kept through a redirect, and set once', async () => {
    const browser = person()
    const answer = await browser.get('/auth/account?ui_locales=de')
    expect([answer.status, browser.jar.get('auth.locale')]).toEqual([302, 'de'])
    const again = await browser.get('/auth/signin?ui_locales=de')
    expect(again.headers.getSetCookie().join()).not.toContain('auth.locale')
  })

  it('is kept in a cookie that the app names', async () => {
    const browser = person({ cookies: { locale: { name: 'language' } } })
    await browser.get('/auth/signin?ui_locales=de')
    expect(browser.jar.get('language')).toBe('de')
  })

  it('is one that the app has added', async () => {
    const copy = { sv: { signIn: { title: 'Logga in' } } }
    const html = await page(person({ theme: { copy } }), '/auth/signin?ui_locales=sv')
    expect([titleOf(html), languageOf(html)]).toEqual(['Logga in', ['sv', undefined]])
  })

  it('goes from right to left if it does', async () => {
    const copy = { fa: { signIn: { title: 'ورود' } } }
    const html = await page(person({ theme: { copy } }), '/auth/signin?ui_locales=fa')
    expect(languageOf(html)).toEqual(['fa', 'rtl'])
  })

  it('is that of errors too, by word and by code', async () => {
    const html = await page(person(), '/auth/signin?error=CredentialsSignin', german)
    expect(html).toContain('Die Anmeldung ist fehlgeschlagen.')
    const error = await page(person(), '/auth/error?error=AccessDenied&code=last_way', german)
    expect([titleOf(error), /<title>([^<]*)/.exec(error)?.[1]]).toEqual([
      'Das ist Ihr letzter Weg zur Anmeldung',
      'Das ist Ihr letzter Weg zur Anmeldung',
    ])
  })

  it('is that of the page for a ledger that does not answer', async () => {
    const store = memoryStore()
    const ways = [credentials({ credentials: {}, authorize: () => ({ id: '1', name: 'Ada' }) })]
    const browser = person({ store, providers: ways })
    await browser.submit('/auth/callback/credentials')
    store.ledger.revokedSince = fails
    store.sessions.list = fails
    const answer = await browser.get('/auth/account', { ...german, accept: 'text/html' })
    expect([answer.status, titleOf(await answer.text())]).toEqual([
      503,
      'Die Anmeldung ist gerade nicht möglich',
    ])
  })
})

it('if its table cannot be unpacked, a page is English, and the log says so', async () => {
  // Another test may have unpacked it in this process.
  vi.resetModules()
  const fresh = await import('../test-support/browser.js')
  vi.stubGlobal('DecompressionStream', undefined)
  const errors: Error[] = []
  const { logger } = configWith()
  const noted = { ...logger, error: (error: Error) => void errors.push(error) }
  const browser = new fresh.Browser(configWith({ logger: noted }))
  const html = await page(browser, '/auth/signin?ui_locales=nl')
  vi.unstubAllGlobals()
  expect([titleOf(html), languageOf(html)]).toEqual(['Sign in', ['en', undefined]])
  expect(errors.map(({ message }) => message)).toEqual([
    'The texts of a language cannot be loaded.',
  ])
})

it('names of providers are those of the app, but for our own', async () => {
  const providers = [
    email({ from: 'a@b.example', sendVerificationRequest() {} }),
    credentials({ credentials: {}, authorize: () => null }),
    credentials({ id: 'staff', name: 'Staff', credentials: {}, authorize: () => null }),
  ]
  const html = await page(person({ providers }), '/auth/signin', german)
  const labels = [...html.matchAll(/<form [^>]*aria-label="([^"]*)"/g)].map(([, label]) => label)
  // A form of fields is named by its button alone, which says more than the name of its own field.
  expect(labels).toEqual(['E-Mail'])
  expect(html).toContain('Mit Passwort anmelden')
  expect(html).toContain('Mit Staff anmelden')
  // Their names in configurations and in `GET /providers` stay English, as apps of Auth.js expect.
  const rp = { rpName: 'Acme' }
  const given = [providers[0]?.name, passkey(rp).name, providers[1]?.name ?? '']
  expect(given).toEqual(['Email', 'Passkey', 'Credentials'])
  expect(given.map((name) => nameIn(inEnglish, name ?? ''))).toEqual([
    'Email',
    'Passkey',
    'Password',
  ])
  const names = { ...inEnglish.texts.names, credentials: 'Passwort' }
  const inGerman = { ...inEnglish, texts: { ...inEnglish.texts, names } }
  expect(nameIn(inGerman, password().name ?? '')).toBe('Passwort')
})

describe('a hostile wish for a language', () => {
  it.each(
    [
      'zz',
      '*',
      '__proto__',
      'constructor',
      '../../de',
      './de.js',
      'de%00',
      '%0d%0aSet-Cookie:%20a=b',
      '<script>alert(1)</script>',
      '%ff%fe',
      'x'.repeat(10_000),
      'sw+'.repeat(5_000),
      '',
    ].map((wish) => [wish.slice(0, 40), wish]),
  )('%j is English, and no cookie', async (_, wish) => {
    const browser = person()
    const answer = await browser.get(`/auth/signin?ui_locales=${wish}`)
    const html = await answer.text()
    expect([answer.status, languageOf(html)]).toEqual([200, ['en', undefined]])
    expect(html).not.toContain('alert(1)')
    expect(browser.jar.has('auth.locale')).toBe(false)
  })

  it.each(['zz', '__proto__', '../de', 'x'.repeat(300), '%22%3E%3Cscript%3E', 'de; de'])(
    'in a cookie is ignored: %s',
    async (value) => {
      const cookie = `auth.locale=${value}`
      const [plain, wished] = await Promise.all([
        page(person(), '/auth/signin', { cookie }),
        page(person(), '/auth/signin', { cookie, ...german }),
      ])
      expect([languageOf(plain)?.[0], languageOf(wished)?.[0]]).toEqual(
        value.startsWith('de') ? ['de', 'de'] : ['en', 'de'],
      )
    },
  )

  it('in Accept-Language costs no more than 256 characters of it', async () => {
    const header = `${'sw-a1b2c3d4;q=0.5,'.repeat(900)}de`
    const html = await page(person(), '/auth/signin', { 'accept-language': header })
    expect(languageOf(html)).toEqual(['en', undefined])
  })
})

it('a script that asks for data gets nothing else, and no cookie', async () => {
  const browser = person()
  const answer = await browser.get('/auth/providers?ui_locales=de', german)
  expect([await answer.json(), browser.jar.size]).toEqual([{}, 0])
})

describe('mails', () => {
  it('speak the language of the person who asked for them', async () => {
    const { ask, browser } = withMail()
    const { mail } = await ask('ada@example.com', browser(german))
    expect(mail?.mail.subject).toMatch(/^Anmelden bei localhost:8787 · [A-Z]{4}$/)
    expect(mail?.mail.text).toContain('Benutzen Sie eines von beiden innerhalb von 10 Minuten.')
    expect(mail?.mail.html).toContain('<html lang="de">')
  })

  it('speak the language that the person has chosen on a page before', async () => {
    const { ask, browser } = withMail()
    const where = browser()
    await where.get('/auth/signin?ui_locales=de')
    const { mail, answer } = await ask('ada@example.com', where)
    expect(mail?.mail.subject).toMatch(/^Anmelden bei localhost:8787 · [A-Z]{4}$/)
    const shown = await page(where, new URL(locationOf(answer)).pathname)
    expect(titleOf(shown)).toBe('Sehen Sie in Ihr Postfach')
  })

  it('are right-to-left if the language is, but for the address of the link and the code', async () => {
    const copy = { fa: { mail: { title: 'ورود به {host}' } } }
    const { ask, browser } = withMail({}, { theme: { copy } })
    const { mail } = await ask('ada@example.com', browser({ 'accept-language': 'fa' }))
    const html = mail?.mail.html ?? ''
    expect(html).toContain('<html lang="fa" dir="rtl">')
    // Mail programs drop what is on <html>.
    expect(html).toMatch(/<td class="ink" dir="rtl"/)
    expect(html.match(/dir="ltr"/g)).toHaveLength(2)
  })
})
