import type { Ledger } from '../../ports.js'
import { MAX_NARROW } from '../placement.js'
import { homeOfDocument } from '../rows.js'
import {
  changeEverywhere,
  enterInTurn,
  forgiveAtNewest,
  newestDocument,
  redeemInTurn,
} from './documents.js'
import { claimInTurn, everywhere, inTurnThenOthers, repeatEverywhere } from './endings.js'
import { forgetEverywhere } from './forget.js'
import { type Ask, answers, atNewest, type Home, inTurn, together } from './homes.js'
import { insertEverywhere } from './insertions.js'
import { endEverywhere, listEverywhere, liveEverywhere } from './lives.js'

const byName = (name: string): Home => ({ name })
const bySession = (sid: string): Home => ({ sid })
const byPerson = (sub: string): Home => ({ sub })
const byDocument = (key: string): Home => byName(homeOfDocument(key))
/** A mail is where its address is, and a sign-in that waits where its person's second factor is counted. */
const byMail = (key: string): Home => byName(key.split('\n', 1)[0] ?? '')

interface Sharded<Name extends keyof Ledger> {
  /** Decides in which objects the rows are. Absent: in all of them. */
  readonly home?: (...args: Parameters<Ledger[Name]>) => Home
  readonly ask: Ask<Name>
}

/**
 * Which objects each method of the ledger asks, and which answer counts. Isolates without a new number of objects call
 * the old ones alone, so if only one caller may win, the old ones are called first.
 */
export const shardedMethods: { readonly [Name in keyof Ledger]-?: Sharded<Name> } = {
  consume: { home: byName, ask: (homes, call) => inTurn(homes, call, (isFirst) => isFirst) },
  revoke: { home: bySession, ask: together },
  isRevoked: {
    home: (sid, owner) => ({ sid, sub: owner?.sub }),
    ask: async (homes, call) => (await answers(homes, call)).includes(true),
  },
  cutOff: { home: ({ sub }) => byPerson(sub), ask: inTurnThenOthers },
  repeatCutOff: { home: byPerson, ask: repeatEverywhere },
  erase: {
    home: ({ sub }) => byPerson(sub),
    ask: async (homes, call) => {
      await Promise.all([...homes.own, ...homes.others()].map(call))
    },
  },
  forget: { home: byName, ask: forgetEverywhere },
  revokedSince: { ask: everywhere },
  refreshedTokens: {
    home: bySession,
    ask: async (homes, call) => {
      const pairs = (await answers(homes, call)).flatMap((tokens) => tokens ?? [])
      return pairs.toSorted((one, other) => other.version - one.version)[0]
    },
  },
  claimRefresh: { home: bySession, ask: claimInTurn },
  settleRefresh: { home: bySession, ask: together },
  // Attempts are counted in the newest alone: while the number changes they may be twice as many.
  admit: { home: byName, ask: atNewest },
  forgive: { home: byName, ask: forgiveAtNewest },
  // A mail is in one object only, the newest, so that it is redeemed once. While the number changes
  // the others are searched too.
  startVerification: {
    home: byMail,
    async ask(homes, call, key) {
      const older = homes.own.slice(0, -1)
      await Promise.all(older.map((object) => object.withdrawVerification(key)))
      await atNewest(homes, call)
    },
  },
  findVerification: {
    home: byMail,
    ask: async (homes, call) => (await answers(homes, call)).find((sealed) => sealed !== undefined),
  },
  redeemVerification: { home: byMail, ask: redeemInTurn },
  withdrawVerification: { home: byMail, ask: together },
  document: { home: byDocument, ask: async (homes, _call, key) => newestDocument(homes, key) },
  changeDocument: { home: byDocument, ask: changeEverywhere },
  insertDocuments: { ask: insertEverywhere },
  enter: { home: (_name, _expires, key) => byDocument(key), ask: enterInTurn },
  isConsumed: {
    async ask({ others }, call) {
      const objects = others()
      if (objects.length > MAX_NARROW) return false
      return (await Promise.all(objects.map(call))).includes(true)
    },
  },
  liveDocument: { home: byDocument, ask: liveEverywhere },
  documentsOf: { home: byName, ask: listEverywhere },
  endAll: { ask: endEverywhere },
}
