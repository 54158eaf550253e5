import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Browser, type Cookies, locationOf } from './browser.ts'
import type { Deployed } from './deployed.ts'
import type { Contents } from './doors.ts'
import { UPGRADE } from './upgrade-time.ts'
import { folderOf } from './versions.ts'

/**
 * The last millisecond of a second: ending sessions waits for the end of it. @param later seconds
 */
export const clockAt = (later: number) => UPGRADE + later * 1000 + 999

const OLDER = 'the-secret-that-was-used-first-0123456789'
const NEWER = 'the-secret-that-signs-since-then-0123456789'

/** Secrets at the time of the upgrade: the newer one signs, both verify. */
export const BOTH_SECRETS = { AUTH_SECRET: OLDER, AUTH_SECRET_1: NEWER }
/** Secrets after the older one was removed. */
export const NEWER_SECRET = { AUTH_SECRET: NEWER }

export const MINUTE = 60
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** The state that a version has written by {@link UPGRADE}. */
export interface State {
  readonly kept: Contents
  /** Cookies of browsers, by the name of the person. */
  readonly browsers: Readonly<Record<string, Cookies>>
  /** Callback paths of sign-ins that were begun. */
  readonly paths: Readonly<Record<string, string>>
  /** Mails, by address. */
  readonly mails: Readonly<Record<string, { readonly url: string; readonly code: string }>>
  /** The revocation feed that an app fetched last. */
  readonly feed: string
  readonly jwks: unknown
}

/** The ledgers that are stored: their numbers of objects over time. */
export const SHARDS = {
  'one object': { before: '1', after: '1' },
  'four objects': { before: '4', after: '4' },
  'one object on the way to four': { before: '1', after: '1,4' },
} as const

export type LedgerName = keyof typeof SHARDS

export const ledgers = Object.keys(SHARDS) as LedgerName[]

/** The stored state of a version. */
export function readState(version: string, ledger: LedgerName): State {
  const states = readFileSync(join(folderOf(version), 'state.json'), 'utf8')
  return (JSON.parse(states) as Record<LedgerName, State>)[ledger]
}

const deviceHeaders = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0',
}

