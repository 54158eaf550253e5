import { formatSender, jsonRequest } from '../features/email/senders.js'
import type { EmailConfig, MailServiceOptions } from '../types.js'
import email from './email.js'

/**
 * Sign-in by email, sent through Postmark. The server's token is `apiKey` or `AUTH_POSTMARK_KEY`, the sender `from`,
 * `AUTH_POSTMARK_FROM` or `AUTH_EMAIL_FROM`. Links are not tracked: Postmark would know them.
 *
 * @see https://postmarkapp.com/developer/api/email-api
 *
 * @example postmark({ from: 'Example <sign-in@example.com>' })
 */
export default function postmark({ apiKey, ...options }: MailServiceOptions = {}): EmailConfig {
  return {
    ...email({ id: 'postmark', ...options }),
    service: {
      name: 'Postmark',
      settings: { KEY: apiKey },
      request: ({ sender, to, subject, text, html, headers }, { KEY = '' }) =>
        jsonRequest(
          'https://api.postmarkapp.com/email',
          { accept: 'application/json', 'x-postmark-server-token': KEY },
          {
            From: formatSender(sender),
            To: to,
            Subject: subject,
            TextBody: text,
            HtmlBody: html,
            Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
            TrackLinks: 'None',
            TrackOpens: false,
          },
        ),
      isTaken: (status, { ErrorCode }) => status === 200 && ErrorCode === 0,
    },
  }
}
