import { email as kind } from '../features/email/kind.js'
import type { EmailConfig, EmailUserConfig } from '../types.js'

/**
 * Sign-in by email: a mail with a link, and a code for the page that it was asked from. The sender
 * is `from` or `AUTH_EMAIL_FROM`; mails go through the binding `EMAIL`, or through Resend if
 * `AUTH_RESEND_KEY` is set, or through a function of your own.
 *
 * @example
 * email({ from: 'Example <sign-in@example.com>' })
 * @example
 * email({ sendVerificationRequest: ({ mail }) => transport.sendMail(mail) })
 */
export default function email(options: EmailUserConfig = {}): EmailConfig {
  const { id = 'email', name = 'Email' } = options
  return { ...options, id, name, type: 'email', kind }
}
