import type { AuthRequest } from '../../http/request.js'
import type { Words } from '../../languages/texts.js'
import { readPerson } from '../../person/documents.js'
import type { Person } from '../../person/person.js'
import { emit } from '../../session/callbacks.js'
import { notifyOf, type Saying } from '../ways/notify.js'
import { HEARD_OF } from './limits.js'

export type Change = 'set' | 'changed' | 'removed'

const SAYS = {
  set: ({ texts: { notices } }: Words) => ({
    title: notices.passwordSetTitle,
    lines: [notices.warning],
  }),
  changed: ({ texts: { notices } }: Words) => ({
    title: notices.passwordChangedTitle,
    lines: [notices.passwordChanged, notices.warning],
  }),
  removed: ({ texts: { notices } }: Words) => ({
    title: notices.passwordRemovedTitle,
    lines: [notices.warning],
  }),
} satisfies Record<Change, (words: Words) => Saying>

/** Announces a change, once: to the log, to every verified address of the person, and to the app. */
export async function announceChange(
  request: AuthRequest,
  change: Change,
  { sub, person, by }: { sub: string; person: Person; by: 'person' | 'operator' },
): Promise<void> {
  await notifyOf(request, { event: `password-${change}`, sub, by }, person, SAYS[change], false)
  await emit(request, 'password', { sub, change, by })
}

/** Tells a person of wrong passwords. A failure is logged. */
export async function announceWrong(request: AuthRequest, sub: string): Promise<void> {
  const { person } = await readPerson(request, sub)
  if (!person) return
  const says = ({ texts: { notices } }: Words) => ({
    title: notices.wrongPasswordsTitle,
    lines: [notices.wrongPasswords, notices.wrongPasswordsHelp],
  })
  await notifyOf(request, { event: 'wrong-passwords', sub, count: HEARD_OF }, person, says, false)
}
