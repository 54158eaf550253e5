import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { clock } from '../../../../test/support/clock.js'
import { RESEND } from './resend.js'
import {
  bindingSender,
  formatSender,
  parseSender,
  type SendMail,
  serviceSender,
} from './senders.js'

const KEY = 're_a1b2c3d4_ThisIsTheKey'
const resendSender = (key: string, network: typeof fetch) =>
  serviceSender(RESEND, { KEY: key }, network)
const TOKEN = '8f3kQ2mZ0pXv9rT1uWy4sBn6cDe7gHj5aLqKiOoPzR'

const mail = {
  from: 'Example, Inc. <sign-in@example.com>',
  to: 'ada@mail.example',
  subject: 'Sign in to app.example.com',
  text: `https://app.example.com/?token=${TOKEN} or 482913`,
  html: `<a href="https://app.example.com/?token=${TOKEN}">Sign in</a> 482913`,
}

const servers: Server[] = []
const { takeTimers, advance } = clock({ start: 'now' })

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** A fetch that sends Resend's requests to this machine. */
async function resendAt(answer: RequestListener): Promise<typeof fetch> {
  const server = createServer(answer)
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return (input, init) =>
    fetch(String(input).replace('https://', `http://127.0.0.1:${port}/`), init)
}

/** The reason why the mail was not sent, which must never hold a secret that signs in. */
async function failureOf(send: SendMail, sent = mail): Promise<Error> {
  const error: unknown = await send(sent).then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof Error)) throw new Error('It did not fail.')
  const { message, stack, cause } = error
  const told = JSON.stringify([message, stack, cause, { ...error }])
  for (const secret of [KEY, TOKEN, '482913', 'ada@', 'mail.example']) {
    expect(told).not.toContain(secret)
  }
  return error
}

const ID = '{"id":"49a3999c-0ce1-4ea6-ab68-afcd6dc2e794"}'

