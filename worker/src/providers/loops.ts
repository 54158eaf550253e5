import { jsonRequest } from '../features/email/senders.js'
import type { EmailConfig, MailServiceOptions } from '../types.js'
import email from './email.js'

/** The options of Loops. */
export interface LoopsOptions extends MailServiceOptions {
  /** The id of your mail at Loops. Default: `AUTH_LOOPS_TRANSACTIONAL_ID`. */
  readonly transactionalId?: string
}

/**
 * Sign-in by email, sent through Loops by a transactional mail of yours. The key is `apiKey` or `AUTH_LOOPS_KEY`, the
 * mail's id `transactionalId` or `AUTH_LOOPS_TRANSACTIONAL_ID`. The sender is the mail's own.
 *
 * The mail has the variables `subject`, `text`, `url` and `code`. `text` says everything, link and code too; messages
 * about changes of an account have no other.
 *
 * @see https://loops.so/docs/api-reference/send-transactional-email
 *
 * @example loops({ transactionalId: 'clfq6dinn000yl70fgwwyp82l' })
 */
export default function loops({
  apiKey,
  transactionalId,
  ...options
}: LoopsOptions = {}): EmailConfig {
  return {
    ...email({ id: 'loops', ...options }),
    service: {
      name: 'Loops',
      settings: { KEY: apiKey, TRANSACTIONAL_ID: transactionalId },
      request: ({ to, subject, text, url, code }, { KEY, TRANSACTIONAL_ID }) =>
        jsonRequest(
          'https://app.loops.so/api/v1/transactional',
          { authorization: `Bearer ${KEY}` },
          {
            transactionalId: TRANSACTIONAL_ID,
            email: to,
            // A stranger who types an address does not become a contact.
            addToAudience: false,
            dataVariables: { subject, text, url, code },
          },
        ),
      isTaken: (status, { success }) => status === 200 && success === true,
    },
  }
}
