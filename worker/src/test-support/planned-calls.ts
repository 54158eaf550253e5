import fc from 'fast-check'
import type { SessionOwner } from '../stores/ledger/types.js'
import type { LedgerCall, LedgerModel } from './ledger-model.js'
import { LOST } from './store-process.js'

/** When a schedule begins. */
export const start = Date.UTC(2026, 10, 1)
const begun = start / 1000
/** Longer than any schedule lasts. */
const later = begun + 1_000_000
const seconds = () => Math.floor(Date.now() / 1000)

/** Some sessions began before the schedule, and some begin in the course of it. */
export const owners: Record<string, SessionOwner> = {
  'ada-1': { sub: 'ada', auth_time: begun - 100 },
  'ada-2': { sub: 'ada', auth_time: begun },
  'ada-3': { sub: 'ada', auth_time: begun + 40 },
  'grace-1': { sub: 'grace', auth_time: begun - 1 },
  'grace-2': { sub: 'grace', auth_time: begun + 200 },
}

const sid = fc.constantFrom(...Object.keys(owners))
const key = fc.constantFrom('a', 'b', '__proto__')
const version = fc.nat(2)
const mail = fc.constantFrom('1', '2')
const grant = fc.constantFrom('a', 'b', 'c')
const change = fc.record({
  version: fc.nat(3),
  pause: fc.constantFrom(61, 400, 1_000_000, undefined),
  text: fc.constantFrom({ content: 'x\ny' }, { content: 'z' }, { last: 'l' }, { last: 'm' }),
})
const limits = [
  { name: 'minute', max: 2, period: 60 },
  { name: 'hour', max: 4, period: 3_600 },
]

/** A call that is made when its turn comes. */
export type Planned = () => LedgerCall

export const revocations = fc.oneof<fc.Arbitrary<Planned>[]>(
  key.map((name) => () => ['consume', name, later]),
  sid.map((one) => () => ['revoke', one, later]),
  sid.map((one) => () => ['isRevoked', one, owners[one]]),
  sid.map((one) => () => ['isRevoked', one]),
  // By the clock of the caller, for all sessions or all others.
  fc.tuple(sid, fc.boolean(), fc.nat(9)).map(([one, isSpared, extra]) => () => {
    const { sub = '', auth_time = 0 } = owners[one] ?? {}
    const until = seconds()
    const cutoff = { sub, until, ...(isSpared && auth_time <= until ? { except: one } : {}) }
    return ['cutOff', cutoff, later + extra, auth_time]
  }),
  fc.constantFrom('ada', 'grace').map((sub) => () => ['repeatCutOff', sub]),
)
export const refreshes = fc.oneof<fc.Arbitrary<Planned>[]>(
  sid.map((one) => () => ['refreshedTokens', one]),
  fc.tuple(sid, version).map(([one, at]) => () => ['claimRefresh', one, at, later]),
  fc.tuple(sid, version, fc.constantFrom('x', 'y', undefined)).map(([one, at, sealed]) => () => [
    'settleRefresh',
    one,
    at,
    sealed,
  ]),
)
export const attempts = fc.oneof<fc.Arbitrary<Planned>[]>(
  key.map((one) => () => ['admit', one, limits]),
  fc.tuple(key, fc.subarray(['minute', 'hour'])).map(([one, names]) => () => [
    'forgive',
    one,
    names,
  ]),
)
export const mails = fc.oneof<fc.Arbitrary<Planned>[]>(
  fc.tuple(key, mail).map(([one, at]) => () => {
    const expires = seconds() + 300
    return ['startVerification', one, { link: `l${at}`, code: `c${at}`, sealed: `s${at}`, expires }]
  }),
  fc.tuple(key, mail).map(([one, at]) => () => ['findVerification', one, `l${at}`]),
  fc.tuple(key, mail).map(([one, at]) => () => ['redeemVerification', one, { link: `l${at}` }]),
  fc.tuple(key, mail).map(([one, at]) => () => ['redeemVerification', one, { code: `c${at}` }]),
  fc.tuple(key, fc.option(mail, { nil: undefined })).map(([one, at]) => () => [
    'withdrawVerification',
    one,
    at && `l${at}`,
  ]),
)
export const documents = fc.oneof<fc.Arbitrary<Planned>[]>(
  key.map((one) => () => ['document', `way\n${one}`]),
  fc.tuple(key, fc.nat(3), fc.constantFrom('x', 'y')).map(([one, at, content]) => () => [
    'changeDocument',
    `way\n${one}`,
    at,
    content,
  ]),
  fc.tuple(key, fc.integer({ min: 1, max: 3 })).map(([one, at]) => () => [
    'changeDocument',
    `way\n${one}`,
    at,
    null,
  ]),
  key.map((one) => () => ['enter', `flow ${one}`, later, `way\n${one}`]),
  key.map((one) => () => ['isConsumed', `flow ${one}`]),
  fc.tuple(key, fc.constantFrom('x', 'y', null)).map(([one, content]) => () => [
    'insertDocuments',
    [{ key: `way\n${one}`, content }],
  ]),
  fc.tuple(key, key).map(([one, way]) => () => ['forgive', one, ['hour'], way]),
)

/** Grants of two handles: they have an end, which a change moves. */
export const lives = fc.oneof<fc.Arbitrary<Planned>[]>(
  fc.tuple(sid, grant, fc.option(change, { nil: undefined })).map(([one, at, changed]) => () => {
    const owner = owners[one] as SessionOwner
    const life = { sid: one, also: at, owner }
    const { version, pause, text } = changed ?? {}
    const end = pause === undefined ? {} : { expires: seconds() + pause }
    return [
      'liveDocument',
      `grant\n${owner.sub}\n${at}`,
      life,
      changed && { version: version ?? 0, ...end, ...text },
    ]
  }),
  fc.constantFrom('ada', 'grace').map((sub) => () => ['documentsOf', sub, ['grant', 'consent']]),
  fc.tuple(fc.subarray(['a', 'b']), fc.constantFrom('ada', 'grace')).map(([some, sub]) => () => [
    'endAll',
    some,
    later,
    some.map((one) => `grant\n${sub}\n${one}`),
  ]),
  fc.tuple(grant, fc.constantFrom('ada', 'grace')).map(([one, sub]) => () => [
    'document',
    `grant\n${sub}\n${one}`,
  ]),
)

/** A call, and its answer. */
export interface Answered {
  readonly call: LedgerCall
  /** {@link LOST}: it is unknown whether the call was made. */
  readonly answer: unknown
}

/** The models after each order of the calls in which they would have these answers. */
export function ordersOf(model: LedgerModel, answers: readonly Answered[]): LedgerModel[] {
  if (answers.length === 0) return [model]
  return answers.flatMap((first) => {
    const others = answers.filter((one) => one !== first)
    const after = model.copy()
    const expected = after.answer(first.call, seconds())
    if (first.answer === LOST) return [...ordersOf(after, others), ...ordersOf(model, others)]
    const isSame = written(expected) === written(first.answer)
    return isSame ? ordersOf(after, others) : []
  })
}

/** Documents are listed in no order. */
function written(answer: unknown): string {
  const isList = Array.isArray(answer) && answer.every((one) => typeof one?.key === 'string')
  return JSON.stringify(isList ? answer.map((one) => JSON.stringify(one)).toSorted() : answer)
}

/** One model for each set of identical answers. */
export function distinct(models: readonly LedgerModel[]): LedgerModel[] {
  return [...new Map(models.map((model) => [model.key, model])).values()]
}
