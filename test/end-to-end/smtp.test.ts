import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { Auth } from '@latchkey/worker'
import email from '@latchkey/worker/providers/email'
import { memoryStore } from '@latchkey/worker/stores/memory'
import type { SignInMail } from '@latchkey/worker/types'
import { createTransport, type Transporter } from 'nodemailer'
import PostalMime, { type Email } from 'postal-mime'
import { generate } from 'selfsigned'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { startWranglerDev, type WranglerDev } from '../../scripts/wrangler-dev.ts'
import { freePort } from '../support/free-port.ts'

/** A Worker of the tests. Named by its entry, so that it is seen to be in use. */
const smtpWorker = fileURLToPath(import.meta.resolve('./smtp-worker/worker.ts'))
const SECRET = 'a-secret-of-the-tests-0123456789abcdef'
const ADDRESS = 'ada@mail.example'
const PASSWORD = 'open sesame'

interface Received {
  readonly mail: Email
  readonly isEncrypted: boolean
  readonly user: string | undefined
  readonly recipients: string[]
}

const dir = mkdtempSync(join(tmpdir(), 'latchkey-smtp-'))
/** The certificates that the tests trust beside the usual authorities. */
const authorities = join(dir, 'authorities.pem')
const servers: SMTPServer[] = []
const received: Received[] = []
/** The password of each attempt to log in. */
const attempts: unknown[] = []
let ports: Record<'starttls' | 'tls' | 'impostor', number>

beforeAll(async () => {
  const [own, other] = await Promise.all(['localhost', 'smtp.example.com'].map(certificate))
  if (!own || !other) throw new Error('No certificates were made.')
  // Both certificates are trusted, but the impostor's has another name.
  writeFileSync(authorities, own.cert + other.cert)
  ports = {
    starttls: await listen(own),
    tls: await listen({ ...own, secure: true }),
    impostor: await listen({ ...other, secure: true }),
  }
})

beforeEach(() => {
  received.length = 0
  attempts.length = 0
})

afterAll(async () => {
  await Promise.all(servers.map((server) => new Promise<void>((done) => server.close(done))))
  rmSync(dir, { recursive: true })
})

async function certificate(name: string): Promise<{ key: string; cert: string }> {
  const made = await generate([{ name: 'commonName', value: name }], {
    algorithm: 'sha256',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
  })
  return { key: made.private, cert: `${made.cert}\n` }
}

/** A mail server that keeps its mails. */
async function listen(options: SMTPServerOptions): Promise<number> {
  const server = new SMTPServer({
    ...options,
    onAuth({ username, password }, _, answer) {
      attempts.push(password)
      if (password === PASSWORD) answer(null, { user: username })
      else answer(new Error(`${username} may not send to ${ADDRESS}`))
    },
    onData(stream, { secure, user, envelope }, done) {
      void new Response(stream as unknown as ReadableStream).arrayBuffer().then(async (raw) => {
        const recipients = envelope.rcptTo.map(({ address }) => address)
        const mail = await PostalMime.parse(raw)
        received.push({ mail, isEncrypted: secure, user: user as unknown as string, recipients })
        done()
      })
    },
  })
  server.on('error', () => {})
  servers.push(server)
  await new Promise<void>((resolve) => void server.listen(0, 'localhost', resolve))
  return (server.server.address() as AddressInfo).port
}

/** A browser that keeps cookies and does not follow redirects by itself. */
class Browser {
  readonly #cookies = new Map<string, string>()
  readonly #origin: string
  readonly #ask: (request: Request) => Promise<Response>

  constructor(origin: string, ask: (request: Request) => Promise<Response>) {
    this.#origin = origin
    this.#ask = ask
  }

  async go(path: string, fields?: Record<string, string>): Promise<Response> {
    const request = new Request(new URL(path, this.#origin), {
      headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') },
      redirect: 'manual',
      ...(fields ? { method: 'POST', body: new URLSearchParams(fields) } : {}),
    })
    const answer = await this.#ask(request)
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      this.#cookies.set(name, value)
    }
    return answer
  }

  async post(path: string, fields: Record<string, string>): Promise<Response> {
    const { csrfToken } = (await (await this.go('/auth/csrf')).json()) as { csrfToken: string }
    return this.go(path, { csrfToken, ...fields })
  }

  /** The address that the answer redirects to. */
  async askForMail(provider: string): Promise<URL> {
    const answer = await this.post(`/auth/signin/${provider}`, { email: ADDRESS })
    return new URL(answer.headers.get('location') ?? '', this.#origin)
  }

  async session(): Promise<unknown> {
    return (await this.go('/auth/session')).json()
  }
}

function receivedOne(): Received & { text: string; html: string; link: string; code: string } {
  expect(received).toHaveLength(1)
  const [one] = received as [Received]
  const { text = '', html = '' } = one.mail
  const [link = ''] = /^https?:.*$/m.exec(text) ?? []
  const [code = ''] = /^\d{6}$/m.exec(text) ?? []
  return { ...one, text, html, link, code }
}

/** The log must hold no secret that signs in, and no address. */
function expectNoLeak(log: string, mail?: SignInMail): void {
  expect(log).toContain('EmailNotSent')
  expect(log).not.toContain(ADDRESS)
  expect(log).not.toContain(PASSWORD)
  expect(log).not.toMatch(/token=|\b\d{6}\b/)
  if (mail) expect(log).not.toContain(/token=(\S+)/.exec(mail.text)?.[1])
}

