import { processorTime } from '../processor-time.ts'
import { start } from './child.ts'
import { people } from './contestant.ts'
import { openLoad } from './load.ts'
import type { Greeting, Mode } from './processes/app.ts'

/** An app in which one contestant reads the session. */
export interface App {
  readonly contestant: string
  /** A file of `processes/`; without it an Express app. */
  readonly process?: string
  readonly sessions: number
  /** Requests of one round. */
  readonly requests: number
  /** How often it is measured with and without the session. */
  readonly rounds: number
  /** Arguments for the contestant. */
  readonly args?: readonly string[]
}

export interface Round {
  readonly seconds: number
  /** Microseconds of the server's processor time for one request. */
  readonly cost: number
}

/** An app that runs, with all people connected to it. */
export interface LoadedApp {
  send(mode: Mode, requests: number): Promise<Round>
  /** How many of the requests to `check` had to wait for their session. */
  waits(): Promise<number>
}

/** Starts an app, and sends one request for each person. */
export async function startApp(app: App, open: AsyncDisposableStack): Promise<LoadedApp> {
  const { contestant, process = 'app', sessions, args = [] } = app
  const child = open.use(await start(process, contestant, String(sessions), ...args))
  const { port, headers } = child.greeting as Greeting
  const names = people(sessions).map(({ name }) => name)
  const requests = headers.map((cookie) => Buffer.from(requestText(cookie), 'latin1'))
  let mode: Mode = 'check'
  const load = open.use(
    await openLoad(port, requests, (request, body) => {
      if (mode !== 'check' || body.includes(names[request] ?? '\0')) return
      throw new Error(`${contestant} took one person for another: ${body}`)
    }),
  )
  const turnTo = async (next: Mode) => {
    mode = next
    return Number(await child.ask(next))
  }
  const loaded: LoadedApp = {
    async send(next, count) {
      if (mode !== next) await turnTo(next)
      const before = processorTime(child.pid)
      const seconds = await load.send(count)
      return { seconds, cost: ((processorTime(child.pid) - before) * 1000) / count }
    },
    waits: () => turnTo('without'),
  }
  await turnTo('check')
  await loaded.send('check', sessions)
  await loaded.waits()
  return loaded
}

/** The request as a browser sends it. */
function requestText(cookie: string): string {
  const lines = [
    'GET /account HTTP/1.1',
    'Host: localhost:3000',
    'Connection: keep-alive',
    'User-Agent: Mozilla/5.0 (X11; Linux x64) AppleWebKit/537.36 Chrome/147.0.0.0 Safari/537.36',
    'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
    'Accept-Encoding: gzip, deflate, br, zstd',
    'Accept-Language: en-GB,en;q=0.9',
    `Cookie: ${cookie}`,
  ]
  return `${lines.join('\r\n')}\r\n\r\n`
}
