import apple from '@latchkey/worker/providers/apple'
import discord from '@latchkey/worker/providers/discord'
import github from '@latchkey/worker/providers/github'
import gitlab from '@latchkey/worker/providers/gitlab'
import google from '@latchkey/worker/providers/google'
import entraId from '@latchkey/worker/providers/microsoft-entra-id'
import slack from '@latchkey/worker/providers/slack'
import spotify from '@latchkey/worker/providers/spotify'
import videoapp from '@latchkey/worker/providers/videoapp'
import type { Page } from 'playwright-core'
import {
  AccountPage,
  type AccountPageProps,
} from '../../worker/src/features/account/account-page.ts'
import { all as builtIn } from '../../worker/src/features/all.ts'
import { KeyPage } from '../../worker/src/features/authorization-server/api-keys/key-page.ts'
import { KeysSection } from '../../worker/src/features/authorization-server/api-keys/section.ts'
import { destinationOf } from '../../worker/src/features/authorization-server/app-redirect.ts'
import { AppsSection } from '../../worker/src/features/authorization-server/apps-section.ts'
import {
  ConsentPage,
  type ConsentPageProps,
  NowherePage,
} from '../../worker/src/features/authorization-server/consent-page.ts'
import {
  DecidedPage,
  DevicePage,
} from '../../worker/src/features/authorization-server/devices/device-page.ts'
import { EndSessionPage } from '../../worker/src/features/authorization-server/end-session-page.ts'
import { authorizationServer } from '../../worker/src/features/authorization-server/index.ts'
import type { Resource } from '../../worker/src/features/authorization-server/settings.ts'
import type { ListedKey } from '../../worker/src/features/authorization-server/types.ts'
import { entranceForm } from '../../worker/src/features/companies/forms.ts'
import { companies } from '../../worker/src/features/companies/index.ts'
import { JoinPage } from '../../worker/src/features/companies/join-page.ts'
import { ConfirmPage, RefusedPage } from '../../worker/src/features/email/confirm-page.ts'
import {
  VerifyRequestPage,
  type VerifyRequestPageProps,
} from '../../worker/src/features/email/verify-request-page.ts'
import { passkeyForm } from '../../worker/src/features/passkeys/forms.ts'
import { passkeys } from '../../worker/src/features/passkeys/index.ts'
import { passkeyWays } from '../../worker/src/features/passkeys/way-kind.ts'
import { AskPage } from '../../worker/src/features/passwords/ask-page.ts'
import { passwordForm as ownPasswordForm } from '../../worker/src/features/passwords/forms.ts'
import { passwords } from '../../worker/src/features/passwords/index.ts'
import { OfferPage } from '../../worker/src/features/passwords/offer.ts'
import { PasswordSection } from '../../worker/src/features/passwords/section.ts'
import { FactorPage } from '../../worker/src/features/second-factor/factor-page.ts'
import { FactorSection } from '../../worker/src/features/second-factor/factor-section.ts'
import { FactorSetupPage } from '../../worker/src/features/second-factor/factor-setup-page.ts'
import { qrCode } from '../../worker/src/features/second-factor/qr-code.ts'
import { RecoveryCodesPage } from '../../worker/src/features/second-factor/recovery-codes-page.ts'
import { HumanCheck } from '../../worker/src/features/turnstile/human-check.ts'
import { all } from '../../worker/src/languages/all.ts'
import { englishOf } from '../../worker/src/languages/english-of.ts'
import { fill } from '../../worker/src/languages/fill.ts'
import { loadWords } from '../../worker/src/languages/load.ts'
import type { Words } from '../../worker/src/languages/texts.ts'
import { copyTexts, hasCopyButtons } from '../../worker/src/pages/copy-buttons.ts'
import { ErrorPage } from '../../worker/src/pages/error-page.ts'
import { html, type Markup } from '../../worker/src/pages/markup.ts'
import { NotFoundPage } from '../../worker/src/pages/not-found-page.ts'
import { addressForm, buttonForm, passwordForm } from '../../worker/src/pages/provider-forms.ts'
import { SignInPage, type SignInPageProps } from '../../worker/src/pages/sign-in-page.ts'
import { SignOutPage } from '../../worker/src/pages/sign-out-page.ts'
import type { Theme } from '../../worker/src/pages/theme.ts'
import { hasTimes, timesScript } from '../../worker/src/pages/time.ts'
import type { PersonWay } from '../../worker/src/person/person.ts'
import { htmlResponse } from '../../worker/src/service/html-response.ts'
import { SITE } from './pictured-themes.ts'
import { SITE_FILES } from './site-files.ts'

