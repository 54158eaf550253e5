import { MAX_NARROW } from './placement.js'
import { homeOfDocument } from './rows.js'
import type { Ledger } from './rules.js'
import {
  changeEverywhere,
  enterInTurn,
  forgiveAtNewest,
  newestDocument,
  redeemInTurn,
} from './sharding/documents.js'
import { claimInTurn, everywhere, inTurnThenOthers, repeatEverywhere } from './sharding/endings.js'
import { forgetEverywhere } from './sharding/forget.js'
import { type Ask, answers, atNewest, type Home, inTurn, together } from './sharding/homes.js'
import { insertEverywhere } from './sharding/insertions.js'
import { endEverywhere, listEverywhere, liveEverywhere } from './sharding/lives.js'
import { refreshEverywhere, standingEverywhere } from './sharding/stale.js'

const byName = (name: string): Home => ({ name })
const bySession = (sid: string): Home => ({ sid })
const byPerson = (sub: string): Home => ({ sub })
const byDocument = (key: string): Home => byName(homeOfDocument(key))
/** A mail is where its address is, and a sign-in that waits where its person's second factor is counted. */
const byMail = (key: string): Home => byName(key.split('\n', 1)[0] ?? '')

interface Method<Name extends keyof Ledger> {
  /** The action that cannot be done when the method fails, for the error's message. */
  readonly does: 'read' | 'use' | 'write'
  /** Decides in which of several objects the rows are. Absent: in all of them. */
  readonly home?: (...args: Parameters<Ledger[Name]>) => Home
  readonly ask: Ask<Name>
}

/**
 * Every method of the ledger as several objects have it: which of them it asks, and which answer counts. Isolates without
 * a new number of objects call the old ones alone, so if only one caller may win, the old ones are called first.
 */
export const methods: { readonly [Name in keyof Ledger]: Method<Name> } = {
  consume: {
    does: 'use',
    home: byName,
    ask: (homes, call) => inTurn(homes, call, (isFirst) => isFirst),
  },
  revoke: { does: 'write', home: bySession, ask: together },
  isRevoked: {
    does: 'read',
    home: (sid, owner) => ({ sid, sub: owner?.sub }),
    ask: async (homes, call) => (await answers(homes, call)).includes(true),
  },
  cutOff: { does: 'write', home: ({ sub }) => byPerson(sub), ask: inTurnThenOthers },
  repeatCutOff: { does: 'write', home: byPerson, ask: repeatEverywhere },
  erase: {
    does: 'write',
    home: ({ sub }) => byPerson(sub),
    ask: async (homes, call) => {
      await Promise.all([...homes.own, ...homes.others()].map(call))
    },
  },
  forget: { does: 'write', home: byName, ask: forgetEverywhere },
  revokedSince: { does: 'read', ask: everywhere },
  refreshedTokens: {
    does: 'read',
    home: bySession,
    ask: async (homes, call) => {
      const pairs = (await answers(homes, call)).flatMap((tokens) => tokens ?? [])
      return pairs.toSorted((one, other) => other.version - one.version)[0]
    },
  },
  claimRefresh: { does: 'use', home: bySession, ask: claimInTurn },
  settleRefresh: { does: 'write', home: bySession, ask: together },
  // Attempts are counted in the newest alone: while the number changes they may be twice as many.
  admit: { does: 'use', home: byName, ask: atNewest },
  forgive: { does: 'write', home: byName, ask: forgiveAtNewest },
  // A mail is in one object only, the newest, so that it is redeemed once. While the number changes
  // the others are searched too.
  startVerification: {
    does: 'write',
    home: byMail,
    async ask(homes, call, key) {
      const older = homes.own.slice(0, -1)
      await Promise.all(older.map((object) => object.withdrawVerification(key)))
      await atNewest(homes, call)
    },
  },
  findVerification: {
    does: 'read',
    home: byMail,
    ask: async (homes, call) => (await answers(homes, call)).find((sealed) => sealed !== undefined),
  },
  redeemVerification: { does: 'use', home: byMail, ask: redeemInTurn },
  withdrawVerification: { does: 'write', home: byMail, ask: together },
  document: {
    does: 'read',
    home: byDocument,
    ask: async (homes, _call, key) => newestDocument(homes, key),
  },
  changeDocument: { does: 'write', home: byDocument, ask: changeEverywhere },
  insertDocuments: { does: 'write', ask: insertEverywhere },
  enter: { does: 'use', home: (_name, _expires, key) => byDocument(key), ask: enterInTurn },
  giveBack: {
    does: 'write',
    home: (name, key) => (key === undefined ? byName(name) : byDocument(key)),
    ask: together,
  },
  isConsumed: {
    does: 'read',
    async ask({ others }, call) {
      const objects = others()
      if (objects.length > MAX_NARROW) return false
      return (await Promise.all(objects.map(call))).includes(true)
    },
  },
  liveDocument: { does: 'use', home: byDocument, ask: liveEverywhere },
  documentsOf: { does: 'read', home: byName, ask: listEverywhere },
  endAll: { does: 'write', ask: endEverywhere },
  refreshClaims: {
    does: 'write',
    home: ({ sub, sid }) => (sid === undefined ? byPerson(sub) : bySession(sid)),
    ask: refreshEverywhere,
  },
  standing: { does: 'read', home: bySession, ask: standingEverywhere },
}

/** Any method, for code that handles all of them alike. */
export type AnyMethod = (...args: readonly unknown[]) => Promise<unknown>

/** Marks a ledger of this package: also of another copy of it, which an app loads beside its bundle. */
export const OWN = Symbol.for('latchkey.ledger')

/** Has this package made the ledger? No other one is used, since a store gives rows alone. */
export function isOwnLedger(ledger: unknown): ledger is Ledger {
  return typeof ledger === 'object' && ledger !== null && OWN in ledger
}

/** A ledger each of whose methods is made by the same function. */
export function ledgerOf(make: (name: keyof Ledger) => AnyMethod): Ledger {
  const names = Object.keys(methods) as (keyof Ledger)[]
  const ledger = Object.fromEntries(names.map((name) => [name, make(name)]))
  return { ...ledger, [OWN]: true } as unknown as Ledger
}
