import type { UserCutoff } from '@latchkey/session/issue'
import type {
  DecidedCutoff,
  DocumentEntry,
  Entrance,
  Ledger,
  LedgerDocument,
  Redemption,
  RefreshClaim,
  RefreshedTokens,
  RevokedLately,
} from '../ports.js'
import {
  isBoolean,
  isDecidedCutoff,
  isDocumentOrNone,
  isDocuments,
  isEntrance,
  isNumber,
  isRefreshedTokens,
  isRevokedLately,
  isState,
  numbersIn,
} from './answers.js'
import { homeOfDocument, MAX_NARROW, personKeyIn } from './placement.js'

/** The ledger's objects, as a call sees them. */
export interface Homes {
  /**
   * The objects with the rows of this call: one for each number of objects in use, the newest
   * number last.
   */
  readonly own: readonly Ledger[]
  /** The others that a call concerns: those with copies of a cut-off, or simply all. */
  others(): readonly Ledger[]
  /** The ledgers with the rows of another home. The same object is the same value. */
  at(home: Home): readonly Ledger[]
  /** The numbers of objects in use, the newest last. */
  readonly counts: readonly number[]
  /** The object with the rows of this call where there are so many. */
  of(count: number): Ledger
}

/** What the rows of a call are kept by: a name of their own, a session's id, or a person. */
export type Home =
  | { readonly name: string }
  | { readonly sid: string; readonly sub?: string | undefined }
  | { readonly sub: string }

/** Calls the objects, and combines their answers into one. */
type Ask<Given extends readonly unknown[], Answer> = (
  homes: Homes,
  call: Call<Answer>,
  ...args: Given
) => Promise<Answer>

/** The properties of a method that sharding and guarding need. */
interface Method<Given extends readonly unknown[], Answer> {
  /** The action that cannot be done when the method fails, for the error's message. */
  readonly does: 'read' | 'use' | 'write'
  /** Decides in which objects the rows are. Absent: in all of them. */
  readonly home?: (...args: Given) => Home
  readonly ask: Ask<Given, Answer>
  /** Is this an answer of the method at all? Absent: its answer is not used. */
  readonly isAnswer?: (answer: unknown, ...args: Given) => boolean
}

const byName = (name: string): Home => ({ name })
const bySession = (sid: string): Home => ({ sid })
const byPerson = (sub: string): Home => ({ sub })
const byDocument = (key: string): Home => byName(homeOfDocument(key))
/** A mail is where its address is, and a sign-in that waits where its person's second factor is counted. */
const byMail = (key: string): Home => byName(key.split('\n', 1)[0] ?? '')

/**
 * Every method of the ledger, for sharding (`home`, `ask`) and guarding (`does`, `isAnswer`).
 * Isolates without a new number of objects call the old ones alone, so if only one caller may
 * win, the old ones are called first.
 */
