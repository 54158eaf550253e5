import { RESEND } from '../features/email/resend.js'
import type { EmailConfig, MailServiceOptions } from '../types.js'
import email from './email.js'

/**
 * Sign-in by email, sent through Resend. The key is `apiKey` or `AUTH_RESEND_KEY`, the sender `from`,
 * `AUTH_RESEND_FROM` or `AUTH_EMAIL_FROM`. It is what the provider `email` sends through if that key is set, under an
 * id of its own.
 *
 * @see https://resend.com/docs/api-reference/emails/send-email
 *
 * @example resend({ from: 'Example <sign-in@example.com>' })
 */
export default function resend({ apiKey, ...options }: MailServiceOptions = {}): EmailConfig {
  return {
    ...email({ id: 'resend', ...options }),
    service: { ...RESEND, settings: { KEY: apiKey } },
  }
}
