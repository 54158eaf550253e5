import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createMailForwarder } from './mail-forwarder.ts'

/*
 * Failures on the way to the mailbox. test/end-to-end/mailbox.test.ts shows that it works with
 * wrangler and the sandbox themselves.
 */
const mails = [1, 2, 3].map((number) => ({
  messageId: `<${number}@example.com>`,
  to: [`ada${number}@example.com`],
  from: 'sign-in@example.com',
  subject: 'Your code is 123456',
  text: 'http://localhost:8787/?token=secret',
}))

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close()
})

type Answer = (url: URL, body: string) => { status: number; body: unknown } | 'hang up'

async function serve(answer: Answer): Promise<string> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    const answered = answer(new URL(request.url ?? '', 'http://localhost'), body)
    if (answered === 'hang up') return response.destroy()
    response.writeHead(answered.status, { 'content-type': 'application/json' })
    response.end(typeof answered.body === 'string' ? answered.body : JSON.stringify(answered.body))
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A stand-in for wrangler's explorer, which lists the newest mail first. */
const wrangler: Answer = (url) => {
  const id = url.searchParams.get('email_id')
  const result =
    id === null ? [...mails].reverse() : mails.find((mail) => mail.messageId === `<${id}>`)
  return { status: 200, body: { success: true, result } }
}

async function start(worker: Answer, mailbox: Answer) {
  const printed: string[] = []
  const mailboxUrl = `${await serve(mailbox)}/mailbox`
  const forward = createMailForwarder({
    workerUrl: await serve(worker),
    mailboxUrl,
    mailboxKey: 'key',
    print: (line) => printed.push(line),
  })
  return { forward, printed, mailboxUrl }
}

it('forwards each mail once, oldest first, however often it is called', async () => {
  const taken: string[] = []
  const { forward, printed, mailboxUrl } = await start(wrangler, (_, body) => {
    taken.push(JSON.parse(body).to)
    return { status: 201, body: { id: taken.length } }
  })
  await Promise.all([forward(), forward(), forward()])
  expect(taken).toEqual(['ada1@example.com', 'ada2@example.com', 'ada3@example.com'])
  expect(printed).toEqual(
    [1, 2, 3].map((id) => `Mail to ada${id}@example.com: ${mailboxUrl}/${id}`),
  )
})

it('says once that a mail was refused, and goes on with the next', async () => {
  const { forward, printed, mailboxUrl } = await start(wrangler, (_, body) =>
    body.includes('ada2@')
      ? { status: 413, body: 'Payload Too Large' }
      : { status: 201, body: { id: 7 } },
  )
  await forward()
  await forward()
  expect(printed).toEqual([
    `Mail to ada1@example.com: ${mailboxUrl}/7`,
    'Mail to ada2@example.com is not in the mailbox, which answered 413.',
    `Mail to ada3@example.com: ${mailboxUrl}/7`,
  ])
})

it.each<[string, Answer, RegExp]>([
  ['wrangler shows no mails', () => ({ status: 404, body: 'no' }), /wrangler answered 404/],
  ['wrangler shows something else', () => ({ status: 200, body: {} }), /no list of mails/],
  ['wrangler gives no JSON', () => ({ status: 200, body: '<p>' }), /JSON/],
])('prints one line and goes on when %s', async (_, broken, reason) => {
  let isBroken = true
  const { forward, printed } = await start(
    (url, body) => (isBroken ? broken : wrangler)(url, body),
    () => ({ status: 201, body: { id: 1 } }),
  )
  await forward()
  expect(printed).toHaveLength(1)
  expect(printed[0]).toMatch(/^A mail was sent that could not be put into the mailbox: /)
  expect(printed[0]).toMatch(reason)
  isBroken = false
  await forward()
  expect(printed).toHaveLength(4)
})

it('forwards a mail later when the mailbox gave no answer', async () => {
  let isThere = false
  const { forward, printed, mailboxUrl } = await start(wrangler, () =>
    isThere ? { status: 201, body: { id: 1 } } : 'hang up',
  )
  await forward()
  expect(printed).toEqual([expect.stringMatching(/^A mail was sent that could not be put/)])
  isThere = true
  await forward()
  expect(printed.slice(1)).toEqual(
    [1, 2, 3].map((id) => `Mail to ada${id}@example.com: ${mailboxUrl}/1`),
  )
})

it('prints only the recipient of a mail, without control characters', async () => {
  const hostile = { ...mails[0], to: ['a\u001b[2J\r\n\u202ehttp://evil.example@example.com'] }
  const { forward, printed } = await start(
    (url) => ({
      status: 200,
      body: { result: url.searchParams.has('email_id') ? hostile : [hostile] },
    }),
    () => ({ status: 201, body: { id: 1 } }),
  )
  await forward()
  expect(printed).toHaveLength(1)
  expect(printed[0]).toMatch(/^Mail to a http:\/\/evil\.example@example\.com: /)
  expect(printed[0]).not.toMatch(/\p{C}|123456|secret/u)
})
