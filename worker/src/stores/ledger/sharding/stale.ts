import { answerOf, isMissing } from '../answers.js'
import type { Ledger } from '../rules.js'
import type { Standing } from '../types.js'
import { type Ask, answers, type Call } from './homes.js'

/** While the number of objects changes each may be asked about it: the latest time counts. */
export const refreshEverywhere: Ask<'refreshClaims'> = async (homes, call) => {
  const all = await answers(homes, call)
  const refused = all.find(({ until }) => until === undefined)
  return refused ?? { until: Math.max(...all.flatMap(({ until }) => until ?? [])) }
}

/** A session that began with another number of objects may be in another one than its person, where their refresh is. */
export const standingEverywhere: Ask<'standing'> = async ({ own, at }, call, sid, owner) => {
  const objects = new Set([...own, ...at({ sub: owner.sub })])
  const all = await Promise.all(
    [...objects].map((object) => standingIn(object, call, [sid, owner])),
  )
  const untils = all.flatMap(({ staleUntil }) => staleUntil ?? [])
  return {
    isOver: all.some(({ isOver }) => isOver),
    ...(untils.length === 0 ? {} : { staleUntil: Math.max(...untils) }),
  }
}

/** An object of the version before knows of endings alone. */
export async function standingIn(
  object: Ledger,
  call: Call<Standing>,
  session: Parameters<Ledger['standing']>,
): Promise<Standing> {
  try {
    return await call(object)
  } catch (error) {
    if (!isMissing(error)) throw error
    return { isOver: (await answerOf(object, 'isRevoked', session)) === true }
  }
}
