import { isRecord } from '@latchkey/session/internal'
import { importVerifyKeys, readRevocationFeed } from '@latchkey/session/issue'
import { printable } from '../../printable.js'
import { shellWord } from '../../shell-word.js'
import { type Finding, finding } from '../finding.js'
import { type Answer, isSilent, jsonOf, type Outcome } from '../live/get.js'
import { issuerIn, type Live, providersIn } from '../live/read-service.js'
import { basePathOf } from './addresses.js'

/** A rule looks at the answers of a running service. It sends no request. */
type LiveRule = (live: Live) => readonly Finding[] | Promise<readonly Finding[]>

const unreachable: LiveRule = ({ base, providers }) => {
  const found = (what: string, fix: string) => [
    finding('unreachable', {
      where: base,
      what,
      why: 'Nothing else of the running service was checked.',
      fix,
    }),
  ]
  if (isSilent(providers)) {
    return found(`${base} ${providers.silent}.`, `curl -i ${base}/providers`)
  }
  if (providersIn(providers) || isFailure(providers)) return []
  const { status, headers } = providers
  if (status >= 300 && status < 400) {
    const location = headers.get('location') ?? ''
    const to = URL.canParse(location, base) ? new URL(location, base).origin : undefined
    return to === undefined
      ? found(`${base}/providers redirects to no address.`, `curl -i ${base}/providers`)
      : found(`${base}/providers redirects to ${to}.`, `--to ${shellWord(`${to}/auth`)}`)
  }
  const type = /^[\w/+.-]{1,60}/.exec(headers.get('content-type') ?? '')?.[0] ?? 'no content type'
  return found(
    `${base}/providers does not answer as the service does (${status}, ${type}).`,
    '--to <address of the auth routes>   # such as https://example.com/auth',
  )
}

/** Has the service failed, or something in front of it? */
function isFailure(answer: Answer): boolean {
  if (answer.status >= 500) return true
  const said = answer.status >= 400 ? jsonOf(answer) : undefined
  return isRecord(said) && said.error === 'Configuration'
}

const configuration: LiveRule = ({ base, providers, rest }) => {
  // The feed has a rule of its own.
  const { csrf, session, jwks } = rest ?? {}
  const failed = [providers, csrf, session, jwks].filter(
    (one): one is Answer => one !== undefined && !isSilent(one) && isFailure(one),
  )
  const [first] = failed
  if (!first) return []
  const paths = failed.map(({ url, status }) => `${url.slice(base.length)} (${status})`)
  return [
    finding('configuration', {
      where: first.url,
      what: `The service cannot serve ${paths.join(', ')}.`,
      why: 'Nobody can sign in. Its log names the reason, such as a variable or a binding.',
      fix: 'npx wrangler tail   # on Node: the log of the app',
    }),
  ]
}

const issuer: LiveRule = ({ base, providers }) => {
  const listed = isSilent(providers) ? undefined : providersIn(providers)
  const named = issuerIn(listed ?? [])
  const [first] = listed ?? []
  if (!first || named?.href.replace(/\/+$/, '') === base) return []
  const asked = new URL(base)
  return [
    finding('live-issuer', {
      where: `${base}/providers`,
      what: `The service takes ${differenceOf(named, asked)}.`,
      why: 'Redirect URIs and sessions name that other address: providers refuse it, or cookies get lost.',
      fix: `AUTH_URL=${base}   # at the service`,
    }),
  ]
}

/** Says which part of the two addresses differs. */
function differenceOf(named: URL | undefined, asked: URL): string {
  if (!named) return 'no one address for its own'
  if (named.host === asked.host && named.protocol !== asked.protocol) {
    return `${named.protocol}// for its scheme, and not ${asked.protocol}//: it does not believe the proxy in front of it`
  }
  if (named.origin !== asked.origin) {
    return `${printable(named.origin)} for its origin, and not ${asked.origin}`
  }
  return `${printable(basePathOf(named) ?? '/')} for its base path, and not ${basePathOf(asked)}`
}

