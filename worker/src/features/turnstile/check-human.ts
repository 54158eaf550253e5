import { isTrustedOrigin } from '@latchkey/host/shared'
import { isRecord } from '@latchkey/session/internal'
import { AccessDenied, StoreUnavailable, TooManyAttempts } from '../../errors.js'
import type { Fields } from '../../http/body.js'
import { limitedFetch, timeLimit } from '../../http/limited-fetch.js'
import { tryProvider } from '../../http/network-limit.js'
import type { AuthRequest } from '../../http/request.js'
import type { Words } from '../../languages/texts.js'
import { ownDetail } from '../../lib/printable.js'
import type { PageScript } from '../../pages/layout.js'
import type { Markup } from '../../pages/markup.js'
import { HumanCheck, hasHumanCheck } from './human-check.js'
import type { Turnstile } from './settings.js'

/** The field that the widget adds to its form. */
const FIELD = 'cf-turnstile-response'

const CLOUDFLARE = 'https://challenges.cloudflare.com/turnstile/v0/'

/** The widget's script. It must come from this very address. */
const CHECK_SCRIPT = { src: `${CLOUDFLARE}api.js` }

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
 * @throws {StoreUnavailable} Cloudflare did not say which
 * @throws {TooManyAttempts} this network has sent many wrong ones
 */
export async function checkHuman(request: AuthRequest, fields: Fields): Promise<void> {
  const turnstile = turnstileOf(request)
  const response = fields[FIELD]
  if (!turnstile) return
  if (typeof response === 'string' && response && response.length <= MAX_RESPONSE) {
    // With made-up responses a stranger could have us ask without end.
    const { wait, forgive, fail } = await tryProvider(request, 'human')
    if (wait > 0) {
      throw Object.assign(new TooManyAttempts('Too many wrong responses.'), {
        retryAfter: wait,
      })
    }
    const { success, hostname } = await verdictOn(turnstile, response)
    if (success && isOurs(request, turnstile, hostname)) return forgive()
    await fail()
    if (success) {
      throw refused(`A ${FIELD} comes from a page of another host.`, { hostname })
    }
  }
  throw refused(`A form has no right ${FIELD}.`)
}

function refused(message: string, detail: object = {}): AccessDenied {
  const error = new AccessDenied(message, { cause: ownDetail({ ...detail }) })
  return Object.assign(error, { code: 'turnstile' })
}

/** Cloudflare's secret keys for tests, which pass, fail or refuse every user, on a host of their own. */
const TEST_KEY = /^[123]x0+AA$/

/**
 * Was the widget on a page of ours? If its key is used on other sites too, a stranger could have
 * their visitors solve it there. Pages of ours are those of the public origin, and of trusted
 * origins, which may send us forms.
 *
 * @param hostname of the page, as Cloudflare says; a stand-in for it may say none
 */
function isOurs(
  { original, origin, config }: AuthRequest,
  { secretKey }: Turnstile,
  hostname: string | undefined,
): boolean {
  if (hostname === undefined || TEST_KEY.test(secretKey)) return true
  const source = original.headers.get('origin')
  const isTrusted = source !== null && isTrustedOrigin(source, config.origin.trusted)
  const pages = isTrusted ? [origin, source] : [origin]
  return pages.some((page) => URL.parse(page)?.hostname === hostname)
}

/** Such a code does not judge the response: our secret key is wrong, or Turnstile failed. */
const FAULT = /-secret|internal/

interface Verdict {
  readonly success: boolean
  /** The host of the page with the widget. */
  readonly hostname: string | undefined
}

/** @throws {StoreUnavailable} with no part of the request or of the answer's text */
async function verdictOn({ verifyUrl, secretKey }: Turnstile, response: string): Promise<Verdict> {
  const body = new URLSearchParams({ secret: secretKey, response })
  let status: number | undefined
  try {
    const ask = limitedFetch(fetch, timeLimit(MAX_WAIT), MAX_ANSWER)
    const answer = await ask(verifyUrl ?? `${CLOUDFLARE}siteverify`, { method: 'POST', body })
    status = answer.status
    const said: unknown = await answer.json()
    // A refusal may come with 400.
    const isVerdict = isRecord(said) && (status === 200 || status === 400)
    if (isVerdict && !FAULT.test(String(said['error-codes']))) {
      const hostname = typeof said.hostname === 'string' ? said.hostname : undefined
      return { success: status === 200 && said.success === true, hostname }
    }
  } catch {
    // An error may quote the answer.
  }
  throw new StoreUnavailable('Turnstile cannot be asked. Is AUTH_TURNSTILE_SECRET_KEY right?', {
    cause: ownDetail({ status }),
  })
}

/** What shows that a person sends a form. Its page may run Turnstile's script. */
export function humanCheck(request: AuthRequest, words: Words): Markup | undefined {
  const turnstile = turnstileOf(request)
  return turnstile && HumanCheck(turnstile.siteKey, request.config.theme, words)
}

/** The widget's script, for a page that has the widget. */
export function checkScripts(page: Markup): readonly PageScript[] {
  return hasHumanCheck(page) ? [CHECK_SCRIPT] : []
}

function turnstileOf({ features }: AuthRequest): Turnstile | undefined {
  return features.settings<Turnstile>('turnstile')
}