describe('SMTP by nodemailer, from an app in Node', () => {
  function app(transport: () => Transporter) {
    const sent: SignInMail[] = []
    const errors: Error[] = []
    const provider = email({
      from: 'Example, Inc. <sign-in@example.com>',
      async sendVerificationRequest({ mail }) {
        sent.push(mail)
        await transport().sendMail(mail)
      },
    })
    const logger = { error: (error: Error) => void errors.push(error) }
    const store = memoryStore()
    const at = 'https://app.example.com'
    const named = { basePath: '/auth', trustedOrigins: [at] }
    const config = { providers: [provider], secret: SECRET, ...named, store, logger }
    const ask = (request: Request) => Auth(request, config)
    return { browser: new Browser(at, ask), sent, errors }
  }

  function transportTo(server: keyof typeof ports, pass = PASSWORD): Transporter {
    return createTransport({
      host: 'localhost',
      port: ports[server],
      secure: server !== 'starttls',
      requireTLS: true,
      auth: { user: 'latchkey', pass },
      tls: { ca: readFileSync(authorities, 'utf8') },
    })
  }

  test.for(['starttls', 'tls'] as const)('%s: both parts arrive unchanged', async (way) => {
    const { browser, sent, errors } = app(() => transportTo(way))
    expect((await browser.askForMail('email')).pathname).toBe('/auth/verify-request')
    expect(errors).toEqual([])
    const { mail, text, html, isEncrypted, user, recipients } = receivedOne()
    expect({ isEncrypted, user, recipients }).toEqual({
      isEncrypted: true,
      user: 'latchkey',
      recipients: [ADDRESS],
    })
    expect(mail.from).toMatchObject({ name: 'Example, Inc.', address: 'sign-in@example.com' })
    expect(mail.to).toEqual([expect.objectContaining({ address: ADDRESS })])
    expect(mail.subject).toMatch(/^Sign in to app\.example\.com · [A-Z]{4}$/)
    expect(text.trim()).toBe(sent[0]?.text.trim())
    expect(html.trim()).toBe(sent[0]?.html.trim())
    expect(mail.attachments).toEqual([])
  })

  test.for([
    ['a server with another name', 'impostor', PASSWORD, []],
    ['a wrong password', 'tls', 'wrong', ['wrong']],
  ] as const)('%s: no mail, and the log does not contain it', async ([, server, pass, tried]) => {
    const { browser, sent, errors } = app(() => transportTo(server, pass))
    const page = await browser.askForMail('email')
    expect(page.searchParams.get('code')).toBe('not_sent')
    expect({ received, attempts }).toEqual({ received: [], attempts: tried })
    expectNoLeak(inspect(errors, { depth: 9 }), sent[0])
  })
})

describe('SMTP by nodemailer, from a Worker', () => {
  let worker: WranglerDev
  const lines: string[] = []

  beforeAll(async () => {
    const smtpServers = {
      tls: { port: ports.tls, pass: PASSWORD },
      impostor: { port: ports.impostor, pass: PASSWORD },
      password: { port: ports.tls, pass: 'wrong' },
    }
    vi.stubEnv('NODE_EXTRA_CA_CERTS', authorities)
    worker = await startWranglerDev({
      name: 'Worker',
      config: join(smtpWorker, '../wrangler.toml'),
      port: await freePort(),
      persistTo: join(dir, 'state'),
      vars: { AUTH_SECRET: SECRET, SMTP_SERVERS: JSON.stringify(smtpServers) },
      onLine: (line) => void lines.push(line),
    })
    vi.unstubAllEnvs()
  })
  afterAll(() => worker?.stop())

  const browse = () => new Browser(worker.url, (request) => fetch(request))

  test('its mail arrives over TLS, and both ways in it sign in', async () => {
    for (const way of ['link', 'code']) {
      received.splice(0)
      const browser = browse()
      const { searchParams } = await browser.askForMail('tls')
      const { mail, html, link, code, isEncrypted, user } = receivedOne()
      expect({ isEncrypted, user }).toEqual({ isEncrypted: true, user: 'latchkey' })
      expect(mail.from).toMatchObject({ name: 'Example, Inc.', address: 'sign-in@example.com' })
      expect(html).toContain(`href="${link}"`)
      expect(html.replace(/<\/?span[^>]*>/g, '')).toContain(`>${code}<`)
      if (way === 'link') await browser.go(link)
      else await browser.post('/auth/callback/tls', { flow: searchParams.get('flow') ?? '', code })
      expect(await browser.session()).toMatchObject({ user: { email: ADDRESS } })
    }
  })

  test.for([
    ['a server with another name', 'impostor', []],
    ['a wrong password', 'password', ['wrong']],
  ] as const)('%s: no mail, and the log does not contain it', async ([, provider, tried]) => {
    lines.splice(0)
    const page = await browse().askForMail(provider)
    expect(page.searchParams.get('code')).toBe('not_sent')
    expect({ received, attempts }).toEqual({ received: [], attempts: tried })
    await expect.poll(() => lines.join('\n')).toContain(`provider=${provider}`)
    expectNoLeak(lines.join('\n'))
  })
})
