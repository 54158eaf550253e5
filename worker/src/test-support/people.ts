import { customFetch } from '../lib/symbols.js'
import type { Stores } from '../stores/ports.js'
import type { AuthConfig, OAuthConfig, VerificationRequest } from '../types.js'
import { Browser, claimsIn, configWith, copyOf, locationOf, origin } from './browser.js'
import { mailProvider } from './email.js'
import { faulty } from './faulty.js'
import { decideMerge } from './merged.js'

/** A provider with every account that a test names: the code is the account's id. */
export function accountsAt(
  id: string,
  profiles: Readonly<Record<string, Record<string, unknown>>> = {},
): OAuthConfig {
  const at = `https://${id}.example`
  return {
    id,
    name: id.toUpperCase(),
    type: 'oauth',
    clientId: 'the-client-id',
    clientSecret: 'the-client-secret',
    authorization: `${at}/authorize?scope=basic`,
    token: `${at}/token`,
    userinfo: `${at}/userinfo`,
    [customFetch]: async (input, init) => {
      const { body, headers } = init as RequestInit
      if (String(input) === `${at}/token`) {
        const code = new URLSearchParams(String(body)).get('code')
        return Response.json({ access_token: code, token_type: 'Bearer' })
      }
      const account = new Headers(headers).get('authorization')?.slice('Bearer '.length) ?? ''
      return Response.json({ sub: account, name: `${account} at ${id}`, ...profiles[account] })
    },
  }
}

interface Listed {
  readonly id: string
  readonly provider: string
  readonly name: string | null
  readonly added: string | null
  readonly lastUsed: string | null
  readonly current: boolean
}

/** A service with two providers and mails, and people in front of it. */
export function people(
  changes: Partial<AuthConfig> = {},
  {
    inner,
    profiles = {},
    mails = [],
  }: {
    inner?: Stores
    profiles?: Record<string, Record<string, unknown>>
    /** The mails of `changes`. */
    mails?: VerificationRequest[]
  } = {},
) {
  const errors: Error[] = []
  const lines: object[] = []
  const watched = faulty(inner)
  const config = configWith({
    providers: [accountsAt('one', profiles), accountsAt('two', profiles), mailProvider(mails)],
    store: watched.store,
    logger: {
      error: (error) => void errors.push(error),
      warn: () => {},
      info: (event) => void lines.push(event),
    },
    ...changes,
  })
  const browser = () => new Browser(config)
  const subOf = (one: Browser) => claimsIn(one).sub
  /** Comes back from a provider with an account. */
  const comeBack = (one: Browser, provider: string, start: Response, account: string) => {
    const state = new URL(locationOf(start)).searchParams.get('state') ?? ''
    return one.get(`/auth/callback/${provider}?${new URLSearchParams({ code: account, state })}`)
  }
  const lastMail = () => {
    const mail = mails.at(-1)
    const url = new URL(mail?.url ?? origin)
    return { mail, path: url.pathname + url.search }
  }
  return {
    ...watched,
    config,
    mails,
    errors,
    lines,
    browser,
    subOf,
    comeBack,
    lastMail,
    copyOf: (one: Browser) => copyOf(one, config),
    /** Signs in with an account of a provider, or with an address. */
    async signIn(provider: string, account: string, one = browser()) {
      if (provider === 'email') {
        await one.submit('/auth/signin/email', { email: account })
        await one.get(lastMail().path)
      } else await one.signIn(provider, account)
      return one
    },
    startAdding: (one: Browser, provider: string, fields = {}, headers = {}) =>
      one.submit('/auth/ways/add', { provider, callbackUrl: '/inbox', ...fields }, headers),
    /** Adds an account of a provider, or an address. @returns where it ends */
    async add(one: Browser, provider: string, account: string): Promise<Response> {
      const start = await one.submit('/auth/ways/add', {
        provider,
        callbackUrl: '/inbox',
        ...(provider === 'email' ? { email: account } : {}),
      })
      if (provider !== 'email') return comeBack(one, provider, start, account)
      return one.get(lastMail().path)
    },
    /** The person of an account becomes this one, as version 0.2 decided it, and the service finishes that. */
    async takeIn(
      one: Browser,
      provider: string,
      account: string,
      given?: string,
    ): Promise<Response> {
      const isHere = (await one.session()) !== null
      const { ledger } = watched.store
      const isDecided =
        isHere && (await decideMerge(ledger, claimsIn(one), [provider, account], given))
      if (!isDecided) throw new Error('Nobody is taken in.')
      return one.submit('/auth/ways/remove', { way: 'none' })
    },
    remove: (one: Browser, way: string, headers = {}) =>
      one.submit('/auth/ways/remove', { way }, headers),
    async ways(one: Browser): Promise<readonly Listed[]> {
      const answer = await one.get('/auth/ways')
      return ((await answer.json()) as { ways: readonly Listed[] }).ways
    },
  }
}