export const methods: {
  readonly [Name in keyof Ledger]-?: Method<
    Parameters<Required<Ledger>[Name]>,
    Awaited<ReturnType<Required<Ledger>[Name]>>
  >
} = {
  consume: {
    does: 'use',
    home: byName,
    ask: (homes, call) => inTurn(homes, call, (isFirst) => isFirst),
    isAnswer: isBoolean,
  },
  revoke: { does: 'write', home: bySession, ask: together },
  isRevoked: {
    does: 'read',
    home: (sid, owner) => ({ sid, sub: owner?.sub }),
    ask: async (homes, call) => (await answers(homes, call)).includes(true),
    isAnswer: isBoolean,
  },
  cutOff: {
    does: 'write',
    home: ({ sub }) => byPerson(sub),
    ask: inTurnThenOthers,
    isAnswer: isBoolean,
  },
  repeatCutOff: {
    does: 'write',
    home: byPerson,
    ask: repeatEverywhere,
    isAnswer: (answer) => answer === undefined || isDecidedCutoff(answer),
  },
  erase: {
    does: 'write',
    home: ({ sub }) => byPerson(sub),
    ask: async (homes, call) => {
      await Promise.all([...homes.own, ...homes.others()].map(call))
    },
  },
  // Also in objects of numbers that this isolate does not know, since a roll-back finds those again.
  forget: {
    does: 'write',
    home: byName,
    async ask(homes, call, key, isSub = false) {
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
      // What these were handing over may have arrived after the others had forgotten it.
      for (const object of rest.slice(1)) await ask(object)
      if (rest.length > 0) for (const object of homes.own) await call(object)
      return undefined
    },
  },
  revokedSince: { does: 'read', ask: everywhere, isAnswer: isRevokedLately },
  refreshedTokens: {
    does: 'read',
    home: bySession,
    ask: newestTokens,
    isAnswer: (answer) => answer === undefined || isRefreshedTokens(answer),
  },
  claimRefresh: {
    does: 'use',
    home: bySession,
    ask: claimInTurn,
    isAnswer: (answer) =>
      isState(answer, ['yours', 'taken', 'over']) ||
      (isState(answer, ['newer']) && isRefreshedTokens(answer)),
  },
  settleRefresh: { does: 'write', home: bySession, ask: together },
  // Attempts are counted in the newest alone: while the number changes they may be twice as many.
  admit: {
    does: 'use',
    home: byName,
    ask: atNewest,
    isAnswer: (answer) => isNumber(answer) && answer >= 0,
  },
  forgive: {
    does: 'write',
    home: byName,
    async ask(homes, call, _key, _limits, way) {
      const answer = await atNewest(homes, call)
      if (way === undefined) return undefined
      const own = homes.at(byName(way))
      const isThere = own.length === 1 && own[0] === homes.own.at(-1)
      return isThere ? answer : newestDocument({ ...homes, own }, `way\n${way}`)
    },
    isAnswer: isDocumentOrNone,
  },
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
    ask: firstAnswer,
    isAnswer: (answer) => answer === undefined || typeof answer === 'string',
  },
  redeemVerification: {
    does: 'use',
    home: byMail,
    ask: redeemInTurn,
    isAnswer: (answer) =>
      isState(answer, ['wrong', 'spent', 'over']) ||
      (isState(answer, ['redeemed']) &&
        typeof answer.sealed === 'string' &&
        isDocumentOrNone(answer.document)),
  },
  withdrawVerification: { does: 'write', home: byMail, ask: together },
  document: {
    does: 'read',
    home: byDocument,
    ask: async (homes, _call, key) => newestDocument(homes, key),
    isAnswer: isDocumentOrNone,
  },
  // Isolates without a new number change the old ones alone, and those without the old one the new ones: who
  // has both is done where neither kind was faster.
  changeDocument: {
    does: 'write',
    home: byDocument,
    async ask(homes, call, key, version, content, role) {
      const [first, ...rest] = homes.own as [Ledger, ...Ledger[]]
      if (rest.length === 0) return call(first)
      // Another number of objects may have an older one on its way.
      if (role === 'forgets') return false
      if (((await newestDocument(homes, key))?.version ?? 0) !== version) return false
      const ask = (object: Ledger, role: 'decides' | 'follows') =>
        answerOf(object, 'changeDocument', [key, version, content, role])
      if (!(await ask(first, 'decides'))) return false
      const followed = await Promise.all(rest.map((object) => ask(object, 'follows')))
      return followed.every(Boolean)
    },
    isAnswer: isBoolean,
  },
  // One call to each object. While their number changes the first one decides, as for a change.
  insertDocuments: {
    does: 'write',
    async ask({ at, counts }, _call, entries) {
      const all = entries.map((entry) => ({ ...entry, own: at(byDocument(entry.key)), counts }))
      const isOne = all.every(({ own }) => own.length === 1)
      const answers = new Map<Insertion, LedgerDocument | null>()
      const copies = await insertIn(all, (own) => own, isOne)
      const agree = async ({ one, there }: ExistingCopies) =>
        answers.set(one, await agreed(one, there))
      await Promise.all(copies.map(agree))
      if (!isOne) {
        const write = async (some: readonly Insertion[], part: (own: Own) => Own) => {
          for (const { one, there } of await insertIn(some, part, true)) {
            answers.set(one, there[0] ?? null)
          }
        }
        const wanted = all.filter((one) => !answers.get(one) && one.content !== null)
        await write(wanted, (own) => own.slice(0, 1))
        const decided = wanted.filter((one) => !answers.get(one))
        await write(decided, (own) => own.slice(1))
        // Somebody who knows the newer number alone was faster there.
        const astray = decided.filter((one) => answers.get(one))
        const look = async (one: Insertion) => {
          const newest = await newestDocument(one, one.key)
          answers.set(one, newest && newest.content !== one.content ? newest : null)
        }
        await Promise.all(astray.map(look))
      }
      return all.map((one) => answers.get(one) ?? null)
    },
    isAnswer: (answer, entries) => isDocuments(answer) && answer.length === entries.length,
  },
  enter: {
    does: 'use',
    home: (_name, _expires, key) => byDocument(key),
    async ask({ own, at, counts }, call, _name, _expires, key) {
      const entrances: Entrance[] = []
      for (const object of own) {
        const entrance = await call(object)
        if (!entrance.isFirst) return { isFirst: false }
        entrances.push(entrance)
      }
      const documents = entrances.map(({ document }) => document)
      const document = await newestDocument({ own, counts }, key, documents)
      // An object that is not the person's knows none, or an old one.
      const owner = own.length === 1 ? personKeyIn(document?.content) : undefined
      const isThere = owner !== undefined && at(byDocument(owner))[0] === own[0]
      return { isFirst: true, document, ...(isThere ? { person: entrances[0]?.person } : {}) }
    },
    isAnswer: isEntrance,
  },
  isConsumed: {
    does: 'read',
    async ask({ others }, call) {
      const objects = others()
      if (objects.length > MAX_NARROW) return false
      return (await Promise.all(objects.map(call))).includes(true)
    },
    isAnswer: isBoolean,
  },
}

