import type { Ledger, RefreshedTokens, RevokedLately } from '../ports.js'

/** The ledger's objects, as a call sees them. */
export interface Homes {
  /**
   * The objects with the rows of this call: one for each number of objects in use, the newest
   * number last.
   */
  readonly own: readonly Ledger[]
  /** All the others. */
  others(): readonly Ledger[]
}

/** Calls the objects, and combines their answers into one. */
type Ask<Given extends readonly unknown[], Answer> = (
  homes: Homes,
  call: Call<Answer>,
  ...given: Given
) => Promise<Answer>

/** The properties of a method that sharding and guarding need. */
interface Method<Given extends readonly unknown[], Answer> {
  /** The action that cannot be done when the method fails, for the error's message. */
  readonly does: 'read' | 'use' | 'write'
  /** The key that decides in which objects the rows are. Absent: in all of them. */
  readonly home?: (...given: Given) => string
  readonly ask: Ask<Given, Answer>
}

const byFirst = (first: string) => first

/**
 * Every method of the ledger, for sharding (`home`, `ask`) and guarding (`does`). Isolates without
 * a new number of objects call the old ones alone, so where only one caller may win, the old ones
 * are called first.
 */
export const methods: {
  readonly [Name in keyof Ledger]: Method<
    Parameters<Ledger[Name]>,
    Awaited<ReturnType<Ledger[Name]>>
  >
} = {
  consume: {
    does: 'use',
    home: byFirst,
    ask: (homes, call) => inTurn(homes, call, (isFirst) => isFirst),
  },
  revoke: { does: 'write', home: byFirst, ask: together },
  isRevoked: {
    does: 'read',
    home: byFirst,
    ask: async (homes, call) => (await answers(homes, call)).includes(true),
  },
  cutOff: { does: 'write', home: ({ sub }) => sub, ask: inTurnThenOthers },
  revokedSince: { does: 'read', ask: everywhere },
  refreshedTokens: { does: 'read', home: byFirst, ask: newestTokens },
  claimRefresh: {
    does: 'use',
    home: byFirst,
    ask: (homes, call) => inTurn(homes, call, ({ state }) => state === 'yours'),
  },
  settleRefresh: { does: 'write', home: byFirst, ask: together },
  // Attempts are counted in the newest alone: while the number changes they may be twice as many.
  admit: { does: 'use', home: byFirst, ask: atNewest },
  forgive: { does: 'write', home: byFirst, ask: atNewest },
  // A mail is in one object only, the newest, so that it is redeemed once. While the number changes
  // the others are searched too.
  startVerification: {
    does: 'write',
    home: byFirst,
    async ask(homes, call, key) {
      const older = homes.own.slice(0, -1)
      await Promise.all(older.map((object) => object.withdrawVerification(key)))
      await atNewest(homes, call)
    },
  },
  findVerification: { does: 'read', home: byFirst, ask: firstFound },
  redeemVerification: {
    does: 'use',
    home: byFirst,
    ask: (homes, call) =>
      inTurn({ ...homes, own: homes.own.toReversed() }, call, ({ state }) => state === 'over'),
  },
  withdrawVerification: { does: 'write', home: byFirst, ask: together },
}

type Call<Answer> = (object: Ledger) => Promise<Answer>

/** Calls one object after the other while the answers allow it; the last answer counts. */
async function inTurn<Answer>(
  { own }: Homes,
  call: Call<Answer>,
  goesOn: (answer: Answer) => boolean,
): Promise<Answer> {
  const [first, ...rest] = own as [Ledger, ...Ledger[]]
  let answer = await call(first)
  for (const object of rest) {
    if (!goesOn(answer)) break
    answer = await call(object)
  }
  return answer
}

/** The first object decides which of two simultaneous calls counts; the others follow. */
async function inTurnThenOthers(homes: Homes, call: Call<boolean>): Promise<boolean> {
  const isDone = await inTurn(homes, call, (answer) => answer)
  if (isDone) await Promise.all(homes.others().map(call))
  return isDone
}

async function together(homes: Homes, call: Call<void>): Promise<void> {
  await answers(homes, call)
}

function answers<Answer>({ own }: Homes, call: Call<Answer>): Promise<Answer[]> {
  return Promise.all(own.map(call))
}

function atNewest<Answer>({ own }: Homes, call: Call<Answer>): Promise<Answer> {
  return call(own.at(-1) as Ledger)
}

async function newestTokens(
  homes: Homes,
  call: Call<RefreshedTokens | undefined>,
): Promise<RefreshedTokens | undefined> {
  const found = await answers(homes, call)
  return found.toSorted((one, other) => (other?.version ?? -1) - (one?.version ?? -1))[0]
}

async function firstFound(
  homes: Homes,
  call: Call<string | undefined>,
): Promise<string | undefined> {
  return (await answers(homes, call)).find((sealed) => sealed !== undefined)
}

async function everywhere(
  { own, others }: Homes,
  call: Call<RevokedLately>,
): Promise<RevokedLately> {
  const found = await Promise.all([...own, ...others()].map(call))
  return {
    sessions: found.flatMap(({ sessions }) => sessions),
    users: found.flatMap(({ users }) => users),
    // Each object has a clock of its own.
    next: Math.min(...found.map(({ next }) => next)),
    hasMore: found.some(({ hasMore }) => hasMore),
  }
}

/** Any method, for code that handles all of them alike. */
export type AnyMethod = (...given: readonly unknown[]) => Promise<unknown>

/** A ledger each of whose methods is made by the same function. */
export function ledgerOf(make: (name: keyof Ledger) => AnyMethod): Ledger {
  const names = Object.keys(methods) as (keyof Ledger)[]
  return Object.fromEntries(names.map((name) => [name, make(name)])) as unknown as Ledger
}
