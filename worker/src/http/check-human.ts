import { isRecord, timeLimit } from '@latchkey/session/internal'
import type { Turnstile } from '../config/turnstile.js'
import { AccessDenied, StoreUnavailable, TooManyAttempts } from '../errors.js'
import type { Words } from '../languages/words.js'
import { ownDetail } from '../lib/own-detail.js'
import { HumanCheck } from '../pages/human-check.js'
import type { Markup } from '../pages/markup.js'
import type { Fields } from './body.js'
import { limitedFetch } from './limited-fetch.js'
import { tryProvider } from './network-limit.js'
import type { AuthRequest } from './request.js'

/** The field that the widget adds to its form. */
const FIELD = 'cf-turnstile-response'

const CLOUDFLARE = 'https://challenges.cloudflare.com/turnstile/v0/'

/** The widget's script. It must come from this very address. */
export const CHECK_SCRIPT = { src: `${CLOUDFLARE}api.js` }

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
  const { turnstile } = request.config
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
    if (await isRight(turnstile, response)) return forgive()
    await fail()
  }
  throw Object.assign(new AccessDenied(`A form has no right ${FIELD}.`), { code: 'turnstile' })
}

/** Such a code is no word on the response: our secret key is wrong, or Turnstile failed. */
const FAULT = /-secret|internal/

/** @throws {StoreUnavailable} with nothing of the request or of the answer's text */
async function isRight({ verifyUrl, secretKey }: Turnstile, response: string): Promise<boolean> {
  const body = new URLSearchParams({ secret: secretKey, response })
  let status: number | undefined
  try {
    const ask = limitedFetch(fetch, timeLimit(MAX_WAIT), MAX_ANSWER)
    const answer = await ask(verifyUrl ?? `${CLOUDFLARE}siteverify`, { method: 'POST', body })
    status = answer.status
    const said: unknown = await answer.json()
    // What is wrong may come with 400.
    const isVerdict = isRecord(said) && (status === 200 || status === 400)
    if (isVerdict && !FAULT.test(String(said['error-codes']))) {
      return status === 200 && said.success === true
    }
  } catch {
    // An error may quote the answer.
  }
  throw new StoreUnavailable('Turnstile cannot be asked. Is AUTH_TURNSTILE_SECRET_KEY right?', {
    cause: ownDetail({ status }),
  })
}

/** What shows that a person sends a form; `undefined` where nobody asks. Its page may run Turnstile's script. */
export function humanCheck({ config }: AuthRequest, words: Words): Markup | undefined {
  const { turnstile, theme } = config
  return turnstile && HumanCheck(turnstile.siteKey, theme, words)
}
