/** A mail as it was handed in; a missing part is empty. */
export interface NewMail {
  readonly to: string
  readonly from: string
  readonly subject: string
  readonly text: string
  readonly html: string
}

/** A mail in the mailbox, as `GET /mailbox.json` gives it too. */
export interface SandboxMail extends NewMail {
  /** Counts from 1, in the order of arrival. */
  readonly id: number
  /** When it arrived, in milliseconds since the epoch. */
  readonly at: number
}

export interface Mailbox {
  readonly add: (mail: NewMail) => SandboxMail
  /** Newest first. */
  readonly list: () => readonly SandboxMail[]
  readonly get: (id: number) => SandboxMail | undefined
}

/** Only so many are kept, so that a long-running sandbox does not grow without end. */
const maximumMails = 50

/** Mails in memory: the newest 50. */
export const createMailbox = (now: () => number): Mailbox => {
  let mails: readonly SandboxMail[] = []
  let lastId = 0
  return {
    add: (mail) => {
      lastId += 1
      const added = { ...mail, id: lastId, at: now() }
      mails = [added, ...mails].slice(0, maximumMails)
      return added
    },
    list: () => mails,
    get: (id) => mails.find((mail) => mail.id === id),
  }
}

/**
 * Reads a mail from a request's body.
 * @returns the mail, or a text that explains the error in it.
 */
export const parseMail = (body: unknown): NewMail | string => {
  if (typeof body !== 'object' || body === null) return 'the body must be a JSON object'
  const fields = new Map<string, unknown>(Object.entries(body))
  const mail = { to: '', from: '', subject: '', text: '', html: '' }
  for (const name of ['to', 'from', 'subject', 'text', 'html'] as const) {
    const value = fields.get(name) ?? ''
    if (typeof value !== 'string') return `"${name}" must be a string`
    mail[name] = value
  }
  return mail.to === '' ? '"to" is missing' : mail
}
