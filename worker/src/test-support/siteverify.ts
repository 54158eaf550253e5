import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach } from 'vitest'

export const turnstileKeys = {
  siteKey: '1x00000000000000000000AA',
  secretKey: '1x0000000000000000000000000000000AA',
} as const

/** How a test has the next requests answered instead. */
type Answer = (response: ServerResponse, form: URLSearchParams) => void

/**
 * A stand-in for Turnstile's siteverify, over HTTP on this machine, for the tests of one file: each response
 * that it has issued counts once, with the right secret alone.
 *
 * @example const turnstile = siteverify()
 */
export function siteverify() {
  const issued = new Set<string>()
  const spent = new Set<string>()
  const asked: URLSearchParams[] = []
  let answer: Answer | undefined
  let url = ''
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const form = new URLSearchParams(Buffer.concat(chunks).toString())
    asked.push(form)
    if (answer) return answer(response, form)
    const codes = judge(form)
    if (codes.length === 0) spent.add(form.get('response') ?? '')
    tell(response, { success: codes.length === 0, 'error-codes': codes, hostname: 'localhost' })
  })

  function judge(form: URLSearchParams): string[] {
    const response = form.get('response') ?? ''
    if (form.get('secret') !== turnstileKeys.secretKey) return ['invalid-input-secret']
    if (response === '') return ['missing-input-response']
    if (!issued.has(response)) return ['invalid-input-response']
    return spent.has(response) ? ['timeout-or-duplicate'] : []
  }

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/siteverify`
  })
  beforeEach(() => {
    answer = undefined
    asked.length = 0
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    /** What it was asked by this test, oldest first. */
    asked,
    get env() {
      return {
        AUTH_TURNSTILE_SITE_KEY: turnstileKeys.siteKey,
        AUTH_TURNSTILE_SECRET_KEY: turnstileKeys.secretKey,
        AUTH_TURNSTILE_VERIFY_URL: url,
      }
    },
    get url() {
      return url
    },
    /** A response as the widget gives it, with the characters of a real one. */
    issue(length = 600): string {
      const random = crypto.randomUUID()
      const response = `0.${random}.${'Ab_-'.repeat(length / 4)}`.slice(0, length)
      issued.add(response)
      return response
    },
    answerWith(other: Answer) {
      answer = other
    },
  }
}

/** Answers in JSON. */
export function tell(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