describe('sending through Resend', () => {
  it('posts the mail with a header against automatic replies', async () => {
    const seen: unknown[] = []
    const fetch = await resendAt(async (request, response) => {
      const body: unknown = await new Response(request as unknown as ReadableStream).json()
      const { authorization, 'content-type': type, 'user-agent': agent } = request.headers
      seen.push({ method: request.method, url: request.url, authorization, type, agent, body })
      response.setHeader('content-type', 'application/json').end(ID)
    })
    await expect(resendSender(KEY, fetch)(mail)).resolves.toBeUndefined()
    expect(seen).toEqual([
      {
        method: 'POST',
        url: '/api.resend.com/emails',
        authorization: `Bearer ${KEY}`,
        type: 'application/json',
        agent: 'Latchkey',
        body: {
          ...mail,
          from: '"Example, Inc." <sign-in@example.com>',
          to: ['ada@mail.example'],
          headers: { 'Auto-Submitted': 'auto-generated' },
        },
      },
    ])
  })

  it.each([
    [401, 'missing_api_key'],
    [403, 'validation_error'],
    [422, 'invalid_from_address'],
    [429, 'rate_limit_exceeded'],
    [500, 'internal_server_error'],
  ])('reports status %d and %s, and no other text of the answer', async (statusCode, name) => {
    const fetch = await resendAt((_, response) => {
      const message = `${KEY} may not send ${mail.html} to ${mail.to}`
      response.writeHead(statusCode).end(JSON.stringify({ statusCode, name, message }))
    })
    const error = await failureOf(resendSender(KEY, fetch))
    expect(error.message).toBe(`Resend did not take the mail (status ${statusCode}, ${name}).`)
    expect(error.cause).toEqual({ code: name })
  })

  it.each([
    ['the address', mail.to],
    ['the code', '482913'],
    ['the key', KEY],
    ['the link', mail.text],
    ['a line of the log', 'x\n[error] forged'],
    ['no text', 5],
    ['a whole book', 'a'.repeat(1_000)],
  ])('leaves out a code that is %s', async (_, name) => {
    const fetch = await resendAt((_request, response) => {
      response.writeHead(422).end(JSON.stringify({ name }))
    })
    const error = await failureOf(resendSender(KEY, fetch))
    expect(error.message).toBe('Resend did not take the mail (status 422).')
    expect(error).not.toHaveProperty('cause')
  })

  it.each([
    ['a page of a proxy', '<!doctype html><title>Welcome to the hotel</title>'],
    ['nothing', ''],
    ['a list', '[]'],
    ['an object without an id', '{}'],
    ['an id that is not text', '{"id":1}'],
  ])('does not take %s for success, though its status is 200', async (_, body) => {
    const fetch = await resendAt((_request, response) => void response.end(body))
    const error = await failureOf(resendSender(KEY, fetch))
    expect(error.message).toBe('Resend did not take the mail (status 200).')
  })

  it.each([202, 500])('does not take an id with status %d for success', async (status) => {
    const fetch = await resendAt((_request, response) => void response.writeHead(status).end(ID))
    const error = await failureOf(resendSender(KEY, fetch))
    expect(error.message).toBe(`Resend did not take the mail (status ${status}).`)
  })

  it('follows no redirect, which would take the key and the link along', async () => {
    let visits = 0
    const fetch = await resendAt((_request, response) => {
      visits++
      response.writeHead(307, { location: '/elsewhere' }).end()
    })
    const error = await failureOf(resendSender(KEY, fetch))
    expect(error.message).toBe('Resend did not take the mail (status 307).')
    expect(visits).toBe(1)
  })

  it('reads 64 KiB of an answer and no more', async () => {
    const whole = 5 * 1024 * 1024
    let taken = 0
    const fetch = async () => {
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          taken += 16_384
          controller.enqueue(new Uint8Array(16_384).fill(32))
          if (taken >= whole) controller.close()
        },
      })
      return new Response(body)
    }
    const error = await failureOf(resendSender(KEY, fetch))
    expect(error.message).toBe('Resend did not take the mail (status 200).')
    expect(taken).toBeLessThan(256 * 1024)
  })

  it.each(['headers', 'body'])('gives up after ten seconds without %s', async (missing) => {
    takeTimers()
    let signal: AbortSignal | null | undefined
    const fetch = async (_: unknown, init?: RequestInit) => {
      signal = init?.signal
      if (missing === 'body') return new Response(new ReadableStream())
      return new Promise<Response>(() => {})
    }
    const failure = failureOf(resendSender(KEY, fetch))
    await advance(9_999)
    expect(signal?.aborted).toBe(false)
    await advance(1)
    expect(signal?.aborted).toBe(true)
    expect((await failure).message).toBe(
      'Resend did not take the mail (no answer within 10000 ms).',
    )
  })

  it('reports why it could not be reached', async () => {
    const fetch = await resendAt(() => {})
    const [server] = servers
    await new Promise((resolve) => server?.close(resolve))
    const error = await failureOf(resendSender(KEY, fetch))
    expect(error.message).toBe('Resend did not take the mail (ECONNREFUSED).')
  })

  it('reports that there was no answer if the platform gives no code, as in a Worker', async () => {
    const lost = Object.assign(new Error('Network connection lost.'), { retryable: true })
    const error = await failureOf(resendSender(KEY, () => Promise.reject(lost)))
    expect(error.message).toBe('Resend did not take the mail (no answer).')
  })

  it('does not reveal a key that no header can hold', async () => {
    const error = await failureOf(resendSender(`${KEY}\nx`, fetch))
    expect(error.message).toBe('Resend did not take the mail (no answer).')
  })

  it('does not repeat an error that the app’s fetch throws', async () => {
    const fetch = () => Promise.reject(new Error(`${KEY} ${mail.text} ${mail.to}`))
    const error = await failureOf(resendSender(KEY, fetch))
    expect(error.message).toBe('Resend did not take the mail (no answer).')
  })
})

describe('sending through the binding', () => {
  const binding = (send: (mail: unknown) => Promise<unknown>) => ({ send }) as unknown as SendEmail

  it('passes the sender in parts, and marks the mail as automatic', async () => {
    const send = vi.fn(async () => ({ messageId: 'x' }))
    await expect(bindingSender(binding(send))(mail)).resolves.toBeUndefined()
    await bindingSender(binding(send))({ ...mail, from: 'sign-in@example.com' })
    const headers = { 'Auto-Submitted': 'auto-generated' }
    expect(send.mock.calls).toEqual([
      [{ ...mail, headers, from: { name: 'Example, Inc.', email: 'sign-in@example.com' } }],
      [{ ...mail, headers, from: 'sign-in@example.com' }],
    ])
  })

  it('reports its code, and not its message, which quotes the address', async () => {
    const refused = Object.assign(new Error(`email to ${mail.to} not allowed`), {
      code: 'E_RECIPIENT_NOT_ALLOWED',
    })
    const error = await failureOf(bindingSender(binding(() => Promise.reject(refused))))
    expect(error.message).toBe('The email binding did not take the mail (E_RECIPIENT_NOT_ALLOWED).')
    expect(error.cause).toEqual({ code: 'E_RECIPIENT_NOT_ALLOWED' })
  })

  it.each([
    ['an error without a code', new Error(`email to ${mail.to} not allowed`)],
    ['text', mail.to],
    ['nothing', undefined],
  ])('fails when it throws %s', async (_, thrown) => {
    const error = await failureOf(bindingSender(binding(() => Promise.reject(thrown))))
    expect(error.message).toBe('The email binding did not take the mail (no answer).')
  })

  it('leaves out a code that is an address', async () => {
    const thrown = { code: mail.to }
    const error = await failureOf(bindingSender(binding(() => Promise.reject(thrown))))
    expect(error.message).toBe('The email binding did not take the mail.')
  })

  it('fails when the binding has no send method', async () => {
    const error = await failureOf(bindingSender({} as SendEmail))
    expect(error.message).toBe('The email binding did not take the mail (no answer).')
  })

  it('gives up after ten seconds', async () => {
    takeTimers()
    const failure = failureOf(bindingSender(binding(() => new Promise(() => {}))))
    await advance(10_000)
    expect((await failure).message).toBe(
      'The email binding did not take the mail (no answer within 10000 ms).',
    )
  })
})