/** Plays several weeks with a Worker, in which it writes everything that it stores. */
export async function writeState(worker: Deployed, ledger: LedgerName): Promise<State> {
  const { before, after } = SHARDS[ledger]
  const browsers: Record<string, Cookies> = {}
  const paths: Record<string, string> = {}
  const open: Record<string, Browser> = {}
  /** A time in seconds before the upgrade. */
  const at = (ago: number, headers: Record<string, string> = {}) => {
    const secrets = ago > 5 * DAY ? { AUTH_SECRET: OLDER } : BOTH_SECRETS
    const shards = ago > 45 * MINUTE ? before : after
    return { now: clockAt(-ago), env: { ...secrets, AUTH_LEDGER_SHARDS: shards }, headers }
  }
  const named = (name: string) => {
    open[name] ??= new Browser(worker)
    return open[name]
  }
  const signIn = async (name: string, ago: number, person = name) => {
    await named(name).signIn(person, at(ago, deviceHeaders))
  }

  // At first the Worker has the older secret alone.
  await signIn('gone', 40 * DAY)
  await signIn('retired', 20 * DAY)
  await signIn('extended', 20 * DAY)

  // From here on it has both secrets.
  await named('extended').session(at(2 * DAY))
  await named('planned').signInAt('open', 'planned', at(2 * DAY))
  await signIn('big', 2 * DAY)

  await named('ada').signInAt('plain', 'ada', at(2 * HOUR))
  await named('lena').signInAt('plain', 'lena', at(2 * HOUR))
  for (const name of ['grace', 'grace elsewhere']) await signIn(name, 2 * HOUR, 'grace')
  for (const name of ['alan', 'alan elsewhere']) await signIn(name, 2 * HOUR, 'alan')
  await signIn('otto', 2 * HOUR)

  // Browsers of ended sessions keep their cookies, as a thief would.
  const copies = ['alan', 'otto'].map((name) => [name, named(name).cookies] as const)
  const revoke = (name: string, session: string) =>
    named(name).post('/auth/sessions/revoke', { session }, at(HOUR))
  await revoke('grace', 'others')
  await revoke('alan', 'all')
  await named('otto').post('/auth/signout', {}, at(HOUR))
  Object.assign(browsers, Object.fromEntries(copies))
  delete open.alan
  delete open.otto
  await signIn('alan again', 50 * MINUTE, 'alan')

  // From here on the ledger may be in other objects.
  await named('ada').token(at(30 * MINUTE))

  const guess = async (name: string, times: number, network: string) => {
    for (let count = 0; count < times; count++) {
      const headers = { 'cf-connecting-ip': network }
      await named(name).signIn(name, at(5 * MINUTE, headers), 'wrong')
    }
  }
  await guess('victor', 10, '192.0.2.10')
  await guess('vera', 4, '192.0.2.20')

  const mailed = ['link', 'elsewhere', 'code', 'spent', 'used', 'replaced'] as const
  for (const name of mailed) {
    const fields = { email: `${name}@mail.example`, callbackUrl: '/inbox' }
    const answer = await named(`mail ${name}`).post('/auth/signin/email', fields, at(4 * MINUTE))
    paths[`mail ${name}`] = locationOf(answer).searchParams.get('flow') ?? ''
  }
  const sent = async () =>
    (await (await worker.ask('/test/mails', at(3 * MINUTE))).json()) as State['mails']
  const mails = await sent()
  const codeOf = (name: string) => mails[`${name}@mail.example`]?.code ?? ''
  const enter = (name: string, code: string) => {
    const fields = { flow: paths[`mail ${name}`] ?? '', code }
    return named(`mail ${name}`).post('/auth/callback/email', fields, at(3 * MINUTE))
  }
  for (const off of [1, 2]) await enter('code', otherCode(codeOf('code'), off))
  for (const off of [1, 2, 3, 4, 5]) await enter('spent', otherCode(codeOf('spent'), off))
  browsers['mail used before'] = named('mail used').cookies
  await enter('used', codeOf('used'))
  const again = { email: 'replaced@mail.example', callbackUrl: '/inbox' }
  await named('mail replaced').post('/auth/signin/email', again, at(3 * MINUTE))

  for (const provider of ['plain', 'open', 'posting', 'x']) {
    const name = `started ${provider}`
    paths[name] = await named(name).start(provider, name.replace(' ', '-'), at(3 * MINUTE))
  }
  paths.finished = await named('finished').start('plain', 'finished', at(3 * MINUTE))
  browsers['finished before'] = named('finished').cookies
  await named('finished').go(paths.finished, at(3 * MINUTE))
  await named('visitor').go('/auth/csrf', at(3 * MINUTE))

  await signIn('fresh', MINUTE)
  for (const name of ['omar', 'olga']) {
    await signIn(name, MINUTE)
    browsers[name] = named(name).cookies
  }
  await named('omar').post('/auth/signout', {}, at(30))
  await named('olga').post('/auth/sessions/revoke', { session: 'all' }, at(30))
  delete open.omar
  delete open.olga

  // The provider's site posts its answer, and no cookie comes along.
  const [path = '', query = ''] = paths['started posting']?.split('?') ?? []
  const fromAnotherSite = { origin: 'https://issuer.example', 'sec-fetch-site': 'cross-site' }
  const post = { method: 'POST', body: new URLSearchParams(query) }
  const bounced = await new Browser(worker).go(path, at(20, fromAnotherSite), post)
  const back = locationOf(bounced)
  paths['started posting'] = back.pathname + back.search

  const feed = await (await worker.ask('/auth/revocations', at(15))).text()
  const jwks = await (await worker.ask('/auth/jwks.json', at(15))).json()

  // This refresh is under way when the Worker is replaced.
  void named('lena')
    .token(at(10, { 'x-test-silent': '1' }))
    .catch(() => {})
  await underWay(worker, after)

  for (const [name, browser] of Object.entries(open)) browsers[name] = browser.cookies
  return { kept: await worker.dump(after), browsers, paths, mails: await sent(), feed, jwks }
}

/** Another code than the one that was mailed. */
export function otherCode(code: string, off: number): string {
  return String((Number(code) + off) % 1e6).padStart(6, '0')
}

/** Ends with a claimed refresh that is not settled. */
async function underWay(worker: Deployed, shards: string): Promise<void> {
  for (;;) {
    const { ledger } = await worker.dump(shards)
    const rows = Object.values(ledger).flatMap(({ rows }) => rows.refreshes ?? [])
    if (rows.some(({ leased_until }) => Number(leased_until) > 0)) return
  }
}
