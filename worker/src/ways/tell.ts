import { isRecord } from '@latchkey/session/internal'
import { type AuthError, EmailNotSent } from '../errors.js'
import { logEvent } from '../http/log-event.js'
import type { AuthRequest, Notice } from '../http/request.js'
import { wordsFor } from '../http/words.js'
import { fill } from '../languages/fill.js'
import type { Texts } from '../languages/words.js'
import { emit, type SignedIn } from '../session/callbacks.js'
import type { User } from '../types.js'
import { openDescribed } from './described.js'
import type { Person } from './documents.js'

/** A change that has taken effect. */
export type Change =
  | {
      readonly change: 'added' | 'removed'
      readonly sub: string
      readonly way: string
      /** With the way in it. */
      readonly person: Person
      /** Where this request has proved it. */
      readonly signedIn?: SignedIn | undefined
    }
  | {
      readonly change: 'merged'
      readonly sub: string
      readonly from: string
      /** With the ways of both. */
      readonly person: Person
    }
  | {
      readonly change: keyof typeof OF_FACTORS
      readonly sub: string
      readonly person: Person
      readonly by: 'person' | 'operator'
    }

/**
 * Tells of a change, once: the log, the app, and whoever reads one of the person's verified addresses, that of
 * the changed way as well. What fails is logged, since the change has taken effect.
 */
export async function tell(request: AuthRequest, change: Change): Promise<void> {
  const { sub, person } = change
  const described = await Promise.all(person.ways.map((way) => openDescribed(request, way)))
  const addresses = new Set(described.flatMap(({ address }) => address ?? []))
  if (change.change === 'merged') {
    await logEvent(request, { event: 'people-merged', sub: change.from, into: sub })
    await emit(request, 'merge', { from: change.from, to: sub })
    return mail(request, addresses, merged)
  }
  if ('by' in change) {
    await logEvent(request, { event: change.change, sub, by: change.by })
    return mail(request, addresses, OF_FACTORS[change.change])
  }
  const at = person.ways.findIndex(({ way }) => way === change.way)
  const provider = person.ways[at]?.provider ?? ''
  const { name = provider, type } = request.providers.usable.get(provider) ?? {}
  const isAdded = change.change === 'added'
  await logEvent(request, { event: isAdded ? 'way-added' : 'way-removed', sub, provider })
  const id = described[at]?.account
  const user = userOf(request, sub)
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
  const say = isAdded ? added : removed
  await mail(request, addresses, (texts) => say(texts, name))
}

/** The person as their session describes them. */
function userOf({ asker }: AuthRequest, sub: string): User {
  const known: unknown = asker?.sub === sub ? asker.session.user : undefined
  return { ...(isRecord(known) ? known : {}), id: sub }
}

type Saying = Omit<Notice, 'to'>

type Notices = Texts['notices']

function added(texts: Notices, name: string): Saying {
  return { title: fill(texts.addedTitle, { name }), lines: [texts.added, texts.warning] }
}

function removed(texts: Notices, name: string): Saying {
  return { title: fill(texts.removedTitle, { name }), lines: [texts.removed, texts.warning] }
}

/** By the event of the log. */
const OF_FACTORS = {
  'factor-set-up': (texts: Notices) => ({
    title: texts.factorSetUpTitle,
    lines: [texts.factorSetUp, texts.warning],
  }),
  'factor-removed': (texts: Notices) => ({
    title: texts.factorRemovedTitle,
    lines: [texts.factorRemoved, texts.warning],
  }),
  'recovery-codes-made': (texts: Notices) => ({
    title: texts.newCodesTitle,
    lines: [texts.newCodes, texts.warning],
  }),
}

function merged(texts: Notices): Saying {
  return { title: texts.mergedTitle, lines: [texts.merged, texts.warning] }
}

/** Tells somebody that they have been erased, when nothing is known of them any more. */
export function tellErased(request: AuthRequest, addresses: ReadonlySet<string>): Promise<void> {
  return mail(request, addresses, (texts) => ({
    title: texts.erasedTitle,
    lines: [texts.erased, texts.erasedWarning],
  }))
}

/** By the first provider that can send mails. It has no link: there is nothing to click in such a mail. */
async function mail(
  request: AuthRequest,
  addresses: ReadonlySet<string>,
  say: (texts: Notices) => Saying,
): Promise<void> {
  const sender = [...request.providers.usable.values()].find(({ kind }) => kind.tell)
  if (!sender) return
  const { texts } = await wordsFor(request)
  const notice = say(texts.notices)
  const send = async (to: string) => {
    try {
      await sender.kind.tell?.(request, sender, { ...notice, to })
    } catch (error) {
      const failure = error instanceof EmailNotSent ? error : new EmailNotSent('A mail failed.')
      request.config.logger.error(failure satisfies AuthError)
    }
  }
  await Promise.all([...addresses].map(send))
}
