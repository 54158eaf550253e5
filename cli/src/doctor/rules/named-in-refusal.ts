import { isRecord } from '@latchkey/session/internal'
import { locationOf } from '../live/ask-providers.js'
import { type Answer, jsonOf } from '../live/get.js'

/** The part of a request that a provider refuses. */
export type Named = 'redirect-uri' | 'client-unknown'

/**
 * The part of the request that an answer names in its refusal: a 4xx, or a redirect with an `error`.
 *
 * @returns `undefined`: the answer is not a refusal, or refuses something else, or does not say what
 */
export function namedInRefusal(answer: Answer): Named | undefined {
  const said = refusalIn(answer)
  return said && nameIn(said)
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
  const text = answer.text.slice(0, MAX_WORDS)
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

/** A longer text is cut. Characters. */
const MAX_WORDS = 50_000

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

function nameIn({ words, isDescription }: Said): Named | undefined {
  const own = words
    .slice(0, MAX_WORDS)
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
