import { logEvent } from '../../http/log-event.js'
import type { AuthRequest } from '../../http/request.js'
import { isRevoked } from '../../session/revoke.js'
import type { KeyedDocument } from '../../stores/ledger/types.js'
import { endWholeList, wholeList } from '../../stores/whole-list.js'
import { noteEnded } from './assertions/asserted-grant.js'
import { findApp, named } from './find-app.js'
import { endGrants, type Grant, grantsIn, keyOf, lastUseOf } from './grant.js'
import { ledgerOf } from './grant-ledger.js'
import { type Consent, consentIn } from './kept-consents.js'
import { serverOf } from './settings.js'
import type { ListedApp } from './types.js'

/** The most endings that one listing asks the ledger for: a Worker has 50 calls for a request. The next listing asks for others. */
const MAX_ASKED = 30

/** What a person has let apps do. */
interface LetIn {
  /** The grants that go on, as far as the ledger was asked. */
  readonly grants: readonly Grant[]
  readonly consents: readonly Consent[]
}

/**
 * The apps that a person has let in, one for each app and resource, the one that was used last first.
 *
 * @returns an empty list for an unknown person
 * @throws {StoreUnavailable}
 */
export async function listApps(request: AuthRequest, sub: string): Promise<readonly ListedApp[]> {
  const { grants, consents } = await readLetIn(request, sub)
  const all = new Map<string, Entry>()
  const add = ({ app, resource }: Pick<Grant, 'app' | 'resource'>, more: Entry) => {
    const key = JSON.stringify([app, resource])
    all.set(key, together(all.get(key), more))
  }
  for (const grant of grants) {
    const { app, resource, scopes, sid, added, asserted, company } = grant
    const lastUsed = lastUseOf(grant)
    const offline = sid === undefined && asserted === undefined
    const by = company === undefined ? {} : { company }
    add(grant, { app, resource, scopes, offline, added, lastUsed, ...by })
  }
  for (const consent of consents) {
    const { app, resource, scopes, since, name } = consent
    const offline = scopes.includes('offline_access')
    add(consent, { app, resource, scopes, offline, added: since, lastUsed: since, name })
  }
  return [...all.values()]
    .sort((one, other) => other.lastUsed - one.lastUsed)
    .flatMap((entry) => listed(request, entry) ?? [])
}

/**
 * Ends all that an app may do for a person: its grants, everywhere, the consent, so that it has to ask again, and with that each
 * code and each device that has not begun yet.
 *
 * @returns was there anything?
 * @throws {StoreUnavailable} it may be called again
 */
export function endApp(request: AuthRequest, sub: string, app: string): Promise<boolean> {
  return endEach(request, sub, (documents) => ({
    grants: grantsIn(request, sub, documents.filter(isGrant)).filter((one) => one.app === app),
    keys: documents
      .filter((one) => !isGrant(one) && consentIn(one)?.app === app)
      .map(({ key }) => key),
  }))
}

/** The kinds of the documents of what apps may do for a person. */
const KINDS = ['grant', 'consent']

/** How often a list is ended again in which something had begun meanwhile. */
const ROUNDS = 3

/**
 * Ends the chosen grants and consents of a person. A grant that began between the list and the end still found its consent.
 * So the call that ends the consent also lists the remaining documents, and the next round ends those grants.
 *
 * @returns was there anything?
 */
async function endEach(
  request: AuthRequest,
  sub: string,
  choose: (documents: readonly KeyedDocument[]) => {
    readonly grants: readonly Grant[]
    readonly keys: readonly string[]
  },
): Promise<boolean> {
  let left: readonly KeyedDocument[] | undefined
  for (let round = 0; round < ROUNDS; round++) {
    const { grants, keys } = choose(left ?? (await wholeList(ledgerOf(request), sub, KINDS)))
    const handles = grants.map(({ handle }) => handle)
    await noteEnded(request, grants)
    left = await endGrants(request, sub, handles, keys, keys.length > 0 ? KINDS : undefined)
    // A grant that begins from now on finds no consent.
    if (keys.length === 0) return round > 0 || handles.length > 0
  }
  return true
}

/** As {@link endApp}, for the operator. @throws {StoreUnavailable} */
export async function endAppOf(request: AuthRequest, sub: string, app: string): Promise<void> {
  await endApp(request, sub, app)
  await logEvent(request, { event: 'app-removed', sub, by: 'operator', ...named(request, app) })
}

/** Ends all that all apps may do for a person who is erased, or taken in by another one. @throws {StoreUnavailable} */
export async function endAllApps(request: AuthRequest, sub: string): Promise<void> {
  // An app's own ledger may keep no grants, and then there are none to end.
  const beginning = keyOf(sub, '')
  await endWholeList(ledgerOf(request), sub, KINDS, (documents) => {
    // By their keys: a damaged one ends too.
    const handles = documents.filter(isGrant).map(({ key }) => key.slice(beginning.length))
    const keys = documents.filter((one) => !isGrant(one)).map(({ key }) => key)
    return endGrants(request, sub, handles, keys)
  })
}

