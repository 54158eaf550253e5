import { describe, expect, it } from 'vitest'
import { AccountPage } from '../features/account/account-page.js'
import { KeyPage } from '../features/authorization-server/api-keys/key-page.js'
import { AppsSection } from '../features/authorization-server/apps-section.js'
import { ConsentPage } from '../features/authorization-server/consent-page.js'
import { ConfirmPage } from '../features/email/confirm-page.js'
import { passkeyForm } from '../features/passkeys/forms.js'
import { passkeyWays } from '../features/passkeys/way-kind.js'
import { FactorPage } from '../features/second-factor/factor-page.js'
import { FactorSetupPage } from '../features/second-factor/factor-setup-page.js'
import { RecoveryCodesPage } from '../features/second-factor/recovery-codes-page.js'
import type { PersonWay } from '../person/person.js'
import { inEnglish } from '../test-support/english.js'
import { ErrorPage } from './error-page.js'
import { Document } from './layout.js'
import { html } from './markup.js'
import { addressForm, buttonForm, passwordForm } from './provider-forms.js'
import { SignInPage } from './sign-in-page.js'
import { SignOutPage } from './sign-out-page.js'
import type { Theme } from './theme.js'

const hostile = [
  `"><script>alert(1)</script>`,
  `' onfocus='alert(1)' autofocus='`,
  `x onerror=alert(1) y`,
  `</title></style></textarea><svg onload=alert(1)>`,
  `--><!--`,
  '&quot;&#34;&lt;b&gt;',
  `\${alert(1)}`,
  `\`\${alert\`1\`}\``,
  "$& $1 $` $' \\",
  'javascript:alert(1)',
  ' JaVaScRiPt:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'a\n\tonclick=alert(1)\u2028b\u0000',
]

/** Every page in every variant, with the same text as each of its values. */
const pages: Record<string, (text: string) => unknown> = {
  ErrorPage: (text) =>
    ErrorPage({ theme: theme(text), words: inEnglish, base: `/${text}`, error: text }),
  SignOutPage: (text) => SignOutPage({ ...common(text), user: user(text, text) }),
  'SignOutPage with pictures': (text) =>
    SignOutPage({ ...common(text), user: user(text, picture(text)), theme: shown(text) }),
  SignInPage: (text) =>
    SignInPage({
      ...common(text),
      error: text,
      code: text,
      user: user(text, text),
      providers: [
        oauth(text, { logo: text, brandColor: text, text }),
        oauth(text, { logo: picture(text), brandColor: text, text }),
        oauth(text, { logo: `data:image/png,${text}` }),
        oauth(text, { brandColor: '#123', text }),
        oauth(text, undefined),
        addressForm({ id: text, name: text }),
        credentials(text),
      ],
    }),
  'SignInPage with one provider': (text) =>
    SignInPage({ ...common(text), theme: shown(text), providers: [oauth(text, undefined)] }),
  'SignInPage with two passwords': (text) =>
    SignInPage({
      ...common(text),
      error: 'CredentialsSignin',
      code: text,
      user: { email: text },
      providers: [credentials(text), credentials(text)],
    }),
  'SignInPage with passkeys': (text) =>
    SignInPage({
      ...common(text),
      providers: [passkeyForm({ id: text, name: text }), addressForm({ id: text, name: text })],
    }),
  'SignInPage with passkeys alone': (text) =>
    SignInPage({
      ...common(text),
      error: text,
      providers: [passkeyForm({ id: text, name: text })],
    }),
  'AccountPage of sessions': (text) =>
    AccountPage({
      ...common(text),
      section: 'sessions',
      callbackUrl: text,
      user: user(text, text),
      sessions: [true, false].map((current) => ({
        id: text,
        current,
        provider: text,
        device: text,
        kind: 'phone' as const,
        place: text,
        created: '2026-11-01T10:00:00.000Z',
        lastUsed: '2026-11-21T10:00:00.000Z',
      })),
      ways: [],
      addable: [passkeyForm({ id: text, name: text })],
    }),
  'AccountPage with a passkey': (text) =>
    AccountPage({
      ...common(text),
      user: user(text, text),
      sessions: [],
      ways: [
        {
          id: text,
          current: true,
          provider: text,
          name: `${text}.`,
          added: null,
          lastUsed: null,
          kind: passkeyWays,
          entry: { passkey: { bs: true } } as PersonWay,
        },
      ],
      addable: [passkeyForm({ id: text, name: text })],
    }),
  ConsentPage: (text) =>
    ConsentPage({
      ...common(text),
      name: text,
      host: text,
      destination: { name: text, isHere: false },
      userCode: text,
      scopes: [text],
      isOffline: false,
      request: text,
      user: user(text, text),
    }),
  KeyPage: (text) => KeyPage({ ...common(text), key: text, name: text, target: `/${text}` }),
  RecoveryCodesPage: (text) =>
    RecoveryCodesPage({ ...common(text), codes: [text], target: `/${text}` }),
  FactorPage: (text) =>
    FactorPage({
      ...common(text),
      flow: text,
      name: text,
      error: text,
      code: text,
      home: `/${text}`,
    }),
  FactorSetupPage: (text) =>
    FactorSetupPage({
      ...common(text),
      flow: text,
      keyFlow: text,
      name: text,
      key: text,
      qr: { size: 1, path: text },
      isDemanded: true,
      error: text,
      code: text,
    }),
  'ConfirmPage of a mail': (text) =>
    ConfirmPage({
      ...common(text),
      provider: text,
      token: text,
      address: text,
      device: text,
      place: text,
      home: `/${text}`,
    }),
  AppsSection: (text) =>
    AppsSection({
      ...common(text),
      back: text,
      apps: [{ app: text, name: text, host: `${text}.`, may: [text], ...DATES }],
    }),
  Document: (text) =>
    Document({
      theme: theme(text),
      words: inEnglish,
      title: text,
      css: 'p{color:red}',
      page: html`<p>${text}</p>`,
    }),
}

