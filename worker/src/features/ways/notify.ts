import { isRecord } from '@latchkey/session/internal'
import { type AuthError, EmailNotSent } from '../../errors.js'
import { shownProviders } from '../../http/find-provider.js'
import type { Notice } from '../../http/kind.js'
import { wordsFor } from '../../http/locale.js'
import { logEvent } from '../../http/log-event.js'
import { type AuthRequest, nowInSeconds } from '../../http/request.js'
import { fill, nameIn } from '../../languages/fill.js'
import type { Words } from '../../languages/texts.js'
import type { Person, Unconfirmed } from '../../person/person.js'
import { emit } from '../../session/callbacks.js'
import { readSession } from '../../session/read.js'
import type { SignedIn } from '../../session/signed-in.js'
import type { User } from '../../types.js'
import { dayOf } from './day-of.js'
import { needsNotice, noteNotified, reach, STEP } from './reach.js'
import { meansOf } from './strength.js'

/** A change that has taken effect. */
export type Change =
  | {
      readonly change: 'added' | 'removed'
      readonly sub: string
      readonly way: string
      /** With the way in it. */
      readonly person: Person
      /** The proof of the way, if this request has brought it. */
      readonly signedIn?: SignedIn | undefined
    }
  | {
      readonly change: 'merged'
      readonly sub: string
      readonly from: string
      /** With the ways of both. */
      readonly person: Person
    }

/**
 * Announces a change, once: to the log, the app, and each of the person's verified addresses,
 * including the one of the changed way. A failure is logged, since the change has taken effect.
 */
export async function notify(request: AuthRequest, change: Change): Promise<void> {
  const { sub, person } = change
  const { described, addresses, isWhole } = await reach(request, person)
  if (change.change === 'merged') {
    await logEvent(request, { event: 'people-merged', sub: change.from, into: sub })
    await emit(request, 'merge', { from: change.from, to: sub })
    return void (await mail(request, addresses, (words) => said(change.change, words)))
  }
  const at = person.ways.findIndex(({ way }) => way === change.way)
  const provider = person.ways[at]?.provider ?? ''
  const { name = provider, type } = (await shownProviders(request, [provider])).get(provider) ?? {}
  const isAdded = change.change === 'added'
  await logEvent(request, { event: isAdded ? 'way-added' : 'way-removed', sub, provider })
  const id = described[at]?.account
  const user = await userOf(request, sub)
  if (!isAdded) {
    const known = id === undefined ? {} : { providerAccountId: id }
    await emit(request, 'unlinkAccount', { user, account: { provider, ...known, userId: sub } })
  } else if (change.signedIn) {
    const { account, profile } = change.signedIn
    await emit(request, 'linkAccount', { user, account, ...(profile ? { profile } : {}) })
  } else if (type !== undefined && id !== undefined) {
    const account = { provider, type, providerAccountId: id, userId: sub }
    await emit(request, 'linkAccount', { user, account })
  }
  const says = (words: Words) => said(change.change, words, name)
  if (!isAdded || !needsNotice(person.ways[at])) return void (await mail(request, addresses, says))
  const isSent = await mail(request, addresses, waiting(says))
  if (isWhole) await noteNotified(request, sub, new Set([change.way]), isSent)
}

/**
 * Announces a change that another feature has made, once: to the log, and to each of the person's
 * verified addresses. A failure is logged, since the change has taken effect.
 *
 * @param person with the change
 * @param mayWait can it be an addition that does not count yet? Then its mail says so
 */
export async function notifyOf(
  request: AuthRequest,
  event: Parameters<typeof logEvent>[1] & { readonly sub: string },
  person: Person,
  says: (words: Words) => Saying,
  mayWait: boolean,
): Promise<void> {
  const { addresses, isWhole } = await reach(request, person)
  await logEvent(request, event)
  const waits = mayWait && meansOf(request, person).some((one) => one.noted && needsNotice(one))
  const isSent = await mail(request, addresses, waits ? waiting(says) : says)
  if (waits && isWhole) await noteNotified(request, event.sub, new Set([STEP]), isSent)
}