/** Makes one state of a page. */
type MakePage = (words: Words, theme: Theme) => Markup

const PASSKEYS = passkeyForm({ id: 'passkey', name: 'Passkey' })
const ADDRESS = addressForm({ id: 'email', name: 'Email' })
const COMPANY = entranceForm({ id: 'company', name: 'Company' })
const { signUp: _, ...WITHOUT_SIGN_UP } = PASSKEYS
const [VIDEO, GOOGLE, APPLE, GITHUB] = [videoapp(), google(), apple(), github()].map((provider) =>
  buttonForm(provider),
) as [ReturnType<typeof buttonForm>, ...ReturnType<typeof buttonForm>[]]
const PASSWORD = passwordForm({
  id: 'credentials',
  name: 'Password',
  credentials: {
    username: { label: 'User name', placeholder: 'ada', required: true },
    password: { label: 'Password', type: 'password', required: true },
  },
})

/** Passwords that people set here. */
const OWN_PASSWORD = ownPasswordForm({ id: 'password', name: 'Password' })
const EIGHT = [google(), apple(), github(), entraId(), gitlab(), discord(), slack(), spotify()].map(
  (provider) => buttonForm(provider),
)

const SCOPES = {
  'notes:read': 'Read your notes',
  'notes:write': 'Change and delete your notes, and those that other people share with you',
}

const ADA = { name: 'Ada Lovelace', email: 'ada.lovelace@analytical-engines.example' }
const ADDED = '2026-03-02T10:00:00.000Z'
const USED = '2026-11-21T10:00:00.000Z'

const common = (words: Words, theme: Theme) => ({
  words,
  theme,
  base: '/auth',
  csrfToken: 'token',
  callbackUrl: '/notes',
  home: `${SITE}/`,
})

const signIn =
  (more: Partial<SignInPageProps>, isChecked = false): MakePage =>
  (words, theme) =>
    SignInPage({
      ...common(words, theme),
      providers: [VIDEO, ADDRESS],
      ...(isChecked ? { human: HumanCheck('site-key', theme, words) } : {}),
      ...more,
    })

const code =
  (asked?: Partial<Asked>, wrong?: 'wrong_code' | 'spent_code'): MakePage =>
  (words, theme) =>
    VerifyRequestPage({
      ...common(words, theme),
      ...(wrong && { error: 'Verification', code: wrong }),
      asked: asked && { ...ASKED, ...asked },
    })

type Asked = NonNullable<VerifyRequestPageProps['asked']>

const ASKED: Asked = {
  provider: 'email',
  flow: 'flow',
  address: 'ada.lovelace@gmail.com',
  mark: 'KQWT',
  isAdding: false,
  works: 900,
  wait: 0,
}

const SESSIONS: AccountPageProps['sessions'] = [
  ['Firefox on Windows', 'laptop', 'Berlin, DE', 'Google'],
  ['Safari on iPhone', 'phone', 'Reykjavík, IS', 'Passkey'],
  ['Chrome on Android', 'tablet', null, 'Video App'],
  ['Unknown device', 'unknown', null, 'Email'],
].map(([device, kind, place, provider], index) => ({
  id: `session-${index}`,
  current: index === 0,
  device: device as string,
  kind: kind as 'laptop',
  place: place as string | null,
  provider: provider as string,
  created: ADDED,
  lastUsed: USED,
}))

const WAYS: AccountPageProps['ways'] = [
  { provider: 'Google', name: 'ada.lovelace@analytical-engines.example', mark: GOOGLE?.mark?.() },
  { provider: 'Video App', name: 'Ada', mark: VIDEO.mark?.() },
  { provider: 'Email', name: 'a•••@analytical-engines.example', mark: ADDRESS.mark?.() },
  // Moved in from another library, and not used since.
  { provider: 'GitHub', name: null, isImported: true, mark: GITHUB?.mark?.() },
].map(({ isImported, ...way }, index) => ({
  id: `way-${index}`,
  current: index === 0,
  added: isImported ? null : ADDED,
  lastUsed: isImported ? null : USED,
  ...way,
}))

