import { isRecord } from '@latchkey/session/internal'
import { CookieJar } from './cookie-jar.js'
import { type Get, isSilent, jsonOf, type Outcome } from './get.js'
import type { ListedProvider } from './read-service.js'

/** The answers of a provider to a sign-in. */
export interface Asked {
  readonly provider: ListedProvider
  /** The redirect URI of the request. A preview names that of another service. */
  readonly redirectUri: string
  /** The service's answer to the form of a sign-in; `undefined`: it gave no csrf token for one. */
  readonly start: Outcome | undefined
  /** The answers of the provider, in their order. */
  readonly answers: readonly Outcome[]
}

/** Redirects of a provider that are followed. */
const MAX_REDIRECTS = 5
/** A longer list of providers is cut: each one costs a sign-in. */
const MAX_PROVIDERS = 100
/** Providers that are asked at the same time. */
const AT_ONCE = 4

/** A provider shows a browser what it shows no program. */
const BROWSER = {
  accept: 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
  'accept-language': 'en',
  'user-agent': 'Mozilla/5.0 (compatible; latchkey-doctor)',
}

/**
 * Begins one sign-in with each provider by OAuth or OpenID, as a browser does, and looks at what the provider answers. No
 * answer goes back to the service.
 *
 * @param base of the service, which the operator named
 */
export async function askProviders(
  base: string,
  providers: readonly ListedProvider[],
  get: Get,
): Promise<readonly Asked[]> {
  const wanted = providers
    .filter(({ type }) => type === 'oauth' || type === 'oidc')
    .slice(0, MAX_PROVIDERS)
  const asked: Asked[] = []
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const some = wanted.slice(at, at + AT_ONCE)
    asked.push(...(await Promise.all(some.map((provider) => askProvider(base, provider, get)))))
  }
  return asked
}

async function askProvider(base: string, provider: ListedProvider, get: Get): Promise<Asked> {
  const start = await beginSignIn(base, provider, get)
  const location = start && !isSilent(start) ? locationOf(start) : undefined
  const given = location?.searchParams.get('redirect_uri') ?? ''
  const redirectUri = URL.canParse(given) ? given : provider.callbackUrl
  const asked = { provider, redirectUri, start, answers: [] }
  if (!location || isOfService(location, base, asked)) return asked
  return { ...asked, answers: await walk(location, base, asked, get) }
}

/** Posts the form of the sign-in page. */
async function beginSignIn(
  base: string,
  { id }: ListedProvider,
  get: Get,
): Promise<Outcome | undefined> {
  const jar = new CookieJar()
  const page = new URL(`${base}/csrf`)
  const csrf = await get(page.href, { headers: { ...BROWSER, accept: 'application/json' } })
  if (isSilent(csrf)) return csrf
  const said = jsonOf(csrf)
  if (!isRecord(said) || typeof said.csrfToken !== 'string') return undefined
  jar.keep(page, csrf.headers)
  return get(`${base}/signin/${encodeURIComponent(id)}`, {
    method: 'POST',
    headers: { ...BROWSER, cookie: jar.cookieFor(page), origin: page.origin },
    body: new URLSearchParams({ csrfToken: said.csrfToken, callbackUrl: `${page.origin}/` }),
  })
}

/** Follows a provider's redirects, but for those to the service and those from https to http. */
async function walk(first: URL, base: string, asked: Asked, get: Get): Promise<readonly Outcome[]> {
  const jar = new CookieJar()
  const answers: Outcome[] = []
  let url: URL | undefined = first
  while (url && answers.length <= MAX_REDIRECTS) {
    const cookie = jar.cookieFor(url)
    const headers = cookie === '' ? BROWSER : { ...BROWSER, cookie }
    const answer: Outcome = await get(url.href, { headers })
    answers.push(answer)
    if (isSilent(answer)) break
    jar.keep(url, answer.headers)
    const next: URL | undefined = locationOf(answer)
    const isFollowed: boolean =
      next !== undefined &&
      !isOfService(next, base, asked) &&
      !(url.protocol === 'https:' && next.protocol === 'http:')
    url = isFollowed ? next : undefined
  }
  return answers
}

/** The target of a redirect; `undefined`: the answer is not a redirect, or its target is not an http(s) URL. */
export function locationOf(answer: Outcome): URL | undefined {
  if (isSilent(answer) || ![301, 302, 303, 307, 308].includes(answer.status)) return undefined
  const location = answer.headers.get('location') ?? ''
  if (location === '' || !URL.canParse(location, answer.url)) return undefined
  const url = new URL(location, answer.url)
  return /^https?:$/.test(url.protocol) ? url : undefined
}

/** Is this an address of the service, under any of its names, or the redirect URI? */
export function isOfService(
  { origin, pathname }: URL,
  base: string,
  { provider: { id, callbackUrl }, redirectUri }: Pick<Asked, 'provider' | 'redirectUri'>,
): boolean {
  const address = origin + pathname
  const issuers = [callbackUrl, redirectUri].map((one) => one.replace(`/callback/${id}`, ''))
  return [base, redirectUri, ...issuers].some(
    (one) => address === one || address.startsWith(`${one}/`),
  )
}