describe('the sender', () => {
  it.each([
    ['sign-in@example.com', undefined, 'sign-in@example.com'],
    ['  sign-in@example.com ', undefined, 'sign-in@example.com'],
    ['<sign-in@example.com>', undefined, 'sign-in@example.com'],
    ['Example <sign-in@example.com>', 'Example', 'sign-in@example.com'],
    ['Example<sign-in@example.com>', 'Example', 'sign-in@example.com'],
    ['Example, Inc. <sign-in@example.com>', 'Example, Inc.', 'sign-in@example.com'],
    ['"Example, Inc." <sign-in@example.com>', 'Example, Inc.', 'sign-in@example.com'],
    ['"The \\"Shop\\" \\\\ <x@y>" <a@example.com>', 'The "Shop" \\ <x@y>', 'a@example.com'],
    ['Müller & Söhne (東京) <a@example.com>', 'Müller & Söhne (東京)', 'a@example.com'],
    ['"" <a@example.com>', undefined, 'a@example.com'],
  ])('%s is parsed', (text, name, email) => {
    const sender = parseSender(text)
    expect(sender).toEqual(name === undefined ? { email } : { name, email })
    // A formatted sender can be parsed again to the same value.
    expect(parseSender(formatSender(sender ?? { email: '' }))).toEqual(sender)
  })

  it.each([
    '',
    'Example',
    'a@localhost',
    'a@example.com, b@example.com',
    'a@example.com b@example.com',
    'A <a@example.com>, B <b@example.com>',
    'A <a@example.com> <b@example.com>',
    'b@example.com <a@example.com>',
    'A "B" <a@example.com>',
    '"A <a@example.com>',
    'A <a@example.com',
    'A a@example.com>',
    'A <a@example.com> x',
    '"A" x <a@example.com>',
    'A <"x y"@example.com>',
    'group: a@example.com;',
    `${'A'.repeat(500)} <a@example.com>`,
  ])('%s is refused', (text) => {
    expect(parseSender(text)).toBeUndefined()
  })

  it.each(['\r\n', '\n', '\r', '\0', '\u0085', '\u2028', '\u202e', '\t', '\u200b'])(
    'a name or an end with %j cannot begin another header',
    (end) => {
      for (const text of [
        `A${end}Bcc: eve@evil.example <a@example.com>`,
        `"A${end}Bcc: eve" <a@example.com>`,
        `"A\\${end}Bcc: eve" <a@example.com>`,
        `a@example.com${end}`,
        `${end}a@example.com`,
        `A <a@example.com${end}>`,
      ]) {
        expect(parseSender(text)).toBeUndefined()
      }
    },
  )

  it('is parsed quickly also from a hostile text', () => {
    expect(parseSender(`"${'\\'.repeat(1_000_000)}`)).toBeUndefined()
    expect(parseSender(`${' '.repeat(1_000_000)}<`)).toBeUndefined()
  })

  it.each(['\r\nBcc: eve@evil.example <a@example.com>', 'a@example.com, b@example.com'])(
    'a mail from %j is not sent',
    async (from) => {
      const send = vi.fn()
      for (const sender of [
        bindingSender({ send } as unknown as SendEmail),
        resendSender(KEY, send),
      ]) {
        const error = await failureOf(sender, { ...mail, from })
        expect(error.message).toBe('The sender of mails is not an address.')
      }
      expect(send).not.toHaveBeenCalled()
    },
  )
})