/**
 * Calls a method, and refuses an invalid answer: it could let somebody in, or end sessions that
 * nobody ended.
 *
 * @throws {TypeError}
 */
export async function answerOf(
  ledger: Ledger,
  name: keyof Ledger,
  args: readonly unknown[],
): Promise<unknown> {
  const answer = await asked(ledger, name, args)
  const isAnswer = methods[name].isAnswer as ((...all: unknown[]) => boolean) | undefined
  if (isAnswer?.(answer, ...args) === false) {
    throw new TypeError(`The ledger's answer to "${name}" is invalid.`)
  }
  return answer
}

async function asked(
  ledger: Ledger,
  name: keyof Ledger,
  args: readonly unknown[],
): Promise<unknown> {
  // A store of somebody's own may lack these, and then has everything in one place.
  if (name === 'erase' && !ledger.erase) {
    const [cutoff, , expires] = args as Parameters<Required<Ledger>['erase']>
    return ledger.cutOff(cutoff, expires)
  }
  if ((name === 'repeatCutOff' || name === 'forget') && !ledger[name]) return undefined
  // Without documents nobody has more than one way to sign in.
  if (name === 'document' || name === 'enter' || name === 'isConsumed') {
    try {
      if (ledger[name]) return await (ledger[name] as AnyMethod)(...args)
    } catch (error) {
      // A mistake in the method must not read as "there is no document", by which a second factor is asked for.
      if (!isUnknown(error)) throw error
    }
    const [used, expires] = args as [string, number]
    if (name === 'enter') return { isFirst: await ledger.consume(used, expires) }
    return name === 'document' ? undefined : false
  }
  if (name === 'insertDocuments') {
    try {
      if (ledger[name]) return await (ledger[name] as AnyMethod)(...args)
    } catch (error) {
      if (!isUnknown(error)) throw error
    }
    const [entries] = args as [readonly DocumentEntry[]]
    return Promise.all(entries.map((entry) => insertOne(ledger, entry)))
  }
  const answer: unknown = await (ledger[name] as AnyMethod)(...args)
  return name === 'forgive' && !ledger.document ? undefined : answer
}

