import type { Ledger, RefreshedTokens, RevokedLately } from '../ports.js'

/** The ledger's objects, as a call sees them. */
export interface Homes {
  /**
   * Those that keep what the call is about: one for each number of objects that is in use, the
   * newest number last.
   */
  readonly own: readonly Ledger[]
  /** All the others. */
  others(): readonly Ledger[]
}

/** Asks the objects, and makes one answer of theirs. */
type Ask<Given extends readonly unknown[], Answer> = (
  homes: Homes,
  call: (object: Ledger) => Promise<Answer>,
  ...given: Given
) => Promise<Answer>

/** What has to be known of a method by whoever stands between its caller and its rule. */
interface Method<Given extends readonly unknown[], Answer> {
  /** What cannot be done to the ledger when it fails. */
  readonly does: 'read' | 'use' | 'write'
  /** By what the objects are found that keep what the call is about. Absent: it is about all. */
  readonly home?: (...given: Given) => string
  readonly ask: Ask<Given, Answer>
}

const byFirst = (first: string) => first

/**
 * Every method of the ledger, for sharding (`home`, `ask`) and guarding (`does`). Isolates that have
 * not heard of a new number of objects ask the old ones alone, so where only one caller may win, the
 * old ones are asked first.
 */
export const methods: {
  readonly [Name in keyof Ledger]: Method<
    Parameters<Ledger[Name]>,
    Awaited<ReturnType<Ledger[Name]>>
  >
} = {
  consume: { does: 'use', home: byFirst, ask: inTurn((isFirst) => isFirst) },
  revoke: { does: 'write', home: byFirst, ask: together(() => {}) },
  isRevoked: { does: 'read', home: byFirst, ask: together((answers) => answers.includes(true)) },
  cutOff: { does: 'write', home: ({ sub }) => sub, ask: inTurnThenOthers((isDone) => isDone) },
  revokedSince: { does: 'read', ask: everywhere(joinEndings) },
  refreshedTokens: { does: 'read', home: byFirst, ask: together(newestTokens) },
  claimRefresh: { does: 'use', home: byFirst, ask: inTurn(({ state }) => state === 'yours') },
  settleRefresh: { does: 'write', home: byFirst, ask: together(() => {}) },
  // Attempts are counted in the newest alone: while the number changes they may be twice as many.
  admit: { does: 'use', home: byFirst, ask: atNewest },
  forgive: { does: 'write', home: byFirst, ask: atNewest },
  // What was mailed is in one object only, the newest, so that it is redeemed once. While the number
  // changes it is looked for in the others too.
  startVerification: {
    does: 'write',
    home: byFirst,
    async ask(homes, call, key) {
      const older = homes.own.slice(0, -1)
      await Promise.all(older.map((object) => object.withdrawVerification(key)))
      await atNewest(homes, call)
    },
  },
  findVerification: { does: 'read', home: byFirst, ask: together((found) => found.find(isThere)) },
  redeemVerification: {
    does: 'use',
    home: byFirst,
    ask: inTurn(({ state }) => state === 'over', newestFirst),
  },
  withdrawVerification: { does: 'write', home: byFirst, ask: together(() => {}) },
}

/** Asks each as long as the answers let it go on; the last answer counts. */
function inTurn<Answer>(
  goesOn: (answer: Answer) => boolean,
  order = (own: readonly Ledger[]) => own,
): Ask<readonly unknown[], Answer> {
  return async ({ own }, call) => {
    const [first, ...rest] = order(own) as [Ledger, ...Ledger[]]
    let answer = await call(first)
    for (const object of rest) {
      if (!goesOn(answer)) break
      answer = await call(object)
    }
    return answer
  }
}

/** Of two calls at the same time, the objects in turn decide which one counts; the others follow. */
function inTurnThenOthers<Answer>(
  goesOn: (answer: Answer) => boolean,
): Ask<readonly unknown[], Answer> {
  const decide = inTurn(goesOn)
  return async (homes, call) => {
    const answer = await decide(homes, call)
    if (goesOn(answer)) await Promise.all(homes.others().map(call))
    return answer
  }
}

function together<Answer>(
  join: (answers: readonly Answer[]) => Answer,
): Ask<readonly unknown[], Answer> {
  return async ({ own }, call) => join(await Promise.all(own.map(call)))
}

function everywhere<Answer>(
  join: (answers: readonly Answer[]) => Answer,
): Ask<readonly unknown[], Answer> {
  return async ({ own, others }, call) => join(await Promise.all([...own, ...others()].map(call)))
}

function atNewest<Answer>(
  { own }: Homes,
  call: (object: Ledger) => Promise<Answer>,
): Promise<Answer> {
  return call(own.at(-1) as Ledger)
}

function newestFirst(own: readonly Ledger[]): readonly Ledger[] {
  return own.toReversed()
}

function newestTokens(
  found: readonly (RefreshedTokens | undefined)[],
): RefreshedTokens | undefined {
  return found.toSorted((one, other) => (other?.version ?? -1) - (one?.version ?? -1))[0]
}

function joinEndings(found: readonly RevokedLately[]): RevokedLately {
  return {
    sessions: found.flatMap(({ sessions }) => sessions),
    users: found.flatMap(({ users }) => users),
    // Each object has a clock of its own.
    next: Math.min(...found.map(({ next }) => next)),
    hasMore: found.some(({ hasMore }) => hasMore),
  }
}

function isThere(sealed: string | undefined): boolean {
  return sealed !== undefined
}

/** Any method, for who handles all of them alike. */
export type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>

/** A ledger each of whose methods is made by the same function. */
export function ledgerOf(make: (name: keyof Ledger) => AnyMethod): Ledger {
  const names = Object.keys(methods) as (keyof Ledger)[]
  return Object.fromEntries(names.map((name) => [name, make(name)])) as unknown as Ledger
}