const KEYS: AccountPageProps['ways'] = ['MacBook of Ada', 'Passkey'].map((name, index) => ({
  id: `passkey-${index}`,
  current: false,
  provider: 'Passkey',
  name,
  added: ADDED,
  lastUsed: index === 0 ? USED : null,
  mark: PASSKEYS.mark?.(),
  kind: passkeyWays,
  entry: { passkey: { bs: index === 0 } } as PersonWay,
}))

const factorWith =
  (recoveryCodes?: number): AccountPageProps['protections'] =>
  (place) => [FactorSection({ ...place, recoveryCodes })]

const account =
  ({ ways = [...WAYS, ...KEYS], ...more }: Partial<AccountPageProps>): MakePage =>
  (words, theme) =>
    AccountPage({
      ...common(words, theme),
      user: ADA,
      sessions: SESSIONS,
      ways,
      addable: [
        { ...VIDEO, isThere: true },
        ...(APPLE ? [APPLE] : []),
        ADDRESS,
        { ...PASSKEYS, type: passkeyWays.type },
      ],
      sections: [passkeys.pages?.account].flatMap((section) => section ?? []),
      protections: factorWith(7),
      home: `${SITE}/`,
      app: `${SITE}/`,
      ...more,
    })

const factor = (more: object) => (words: Words, theme: Theme) =>
  FactorPage({ ...common(words, theme), flow: 'flow', name: ADA.email, ...more })

const setup = (more: object) => (words: Words, theme: Theme) =>
  FactorSetupPage({
    ...common(words, theme),
    flow: 'session',
    keyFlow: 'key',
    name: ADA.email,
    key: 'JBSW Y3DP EHPK 3PXP JBSW Y3DP EHPK 3PXP',
    qr: qrCode('otpauth://totp/Acme:ada?secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&issuer=Acme'),
    isDemanded: false,
    ...more,
  })

const consent =
  (more: Partial<ConsentPageProps>): MakePage =>
  (words, theme) =>
    ConsentPage({
      isOffline: false,
      ...common(words, theme),
      request: 'sealed',
      user: ADA,
      name: 'Notes',
      destination: destinationOf('https://notes.example/callback'),
      scopes: [words.texts.consent.openid, words.texts.consent.profile, 'Read your notes'],
      ...more,
    })

const APPS = ['Notes', 'Analytical Engines for the Desktop'].map((name, index) => ({
  app: `app-${index}`,
  name,
  host: index === 0 ? null : 'desktop.analytical-engines.example',
  added: ADDED,
  lastUsed: USED,
}))

/** The section of the account page, with the texts of a feature that is not there by itself. */
const apps =
  (isEmpty: boolean): MakePage =>
  (words, theme) => {
    const may = [words.texts.consent.openid, words.texts.consent.offline, 'Read your notes']
    const shown = isEmpty ? [] : APPS.map((one) => ({ ...one, may }))
    const content = AppsSection({ ...common(words, theme), apps: shown })
    const section = {
      name: 'apps',
      title: () => words.texts.account.apps,
      show: async () => content,
    }
    return account({ section: 'apps', sections: [section], content })(words, theme)
  }

const NOTES_API: Resource = {
  uri: 'https://api.example/',
  name: 'Notes API',
  scopes: new Map([
    ['notes:read', 'Read your notes'],
    ['notes:write', 'Change your notes'],
  ]),
  isOpen: false,
  alg: 'EdDSA',
}

const API_KEYS: readonly ListedKey[] = ['Nightly export', 'Laptop of Ada'].map((name, index) => ({
  id: `key-${index}`,
  name,
  start: index === 0 ? 'acme_7Kd2' : 'acme_Qz81',
  resource: NOTES_API.uri,
  scopes: index === 0 ? ['notes:read'] : ['notes:read', 'notes:write'],
  created: ADDED,
  expires: index === 0 ? '2027-02-19T09:30:00.000Z' : '2026-11-26T09:30:00.000Z',
  lastUsed: index === 0 ? USED : null,
}))

