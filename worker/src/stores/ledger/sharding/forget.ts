import { answerOf } from '../answers.js'
import type { Ledger } from '../rules.js'
import type { Ask } from './homes.js'

/** More numbers of objects were never in use within a few months. */
const MAX_NUMBERS = 8

/** Also in objects of numbers that this isolate does not know, since a roll-back finds those again. */
export const forgetEverywhere: Ask<'forget'> = async (homes, call, key, isSub = false) => {
  const counts = new Set(homes.counts)
  let answers: unknown[] = []
  // An object may be handing a document over at this moment, so the older one is the first to forget it.
  for (const object of homes.own) answers.push(await call(object))
  const ask = (object: Ledger) => answerOf(object, 'forget', [key, isSub, true])
  let rest: readonly Ledger[] = []
  while (counts.size < MAX_NUMBERS) {
    const more = answers.flatMap(numbersIn).filter((count) => !counts.has(count))
    const next = [...new Set(more)].slice(0, MAX_NUMBERS)
    if (next.length === 0) break
    for (const count of next) counts.add(count)
    const ledgers = next.map(homes.of)
    rest = [...ledgers, ...rest]
    answers = await Promise.all(ledgers.map(ask))
  }
  // A document that these objects were handing over may have arrived after the others had forgotten it.
  for (const object of rest.slice(1)) await ask(object)
  if (rest.length > 0) for (const object of homes.own) await call(object)
  return undefined
}

/** The numbers of objects in an answer. An object of the version before gives none. */
function numbersIn(answer: unknown): readonly number[] {
  const isCount = (one: unknown): one is number => Number.isInteger(one) && (one as number) > 0
  return Array.isArray(answer) ? answer.filter(isCount) : []
}
