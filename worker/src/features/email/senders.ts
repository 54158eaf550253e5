import { answerWithin, isRecord, readLimited } from '@latchkey/session/internal'
import { pattern } from '../../lib/pattern.js'
import type { MailProof, MailService, ServiceMail, SignInMail } from '../../types.js'
import { normalizeAddress } from './address.js'

/** Sends one mail, or rejects. Its errors hold no address, link, code or key: they may be logged. */
export type SendMail = (mail: SignInMail, proof?: MailProof) => Promise<void>

/** A service that has not taken the mail by then counts as silent. Milliseconds. */
const MAX_WAIT = 10_000
/** In bytes. */
const MAX_ANSWER = 64 * 1024
/** Prevents automatic replies, such as out-of-office notes (RFC 3834, section 5). */
const headers = { 'Auto-Submitted': 'auto-generated' }

/**
 * Sends through Cloudflare's `send_email` binding.
 *
 * @see https://developers.cloudflare.com/email-service/api/send-emails/workers-api/
 */
export function bindingSender(binding: SendEmail): SendMail {
  return async ({ from, to, subject, text, html }) => {
    const { name, email } = senderOf(from)
    const sender = name === undefined ? email : { name, email }
    const send = async () => binding.send({ from: sender, to, subject, text, html, headers })
    await inTime('The email binding', send())
  }
}

/**
 * Sends through a service by HTTP.
 *
 * @param settings by the ends of their variables
 */
export function serviceSender(
  service: MailService,
  settings: Readonly<Record<string, string>>,
  fetch: typeof globalThis.fetch,
): SendMail {
  return async (mail, proof) => {
    const ready = { ...mail, ...proof, sender: senderOf(mail.from), headers }
    const controller = new AbortController()
    const exchange = async () => {
      const { url, ...request } = await service.request(ready, settings)
      const answer = await fetch(url, {
        method: 'POST',
        ...request,
        // Resend refuses requests without one, and a Worker sends none by itself.
        headers: { 'user-agent': 'Latchkey', ...request.headers },
        redirect: 'manual',
        signal: controller.signal,
      })
      return { status: answer.status, said: await readAnswer(answer) }
    }
    const { status, said } = await inTime(service.name, exchange(), () => controller.abort())
    if (service.isTaken(status, said)) return
    throw refusal(service.name, service.codeOf?.(said), `status ${status}`)
  }
}

/** A request with a body of JSON. */
export function jsonRequest(url: string, headers: Readonly<Record<string, string>>, body: unknown) {
  return {
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

/**
 * The sender that a text such as `Example <sign-in@example.com>` names. A name holds no control
 * characters, so that it cannot begin another header line; in quotes it may be anything else,
 * without them it has no `<`, `>`, `@`, `"` or backslash.
 *
 * @returns undefined for anything else, such as a list
 * @example parseSender('Example, Inc. <a@example.com>') // { name: 'Example, Inc.', email: 'a@example.com' }
 */
export function parseSender(text: string): ServiceMail['sender'] | undefined {
  if (text.length > 512 || controls().test(text)) return undefined
  const [, quoted, plain = '', inBrackets, bare] = SENDER.exec(text.trim()) ?? []
  const email = normalizeAddress(inBrackets ?? bare)
  if (email === undefined) return undefined
  const name = (quoted?.replace(/\\(.)/gu, '$1') ?? plain).trim()
  return name === '' ? { email } : { name, email }
}

/**
 * The sender in the form of a header. The name is always in quotes, so that no character in it is
 * special: a comma would otherwise begin another address.
 */
export function formatSender({ name, email }: ServiceMail['sender']): string {
  return name === undefined ? email : `"${name.replace(/["\\]/g, '\\$&')}" <${email}>`
}

const controls = pattern(String.raw`[\p{C}\u2028\u2029]`, 'u')

const SENDER = /^(?:(?:"((?:[^"\\]|\\.)*)"|([^"<>\\@]*))\s*<([^<>]*)>|([^<>\s]+))$/u

function senderOf(from: string): ServiceMail['sender'] {
  const sender = parseSender(from)
  if (!sender) throw new Error('The sender of mails is not an address.')
  return sender
}

/** The service's answer. Rejects when it fails or takes too long. */
async function inTime<Answer>(
  service: string,
  work: Promise<Answer>,
  giveUp: () => void = () => {},
): Promise<Answer> {
  let fact: string | undefined
  try {
    return await answerWithin(MAX_WAIT, work, () => {
      fact = `no answer within ${MAX_WAIT} ms`
      giveUp()
    })
  } catch (error) {
    const code = codeOf(error)
    // A Worker's own fetch gives no code if a service cannot be reached.
    throw refusal(service, code, fact ?? (code === undefined ? 'no answer' : undefined))
  }
}

/** The service's answer as a JSON object of bounded size. */
async function readAnswer({ body }: Response): Promise<Record<string, unknown>> {
  const bytes = await readLimited(body, MAX_ANSWER)
  try {
    const said: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isRecord(said) ? said : {}
  } catch {
    return {}
  }
}

/** The code of an error, or of the one that it wraps, as `fetch` of Node does. */
function codeOf(error: unknown): unknown {
  const { code, cause } = isRecord(error) ? error : {}
  return code ?? (isRecord(cause) ? cause.code : undefined)
}

/**
 * A service's message may quote the request. So only its code is used, and only when it consists of
 * letters and underscores: it can then hold no address, link or six digits.
 */
function refusal(service: string, said: unknown, fact?: string): Error {
  const code = typeof said === 'string' && /^[a-z_]{1,64}$/i.test(said) ? said : undefined
  const facts = [fact, code].filter(Boolean).join(', ')
  const message = `${service} did not take the mail${facts && ` (${facts})`}.`
  return new Error(message, code === undefined ? {} : { cause: { code } })
}