/**
 * Repeats, at a sign-in, a notice that failed when a way was added: once on each day, while the way
 * waits for it. A person without an address costs nothing. A failure is logged: the person is
 * signed in.
 *
 * @param person as this request has read them
 */
export async function retryNotices(
  request: AuthRequest,
  sub: string,
  person: Person,
): Promise<void> {
  const today = dayOf(nowInSeconds(request))
  const isDue = (one: { readonly unconfirmed?: Unconfirmed | undefined }) =>
    needsNotice(one) && one.unconfirmed.tried !== today
  const due = person.ways.filter((one) => one.state === undefined && isDue(one))
  const steps = meansOf(request, person).filter((one) => one.noted && isDue(one))
  if (due.length + steps.length === 0 || !senderOf(request)) return
  const { addresses, isWhole } = await reach(request, person)
  if (!isWhole) return
  const names = [...due.map(({ way }) => way), ...steps.map(() => STEP)]
  // One of several simultaneous requests sends it.
  if (!(await noteNotified(request, sub, new Set(names), false))) return
  const usable = await shownProviders(
    request,
    due.map(({ provider }) => provider),
  )
  const ofWays = due.map(
    ({ provider }) =>
      (words: Words) =>
        said('added', words, usable.get(provider)?.name ?? provider),
  )
  const says = [...ofWays, ...steps.flatMap(({ says }) => says ?? [])]
  const sent = await Promise.all(says.map((say) => mail(request, addresses, waiting(say))))
  await noteNotified(request, sub, new Set(names.filter((_, at) => sent[at])), true)
}

/** The person as their session describes them. */
async function userOf(request: AuthRequest, sub: string): Promise<User> {
  const claims = (await readSession(request))?.claims
  const user: unknown = claims?.sub === sub ? claims.session.user : undefined
  return { ...(isRecord(user) ? user : {}), id: sub }
}

export type Saying = Omit<Notice, 'to'>

/** @param provider whose way it was */
function said(change: Change['change'], words: Words, provider = ''): Saying {
  const { notices } = words.texts
  const name = nameIn(words, provider)
  return {
    title: fill(notices[`${change}Title`], { name }),
    lines: [notices[change], notices.warning],
  }
}

/** Tells a user that they have been erased, after their documents are gone. */
export async function notifyErased(
  request: AuthRequest,
  addresses: ReadonlySet<string>,
): Promise<void> {
  await mail(request, addresses, ({ texts: { notices } }) => ({
    title: notices.erasedTitle,
    lines: [notices.erased, notices.erasedWarning],
  }))
}

/** The same for a way that waits: how long, and what to do if it is not theirs. */
function waiting(say: (words: Words) => Saying) {
  return (words: Words): Saying => {
    const { title, lines } = say(words)
    return { title, lines: lines.toSpliced(1, 0, words.texts.notices.waits) }
  }
}

/**
 * Sends by the first provider that can. Such a mail has no link, because a forged one would lead to
 * a false page.
 *
 * @returns whether each was sent
 */
export async function mail(
  request: AuthRequest,
  addresses: ReadonlySet<string>,
  say: (words: Words) => Saying,
): Promise<boolean> {
  const sender = senderOf(request)
  if (!sender) return false
  const notice = say(await wordsFor(request))
  const send = async (to: string) => {
    try {
      await sender.kind.notify?.(request, sender, { ...notice, to })
      return true
    } catch (error) {
      const failure = error instanceof EmailNotSent ? error : new EmailNotSent('A mail failed.')
      request.config.logger.error(failure satisfies AuthError)
      return false
    }
  }
  return (await Promise.all([...addresses].map(send))).every(Boolean)
}

/** The first provider that can send mails. */
export function senderOf({ providers }: AuthRequest) {
  return [...providers.usable.values()].find(({ kind }) => kind.notify)
}