const DATES = { added: '2026-11-01T10:00:00.000Z', lastUsed: '2026-11-21T10:00:00.000Z' }
const picture = (text: string) => `https://cdn.example/${text}`
const theme = (text: string) =>
  ({
    logo: text,
    links: { terms: text, privacy: text, help: text },
    brandColor: text,
    buttonText: text,
    colorScheme: text,
    background: text,
  }) as Theme
const shown = (text: string) => ({ ...theme(text), logo: picture(text) })
const common = (text: string) => ({
  theme: theme(text),
  words: inEnglish,
  base: `/${text}`,
  csrfToken: text,
  callbackUrl: text,
})
const user = (text: string, image: string) => ({ name: text, email: text, image })
const oauth = (text: string, style: Parameters<typeof buttonForm>[0]['style']) =>
  buttonForm({ id: text, name: text, style })
const credentials = (text: string) =>
  passwordForm({
    id: text,
    name: text,
    credentials: {
      [text]: { label: text, type: text, placeholder: text, value: text, autocomplete: text },
      [`${text} hidden`]: { type: 'hidden', value: text },
      [`${text} bare`]: { required: true },
    },
  })

/** The page without its texts and attribute values. The rest is our own markup. */
const skeleton = (markup: string) => markup.replace(/"[^"]*"/g, '""').replace(/>[^<]*/g, '>')

const entities: Record<string, string> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
}
const unescapeHtml = (text: string) =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (it) => entities[it] ?? '')
const values = (markup: string, name: string) =>
  [...markup.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, it = '']) =>
    unescapeHtml(it),
  )

describe.each(Object.entries(pages))('%s', (_, page) => {
  // The reference text has a space, since encodeURIComponent changes the hostile ones too.
  const word = 'harmless text'
  const harmless = String(page(word))

  it('quotes every attribute', () => {
    expect(skeleton(harmless)).not.toMatch(/=(?!"")/)
  })

  it.each(hostile)('keeps its markup with any value: %j', (text) => {
    expect(skeleton(String(page(text)))).toBe(skeleton(harmless))
  })

  it.each(hostile)('shows each value as often as any other text: %j', (text) => {
    const times = (markup: string, it: string) => unescapeHtml(markup).split(it).length - 1
    expect(times(harmless, word)).toBeGreaterThan(0)
    expect(times(String(page(text)), text)).toBe(times(harmless, word))
  })

  it.each(hostile)('does not link to, post to or load another scheme: %j', (text) => {
    const markup = String(page(text))
    for (const name of ['href', 'action']) {
      for (const url of values(markup, name)) expect(url).toMatch(/^(?:\/|data:,$)/)
    }
    for (const url of values(markup, 'src')) expect(url).toMatch(/^(?:https:\/\/|data:image\/png,)/)
  })
})
