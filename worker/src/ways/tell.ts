import { isRecord } from '@latchkey/session/internal'
import { type AuthError, EmailNotSent } from '../errors.js'
import { logEvent } from '../http/log-event.js'
import type { AuthRequest, Notice } from '../http/request.js'
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
    return mail(request, addresses, MERGED)
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
  await mail(request, addresses, isAdded ? added(name) : removed(name))
}

/** The person as their session describes them. */
function userOf({ asker }: AuthRequest, sub: string): User {
  const known: unknown = asker?.sub === sub ? asker.session.user : undefined
  return { ...(isRecord(known) ? known : {}), id: sub }
}

type Words = Omit<Notice, 'to'>

const WARNING =
  'If that was not you, somebody else is signed in as you: sign in, open the page of your account, remove what you do not know, and choose “Sign out everywhere”.'

function added(provider: string): Words {
  return {
    title: `${provider} was added to your account`,
    lines: [`From now on it is a way to sign in to your account.`, WARNING],
  }
}

function removed(provider: string): Words {
  return {
    title: `${provider} was removed from your account`,
    lines: [`It is no way to sign in to your account any more.`, WARNING],
  }
}

/** By the event of the log. */
const OF_FACTORS = {
  'factor-set-up': {
    title: 'Your account asks for a second factor',
    lines: ['From now on a sign-in takes a code of your authenticator app as well.', WARNING],
  },
  'factor-removed': {
    title: 'Your account asks for no second factor any more',
    lines: ['A sign-in takes no code of your authenticator app from now on.', WARNING],
  },
  'recovery-codes-made': {
    title: 'You have new recovery codes',
    lines: ['The recovery codes that you had before work no more.', WARNING],
  },
} satisfies Record<string, Words>

const MERGED: Words = {
  title: 'Two of your accounts are one now',
  lines: ['Every way to sign in to either leads to the same account from now on.', WARNING],
}

/** Tells somebody that they have been erased, when nothing is known of them any more. */
export function tellErased(request: AuthRequest, addresses: ReadonlySet<string>): Promise<void> {
  return mail(request, addresses, ERASED)
}

const ERASED: Words = {
  title: 'Your account is deleted',
  lines: [
    'Your sessions, your ways to sign in and the connections to providers are gone for good.',
    'If that was not you, somebody else was signed in as you: write to whoever runs this site.',
  ],
}

/** By the first provider that can send mails. It has no link: there is nothing to click in such a mail. */
async function mail(
  request: AuthRequest,
  addresses: ReadonlySet<string>,
  words: Words,
): Promise<void> {
  const sender = [...request.providers.usable.values()].find(({ kind }) => kind.tell)
  if (!sender) return
  const send = async (to: string) => {
    try {
      await sender.kind.tell?.(request, sender, { ...words, to })
    } catch (error) {
      const failure = error instanceof EmailNotSent ? error : new EmailNotSent('A mail failed.')
      request.config.logger.error(failure satisfies AuthError)
    }
  }
  await Promise.all([...addresses].map(send))
}
