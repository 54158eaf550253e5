import { isRecord } from '@latchkey/session/internal'
import { PRESETS } from '@latchkey/worker/migrate'
import { printable } from '../../printable.js'
import { type Finding, finding } from '../finding.js'
import { type Asked, isOfService, locationOf } from '../live/ask-providers.js'
import { type Answer, isSilent, jsonOf } from '../live/get.js'

/** The result of asking a provider: a finding, or the reason why there is none. */
export type Told = { readonly finding: Finding } | { readonly untold: string }

/**
 * Judges the answers of a provider. Only a refusal is a finding. A page is not.
 *
 * @param base of the service
 */
export function judge(asked: Asked, base: string): Told {
  const { start, answers } = asked
  if (!start || isSilent(start)) return { untold: 'the service began no sign-in' }
  const location = locationOf(start)
  if (answers.length === 0) return judgeStart(asked, base, start, location)
  for (const answer of answers) {
    if (isSilent(answer)) return away(asked, answer.url, answer.silent)
    if (answer.status >= 500) return away(asked, answer.url, `answers ${answer.status}`)
    const said = refusalIn(answer)
    const code = said && codeOf(said)
    if (code) return refused(asked, code, originOf(answer))
  }
  const last = answers.at(-1)
  const next = last && locationOf(last)
  if (next && isOfService(next, base, asked)) {
    return { untold: 'it redirects to the service without naming the redirect URI or the client' }
  }
  if (next) return { untold: 'it redirects on and on' }
  const status = last && !isSilent(last) ? last.status : 200
  return status >= 400
    ? { untold: `it answers ${status}, and does not say why` }
    : { untold: 'it shows a page' }
}

/** The service itself did not lead to the provider. */
function judgeStart(asked: Asked, base: string, start: Answer, location: URL | undefined): Told {
  const error = location?.searchParams.get('error')
  if (location && isOfService(location, base, asked) && error === 'OAuthCallbackError') {
    return away(asked, start.url, 'does not answer the service')
  }
  if (error === 'Configuration' || start.status >= 500) {
    return {
      finding: finding(
        'configuration',
        start.url,
        `The service cannot begin a sign-in with ${nameOf(asked)}.`,
        'Nobody can sign in with it. The log of the service names the reason.',
        'npx wrangler tail   # on Node: the log of the app',
      ),
    }
  }
  return { untold: `the service began no sign-in (${start.status})` }
}

/** The provider, or its discovery that the service asks, is not there. */
function away(asked: Asked, url: string, what: string): Told {
  // The query has the state of the sign-in.
  const { origin, pathname } = new URL(url)
  const address = printable(origin + pathname)
  return {
    finding: finding(
      'provider-away',
      address,
      `${nameOf(asked)} ${what}.`,
      'Nobody can sign in with it for now.',
      `curl -i ${address}   # and ${prefixOf(asked)}_ISSUER, if the provider has one`,
    ),
  }
}

function refused(asked: Asked, code: 'redirect-uri' | 'client-unknown', origin: string): Told {
  const callback = printable(asked.redirectUri)
  const why = 'Nobody can sign in with it: people see an error at the provider.'
  const where = `${prefixOf(asked)}_ID`
  return {
    finding:
      code === 'redirect-uri'
        ? finding(
            code,
            callback,
            `${nameOf(asked)} says that this redirect URI is not registered.`,
            why,
            `${callback}   # register exactly this at ${origin}`,
          )
        : finding(
            code,
            origin,
            `${nameOf(asked)} does not know the client of ${where}, or does not allow it.`,
            why,
            `${where}=<client id>   # and its ${prefixOf(asked)}_SECRET, both of this provider`,
          ),
  }
}

function nameOf({ provider }: Asked): string {
  return printable(provider.name).slice(0, 60)
}

function prefixOf({ provider: { id } }: Asked): string {
  const preset = PRESETS.find(([, make]) => make().id === id)
  return preset?.[0] ?? `AUTH_${printable(id).toUpperCase().replaceAll('-', '_')}`
}

function originOf({ url }: Answer): string {
  return URL.canParse(url) ? new URL(url).origin : 'the provider'
}

/** The words of a provider about an error. */
interface Said {
  readonly words: string
  /** They are the description of an error, and not a whole page, which may repeat the request. */
  readonly isDescription: boolean
}

/** The words of a refusal; `undefined`: the answer is not a refusal. */
function refusalIn(answer: Answer): Said | undefined {
  const location = locationOf(answer)
  if (location) {
    const said = [location.searchParams, new URLSearchParams(location.hash.slice(1))]
    return said.map(errorIn).find((one) => one !== undefined)
  }
  return answer.status >= 400 ? saidIn(answer) : undefined
}

