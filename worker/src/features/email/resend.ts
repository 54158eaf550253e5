import type { MailService } from '../../types.js'
import { formatSender, jsonRequest } from './senders.js'

/** Resend. @see https://resend.com/docs/api-reference/emails/send-email */
export const RESEND: MailService = {
  name: 'Resend',
  settings: { KEY: undefined },
  request: ({ sender, to, subject, text, html, headers }, { KEY }) =>
    jsonRequest(
      'https://api.resend.com/emails',
      { authorization: `Bearer ${KEY}` },
      { from: formatSender(sender), to: [to], subject, text, html, headers },
    ),
  isTaken: (status, { id }) => status === 200 && typeof id === 'string',
  codeOf: ({ name }) => name,
}
