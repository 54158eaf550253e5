import { createAuth } from '../index.js'
import email from '../providers/email.js'
import { memoryStore } from '../stores/memory.js'
import type { AuthConfig, EmailUserConfig, Environment, VerificationRequest } from '../types.js'
import { Browser, configWith, locationOf, origin } from './browser.js'
import { waitedFor } from './time.js'

/** The mail and the flow of a person who asked for a mail. */
export interface Asked {
  readonly answer: Response
  readonly browser: Browser
  /** The last mail to any address. */
  readonly mail: VerificationRequest | undefined
  /** Path and query of its link. */
  readonly path: string
  readonly token: string
  readonly code: string
  /** Id of the flow that was started. */
  readonly flow: string
}

/** A deployment whose mails and log lines are recorded. */
export function withMail(
  options: EmailUserConfig = {},
  changes: Partial<AuthConfig> = {},
  { env = {}, at = origin }: { env?: Environment; at?: string } = {},
) {
  const mails: VerificationRequest[] = []
  const errors: Error[] = []
  const lines: unknown[][] = []
  const store = memoryStore()
  const config = configWith({
    providers: [mailProvider(mails, options)],
    store,
    debug: true,
    logger: {
      error: (error) => void errors.push(error),
      warn: (...line) => void lines.push(line),
      debug: (...line) => void lines.push(line),
    },
    ...changes,
  })
  const auth = createAuth(config)
  const { sendVerificationRequest, generateVerificationToken } = options
  const waits = [sendVerificationRequest, generateVerificationToken, config.callbacks]
  // Only calls that may wait for a timer move the clock: elsewhere tests count seconds.
  const isTimed = waits.some(Boolean) || 'RATE_LIMIT' in env
  const answer = async (request: Request) => {
    const work = auth.fetch(request, env)
    return isTimed ? waitedFor(work) : work
  }
  const browser = (headers: Record<string, string> = {}) =>
    new Browser(config, {
      at,
      answer: (request) => {
        for (const [name, value] of Object.entries(headers)) request.headers.set(name, value)
        return answer(request)
      },
    })
  const ask = async (
    address = 'ada@example.com',
    where = browser(),
    { provider = 'email', callbackUrl = '/inbox', headers = {} } = {},
  ): Promise<Asked> => {
    const fields = { email: address, callbackUrl }
    const started = await where.submit(`/auth/signin/${provider}`, fields, headers)
    const mail = mails.at(-1)
    const url = new URL(mail?.url ?? origin)
    const token = url.searchParams.get('token') ?? ''
    const flow = new URL(locationOf(started), at).searchParams.get('flow') ?? ''
    const path = url.pathname + url.search
    return { answer: started, browser: where, mail, path, token, code: mail?.code ?? '', flow }
  }
  return { mails, errors, lines, store, config, browser, ask, answer }
}

/** An email provider that records its mails. */
export function mailProvider(mails: VerificationRequest[], options: EmailUserConfig = {}) {
  return email({
    from: 'Example <sign-in@example.com>',
    sendVerificationRequest: (request) => void mails.push(request),
    ...options,
  })
}

/** A code that is not the one that was mailed. */
export function wrong(code: string, by = 1): string {
  return String((Number(code) + by) % 1_000_000).padStart(6, '0')
}
