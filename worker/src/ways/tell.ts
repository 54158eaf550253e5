import { isRecord } from '@latchkey/session/internal'
import { type AuthError, EmailNotSent } from '../errors.js'
import { logEvent } from '../http/log-event.js'
import type { AuthRequest, Notice } from '../http/request.js'
import { wordsFor } from '../http/words.js'
import { fill } from '../languages/fill.js'
import { nameIn, type Words } from '../languages/words.js'
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
  await mail(request, addresses, (words) => say(words, name))
}

/** The person as their session describes them. */
function userOf({ asker }: AuthRequest, sub: string): User {
  const known: unknown = asker?.sub === sub ? asker.session.user : undefined
  return { ...(isRecord(known) ? known : {}), id: sub }
}

type Saying = Omit<Notice, 'to'>

function added(words: Words, provider: string): Saying {
  const { notices } = words.texts
  const name = nameIn(words, provider)
  return { title: fill(notices.addedTitle, { name }), lines: [notices.added, notices.warning] }
}

function removed(words: Words, provider: string): Saying {
  const { notices } = words.texts
  const name = nameIn(words, provider)
  return { title: fill(notices.removedTitle, { name }), lines: [notices.removed, notices.warning] }
}

/** By the event of the log. */
const OF_FACTORS = {
  'factor-set-up': ({ texts: { notices } }: Words) => ({
    title: notices.factorSetUpTitle,
    lines: [notices.factorSetUp, notices.warning],
  }),
  'factor-removed': ({ texts: { notices } }: Words) => ({
    title: notices.factorRemovedTitle,
    lines: [notices.factorRemoved, notices.warning],
  }),
  'recovery-codes-made': ({ texts: { notices } }: Words) => ({
    title: notices.newCodesTitle,
    lines: [notices.newCodes, notices.warning],
  }),
}

function merged({ texts: { notices } }: Words): Saying {
  return { title: notices.mergedTitle, lines: [notices.merged, notices.warning] }
}

/** Tells somebody that they have been erased, when nothing is known of them any more. */
export function tellErased(request: AuthRequest, addresses: ReadonlySet<string>): Promise<void> {
  return mail(request, addresses, ({ texts: { notices } }) => ({
    title: notices.erasedTitle,
    lines: [notices.erased, notices.erasedWarning],
  }))
}

/** By the first provider that can send mails. It has no link: there is nothing to click in such a mail. */
async function mail(
  request: AuthRequest,
  addresses: ReadonlySet<string>,
  say: (words: Words) => Saying,
): Promise<void> {
  const sender = [...request.providers.usable.values()].find(({ kind }) => kind.tell)
  if (!sender) return
  const notice = say(await wordsFor(request))
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
