import { answerWithin } from '@latchkey/session/internal'
import { EmailNotSent } from '../../errors.js'
import type { Notice } from '../../http/kind.js'
import { wordsFor } from '../../http/locale.js'
import type { AuthRequest } from '../../http/request.js'
import { hideSecrets, ownDetail, printable } from '../../lib/printable.js'
import { deviceOf } from '../../session/device.js'
import type { VerificationRequest } from '../../types.js'
import { signInMail } from './mail.js'
import { markOf } from './mark.js'
import { noticeMail } from './notice-mail.js'
import type { ResolvedEmailProvider } from './resolve.js'
import type { Mailed } from './verification.js'

/** The deadline of the app's function that sends. Milliseconds. */
const SEND_TIMEOUT = 10_000

export async function sendMail(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  { address, device, link, flow }: Mailed,
  content: { readonly url: string; readonly code: string; readonly expires: Date },
): Promise<void> {
  const { host, hostname } = new URL(request.origin)
  const { theme } = request.config
  const mail = signInMail({
    ...content,
    words: await wordsFor(request),
    from: provider.from ?? `no-reply@${hostname}`,
    to: address,
    mark: markOf(flow),
    now: request.config.now(),
    host,
    device,
    theme,
    isAdding: link !== undefined,
  })
  const purpose = link === undefined ? 'sign-in' : 'add'
  await send(request, provider, { purpose, identifier: address, ...content, mail })
}

/** Tells a user of a change to their account. @throws {EmailNotSent} */
export async function sendNotice(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  { to, ...content }: Notice,
): Promise<void> {
  const { host, hostname } = new URL(request.origin)
  const mail = noticeMail({
    ...content,
    words: await wordsFor(request),
    from: provider.from ?? `no-reply@${hostname}`,
    to,
    host,
    device: deviceOf(request.original),
    theme: request.config.theme,
  })
  const url = `${request.issuer}/account`
  const expires = new Date(request.config.now())
  await send(request, provider, { purpose: 'notice', identifier: to, url, code: '', expires, mail })
}

/** @throws {EmailNotSent} */
async function send(
  request: AuthRequest,
  provider: ResolvedEmailProvider,
  content: Omit<VerificationRequest, 'provider' | 'request' | 'theme'>,
): Promise<void> {
  const { theme } = request.config
  const asked = { ...content, provider: provider.config, request: request.original, theme }
  try {
    await answerWithin(SEND_TIMEOUT, provider.send(asked))
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error('unknown')
    // The sender's error may quote its input, whole or in part, in lines or in capitals.
    const secrets = [content.url, content.code, content.identifier]
    const text = hideSecrets(name === 'Error' ? message : `${name}: ${message}`, secrets)
    // The token's parts, and other texts of that length: parts are never shorter.
    const reason = printable(beginningOf(text).replace(/\S+@\S+|[\w-]{22,}/g, '[hidden]'))
    throw new EmailNotSent('A sign-in mail could not be sent.', {
      cause: ownDetail({ provider: provider.id, reason }),
    })
  }
}

/** In characters. Looking for addresses in a text costs the square of its length. */
const MAX_REASON = 1_000

/** The whole words at the beginning of a foreign text: half of a secret would not be recognized. */
function beginningOf(text: string): string {
  return text.length > MAX_REASON ? text.slice(0, MAX_REASON).replace(/\S+$/, '') : text
}