/** In the words of workerd, and of JavaScript: the other side's class has no such method. */
export function isMissing(error: unknown): boolean {
  return isUnknown(error) || (error instanceof TypeError && /not a function/.test(error.message))
}

/** In the words of workerd alone: an object of a version before does not know the method. */
function isUnknown(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('does not implement')
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

/**
 * If an object keeps others away it has not asked the rest, one of which may know the session to be
 * over.
 */
async function claimInTurn(
  homes: Homes,
  call: Call<RefreshClaim>,
  sid: string,
): Promise<RefreshClaim> {
  const claim = await inTurn(homes, call, ({ state }) => state === 'yours')
  if (homes.own.length === 1 || claim.state === 'yours' || claim.state === 'over') return claim
  const over = await Promise.all(homes.own.map((object) => answerOf(object, 'isRevoked', [sid])))
  return over.includes(true) ? { state: 'over' } : claim
}

/** The first object decides which of two simultaneous calls counts; the others follow. */
async function inTurnThenOthers(
  homes: Homes,
  call: Call<boolean>,
  { sub, until }: UserCutoff,
  expires: number,
): Promise<boolean> {
  const isDone = await inTurn(homes, call, (answer) => answer)
  if (!isDone) return false
  // One that knows the spared session to be over by itself ends the rest all the same.
  const followed = homes.others().map(async (object) => {
    if (!(await call(object))) await answerOf(object, 'cutOff', [{ sub, until }, expires])
  })
  await Promise.all(followed)
  return true
}

/**
 * Every object that missed a decision of the person's own objects takes it over: one of them may
 * have failed. Otherwise the sessions would be over in some objects only, and the caller could not
 * ask again.
 */
async function repeatEverywhere(
  homes: Homes,
  call: Call<DecidedCutoff | undefined>,
  sub: string,
): Promise<DecidedCutoff | undefined> {
  const cutoffs = (await answers(homes, call)).flatMap((cutoff) => cutoff ?? [])
  const [latest] = cutoffs.toSorted((one, other) => other.until - one.until)
  if (!latest) return undefined
  // Each keeps it for the longest time that it heard.
  const decided = { ...latest, expires: Math.max(...cutoffs.map(({ expires }) => expires)) }
  // Numbers of objects that disagree on who is spared spare nobody.
  const { except: _, ...forAll } = decided
  const isAgreed = cutoffs.every(({ except }) => except === decided.except)
  const repeated = isAgreed ? decided : forAll
  const all = [...(homes.own.length > 1 ? homes.own : []), ...homes.others()]
  await Promise.all(all.map((object) => answerOf(object, 'repeatCutOff', [sub, repeated])))
  return repeated
}

/** A mail is in one object, and other objects may know its address too. */
async function redeemInTurn(
  homes: Homes,
  call: Call<Redemption>,
  key: string,
): Promise<Redemption> {
  const newestFirst = { ...homes, own: homes.own.toReversed() }
  const answer = await inTurn(newestFirst, call, ({ state }) => state === 'over')
  if (answer.state !== 'redeemed' || homes.own.length === 1) return answer
  return { ...answer, document: await newestDocument(homes, `way\n${key}`) }
}

/**
 * A document from an object that missed no change. The objects that did get it: the next caller may
 * ask another number of objects.
 *
 * @param copies the newest number last: it counts if isolates with either have changed one at once
 * @param answered what they have answered already
 */
async function newestDocument(
  { own, counts }: Copies,
  key: string,
  answered?: readonly (LedgerDocument | undefined)[],
): Promise<LedgerDocument | undefined> {
  const read = () => Promise.all(own.map((object) => answerOf(object, 'document', [key])))
  let documents = answered ?? ((await read()) as typeof answered & object)
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    documents = await withoutCopies({ own, counts }, key, documents)
    const there = documents.flatMap((document) => document ?? [])
    const newest = there.toSorted((one, other) => one.version - other.version).at(-1)
    if (!newest) return undefined
    const { version, content } = newest
    // If there is none, a deleted one need not be known: in a day it is nowhere.
    const behind = own.filter((_, at) => {
      const { version: theirs = 0, content: old = null } = documents[at] ?? {}
      return theirs < version && (content ?? old) !== null
    })
    const followed = await Promise.all(
      behind.map((object) =>
        answerOf(object, 'changeDocument', [key, version - 1, content, 'follows']),
      ),
    )
    if (followed.every(Boolean)) return newest
    documents = (await read()) as typeof documents
  }
  throw new Error('A document changes faster than it can be read.')
}