/** The error of a redirect (RFC 6749, 4.1.2.1). */
function errorIn(parameters: URLSearchParams): Said | undefined {
  const error = parameters.get('error')
  const words = `${error} ${parameters.get('error_description') ?? ''}`
  return error === null ? undefined : { words, isDescription: true }
}

/** The members of JSON that describe an error. */
const DESCRIBES =
  /^(?:error|code|title|detail|message|reason|summary)|_(?:description|message|detail)$|errorSummary/i

function saidIn(answer: Answer): Said {
  const json = jsonOf(answer)
  if (isRecord(json)) return { words: wordsIn(json).join(' '), isDescription: true }
  const text = answer.text.slice(0, MAX_PAGE)
  const form = /^error=[^\s<>]+$/.test(text) ? errorIn(new URLSearchParams(text)) : undefined
  // Attributes have addresses, which may repeat the request.
  const words = withoutScripts(text).replaceAll(/<[^<>]*>/g, ' ')
  return form ?? { words, isDescription: false }
}

/** In one pass: a page may have thousands of beginnings without an end. */
function withoutScripts(page: string): string {
  let words = ''
  let from = 0
  let isScript = false
  for (const tag of page.matchAll(/<(\/?)(?:script|style)\b[^<>]*>/gi)) {
    if (!isScript) words += `${page.slice(from, tag.index)} `
    isScript = tag[1] === ''
    from = tag.index + tag[0].length
  }
  return isScript ? words : words + page.slice(from)
}

function wordsIn(json: Readonly<Record<string, unknown>>, depth = 0): readonly string[] {
  return Object.entries(json).flatMap(([name, value]) => {
    if (!DESCRIBES.test(name)) return []
    if (typeof value === 'string') return value
    return isRecord(value) && depth < 2 ? wordsIn(value, depth + 1) : []
  })
}

/** How much of a page is looked at. Characters. */
const MAX_PAGE = 50_000

/** Between two words of one sentence. */
const BETWEEN = '[^.!?]{0,100}?'
const NOT =
  "(?:mis-?match|match|invalid|incorrect|illegal|wrong|unknown|unregistered|unauthori[sz]ed|not|n['’]t)"
const URI = String.raw`(?:redirect(?:ion)?|callback|reply|return)[\s_-]*(?:ur[il]|address)`
const CLIENT = String.raw`(?:client(?:[\s_-]*(?:id|key|identifier))?|app(?:lication)?[\s_-]*(?:id|key)|application with identifier)`
const UNKNOWN =
  "(?:invalid|unknown|unregistered|not (?:been )?(?:found|registered|known|recogni[sz]ed|valid|exist)|n['’]t (?:exist|registered|found|valid)|no such)"

const REDIRECT_URI = new RegExp(
  String.raw`redirect_uri_mismatch|invalid_redirect_uri|\b${URI}${BETWEEN}${NOT}\b|\b${NOT}\b${BETWEEN}\b${URI}`,
  'i',
)
const CLIENT_UNKNOWN = new RegExp(
  String.raw`\b(?:invalid|unauthorized|deleted|disabled)_client\b|\b${CLIENT}\b${BETWEEN}\b${UNKNOWN}\b|\b${UNKNOWN}\b${BETWEEN}\b${CLIENT}\b`,
  'i',
)
/** Words of OAuth and OpenID for other errors, whose descriptions may name the client. */
const OTHER =
  /\b(?:invalid_scope|unsupported_response_type|access_denied|server_error|temporarily_unavailable|(?:login|interaction|consent|account_selection)_required|invalid_grant|invalid_target)\b/i

const DESCRIBED_URI = new RegExp(URI, 'i')
const DESCRIBED_CLIENT = /\bclient[\s_-]*(?:id|key|identifier)\b/i

/** Which of the two a refusal names. */
function codeOf({ words, isDescription }: Said): 'redirect-uri' | 'client-unknown' | undefined {
  const own = words
    // An error of another kind repeats the request with both names.
    .replaceAll(/https?:\/\/[^\s"'<>]+/gi, ' ')
    .replaceAll(/\b[\w.-]{1,100}(?:=|%3D)[^\s"'<>&,;]*/gi, ' ')
    .replaceAll(/\s+/g, ' ')
  const says = (page: RegExp, description: RegExp) =>
    page.test(own) || (isDescription && description.test(own))
  if (OTHER.test(own)) return undefined
  if (says(REDIRECT_URI, DESCRIBED_URI)) return 'redirect-uri'
  return says(CLIENT_UNKNOWN, DESCRIBED_CLIENT) ? 'client-unknown' : undefined
}
