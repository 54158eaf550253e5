import { answerWithin, isRecord, readLimited } from '@latchkey/session/internal'
import type { Turnstile } from '../config/turnstile.js'
import { AccessDenied, TooManyAttempts, TurnstileUnavailable } from '../errors.js'
import { ownDetail } from '../lib/own-detail.js'
import { HumanCheck } from '../pages/human-check.js'
import type { PageScript } from '../pages/layout.js'
import type { Markup } from '../pages/markup.js'
import type { Fields } from './body.js'
import { tryProvider } from './network-limit.js'
import type { AuthRequest } from './request.js'

/** The field that the widget adds to its form. */
const FIELD = 'cf-turnstile-response'

/** The widget's script. It must come from this very address. */
const SCRIPT = { src: 'https://challenges.cloudflare.com/turnstile/v0/api.js' }

/** The longest response that Turnstile gives. Characters. */
const MAX_RESPONSE = 2_048
/** Milliseconds. */
const MAX_WAIT = 10_000
/** In bytes. */
const MAX_ANSWER = 64 * 1024

/**
 * Checks the response of Turnstile's widget, which counts once and for five minutes: Cloudflare sees to both.
 *
 * The visitor's address is not sent along. Cloudflare has seen it in the widget; here it may be of another kind
 * (IPv4 or IPv6), or that of an app which forwards, and a person could be refused for it.
 *
 * @throws {AccessDenied} `code` is `turnstile`: the response is missing or wrong
 * @throws {TurnstileUnavailable} Cloudflare did not say which
 * @throws {TooManyAttempts} this network has sent many wrong ones
 */
export async function checkHuman(request: AuthRequest, fields: Fields): Promise<void> {
  const { turnstile } = request.config
  if (!turnstile) return
  const response = fields[FIELD]
  if (typeof response !== 'string' || response === '' || response.length > MAX_RESPONSE) {
    throw notHuman(`The form has no usable field ${FIELD}.`)
  }
  // With made-up responses a stranger could have us ask without end.
  const attempt = await tryProvider(request, 'human')
  if (attempt.wait > 0) {
    const error = new TooManyAttempts('Too many wrong responses of Turnstile.')
    error.retryAfter = attempt.wait
    throw error
  }
  const { success, codes } = await ask(turnstile, response)
  if (success) return attempt.forgive()
  await attempt.fail()
  throw notHuman('Turnstile took the visitor for a program.', { codes })
}

/** What a page has whose forms only a person may send. */
interface ShownCheck {
  /** For each such form. */
  readonly human?: Markup
  readonly scripts: readonly PageScript[]
}

/** @param isNeeded has the page such a form? Others allow no script of Cloudflare's */
export function shownCheck({ config }: AuthRequest, isNeeded: boolean): ShownCheck {
  const { turnstile, theme } = config
  if (!turnstile || !isNeeded) return { scripts: [] }
  return { human: HumanCheck(turnstile.siteKey, theme), scripts: [SCRIPT] }
}

function notHuman(message: string, detail?: object): AccessDenied {
  const error = new AccessDenied(message, detail ? { cause: ownDetail(detail) } : {})
  error.code = 'turnstile'
  return error
}

interface Verdict {
  readonly success: boolean
  /** Cloudflare's reasons. */
  readonly codes: string
}

/** What is wrong here, or at Cloudflare, and not with the response. */
const FAULT = /^(?:(?:missing|invalid)-input-secret|internal-error)$/
/** What is wrong with the response. Any other text is not logged: it could be the request, repeated. */
const WRONG = /^(?:(?:missing|invalid)-input-response|bad-request|timeout-or-duplicate)$/

/** @throws {TurnstileUnavailable} with nothing of the request or the answer but its status and codes */
async function ask({ verifyUrl, secretKey }: Turnstile, response: string): Promise<Verdict> {
  const controller = new AbortController()
  const exchange = async () => {
    const answer = await fetch(verifyUrl, {
      method: 'POST',
      body: new URLSearchParams({ secret: secretKey, response }),
      redirect: 'manual',
      signal: controller.signal,
    })
    return { status: answer.status, said: parse(await readLimited(answer.body, MAX_ANSWER)) }
  }
  const { status, said } = await answerWithin(MAX_WAIT, exchange(), () => controller.abort()).catch(
    () => {
      throw unavailable({ reason: `no answer within ${MAX_WAIT} ms, or none at all` })
    },
  )
  const codes = codesIn(said)
  const isFault = codes.some((code) => FAULT.test(code))
  // It answers a response that is wrong with 200 or 400.
  const isVerdict = isRecord(said) && (status === 200 || (status === 400 && said.success === false))
  if (!isVerdict || isFault) throw unavailable({ status, codes: codes.join(' ') })
  return { success: said.success === true, codes: codes.join(' ') }
}

function unavailable(detail: object): TurnstileUnavailable {
  return new TurnstileUnavailable(
    'Turnstile cannot be asked, so nobody is let through. Look at AUTH_TURNSTILE_SECRET_KEY and at Cloudflare’s status.',
    { cause: ownDetail(detail) },
  )
}

function parse(bytes: Uint8Array | undefined): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes))
  } catch {
    return undefined
  }
}

function codesIn(said: unknown): readonly string[] {
  const codes = isRecord(said) ? said['error-codes'] : undefined
  if (!Array.isArray(codes)) return []
  return codes.slice(0, 8).filter((code) => FAULT.test(code) || WRONG.test(code))
}
