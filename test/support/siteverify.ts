import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'

/** Cloudflare's keys for tests, which pass every user; here they are checked. */
export const turnstileKeys = {
  siteKey: '1x00000000000000000000AA',
  secretKey: '1x0000000000000000000000000000000AA',
} as const

/** How a test has the next requests answered instead. */
type Answer = (response: ServerResponse, form: URLSearchParams) => void

/** A running stand-in for Turnstile's siteverify, over HTTP on this machine. */
export interface Siteverify {
  /** The variables that turn Turnstile on, and lead here. */
  readonly env: Readonly<Record<`AUTH_TURNSTILE_${string}`, string>>
  readonly url: string
  /** The requests that it got, oldest first. */
  readonly asked: URLSearchParams[]
  /** A response as the widget gives it, with the characters of a real one. */
  issue(length?: number): string
  answerWith(other: Answer | undefined): void
  stop(): void
}

/**
 * Each response that it has issued counts once, with the right secret alone. For tests in workerd `GET` issues one, and
 * `/redirect` redirects.
 */
export async function startSiteverify(): Promise<Siteverify> {
  const issued = new Set<string>()
  const spent = new Set<string>()
  const asked: URLSearchParams[] = []
  let answer: Answer | undefined

  function issue(length = 600): string {
    const response = `0.${randomUUID()}.${'Ab_-'.repeat(length / 4)}`.slice(0, length)
    issued.add(response)
    return response
  }

  function judge(form: URLSearchParams): string[] {
    const response = form.get('response') ?? ''
    if (form.get('secret') !== turnstileKeys.secretKey) return ['invalid-input-secret']
    if (response === '') return ['missing-input-response']
    if (!issued.has(response)) return ['invalid-input-response']
    return spent.has(response) ? ['timeout-or-duplicate'] : []
  }

  async function verify(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    asked.push(form)
    if (answer) return answer(response, form)
    const codes = judge(form)
    if (codes.length === 0) spent.add(form.get('response') ?? '')
    sendJson(response, { success: codes.length === 0, 'error-codes': codes, hostname: 'localhost' })
  }

  let url = ''
  const server = createServer((request, response) => {
    if (request.url === '/redirect') response.writeHead(307, { location: url }).end()
    else if (request.method === 'POST') verify(request, response)
    else response.end(issue())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`
  return {
    env: {
      AUTH_TURNSTILE_SITE_KEY: turnstileKeys.siteKey,
      AUTH_TURNSTILE_SECRET_KEY: turnstileKeys.secretKey,
      AUTH_TURNSTILE_VERIFY_URL: url,
    },
    url,
    asked,
    issue,
    answerWith(other) {
      answer = other
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * One for the tests of a file, each of which begins with nothing asked.
 *
 * @example const turnstile = siteverify()
 */
export function siteverify(): Pick<Siteverify, 'env' | 'url' | 'asked' | 'issue' | 'answerWith'> {
  let running: Siteverify
  beforeAll(async () => {
    running = await startSiteverify()
  })
  beforeEach(() => {
    running.answerWith(undefined)
    running.asked.length = 0
  })
  afterAll(() => running.stop())
  return {
    get env() {
      return running.env
    },
    get url() {
      return running.url
    },
    get asked() {
      return running.asked
    },
    issue: (length) => running.issue(length),
    answerWith: (other) => running.answerWith(other),
  }
}

/** Answers in JSON. */
export function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