const feed: LiveRule = async ({ base, rest }) => {
  if (!rest) return []
  const why = 'Apps cannot know which sessions have ended, and let them go on for minutes.'
  const where = `${base}/revocations`
  const found = (what: string, fix: string) => [finding('feed', { where, what, why, fix })]
  if (isSilent(rest.feed)) return found(`${where} ${rest.feed.silent}.`, `curl -i ${where}`)
  if (rest.feed.status !== 200) {
    return found(
      `${where} answers ${rest.feed.status}.`,
      'npx wrangler tail   # on Node: the log of the app. A store is missing or does not answer',
    )
  }
  const keys = await importVerifyKeys(textOf(rest.jwks)).catch(() => undefined)
  const content = keys && (await readRevocationFeed(rest.feed.text.trim(), keys))
  if (content && typeof content === 'object') return []
  return found(
    `${where} is not a feed that the keys of ${base}/jwks.json verify.`,
    `curl -i ${where} ${base}/jwks.json   # is there a cache or a proxy in front?`,
  )
}

function textOf(outcome: Outcome): string {
  return isSilent(outcome) ? '' : outcome.text
}

/** Apps and the service allow a minute. Milliseconds. */
const MAX_SKEW = 30_000
/** A date has whole seconds. Milliseconds. */
const SECOND = 1_000

const clock: LiveRule = ({ base, rest }) => {
  if (!rest || isSilent(rest.csrf) || rest.csrf.headers.has('age')) return []
  const { headers, asked, answered } = rest.csrf
  const date = Date.parse(headers.get('date') ?? '')
  const behind = asked - (date + SECOND)
  const ahead = date - answered
  // Without a date both are NaN.
  if (!(behind > MAX_SKEW || ahead > MAX_SKEW)) return []
  const seconds = Math.round(Math.max(behind, ahead) / 1000)
  return [
    finding('clock', {
      where: `${base}/csrf`,
      what: `The clock of the service is ${seconds} s ${ahead > 0 ? 'ahead of' : 'behind'} that of this machine.`,
      why: 'Sessions and proofs of apps count for less time, or not at all.',
      fix: 'timedatectl   # on the machine whose clock is wrong',
    }),
  ]
}

const cached: LiveRule = ({ rest }) =>
  [rest?.csrf, rest?.session].flatMap((outcome) => {
    if (!outcome || isSilent(outcome) || outcome.status !== 200) return []
    const { url, headers } = outcome
    const signs = [
      /\bno-store\b/i.test(headers.get('cache-control') ?? '') ? [] : 'without no-store',
      headers.has('age') ? 'with Age' : [],
      /^hit$/i.test(headers.get('cf-cache-status') ?? '') ? 'from a cache of Cloudflare' : [],
    ].flat()
    if (signs.length === 0) return []
    return finding('cached', {
      where: url,
      what: `The answer may be stored by a cache: it comes ${signs.join(', ')}.`,
      why: "A cache may give one person's answer, and cookie, to another.",
      fix: `Cache-Control: private, no-store   # let nothing in front change it`,
    })
  })

const cookieLost: LiveRule = ({ base, rest }) => {
  if (!rest || isSilent(rest.csrf) || rest.csrf.status !== 200) return []
  const said = jsonOf(rest.csrf)
  const token = isRecord(said) && typeof said.csrfToken === 'string' ? said.csrfToken : ''
  const cookies = rest.csrf.headers.getSetCookie()
  // A proxy may set cookies of its own. The service's begins with the token.
  const own = cookies.find(
    (line) => token !== '' && /^[^=;]*=([^;]*)/.exec(line)?.[1]?.startsWith(token),
  )
  const lacks = own === undefined ? ['a cookie'] : missingIn(own, base.startsWith('https:'))
  if (lacks.length === 0) return []
  return [
    finding('cookie-lost', {
      where: `${base}/csrf`,
      what:
        own === undefined
          ? 'The answer sets no cookie for its csrf token.'
          : `The cookie of the csrf token lacks ${lacks.join(' and ')}.`,
      why:
        own === undefined
          ? 'Nobody can sign in: every form is refused.'
          : 'Scripts, or somebody on the way, can read what keeps forms of other sites out.',
      fix: 'let nothing in front of the service remove Set-Cookie or change it',
    }),
  ]
}

function missingIn(cookie: string, isSecure: boolean): readonly string[] {
  const attributes = cookie.split(';').map((part) => part.trim().toLowerCase())
  const wanted = isSecure ? ['HttpOnly', 'Secure'] : ['HttpOnly']
  return wanted.filter((name) => !attributes.includes(name.toLowerCase()))
}

const RULES: readonly LiveRule[] = [
  unreachable,
  configuration,
  issuer,
  feed,
  clock,
  cached,
  cookieLost,
]

/** The findings about the answers of a running service. */
export async function checkLive(live: Live): Promise<readonly Finding[]> {
  return (await Promise.all(RULES.map((rule) => rule(live)))).flat()
}
