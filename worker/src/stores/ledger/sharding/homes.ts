import type { Ledger } from '../rules.js'

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
  /** The object with the rows of this call, for this number of objects. */
  of(count: number): Ledger
}

/** The key of a call's rows: a name of their own, a session's id, or a person. */
export type Home =
  | { readonly name: string }
  | { readonly sid: string; readonly sub?: string | undefined }
  | { readonly sub: string }

type Answer<Name extends keyof Ledger> = Awaited<ReturnType<Ledger[Name]>>

/** Calls the method in one object. */
export type Call<Result> = (object: Ledger) => Promise<Result>

/** Calls the objects, and combines their answers into one. */
export type Ask<Name extends keyof Ledger> = (
  homes: Homes,
  call: Call<Answer<Name>>,
  ...args: Parameters<Ledger[Name]>
) => Promise<Answer<Name>>

/** The objects of each number in use that have a document. */
export type Copies = Pick<Homes, 'own' | 'counts'>

/** Calls one object after the other while the answers allow it; the last answer counts. */
export async function inTurn<Answer>(
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

export async function together(homes: Homes, call: Call<void>): Promise<void> {
  await answers(homes, call)
}

export function answers<Answer>({ own }: Homes, call: Call<Answer>): Promise<Answer[]> {
  return Promise.all(own.map(call))
}

export function atNewest<Answer>({ own }: Homes, call: Call<Answer>): Promise<Answer> {
  return call(own.at(-1) as Ledger)
}
