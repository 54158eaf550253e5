import { once } from 'node:events'
import { Agent, get, type IncomingMessage, type RequestOptions } from 'node:http'
import { text } from 'node:stream/consumers'
import { startAuthService } from './auth-service.ts'
import { start } from './child.ts'
import { cookieHeader, ORIGIN } from './contestant.ts'
import { stopClock, WAITED } from './stopped-clock.ts'
import { SESSION_COOKIE } from './tokens.ts'

/** How people use an app. Times are seconds, the means of exponential ones. */
interface Habit {
  readonly people: number
  /** The reads of all people together. */
  readonly reads: number
  readonly betweenReads: number
  /** Reads of a visit, and the time before it, in which the person is away. Without it a visit has no end. */
  readonly visits?: { readonly reads: number; readonly apart: number }
}

interface RenewalWaits {
  readonly reads: number
  /** Reads that took more than what the app had. */
  readonly waits: number
  /** The reads after a pause longer than any token's life, so that no token could be there. */
  readonly floor: number
}

/** `session.tokenMaxAge` without a setting. Seconds. */
const TOKEN_LIFE = 300
/** Milliseconds of which the clock is moved at once. */
const STEP = 2_000
/** After this time without a request an app has no timer any more. Milliseconds. */
const IDLE = 6 * 60_000

/**
 * How many reads wait, in an app on a socket of its own, beside a service on another. Their clocks stand, and move on
 * to the next read once the service has nothing left to answer.
 *
 * @param app a file of `processes/`, and its arguments
 */
export async function countRenewalWaits(
  habit: Habit,
  app: string,
  ...args: readonly string[]
): Promise<RenewalWaits> {
  using clock = stopClock()
  await using service = await startAuthService()
  await using child = await start(app, service.url, ...args)
  const began = Date.now()
  const signedIn = Array.from({ length: habit.people }, async (_, index): Promise<Person> => {
    const name = `Ada Lovelace ${index}`
    return { name, token: (await service.signIn(name)).value, readAt: began }
  })
  const people = await Promise.all(signedIn)
  const moveTo = async (time: number) => {
    clock.moveTo(time)
    await child.ask(time)
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const request = { port: Number(child.greeting), path: '/account', agent }
  // A token that was never seen is verified first, and the app reads the feed of ended sessions.
  await moveTo(began)
  for (const person of people) await read(request, person)
  const counts = { reads: 0, waits: 0, floor: 0 }
  for (const { at, of } of readsOf(habit)) {
    const person = people[of] as Person
    const time = began + Math.floor(at * 1000)
    // The app asks for endings every few seconds, until no request has come for minutes.
    const idle = Math.min(time, Date.now() + IDLE)
    while (Date.now() + STEP < idle) await moveTo(Date.now() + STEP)
    await moveTo(time)
    const pause = time - person.readAt
    counts.reads++
    if (!(await read(request, person))) continue
    counts.waits++
    if (pause > TOKEN_LIFE * 1000) counts.floor++
  }
  agent.destroy()
  return counts
}

/** Sends a person's request, and keeps the cookie. @returns whether it took more than what the app had */
async function read(request: RequestOptions, person: Person): Promise<boolean> {
  const cookie = cookieHeader({ name: SESSION_COOKIE, value: person.token })
  const sent = get({ ...request, headers: { host: new URL(ORIGIN).host, cookie } })
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const body = await text(answer)
  if (!body.match(/Ada Lovelace \d+/g)?.includes(person.name)) {
    throw new Error(`The app took ${person.name} for another: ${answer.statusCode} ${body}`)
  }
  person.readAt = Date.now()
  person.token = tokenOf(answer) ?? person.token
  return answer.headers[WAITED] !== undefined
}

/** Counts them if each person reads about every ten seconds. @returns whether fewer than 1 in 1,000 wait, too */
export async function countAtWork(...app: readonly [file: string, ...args: string[]]) {
  const { reads, waits } = await countRenewalWaits(steady(10, 10_000), ...app)
  return { text: `${waits} of ${reads}`, isMet: waits < reads / 1_000 }
}

/** People who never leave. @param betweenReads seconds */
export function steady(betweenReads: number, reads: number): Habit {
  return { people: 100, reads, betweenReads }
}

interface Person {
  readonly name: string
  token: string
  readAt: number
}

interface Read {
  /** Seconds after the sign-in. */
  readonly at: number
  /** A person's number. */
  readonly of: number
}

/** All reads, in their order. */
function readsOf({ people, reads, betweenReads, visits }: Habit): Read[] {
  const all = Array.from({ length: people }, (_, of) => {
    let at = 0
    return Array.from({ length: Math.ceil(reads / people) }, (_, index): Read => {
      const isFirst = visits !== undefined && index % visits.reads === 0
      at += isFirst ? TOKEN_LIFE + exponential(visits.apart) : exponential(betweenReads)
      return { at, of }
    })
  })
  return all.flat().sort((one, other) => one.at - other.at)
}

function exponential(mean: number): number {
  return -Math.log(1 - Math.random()) * mean
}

function tokenOf(answer: IncomingMessage): string | undefined {
  const line = answer.headers['set-cookie']?.find((one) => one.startsWith(`${SESSION_COOKIE}=`))
  return line?.split(';', 1)[0]?.slice(SESSION_COOKIE.length + 1)
}
