import { jsonRequest } from '../features/email/senders.js'
import type { EmailConfig, MailServiceOptions } from '../types.js'
import email from './email.js'

/**
 * Sign-in by email, sent through Twilio SendGrid. The key, which needs "Mail Send" alone, is `apiKey` or
 * `AUTH_SENDGRID_KEY`, the sender `from`, `AUTH_SENDGRID_FROM` or `AUTH_EMAIL_FROM`. Links are not tracked: SendGrid
 * would know them.
 *
 * @see https://www.twilio.com/docs/sendgrid/api-reference/mail-send/mail-send
 *
 * @example sendgrid({ from: 'Example <sign-in@example.com>' })
 */
export default function sendgrid({ apiKey, ...options }: MailServiceOptions = {}): EmailConfig {
  return {
    ...email({ id: 'sendgrid', ...options }),
    service: {
      name: 'SendGrid',
      settings: { KEY: apiKey },
      request: ({ sender, to, subject, text, html, headers }, { KEY }) =>
        jsonRequest(
          'https://api.sendgrid.com/v3/mail/send',
          { authorization: `Bearer ${KEY}` },
          {
            personalizations: [{ to: [{ email: to }] }],
            from: sender,
            subject,
            content: [
              { type: 'text/plain', value: text },
              { type: 'text/html', value: html },
            ],
            headers,
            tracking_settings: {
              click_tracking: { enable: false, enable_text: false },
              open_tracking: { enable: false },
            },
          },
        ),
      // It answers with nothing but this status.
      isTaken: (status) => status === 202,
    },
  }
}