/** How far a clock may be ahead of ours. Seconds. */
const AHEAD = 60

/**
 * Ends by name what would outlive an end of all sessions: each grant that has begun by a clock that is ahead, and the documents on
 * which a code or a device depends that has not begun a grant yet.
 *
 * @param until the end of the sessions, in seconds since the epoch; left out: each grant without a session ends
 * @throws {StoreUnavailable} it may be called again
 */
export async function endOutliving(
  request: AuthRequest,
  sub: string,
  until?: number,
): Promise<void> {
  const isEnded = ({ began, asserted }: Grant) =>
    until === undefined || (began <= until + AHEAD && (began > until || asserted !== undefined))
  await endEach(request, sub, (documents) => ({
    grants: grantsIn(request, sub, documents.filter(isGrant)).filter(
      (grant) => grant.sid === undefined && isEnded(grant),
    ),
    keys: documents
      .filter((one) => !isGrant(one) && consentIn(one)?.outlives)
      .map(({ key }) => key),
  }))
}

/**
 * Ends the grants of a person that rest on assertions of a company, or belong to sessions that it began, after its provider has signed
 * the person out: such a session may not be listed yet, and its apps would go on without it.
 *
 * @throws {StoreUnavailable} it may be called again
 */
export async function endByCompany(
  request: AuthRequest,
  sub: string,
  company: string,
): Promise<void> {
  await endEach(request, sub, (documents) => ({
    grants: grantsIn(request, sub, documents.filter(isGrant)).filter(
      (grant) =>
        grant.company === company && (grant.asserted !== undefined || grant.sid !== undefined),
    ),
    keys: [],
  }))
}

interface Entry extends Pick<Grant, 'app' | 'resource' | 'scopes'> {
  readonly offline: boolean
  readonly added: number
  readonly lastUsed: number
  readonly name?: string
  readonly company?: string
}

function together(one: Entry | undefined, other: Entry): Entry {
  if (!one) return other
  return {
    ...one,
    ...other,
    scopes: [...new Set([...one.scopes, ...other.scopes])],
    offline: one.offline || other.offline,
    added: Math.min(one.added, other.added),
    lastUsed: Math.max(one.lastUsed, other.lastUsed),
  }
}

/** @returns `undefined`: the app is no longer configured, so that it can do nothing */
function listed(
  request: AuthRequest,
  { name, added, lastUsed, ...entry }: Entry,
): ListedApp | undefined {
  const known = findApp(request, entry.app)
  const host = known ? null : (URL.parse(entry.app)?.host ?? null)
  if (!known && (host === null || !serverOf(request).isOpen)) return undefined
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
  return {
    ...entry,
    name: known?.name ?? name ?? host ?? entry.app,
    host,
    added: iso(added),
    lastUsed: iso(lastUsed),
  }
}

async function readLetIn(request: AuthRequest, sub: string): Promise<LetIn> {
  const documents = await wholeList(ledgerOf(request), sub, KINDS)
  const all = grantsIn(request, sub, documents.filter(isGrant))
  const consents = documents
    .flatMap((one) => (isGrant(one) ? [] : (consentIn(one) ?? [])))
    .filter(({ v }) => v === 1)
  return { grants: await living(request, all), consents }
}

/** The grants that go on. The others are deleted, so that no later listing asks for them again. */
async function living(request: AuthRequest, grants: readonly Grant[]): Promise<readonly Grant[]> {
  const lives = new Map<string, Promise<boolean>>()
  const isOver = ({ sub, sid, handle, began, asserted }: Grant): Promise<boolean> => {
    // It is deleted with each ending of its person's, and each new assertion sets when it began.
    if (asserted !== undefined) return Promise.resolve(false)
    const life = sid ?? handle
    const known = lives.get(life)
    if (known) return known
    const asked =
      lives.size < MAX_ASKED
        ? isRevoked(request, { sub, sid: life, auth_time: began })
        : Promise.resolve(false)
    lives.set(life, asked)
    return asked
  }
  const newest = grants.toSorted((one, other) => lastUseOf(other) - lastUseOf(one))
  const over = await Promise.all(newest.map(isOver))
  const [first] = grants
  const dead = newest.filter((_, at) => over[at]).map(({ handle }) => handle)
  if (first && dead.length > 0) {
    const { logger } = request.config
    const deleted = endGrants(request, first.sub, dead).catch((error: Error) => logger.error(error))
    request.waitUntil(deleted)
  }
  return newest.filter((_, at) => !over[at])
}

function isGrant({ key }: { readonly key: string }): boolean {
  return key.startsWith('grant\n')
}