const keys =
  (own: readonly ListedKey[]): MakePage =>
  (words, theme) => {
    const resources = new Map([[NOTES_API.uri, NOTES_API]])
    const now = Date.parse(USED) / 1000
    const content = KeysSection({ ...common(words, theme), resources, own, now })
    const section = { name: 'keys', title: () => words.texts.keys.title, show: async () => content }
    return account({ section: 'keys', sections: [section], content })(words, theme)
  }

/** The section of a person's own password. */
const password =
  (more: Partial<Parameters<typeof PasswordSection>[0]>): MakePage =>
  (words, theme) => {
    const content = PasswordSection({
      ...common(words, theme),
      address: ADA.email,
      hasPassword: true,
      needsCurrent: true,
      minLength: 12,
      ...more,
    })
    const section = {
      name: 'password',
      title: () => words.texts.names.credentials,
      show: async () => content,
    }
    return account({ section: 'password', sections: [section], content })(words, theme)
  }

/** With the two sections that stand by themselves: as many as an account can have. */
const SEVEN: NonNullable<AccountPageProps['sections']> = [
  ...[passkeys.pages?.account].flatMap((section) => section ?? []),
  ...[passwords.pages?.account].flatMap((section) => section ?? []),
  { name: 'apps', title: ({ texts }) => texts.account.apps, show: async () => html`` },
  { name: 'keys', title: ({ texts }) => texts.keys.title, show: async () => html`` },
]

const device =
  (error?: 'wrong_code'): MakePage =>
  (words, theme) =>
    DevicePage({ ...common(words, theme), code: error ? 'KQWT-MXDB' : '', error })

const error =
  (word: string, more: object = {}) =>
  (words: Words, theme: Theme) =>
    ErrorPage({ ...common(words, theme), error: word, ...more })

