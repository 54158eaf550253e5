import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AuthenticatorApp, keyOn, recoveryCodesOn } from '../support/authenticator-app.ts'
import { type At, Browser, type Cookies, isSignedIn, locationOf } from './browser.ts'
import type { Deployed } from './deployed.ts'
import type { Contents } from './doors.ts'
import { type KeptPasskey, makePasskey, signInBy } from './kept-passkey.ts'
import { authjsSession, betterAuthSession } from './old-sessions.ts'
import { BOTH_SECRETS, clockAt, DAY, HOUR, type LedgerName, MINUTE, SHARDS } from './story.ts'
import { UPGRADE } from './upgrade-time.ts'
import { folderOf, versions } from './versions.ts'

/** The data of people that a version has stored by the time of the upgrade. */
export interface PeopleState {
  readonly kept: Contents
  /** Cookies of browsers, by names. */
  readonly browsers: Readonly<Record<string, Cookies>>
  /** The `sub` of each person. */
  readonly subs: Readonly<Record<string, string>>
  readonly passkeys: Readonly<Record<string, KeptPasskey>>
  /** The second factors of people: the key of their app, and their recovery codes. */
  readonly factors: Readonly<Record<string, { readonly key: string; readonly codes: string[] }>>
  /** Old cookies that were used up, and those that were not. */
  readonly old: { readonly used: Cookies[]; readonly unused: Cookies[] }
}

/** The accounts that were taken over from another library. */
export const IMPORTED = [
  ['old-ida', 'plain', 'ida'],
  ['old-ida', 'other', 'ida'],
  ['old-ines', 'email', 'ines@mail.example'],
  ['old-ivan', 'credentials', 'ivan'],
] as const

/** The versions with a kept state of people. */
export const versionsWithPeople = versions.filter((version) => existsSync(fileOf(version)))

function fileOf(version: string): string {
  return join(folderOf(version), 'people.json')
}

export function readPeople(version: string, ledger: LedgerName): PeopleState {
  const states = JSON.parse(readFileSync(fileOf(version), 'utf8'))
  return (states as Record<LedgerName, PeopleState>)[ledger]
}

/** Signs in with an account, a password or a mailed link. @returns the last answer */
export async function signInWith(
  worker: Deployed,
  browser: Browser,
  [provider, account]: readonly [provider: string, account: string],
  at: At,
): Promise<Response> {
  if (provider === 'credentials') return browser.signIn(account, at)
  if (provider !== 'email') return browser.signInAt(provider, account, at)
  await browser.post('/auth/signin/email', { email: account, callbackUrl: '/inbox' }, at)
  return browser.go(await linkTo(worker, account, at), at)
}

/** The path of the link that was mailed last to an address. */
async function linkTo(worker: Deployed, address: string, at: At): Promise<string> {
  const mails = (await (await worker.ask('/test/mails', at)).json()) as Record<
    string,
    { url: string }
  >
  const { pathname, search } = new URL(mails[address]?.url ?? '')
  return pathname + search
}

interface Way {
  readonly id: string
  readonly provider: string
}

/** The person's own list of ways. */
export async function waysOf(browser: Browser, at: At): Promise<readonly Way[]> {
  const answer = await browser.go('/auth/ways', at)
  return ((await answer.json()) as { ways?: readonly Way[] }).ways ?? []
}

