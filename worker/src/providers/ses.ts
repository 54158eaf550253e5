import { formatSender, jsonRequest } from '../features/email/senders.js'
import { signAws } from '../lib/sign-aws.js'
import type { EmailConfig, MailServiceOptions } from '../types.js'
import email from './email.js'

/** The options of Amazon SES. */
export interface SESOptions extends Omit<MailServiceOptions, 'apiKey'> {
  /** The user's access key. Default: `AUTH_SES_KEY`. */
  readonly accessKeyId?: string
  /** Its secret. Default: `AUTH_SES_SECRET`. */
  readonly secretAccessKey?: string
  /** The region that sends the mails, such as `eu-west-1`. Default: `AUTH_SES_REGION`. */
  readonly region?: string
}

/**
 * Sign-in by email, sent through Amazon SES. `accessKeyId`, `secretAccessKey` and `region`, or `AUTH_SES_KEY`,
 * `AUTH_SES_SECRET` and `AUTH_SES_REGION`, are those of a user that may do `ses:SendEmail` alone; the sender is `from`,
 * `AUTH_SES_FROM` or `AUTH_EMAIL_FROM`.
 *
 * @see https://docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html
 *
 * @example ses({ from: 'Example <sign-in@example.com>', region: 'eu-west-1' })
 */
export default function ses({
  accessKeyId,
  secretAccessKey,
  region,
  ...options
}: SESOptions = {}): EmailConfig {
  return {
    ...email({ id: 'ses', ...options }),
    service: {
      name: 'Amazon SES',
      settings: { KEY: accessKeyId, SECRET: secretAccessKey, REGION: region },
      request: async ({ sender, to, subject, text, html, headers }, settings) => {
        const { KEY = '', SECRET = '', REGION = '' } = settings
        const part = (Data: string) => ({ Data, Charset: 'UTF-8' })
        const { url, body, ...request } = jsonRequest(
          `https://email.${REGION}.amazonaws.com/v2/email/outbound-emails`,
          {},
          {
            FromEmailAddress: formatSender(sender),
            Destination: { ToAddresses: [to] },
            Content: {
              Simple: {
                Subject: part(subject),
                Body: { Text: part(text), Html: part(html) },
                Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })),
              },
            },
          },
        )
        const client = { accessKeyId: KEY, secretAccessKey: SECRET, region: REGION, service: 'ses' }
        const signed = await signAws(client, { url, body, headers: request.headers }, new Date())
        return { url, body, headers: signed }
      },
      isTaken: (status, { MessageId }) => status === 200 && typeof MessageId === 'string',
    },
  }
}