/** Each page in each of its states, by a name for files. */
export const EVERY_PAGE: Readonly<Record<string, MakePage>> = {
  'sign-in': signIn({ providers: [VIDEO, ADDRESS] }),
  'sign-in-many': signIn({
    providers: [
      PASSKEYS,
      ...[GOOGLE, APPLE, GITHUB, VIDEO].flatMap((form) => form ?? []),
      { ...ADDRESS, isLastUsed: true },
      PASSWORD,
    ],
  }),
  // As the README shows it.
  'sign-in-shown': signIn({
    providers: [PASSKEYS, ...[GITHUB, GOOGLE].flatMap((form) => form ?? []), ADDRESS],
  }),
  'sign-in-eight': signIn({ providers: [PASSKEYS, ...EIGHT, ADDRESS, OWN_PASSWORD] }),
  'sign-in-own-password': signIn({
    providers: [PASSKEYS, OWN_PASSWORD],
    error: 'CredentialsSignin',
  }),
  'sign-in-last-used': signIn({ providers: [{ ...VIDEO, isLastUsed: true }, ADDRESS] }),
  'sign-in-one': signIn({ providers: [VIDEO] }),
  'sign-in-none': signIn({ providers: [] }),
  'sign-in-passkeys-alone': signIn({ providers: [PASSKEYS] }),
  'sign-in-wrong-password': signIn({ providers: [PASSWORD], error: 'CredentialsSignin' }),
  'sign-in-wrong-address': signIn({ error: 'CredentialsSignin', code: 'invalid_address' }),
  'sign-in-failed': signIn({ error: 'OAuthCallbackError' }),
  'sign-in-cancelled': signIn({ error: 'OAuthCallbackError', code: 'access_denied' }),
  'sign-in-not-linked': signIn({ error: 'OAuthAccountNotLinked' }),
  'sign-in-continue': signIn({ user: ADA, providers: [VIDEO, ADDRESS, PASSKEYS] }),
  'sign-in-continue-nameless': signIn({ user: {} }),
  'sign-in-again': signIn({ user: ADA, stepUp: { isStale: true } }),
  'sign-in-stronger': signIn({ user: ADA, stepUp: { isStale: false } }),
  'sign-in-human-check': signIn({}, true),
  'sign-in-company': signIn({ providers: [COMPANY, WITHOUT_SIGN_UP], hasOthers: true }),
  'sign-in-company-unknown': signIn({
    providers: [{ ...COMPANY, typed: { email: 'ada@exampel.com' } }],
  }),
  'company-join': (words, theme) =>
    JoinPage({
      ...common(words, theme),
      name: 'Analytical Engines',
      address: ADA.email,
      flow: 'flow',
      human: undefined,
      isUnknown: true,
      providers: [
        { id: 'github', name: 'GitHub', type: 'oauth' },
        { id: 'email', name: 'Email', type: 'email' },
      ],
    }),
  'sign-out': (words, theme) => SignOutPage({ ...common(words, theme), user: ADA }),
  'sign-out-nobody': (words, theme) => SignOutPage(common(words, theme)),
  'error-configuration': error('Configuration', { reference: 'K7QM-2XRB' }),
  'error-denied': error('AccessDenied'),
  'error-blocked': error('AccessDenied', { code: 'blocked' }),
  'error-link': error('Verification'),
  'error-unavailable': error('Unavailable'),
  'error-last-way': error('AccessDenied', { code: 'last_way' }),
  'error-many-ways': error('AccessDenied', { code: 'too_many_ways' }),
  'error-other': error('Whatever'),
  'nothing-here': (words, theme) =>
    NotFoundPage({
      ...common(words, theme),
      isForm: false,
      isSignedIn: false,
      home: `${SITE}/`,
    }),
  'form-address': (words, theme) =>
    NotFoundPage({ ...common(words, theme), isForm: true, isSignedIn: true, home: `${SITE}/` }),
  code: code({}),
  'code-wrong': code({ wait: 20 }, 'wrong_code'),
  'code-spent': code({}, 'spent_code'),
  'code-over': code({ works: 0, address: 'ada@analytical-engines.example' }),
  'code-to-add': code({ isAdding: true, wait: 10 }),
  'code-without-flow': code(),
  confirm: (words, theme) =>
    ConfirmPage({
      ...common(words, theme),
      provider: 'email',
      token: 'token',
      address: ADA.email,
      device: 'Firefox on Windows',
      place: 'Reykjavík, IS',
    }),
  refused: (words, theme) => RefusedPage(common(words, theme)),
  factor: factor({}),
  'factor-recovery': factor({ byRecovery: true }),
  'factor-wrong': factor({ error: 'CredentialsSignin', code: 'wrong_code' }),
  'factor-setup': setup({}),
  'factor-setup-demanded-wrong': setup({
    isDemanded: true,
    error: 'CredentialsSignin',
    code: 'wrong_code',
  }),
  'recovery-codes': (words, theme) =>
    RecoveryCodesPage({
      words,
      theme,
      target: '/notes',
      codes: Array.from({ length: 10 }, (_, index) => `k7qm-2xrb-9wd${index}-hj4t-w3pn-6vce`),
    }),
  account: account({}),
  'account-shown': account({
    sessions: SESSIONS.slice(0, 2),
    ways: WAYS.filter(({ provider }) => /Google|E-?mail/.test(provider)),
  }),
  'account-one-way': account({
    sessions: SESSIONS.slice(0, 1),
    ways: WAYS.slice(1, 2),
    addable: [],
    sections: [],
    protections: factorWith(),
    home: undefined,
  }),
  'account-one-passkey': account({ ways: KEYS.slice(0, 1), protections: factorWith(1) }),
  'account-sessions': account({ section: 'sessions' }),
  'account-ways': account({ section: 'ways' }),
  'account-passkeys': account({ section: 'passkeys' }),
  'account-no-passkeys': account({ section: 'passkeys', ways: WAYS }),
  'account-security': account({ section: 'security' }),
  consent: consent({}),
  'consent-own': consent({ name: 'Acme', destination: destinationOf('https://acme.example/cb') }),
  'consent-here': consent({
    name: 'Notes for the command line',
    destination: destinationOf('http://127.0.0.1:49152/callback'),
    scopes: Object.values(SCOPES),
  }),
  'consent-unknown': consent({
    name: 'Some client of anybody',
    host: 'client.example',
    destination: destinationOf('https://client.example/callback'),
  }),
  'consent-device': consent({ destination: undefined, userCode: 'KQWT-MXDB', name: 'Television' }),
  'consent-nowhere': (words, theme) => NowherePage({ words, theme }),
  'end-session': (words, theme) => EndSessionPage({ ...common(words, theme), kept: [], user: ADA }),
  'account-apps': apps(false),
  'account-no-apps': apps(true),
  device: device(),
  'device-wrong-code': device('wrong_code'),
  'device-connected': (words, theme) => DecidedPage({ theme, words, isAllowed: true }),
  'account-keys': keys(API_KEYS),
  'account-no-keys': keys([]),
  'account-new-key': (words, theme) =>
    KeyPage({
      ...common(words, theme),
      key: 'acme_7Kd2mB0QxTqZ4c9WfRjL8sVnH1yPgU6eKaXo3tDi5bMCu2',
      name: 'Nightly export',
      target: '/auth/account/keys',
    }),
  'password-ask': (words, theme) => AskPage({ ...common(words, theme), human: undefined }),
  'password-offer': (words, theme) =>
    OfferPage({
      ...common(words, theme),
      form: PASSKEYS.markup({
        ...common(words, theme),
        isAdding: true,
        name: ADA.name,
        idPrefix: 'add',
        isOnly: true,
        hasDouble: false,
        error: undefined,
      }),
    }),
  'account-password': password({}),
  'account-password-none': password({ hasPassword: false, needsCurrent: false, target: '/notes' }),
  'account-password-wrong': password({ error: 'CredentialsSignin', code: 'wrong_password' }),
  'account-password-short': password({ error: 'CredentialsSignin', code: 'password_short' }),
  'account-seven': account({ sections: SEVEN }),
  'account-managed': (words, theme) =>
    account({
      managed: html`<p>${fill(words.texts.companies.manages, { name: 'Analytical Engines' })}</p>`,
    })(words, theme),
  'account-sessions-bound': (words, theme) =>
    account({
      section: 'sessions',
      sessions: SESSIONS.map((one, index) =>
        index === 0 ? { ...one, bound: words.texts.boundSessions.label } : one,
      ),
    })(words, theme),
  'account-security-off': account({ section: 'security', protections: factorWith() }),
}