/** Plays some days with a Worker in which people change their documents in the ledger. */
export async function writePeople(worker: Deployed, ledger: LedgerName): Promise<PeopleState> {
  const { before, after } = SHARDS[ledger]
  const browsers: Record<string, Cookies> = {}
  const subs: Record<string, string> = {}
  const passkeys: Record<string, KeptPasskey> = {}
  const factors: Record<string, { key: string; codes: string[] }> = {}
  const open: Record<string, Browser> = {}
  /** A time in seconds before the upgrade. */
  const at = (ago: number) => {
    const shards = ago > 45 * MINUTE ? before : after
    const AUTH_IMPORT_UNTIL = new Date(UPGRADE - 10 * MINUTE * 1000).toISOString()
    const env = { ...BOTH_SECRETS, AUTH_LEDGER_SHARDS: shards, AUTH_IMPORT_UNTIL }
    return { now: clockAt(-ago), env }
  }
  const named = (name: string) => {
    open[name] ??= new Browser(worker)
    return open[name]
  }
  const expectDone = (answer: Response, what: string) => {
    if (!isSignedIn(answer)) throw new Error(`${what}: ${answer.status} ${locationOf(answer)}`)
  }
  /** Signs a person in; for a new person it is their first way. */
  const signIn = async (name: string, provider: string, ago: number, account = name) => {
    const answer = await signInWith(worker, named(name), [provider, account], at(ago))
    expectDone(answer, `${name} at ${provider}`)
    subs[name] ??= named(name).claims.sub
  }
  const add = async (name: string, provider: string, ago: number, account = name) =>
    expectDone(await named(name).add(provider, account, at(ago)), `${name} adds ${provider}`)
  const addAddress = async (name: string, ago: number) => {
    const email = `${name}@mail.example`
    const fields = { provider: 'email', email, callbackUrl: '/inbox' }
    await named(name).post('/auth/ways/add', fields, at(ago))
    expectDone(await named(name).go(await linkTo(worker, email, at(ago)), at(ago)), email)
  }
  const remove = async (name: string, provider: string, ago: number) => {
    const way = (await waysOf(named(name), at(ago))).findLast((one) => one.provider === provider)
    const fields = { way: way?.id ?? '', callbackUrl: '/inbox' }
    expectDone(await named(name).post('/auth/ways/remove', fields, at(ago)), `${name} removes`)
  }
  const addPasskey = async (name: string, ago: number, purpose: 'sign-up' | 'add' = 'add') => {
    const { passkey, status } = await makePasskey(named(name), purpose, at(ago))
    if (status !== 200) throw new Error(`${name} makes a passkey: ${status}`)
    passkeys[name] = passkey
    subs[name] ??= named(name).claims.sub
  }
  const signInByPasskey = async (name: string, ago: number) => {
    const { status } = await signInBy(named(name), passkeys[name] as KeptPasskey, at(ago))
    if (status !== 200) throw new Error(`${name} signs in by a passkey: ${status}`)
  }
  const setUpFactor = async (name: string, ago: number) => {
    const page = await (await named(name).go('/auth/factor/setup', at(ago))).text()
    const key = keyOn(page)
    const code = new AuthenticatorApp(key).code(-1, at(ago).now)
    const answer = await named(name).post('/auth/factor/setup', { code }, at(ago))
    factors[name] = { key, codes: recoveryCodesOn(await answer.text()) }
    if (factors[name].codes.length !== 10) throw new Error(`${name} sets no factor up.`)
  }
  const erase = async (name: string, ago: number) => {
    browsers[`${name} before`] = named(name).cookies
    const answer = await named(name).post(
      '/auth/account/delete',
      { callbackUrl: '/inbox' },
      at(ago),
    )
    expectDone(answer, `${name} deletes the account`)
    delete open[name]
  }

  // Each part of it happens once before the ledger may be in other objects, and once after that.
  for (const [when, ago] of [
    ['early', 2 * HOUR],
    ['late', 30 * MINUTE],
  ] as const) {
    const of = (name: string) => `${when}-${name}`
    await signIn(of('wanda'), 'plain', ago)
    await add(of('wanda'), 'other', ago)
    await addAddress(of('wanda'), ago)

    await signIn(of('remo'), 'plain', ago)
    await add(of('remo'), 'other', ago)
    await remove(of('remo'), 'other', ago)
    await signIn(of('fiona'), 'plain', ago)
    await add(of('fiona'), 'other', ago)
    await signIn(of('fiona'), 'other', ago)
    await remove(of('fiona'), 'plain', ago)

    await signIn(of('taken'), 'other', ago)
    await add(of('taken'), 'owned', ago)
    // Version 0.2 merged this person into Mia. Now they delete the account, and she adds what was theirs.
    await erase(of('taken'), ago)
    await signIn(of('mia'), 'plain', ago)
    await add(of('mia'), 'other', ago, of('taken'))
    await add(of('mia'), 'owned', ago, of('taken'))

    await signIn(of('erik'), 'plain', ago)
    await add(of('erik'), 'other', ago)
    await addPasskey(of('erik'), ago)
    await signInByPasskey(of('erik'), ago)
    await erase(of('erik'), ago)

    await signIn(of('sofia'), 'owned', ago)
    await addPasskey(of('pia'), ago, 'sign-up')
    await signIn(of('paul'), 'plain', ago)
    await addPasskey(of('paul'), ago)
    await signIn(of('petra'), 'plain', ago)
    await addPasskey(of('petra'), ago)
    await signInByPasskey(of('petra'), ago)
    await remove(of('petra'), 'passkey', ago)

    await signIn(of('fritz'), 'credentials', ago)
    await setUpFactor(of('fritz'), ago)
    await signIn(of('frieda'), 'plain', ago)
    await add(of('frieda'), 'other', ago)
    await setUpFactor(of('frieda'), ago)
    await signIn(of('fred'), 'credentials', ago)
    await setUpFactor(of('fred'), ago)
    await named(of('fred')).post('/auth/factor/remove', {}, at(ago))

    await signIn(of('cora'), 'plain', ago)
    await add(of('cora'), 'other', ago)
    await signIn(of('dora'), 'plain', ago)
    await add(of('dora'), 'other', ago)
    const ofDora = new URLSearchParams({ sub: subs[of('dora')] ?? '', provider: 'other' })
    await worker.ask(`/test/disconnect?${ofDora}`, at(ago))
  }

  // Ways that were added before the change are removed, and people erased, after it.
  await signIn('rita', 'plain', 2 * DAY)
  await add('rita', 'other', 2 * DAY)
  await signIn('rita', 'plain', 25 * MINUTE)
  await remove('rita', 'other', 25 * MINUTE)
  await signIn('emil', 'plain', 2 * DAY)
  await add('emil', 'other', 2 * DAY)
  await signIn('emil', 'plain', 25 * MINUTE)
  await erase('emil', 25 * MINUTE)

  // The accounts come in two parts, before and after the change.
  for (const [ago, accounts] of [
    [2 * HOUR, IMPORTED.slice(0, 2)],
    [30 * MINUTE, IMPORTED.slice(1)],
  ] as const) {
    const body = JSON.stringify({ accounts })
    const answer = await worker.ask('/test/import', { ...at(ago), method: 'POST', body })
    const { left } = (await answer.json()) as { left?: unknown[] }
    if (left?.length !== 0) throw new Error(`Not every account is taken over: ${left}`)
  }
  await signIn('old-ida', 'plain', 20 * MINUTE, 'ida')

  const cookiesOf = async (name: string) => [
    await authjsSession(`authjs-${name}`, UPGRADE / 1000 - DAY),
    betterAuthSession(`better-${name}`, UPGRADE / 1000 - DAY),
  ]
  const used = [...(await cookiesOf('early')), ...(await cookiesOf('late'))]
  for (const [index, cookies] of used.entries()) {
    const browser = new Browser(worker, cookies)
    open[`moved ${index}`] = browser
    if (!(await browser.session(at(index < 2 ? 2 * HOUR : 30 * MINUTE)))) {
      throw new Error(`Old session ${index} did not move in.`)
    }
  }
  const old = { used, unused: await cookiesOf('unused') }

  // One step of the handover is done: some documents are in both numbers of objects.
  await worker.sweep(after, clockAt(-20 * MINUTE))

  // Codes that are used up, and a connection that was refreshed.
  for (const when of ['early', 'late']) {
    const name = `${when}-fritz`
    const { key, codes } = factors[name] as { key: string; codes: string[] }
    for (const code of [new AuthenticatorApp(key).code(0, at(15 * MINUTE).now), codes[0] ?? '']) {
      const browser = new Browser(worker)
      await browser.signIn(name, at(15 * MINUTE))
      expectDone(await browser.post('/auth/factor', { code }, at(15 * MINUTE)), `a code of ${name}`)
    }
    const whose = new URLSearchParams({ sub: subs[`${when}-cora`] ?? '', provider: 'other' })
    await worker.ask(`/test/token-of?${whose}`, at(15 * MINUTE))
    await signInBy(new Browser(worker), passkeys[`${when}-pia`] as KeptPasskey, at(15 * MINUTE))
    // The first factor is given, and the code is not.
    await named(`${when}-waiting`).signIn(name, at(4 * MINUTE))
  }

  for (const [name, browser] of Object.entries(open)) browsers[name] = browser.cookies
  return { kept: await worker.dump(after), browsers, subs, passkeys, factors, old }
}
