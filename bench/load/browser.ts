import type { Agent } from 'node:http'
import { type Answer, exchange } from './exchange.ts'

/** What a request is for. */
export type Route = 'csrf token' | 'start' | 'callback' | 'read' | 'renewal' | 'sign-out'

/** The address of a service, and a listener for the times of its answers. */
export interface Server {
  readonly name: string
  /** The public one, which only the Host header has: the address is one of this machine. */
  readonly origin: string
  readonly address: URL
  readonly agent: Agent
  /** @param time milliseconds */
  readonly onAnswer: (route: Route, time: number) => void
}

/** The browser of one person, with a cookie jar, in a network of its own. */
export class Browser {
  readonly jar = new Map<string, string>()
  readonly #server: Server
  readonly #network: string

  /** @param number of its network, which no other browser has: no limit by network is reached */
  constructor(server: Server, number: number) {
    this.#server = server
    const part = (value: number) => (value & 0xffff).toString(16)
    this.#network = `2001:db8:${part(number >>> 16)}:${part(number)}::1`
  }

  get(route: Route, path: string): Promise<Answer> {
    return this.#send(route, { method: 'GET', path })
  }

  /** @param fields a form, or an object to send as JSON */
  post(route: Route, path: string, fields: URLSearchParams | object): Promise<Answer> {
    const isForm = fields instanceof URLSearchParams
    const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json'
    const origin = this.#server.origin
    const headers = { 'content-type': type, origin, 'sec-fetch-site': 'same-origin' }
    const body = isForm ? fields.toString() : JSON.stringify(fields)
    return this.#send(route, { method: 'POST', path, headers }, body)
  }

  /** @throws {Error} that names the service and the route, without the query, which has secrets */
  refuse(path: string, { status, headers, body }: Answer, expected: string): never {
    const [route] = path.split('?', 1)
    const [to = ''] = (headers.location ?? '').split(/[?#]/, 1)
    const answer = [status, to, body.slice(0, 200)].filter(Boolean).join(' ')
    throw new Error(`${this.#server.name} answered ${route} with ${answer}, not with ${expected}.`)
  }

  async #send(
    route: Route,
    { headers = {}, ...asked }: { method: string; path: string; headers?: Record<string, string> },
    body?: string,
  ): Promise<Answer> {
    const { agent, address, origin, onAnswer } = this.#server
    const { hostname, port } = address
    const sent = {
      ...headers,
      host: new URL(origin).host,
      cookie: [...this.jar].map(([name, value]) => `${name}=${value}`).join('; '),
      'cf-connecting-ip': this.#network,
    }
    const answer = await exchange({ agent, hostname, port, ...asked, headers: sent }, body)
    onAnswer(route, answer.time)
    this.#keep(answer.headers['set-cookie'] ?? [])
    return answer
  }

  #keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = ''] = line.split(';', 1)
      const [name = '', value = ''] = pair.split(/=(.*)/s)
      if (value === '' || /; *max-age=0 *(?:;|$)/i.test(line)) this.jar.delete(name)
      else this.jar.set(name, value)
    }
  }
}
