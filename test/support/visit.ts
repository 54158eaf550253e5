import { type CreationOptions, createAuthenticator, mintSession } from '@latchkey/session/testing'
import type { Asked } from './stranger.js'

/** The service that is visited. */
export interface Visited {
  readonly send: (request: Request) => Promise<Response>
  /** The origin that it is reached by, and the one that it takes for its own. */
  readonly origin: string
  readonly issuer: string
  readonly secret: string
  /** Consents at the video app; the URL that it leads back to. */
  readonly consent: (url: string) => Promise<URL>
  /** The secret of the last mail's link, and its code; `undefined` without sign-in by email. */
  readonly mailed?: () => Promise<{ token: string; code: string }>
  /** A new name, so that no count of tries is full. */
  readonly somebody: () => string
}

/**
 * The genuine values of one browser at a service, each made when a request first has it: a session,
 * started sign-ins, a mail.
 */
export class Visit {
  readonly #at: Visited
  readonly #jar = new Map<string, string>()
  readonly #known = new Map<string, Promise<string>>()

  constructor(at: Visited) {
    this.#at = at
  }

  /** A request with genuine values in their places; `undefined` if it cannot be sent. */
  async request(asked: Asked): Promise<(() => Request) | undefined> {
    const fill = (text: string, encode = (one: string) => one) => this.#filled(text, encode)
    const url = URL.parse((await fill(asked.host)) + (await fill(asked.path, encodeURIComponent)))
    if (!url) return undefined
    const headers: [string, string][] = []
    for (const [name, text] of asked.headers) headers.push([name, await fill(text)])
    const cookies = await Promise.all(asked.cookies.map((text) => fill(text)))
    if (cookies.length > 0) headers.push(['cookie', cookies.join('; ')])
    const isForm = asked.headers.some(([, text]) => text.includes('urlencoded'))
    const text = asked.body && (await fill(asked.body.text, isForm ? encodeURIComponent : quoted))
    const { method } = asked
    const hasBody = !/^(?:get|head)$/i.test(method) && text !== undefined
    const make = () =>
      new Request(url, {
        method,
        headers: sendable(headers),
        redirect: 'manual',
        ...(hasBody ? { body: stream(text, asked.body?.breaksAfter), duplex: 'half' } : {}),
      } as RequestInit)
    try {
      make()
      return make
    } catch {
      return undefined
    }
  }

