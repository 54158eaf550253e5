import type { AuthRequest } from '../../http/request.js'
import type { Words } from '../../languages/texts.js'
import type { Person } from '../../person/person.js'
import { notifyOf, type Saying } from '../ways/notify.js'

/** The texts of mails, by the event of the log. */
const SAYS = {
  'factor-set-up': setUpNotice,
  'factor-removed': ({ texts: { notices } }: Words) => ({
    title: notices.factorRemovedTitle,
    lines: [notices.factorRemoved, notices.warning],
  }),
  'recovery-codes-made': ({ texts: { notices } }: Words) => ({
    title: notices.newCodesTitle,
    lines: [notices.newCodes, notices.warning],
  }),
}

export function setUpNotice({ texts: { notices } }: Words): Saying {
  return { title: notices.factorSetUpTitle, lines: [notices.factorSetUp, notices.warning] }
}

/** Announces a change to a second factor, once: to the log, and to the person by mail. */
export function notifyOfFactor(
  request: AuthRequest,
  event: keyof typeof SAYS,
  { sub, person, by }: { sub: string; person: Person; by: 'person' | 'operator' },
): Promise<void> {
  return notifyOf(request, { event, sub, by }, person, SAYS[event], true)
}

/** Announces that a recovery code was used. @param provider of the first factor */
export function notifyOfCode(
  request: AuthRequest,
  sub: string,
  person: Person,
  provider: string,
): Promise<void> {
  const says = ({ texts: { notices } }: Words) => ({
    title: notices.codeUsedTitle,
    lines: [notices.codeUsed, notices.warning],
  })
  return notifyOf(request, { event: 'recovery-code-used', sub, provider }, person, says, false)
}