/** A theme that has all that one sees. */
export const THEMED: Theme = {
  name: 'Acme',
  logo: { light: `${SITE}/logo.svg`, dark: `${SITE}/logo-dark.svg` },
  links: { terms: '/terms', privacy: '/privacy', help: '/help' },
  brandColor: '#0f766e',
  background: { light: `${SITE}/day.svg`, dark: `${SITE}/night.svg` },
}

const server = authorizationServer()
const companiesFeature = companies()
const features = [...builtIn, server, companiesFeature, passwords]
const ENGLISH = englishOf(features)
const STYLES = [...new Set(features.flatMap(({ pages }) => pages?.styles ?? []))].join('')
const LANGUAGES = new Map(all.map((one) => [one.tag, one]))

/** Shows a page as the service answers with it, and with what its scripts show. */
export async function showPage(
  page: Page,
  name: string,
  language: string,
  theme: Theme,
): Promise<void> {
  const body = await documentOf(
    name,
    await loadWords(language, LANGUAGES, undefined, ENGLISH, [
      server.pages?.translations ?? (async () => ({})),
      companiesFeature.pages?.translations ?? (async () => ({})),
      passwords.pages?.translations ?? (async () => ({})),
    ]),
    theme,
  )
  await page.unrouteAll()
  await page.route('**', (route) => {
    const { href, pathname } = new URL(route.request().url())
    const file = SITE_FILES[pathname]
    if (file) return route.fulfill({ body: file, contentType: 'image/svg+xml' })
    if (!href.startsWith(SITE)) return route.abort()
    return route.fulfill({ body, contentType: 'text/html; charset=utf-8' })
  })
  await page.goto(`${SITE}/auth/${name}`)
}

async function documentOf(name: string, words: Words, theme: Theme): Promise<string> {
  const page = EVERY_PAGE[name]?.(words, theme)
  if (!page) throw new Error(`There is no page ${name}`)
  const scripts = [
    ...(hasTimes(page) ? [timesScript] : []),
    ...(hasCopyButtons(page) ? [copyTexts] : []),
  ]
  const title = page.match(/<h1>(.*?)<\/h1>/)?.[1] ?? name
  const answer = await htmlResponse(page, {
    words,
    title,
    theme,
    styles: STYLES,
    status: 200,
    secure: true,
    scripts,
  })
  const text = await answer.text()
  // In place of the script for passkeys, which asks the service.
  return text.replaceAll(/( hidden="")? data-script/g, (_, isHidden) =>
    isHidden ? ' data-script' : ' hidden="" data-script',
  )
}