type Own = readonly Ledger[]

/** The objects of each number in use that have a document. */
type Copies = Pick<Homes, 'own' | 'counts'>

/**
 * What objects of the newest number have, and others that have not handed theirs over yet. An object that has may be
 * ahead because the newest one has forgotten the document, or begun a new one: then its copy is replaced.
 */
async function withoutCopies(
  { own, counts }: Copies,
  key: string,
  documents: readonly (LedgerDocument | undefined)[],
): Promise<readonly (LedgerDocument | undefined)[]> {
  const last = documents[own.length - 1]
  const { version = 0, content = null } = last ?? {}
  const args = [key, version - 1, content, 'replaces', counts.at(-1)]
  const replaced = own.map(async (object, at) => {
    const { version: theirs = 0, content: text = null } = documents[at] ?? {}
    // With one version each may have a change of its own.
    const isAhead = theirs > version || (theirs === version && text !== content)
    const mayBeCopy = isAhead && (text ?? content) !== null
    return mayBeCopy && (await answerOf(object, 'changeDocument', args)) ? last : documents[at]
  })
  return Promise.all(replaced)
}

/** A document to insert, and the objects that it is kept in. */
interface Insertion extends DocumentEntry, Copies {}

/** What some of these objects have already, in no order. */
interface ExistingCopies {
  readonly one: Insertion
  readonly there: readonly LedgerDocument[]
}

/**
 * Inserts documents with one call to each object.
 *
 * @param part which of its objects are meant
 * @param isWritten they are read alone otherwise
 */
async function insertIn(
  some: readonly Insertion[],
  part: (own: Own) => Own,
  isWritten: boolean,
): Promise<readonly ExistingCopies[]> {
  const copies = some.map((one) => ({ one, there: [] as LedgerDocument[] }))
  const parts = new Map<Ledger, typeof copies>()
  for (const each of copies) {
    for (const object of part(each.one.own)) {
      const others = parts.get(object)
      if (others) others.push(each)
      else parts.set(object, [each])
    }
  }
  const asked = [...parts].map(async ([object, those]) => {
    const entries = those.map(({ one }) => ({
      key: one.key,
      content: isWritten ? one.content : null,
    }))
    const there = (await answerOf(object, 'insertDocuments', [
      entries,
    ])) as (LedgerDocument | null)[]
    for (const [at, { there: documents }] of those.entries()) {
      const document = there[at]
      if (document) documents.push(document)
    }
  })
  await Promise.all(asked)
  return copies
}

/** A document as each of its objects has it, once they do. */
async function agreed(
  one: Insertion,
  there: readonly LedgerDocument[],
): Promise<LedgerDocument | null> {
  const [first] = there
  if (!first) return null
  const isSame =
    there.length === one.own.length && there.every(({ version }) => version === first.version)
  const newest = isSame ? first : await newestDocument(one, one.key)
  return newest && newest.content !== null ? newest : null
}

