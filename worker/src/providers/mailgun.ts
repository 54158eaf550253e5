import { formatSender } from '../features/email/senders.js'
import type { EmailConfig, MailServiceOptions } from '../types.js'
import email from './email.js'

/** The options of Mailgun. */
export interface MailgunOptions extends MailServiceOptions {
  /** The region of the domain. Default `us`. */
  readonly region?: 'us' | 'eu'
}

const HOSTS = { us: 'api.mailgun.net', eu: 'api.eu.mailgun.net' }

/**
 * Sign-in by email, sent through Mailgun, from the domain of the sender. The key is `apiKey` or `AUTH_MAILGUN_KEY`, the
 * sender `from`, `AUTH_MAILGUN_FROM` or `AUTH_EMAIL_FROM`. Links are not tracked: Mailgun would know them.
 *
 * @see https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/messages
 *
 * @example mailgun({ from: 'Example <sign-in@mail.example.com>', region: 'eu' })
 */
export default function mailgun({
  apiKey,
  region = 'us',
  ...options
}: MailgunOptions = {}): EmailConfig {
  return {
    ...email({ id: 'mailgun', ...options }),
    service: {
      name: 'Mailgun',
      settings: { KEY: apiKey },
      request: ({ sender, to, subject, text, html, headers }, { KEY }) => ({
        url: `https://${HOSTS[region]}/v3/${encodeURIComponent(domainOf(sender.email))}/messages`,
        headers: { authorization: `Basic ${btoa(`api:${KEY}`)}` },
        body: new URLSearchParams({
          from: formatSender(sender),
          to,
          subject,
          text,
          html,
          'o:tracking': 'no',
          ...Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [`h:${name}`, value]),
          ),
        }),
      }),
      isTaken: (status, { id }) => status === 200 && typeof id === 'string',
    },
  }
}

function domainOf(address: string): string {
  return address.slice(address.lastIndexOf('@') + 1)
}
