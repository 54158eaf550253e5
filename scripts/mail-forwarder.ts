import { stripVTControlCharacters } from 'node:util'

export interface MailForwarderOptions {
  /** The Worker under `wrangler dev` that sends the mails. */
  workerUrl: string
  /** The sandbox's mailbox. */
  mailboxUrl: string
  /** The sandbox's variable SANDBOX_MAILBOX_KEY. */
  mailboxKey: string
  /** Prints one line for a person; of a mail it names only the recipient. */
  print(line: string): void
}

/**
 * Hands the mails that a Worker sent through its local `send_email` binding to the sandbox. They
 * are read from the API of wrangler's own explorer: its printed output cannot be parsed reliably
 * when a subject or an address contains line breaks.
 *
 * @returns a function to call whenever a mail may have been sent. It never rejects.
 */
export function createMailForwarder(options: MailForwarderOptions): () => Promise<void> {
  const { workerUrl, mailboxUrl, mailboxKey, print } = options
  const handedOn = new Set<string>()

  async function forward(): Promise<void> {
    const sent = await listSent(workerUrl)
    // Wrangler names the newest first.
    for (const id of sent.filter((id) => !handedOn.has(id)).reverse()) {
      const mail = await readSent(workerUrl, id)
      const answer = await request(mailboxUrl, {
        method: 'POST',
        headers: { authorization: `Bearer ${mailboxKey}`, 'content-type': 'application/json' },
        body: JSON.stringify(mail),
      })
      // A mail that is refused counts as forwarded too: it would be refused again.
      handedOn.add(id)
      const to = printable(mail.to)
      if (answer.ok) print(`Mail to ${to}: ${mailboxUrl}/${await readId(answer)}`)
      else print(`Mail to ${to} is not in the mailbox, which answered ${answer.status}.`)
    }
  }

  // One run after the other, so that no mail is forwarded twice.
  let last = Promise.resolve()
  return () => {
    last = last.then(forward).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error)
      print(`A mail was sent that could not be put into the mailbox: ${printable(reason)}`)
    })
    return last
  }
}

/** As many as the mailbox keeps. */
const listLimit = 50
const answerLimitMs = 60_000
const explorerPath = '/cdn-cgi/local/explorer/api/local/email/sending'

async function listSent(workerUrl: string): Promise<string[]> {
  const result = await explore(`${workerUrl}${explorerPath}?per_page=${listLimit}`)
  if (!Array.isArray(result)) throw new Error('wrangler gave no list of mails')
  return result.map((item: unknown) => stringIn(item, 'messageId').replace(/^<|>$/g, ''))
}

async function readSent(workerUrl: string, id: string) {
  const mail = await explore(`${workerUrl}${explorerPath}?email_id=${encodeURIComponent(id)}`)
  const to = fieldOf(mail, 'to')
  return {
    to: Array.isArray(to) ? to.join(', ') : '',
    from: stringIn(mail, 'from'),
    subject: stringIn(mail, 'subject'),
    text: stringIn(mail, 'text'),
    html: stringIn(mail, 'html'),
  }
}

async function explore(url: string): Promise<unknown> {
  // Without this, wrangler adds the mails of all other Workers that run on this machine.
  const answer = await request(url, { headers: { 'X-Miniflare-Explorer-No-Aggregate': 'true' } })
  if (!answer.ok) throw new Error(`wrangler answered ${answer.status} when asked for the mails`)
  return fieldOf(await answer.json(), 'result')
}

function request(url: string, init: RequestInit): Promise<Response> {
  return fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(answerLimitMs) })
}

async function readId(answer: Response): Promise<number> {
  return Number(fieldOf(await answer.json(), 'id'))
}

function stringIn(value: unknown, name: string): string {
  const field = fieldOf(value, name)
  return typeof field === 'string' ? field : ''
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === name)?.[1]
    : undefined
}

/** A stranger may type any address into a form; it must not move the cursor of a terminal. */
function printable(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .slice(0, 300)
}