/** Writes a document unless it is there, by the methods that change one. */
async function insertOne(
  object: Ledger,
  { key, content }: DocumentEntry,
): Promise<LedgerDocument | null> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const answer = (await answerOf(object, 'document', [key])) as LedgerDocument | undefined
    if (answer && answer.content !== null) return answer
    if (content === null) return null
    if (await answerOf(object, 'changeDocument', [key, answer?.version ?? 0, content])) return null
  }
  throw new Error('A document changes faster than it can be written.')
}

/** More numbers of objects were never in use within a few months. */
const MAX_NUMBERS = 8

/** What one reading of a document may find changed meanwhile. */
const MAX_TRIES = 4

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
  const pairs = (await answers(homes, call)).flatMap((tokens) => tokens ?? [])
  return pairs.toSorted((one, other) => other.version - one.version)[0]
}

async function firstAnswer(
  homes: Homes,
  call: Call<string | undefined>,
): Promise<string | undefined> {
  return (await answers(homes, call)).find((sealed) => sealed !== undefined)
}

async function everywhere(
  { own, others }: Homes,
  call: Call<RevokedLately>,
): Promise<RevokedLately> {
  const revocations = await Promise.all([...own, ...others()].map(call))
  return { ...joined(revocations), sessions: revocations.flatMap(({ sessions }) => sessions) }
}

/** The endings of several objects, but for the sessions. */
export function joined(
  revocations: readonly Omit<RevokedLately, 'sessions'>[],
): Omit<RevokedLately, 'sessions'> {
  return {
    users: revocations.flatMap(({ users }) => users),
    // Each object has a clock of its own.
    next: Math.min(...revocations.map(({ next }) => next)),
    hasMore: revocations.some(({ hasMore }) => hasMore),
  }
}

/** Any method, for code that handles all of them alike. */
export type AnyMethod = (...args: readonly unknown[]) => Promise<unknown>

/** Ledgers that this package has made, whose answers leave nothing out. */
const made = new WeakSet<object>()

/** A ledger as good as one of this package. */
export function asMade<Whole extends object>(ledger: Whole): Whole {
  made.add(ledger)
  return ledger
}

/** A ledger each of whose methods is made by the same function. */
export function ledgerOf(make: (name: keyof Ledger) => AnyMethod): Required<Ledger> {
  const names = Object.keys(methods) as (keyof Ledger)[]
  const ledger = Object.fromEntries(names.map((name) => [name, make(name)]))
  return asMade(ledger) as unknown as Required<Ledger>
}

/**
 * The answer about a way, with the document that names its owner. An app's own ledger may have left
 * the document out, and a sign-in would then skip the second factor: so it is read again.
 *
 * @param answer as the ledger gave it
 */
export async function withDocument(
  ledger: Ledger,
  name: keyof Ledger,
  args: readonly unknown[],
  answer: unknown,
): Promise<unknown> {
  const key = made.has(ledger) ? undefined : documentLeftOut(name, args, answer)
  if (key === undefined) return answer
  const document = await answerOf(ledger, 'document', [key])
  return name === 'forgive' || document === undefined
    ? (document ?? answer)
    : { ...(answer as object), document }
}

function documentLeftOut(
  name: keyof Ledger,
  args: readonly unknown[],
  answer: unknown,
): string | undefined {
  const { isFirst, state, document } = (answer ?? {}) as Partial<Record<string, unknown>>
  if (name === 'forgive' && answer === undefined && args[2] !== undefined) return `way\n${args[2]}`
  if (document !== undefined) return undefined
  if (name === 'redeemVerification' && state === 'redeemed') return `way\n${args[0]}`
  return name === 'enter' && isFirst ? (args[2] as string) : undefined
}