  async #filled(text: string, encode: (value: string) => string): Promise<string> {
    const parts = text.split(/\{(\w+)(?:~(\w+))?\}/)
    for (let at = 1; at < parts.length; at += 3) {
      const value = await this.#value(parts[at] as string)
      // A cookie is sent as it is, and so is the beginning of an address.
      const isWhole = /Cookies?$|^origin$/.test(parts[at] as string)
      parts[at] = isWhole ? tamper(value, parts[at + 1]) : encode(tamper(value, parts[at + 1]))
      parts[at + 1] = ''
    }
    return parts.join('')
  }

  #value(name: string): Promise<string> {
    const known = this.#known.get(name) ?? this.#make(name)
    this.#known.set(name, known)
    return known
  }

  async #make(name: string): Promise<string> {
    const { origin, issuer, secret, mailed } = this.#at
    const minted = async (options: object) =>
      (await mintSession({ secret, issuer, user: { id: 'ada' }, ...options })).cookie
    switch (name) {
      case 'origin':
        return origin
      case 'host':
        return new URL(origin).host
      case 'csrf': {
        const answer = await this.#go('/csrf')
        return ((await answer.json()) as { csrfToken: string }).csrfToken
      }
      case 'csrfCookie':
        await this.#value('csrf')
        return this.#cookies(/csrf-token$/)
      case 'session': {
        const username = this.#at.somebody()
        await this.#post('/callback/credentials', { username, password: 'open sesame' })
        return this.#cookies(/session-token/).split('=')[1] ?? ''
      }
      case 'sessionCookie':
        await this.#value('session')
        return this.#cookies(/session-token/)
      case 'sid': {
        await this.#value('session')
        const { sessions = [] } = (await (await this.#go('/sessions')).json()) as {
          sessions?: { id: string }[]
        }
        return sessions[0]?.id ?? ''
      }
      case 'state': {
        const answer = await this.#post('/signin/videoapp', { callbackUrl: '/inbox' })
        const back = await this.#at.consent(answer.headers.get('location') ?? '')
        this.#known.set('code', Promise.resolve(back.searchParams.get('code') ?? ''))
        return back.searchParams.get('state') ?? ''
      }
      case 'code':
        await this.#value('state')
        return this.#value('code')
      case 'mailFlow': {
        if (!mailed) return 'x'
        const email = `${this.#at.somebody()}@example.com`
        const answer = await this.#post('/signin/email', { email })
        const { token, code } = await mailed()
        this.#known.set('mailToken', Promise.resolve(token))
        this.#known.set('mailCode', Promise.resolve(code))
        return new URL(answer.headers.get('location') ?? '', origin).searchParams.get('flow') ?? ''
      }
      case 'mailToken':
      case 'mailCode':
        if (!mailed) return 'x'
        await this.#value('mailFlow')
        return this.#value(name)
      case 'credential': {
        const answer = await this.#post('/passkey/options', { for: 'sign-up', name: 'Ada' })
        if (!answer.ok) return 'x'
        const { publicKey } = (await answer.json()) as { publicKey: CreationOptions }
        return JSON.stringify(await createAuthenticator({ origin }).create(publicKey))
      }
      case 'flow':
        await this.#value('state')
        return this.#cookies(/auth\.flow/).split('=')[1] ?? ''
      case 'flowCookies':
        await Promise.all(['state', 'mailFlow', 'credential'].map((one) => this.#value(one)))
        return this.#cookies(/auth\.flow/)
      case 'foreignCookie':
        return minted({ secret: 'a-secret-of-somebody-else-0123456789' })
      case 'endedCookie':
        return minted({ tokenMaxAge: -10 })
      case 'unknownCookie':
        return minted({})
      default:
        return `{${name}}`
    }
  }

  #cookies(names: RegExp): string {
    const own = [...this.#jar].filter(([name]) => names.test(name))
    return own.map((pair) => pair.join('=')).join('; ')
  }

  async #post(path: string, fields: Record<string, string>): Promise<Response> {
    const csrfToken = await this.#value('csrf')
    return this.#go(path, { method: 'POST', body: new URLSearchParams({ csrfToken, ...fields }) })
  }

  async #go(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = { cookie: this.#cookies(/./) }
    const url = `${this.#at.origin}/auth${path}`
    const answer = await this.#at.send(new Request(url, { redirect: 'manual', ...init, headers }))
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      // The csrf token stays the one that was asked for first.
      if (!this.#jar.has(name) || !name.endsWith('csrf-token')) this.#jar.set(name, value)
    }
    return answer
  }
}

function tamper(value: string, how: string | undefined): string {
  const middle = value.length >> 1
  if (how === 'cut') return value.slice(0, middle)
  if (how === 'more') return `${value}x`
  if (how === 'upper') return value.toUpperCase()
  if (how === 'flip') {
    return value.slice(0, middle) + (value[middle] === 'A' ? 'B' : 'A') + value.slice(middle + 1)
  }
  return value
}

/** Inside of a JSON text. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Such requests make workerd print a warning each, and reach it as bytes of another encoding. */
const isAsciiAlone = globalThis.navigator?.userAgent === 'Cloudflare-Workers'

/** Without the headers that no client can send. */
function sendable(headers: readonly [string, string][]): Headers {
  const all = new Headers()
  for (const [name, value] of headers) {
    if (isAsciiAlone && /[^\t -~]/.test(value)) continue
    try {
      all.append(name, value)
    } catch {
      // Control characters, and characters above 255.
    }
  }
  return all
}

function stream(text: string, breaksAfter: number | undefined): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text)
  return new ReadableStream({
    start(controller) {
      controller.enqueue(bytes.subarray(0, breaksAfter ?? bytes.length))
      if (breaksAfter === undefined) controller.close()
      else controller.error(new TypeError('The connection was lost.'))
    },
  })
}
