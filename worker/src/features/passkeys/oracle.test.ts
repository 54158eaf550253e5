import fc from 'fast-check'
import { beforeAll, describe, expect, test } from 'vitest'
import { holds, often } from '../../../../test/support/holds.js'
import {
  credentialJsonMutations,
  objectMutations,
  spellings,
} from '../../test-support/passkeys/answer-mutations.js'
import {
  authenticatorMutations,
  credentialMutations,
} from '../../test-support/passkeys/authenticator-mutations.js'
import { encode, type Item, map, raw } from '../../test-support/passkeys/cbor.js'
import {
  clientDataMutations,
  type Mutations,
} from '../../test-support/passkeys/client-data-mutations.js'
import { DIFFERENCES } from '../../test-support/passkeys/differences.js'
import {
  assertion,
  base64Url,
  type Changes,
  EXPECTED,
  FLAGS,
  type Genuine,
  honest,
  registration,
} from '../../test-support/passkeys/forge.js'
import { ALGS, makeGenuine } from '../../test-support/passkeys/genuine.js'
import { oracleOfAssertion, oracleOfRegistration } from '../../test-support/passkeys/oracle.js'
import {
  derChanges,
  otherSignatures,
  shiftedSignature,
  signatureChanges,
} from '../../test-support/passkeys/signature-mutations.js'
import { verifyAssertion } from './assertion.js'
import { readCredential } from './credential.js'
import { verifyRegistration } from './registration.js'

/**
 * Answers that deviate from genuine ones, judged by us and by `@simplewebauthn/server`. A list has
 * each difference between the verdicts, with its reason. Changes of signed data are signed again,
 * so that each is judged for itself.
 */
type Ceremony = 'create' | 'get'

interface Answer {
  readonly ceremony: Ceremony
  readonly genuine: Genuine
  readonly json: unknown
  /** The kept state of the passkey. */
  readonly kept?: { readonly counter?: number; readonly be?: boolean }
}

const made: Awaited<ReturnType<typeof makeGenuine>>[] = []

beforeAll(async () => {
  for (const alg of ALGS) made.push(await makeGenuine(alg))
})

/** How many answers were compared. */
let compared = 0
/** The differences that were seen, by our verdict and the kind of deviation, with an answer each. */
const seen = new Map<string, string>()
const name = (ours: string, kind: string) => `${ours}: ${kind}`
const listed = new Set(
  DIFFERENCES.flatMap(({ ours, kinds }) => kinds.map((kind) => name(ours, kind))),
)

async function ourVerdict({ ceremony, genuine, json, kept = {} }: Answer) {
  const credential = readCredential(json)
  if (!credential) return 'unread'
  if (ceremony === 'create') {
    const registered = await verifyRegistration(credential, EXPECTED)
    if (typeof registered === 'string') return registered
    const { alg: _, transports: __, ...rest } = registered
    return rest
  }
  const { alg, spki: key, handle } = genuine
  const passkey = { id: base64Url(genuine.id), key, alg: alg as -7, handle, counter: 0, be: false }
  const asserted = await verifyAssertion(credential, { ...passkey, ...kept }, EXPECTED)
  if (typeof asserted === 'string') return asserted
  const { isRegressed: _, ...rest } = asserted
  return rest
}

/** @returns our verdict if the other one is not the same */
async function compare(answer: Answer): Promise<string | undefined> {
  compared += 1
  const { ceremony, json, genuine, kept } = answer
  const ours = await ourVerdict(answer)
  const theirs =
    ceremony === 'create'
      ? await oracleOfRegistration(json)
      : await oracleOfAssertion(json, genuine, kept?.counter ?? 0)
  if (typeof ours === 'object' && typeof theirs === 'object') {
    expect(ours).toEqual(theirs)
    return undefined
  }
  if (typeof ours === 'string' && typeof theirs === 'string') return undefined
  return typeof ours === 'string' ? ours : 'accepted'
}

/** Differences outside of the list are printed with the answers that show them. */
async function compareAll(kind: string, answers: readonly Answer[]): Promise<void> {
  for (const answer of answers) {
    const ours = await compare(answer)
    if (ours !== undefined && !seen.has(name(ours, kind))) {
      seen.set(name(ours, kind), JSON.stringify(answer.json))
    }
  }
}

const forge = { create: registration, get: assertion }
const PRESENT = { create: FLAGS.up | FLAGS.uv | FLAGS.attested, get: FLAGS.up | FLAGS.uv }

/** How many bytes the authenticator data of a genuine answer has, and its attestation object. */
function lengthsOf(index: number, ceremony: Ceremony) {
  const { created, asserted } = made[index] as (typeof made)[number]
  const { response } = ceremony === 'create' ? created : asserted
  const bytes = (text: string) => Buffer.from(text, 'base64url').length
  return {
    data: bytes(response.authenticatorData),
    object: bytes(created.response.attestationObject),
  }
}

function genuineOf(index: number): Genuine {
  return (made[index] as (typeof made)[number]).genuine
}

function mutationsOf(index: number, ceremony: Ceremony): Mutations {
  const genuine = genuineOf(index)
  const { data, object } = lengthsOf(index, ceremony)
  return {
    nothing: [{}],
    ...clientDataMutations(ceremony),
    ...authenticatorMutations(PRESENT[ceremony], data),
    ...credentialJsonMutations(genuine, ceremony),
    ...(ceremony === 'create'
      ? { ...credentialMutations(genuine), ...objectMutations(genuine, object) }
      : signatureMutations(genuine)),
  }
}

function signatureMutations(genuine: Genuine): Mutations {
  const der = Object.entries(genuine.alg === -7 ? derChanges() : {})
  return {
    'changed signatures': signatureChanges(genuine).map((signature) => ({ signature })),
    'other signatures': otherSignatures(genuine).map((sign) => ({
      signature: (_: Uint8Array, data: Uint8Array) => sign(data),
    })),
    ...Object.fromEntries(
      der.map(([kind, changes]) => [kind, changes.map((signature) => ({ signature }))]),
    ),
    ...(genuine.alg === -8 ? { 'a shifted signature': [{ signature: shiftedSignature }] } : {}),
  }
}

test('an answer that deviates in nothing is the authenticator’s own', () => {
  // For EdDSA, whose signatures follow from the signed data.
  const { genuine, created, asserted } = made[1] as (typeof made)[number]
  expect(registration(genuine)).toMatchObject({ id: created.id, response: created.response })
  expect(assertion(genuine)).toEqual(asserted)
})

describe.each([
  ['ES256', 0],
  ['EdDSA', 1],
  ['RS256', 2],
])('a passkey of %s', (_, index) => {
  test.each<Ceremony>(['create', 'get'])('deviates in webauthn.%s', async (ceremony) => {
    const genuine = genuineOf(index)
    for (const [kind, list] of Object.entries(mutationsOf(index, ceremony))) {
      const answers = list.map((changes) => ({
        ceremony,
        genuine,
        json: forge[ceremony](genuine, changes),
        kept: { counter: 6 },
      }))
      await compareAll(kind, answers)
    }
  })

  test('has other flags than it was registered with', async () => {
    const genuine = genuineOf(index)
    const answers = Array.from({ length: 256 }, (_, flags) => {
      const json = assertion(genuine, { flags })
      return { ceremony: 'get' as const, genuine, json, kept: { be: true } }
    })
    await compareAll('flags of a passkey that may be copied', answers)
  })

  test('counts, or does not', async () => {
    const genuine = genuineOf(index)
    const numbers = [0, 1, 2, 255, 2 ** 31, 2 ** 32 - 1]
    const answers = numbers.flatMap((counter) =>
      numbers.map((last) => {
        const json = assertion(genuine, { counter })
        return { ceremony: 'get' as const, genuine, json, kept: { counter: last } }
      }),
    )
    await compareAll('pairs of counters', answers)
  })

  test('has its bytes spelled in another way', async () => {
    const genuine = genuineOf(index)
    for (const ceremony of ['create', 'get'] as const) {
      const members =
        ceremony === 'create'
          ? ['clientDataJSON', 'attestationObject']
          : ['clientDataJSON', 'authenticatorData', 'signature']
      const { response } = forge[ceremony](genuine) as { response: Record<string, string> }
      const answers = members.flatMap((member) =>
        spellings(response[member] ?? '').map((text) => {
          const json = forge[ceremony](genuine, { response: { ...response, [member]: text } })
          return { ceremony, genuine, json }
        }),
      )
      await compareAll('another spelling of bytes', answers)
    }
  })
})

/** A change of bytes at a place: they are flipped, set, put in, taken out, doubled or cut. */
const byteChange = fc
  .record({
    how: fc.constantFrom('flip', 'set', 'insert', 'delete', 'double', 'cut'),
    at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
    length: fc.integer({ min: 1, max: 16 }),
    byte: fc.integer({ min: 0, max: 255 }),
  })
  .map(({ how, at, length, byte }) => (bytes: Uint8Array): Uint8Array => {
    const from = Math.floor(at * bytes.length)
    const [before, after] = [bytes.slice(0, from), bytes.slice(from)]
    if (how === 'flip')
      return bytes.map((old, index) => (index === from ? old ^ (1 << (byte % 8)) : old))
    if (how === 'set') return bytes.map((old, index) => (index === from ? byte : old))
    if (how === 'insert') return Buffer.concat([before, new Uint8Array([byte]), after])
    if (how === 'delete') return Buffer.concat([before, after.slice(length)])
    return how === 'double' ? Buffer.concat([before, after.slice(0, length), after]) : before
  })
const byteChanges = fc
  .array(byteChange, { minLength: 1, maxLength: 3 })
  .map((list) => (bytes: Uint8Array) => list.reduce((changed, change) => change(changed), bytes))

/** CBOR of any shape. */
const { item: anyItem } = fc.letrec<{ item: Item }>((tie) => ({
  item: fc.oneof(
    { depthSize: 'small' },
    fc.integer({ min: -300, max: 70_000 }),
    fc.string(),
    fc.uint8Array({ maxLength: 70 }),
    fc.constantFrom<Item>(null, true, false, 'none', 'packed', 'fmt', 'alg', 'sig', raw(0xf7)),
    fc.array(tie('item'), { maxLength: 4 }),
    fc
      .array(
        fc.tuple(
          fc.oneof(
            fc.constantFrom<Item>('fmt', 'attStmt', 'authData', 'alg', 'sig', 1, 3, -1, -2, -3),
            tie('item'),
          ),
          tie('item'),
        ),
        { maxLength: 6 },
      )
      .map((members) => map(...members)),
  ),
}))

/** Where an answer of any kind deviates at random. */
const randomChanges = fc.oneof(
  byteChanges.map((authData) => ({ authData })),
  byteChanges.map((objectBytes) => ({ objectBytes })),
  byteChanges.map((signature) => ({ signature })),
  anyItem.map((item) => ({ key: item })),
  anyItem.map((item) => ({ object: () => item })),
  anyItem.map((item) => ({ statement: () => item })),
  anyItem.map((item) => ({ fmt: 'packed', statement: () => item })),
  anyItem.map((item) => ({ extensions: encode(item) })),
  fc.tuple(byteChanges, fc.constantFrom<Ceremony>('create', 'get')).map(([change, type]) => ({
    clientData: change(Buffer.from(JSON.stringify(honest(type)))),
  })),
  fc.record({ flags: fc.integer({ min: 0, max: 255 }), extensions: anyItem.map(encode) }),
) as fc.Arbitrary<Changes>

const REASONS = new Set(DIFFERENCES.map(({ ours }) => ours).filter((ours) => ours !== 'accepted'))

/** A difference that is not an accident of the library is one of the listed ones. */
function expectListed(ours: string | undefined, kinds: readonly string[]): void {
  if (ours === undefined) return
  if (ours === 'accepted') {
    expect(kinds.filter((kind) => listed.has(name(ours, kind)))).not.toEqual([])
  } else {
    expect(REASONS).toContain(ours)
  }
}

describe('an answer that is made up', () => {
  const ceremonies = fc.constantFrom<Ceremony>('create', 'get')
  const indexes = fc.nat({ max: ALGS.length - 1 })

  test('deviates in any of its bytes', async () => {
    await holds(
      2_000,
      fc.asyncProperty(ceremonies, indexes, randomChanges, async (ceremony, index, changes) => {
        const genuine = genuineOf(index)
        const json = forge[ceremony](genuine, changes)
        expectListed(await compare({ ceremony, genuine, json }), [])
      }),
    )
  })

  test('deviates in any of its texts', async () => {
    await holds(
      500,
      fc.asyncProperty(ceremonies, indexes, byteChanges, async (ceremony, index, change) => {
        const genuine = genuineOf(index)
        const text = change(Buffer.from(JSON.stringify(forge[ceremony](genuine))))
        let json: unknown
        try {
          json = JSON.parse(Buffer.from(text).toString())
        } catch {
          return
        }
        expectListed(await compare({ ceremony, genuine, json }), [])
      }),
    )
  })

  test('deviates in two ways', async () => {
    const all = ALGS.map((_, index) => ({
      create: flat(mutationsOf(index, 'create')),
      get: flat(mutationsOf(index, 'get')),
    }))
    const places = fc.tuple(fc.nat(), fc.nat())
    await holds(
      1_500,
      fc.asyncProperty(ceremonies, indexes, places, async (ceremony, index, [one, other]) => {
        const list = all[index]?.[ceremony] ?? []
        const [first, second] = [list[one % list.length], list[other % list.length]]
        if (!first || !second) return
        const response = { ...first.changes.response, ...second.changes.response }
        const changes = { ...first.changes, ...second.changes, response }
        const genuine = genuineOf(index)
        const json = forge[ceremony](genuine, changes)
        expectListed(await compare({ ceremony, genuine, json, kept: { counter: 6 } }), [
          first.kind,
          second.kind,
        ])
      }),
    )
  })
})

function flat(mutations: Mutations) {
  return Object.entries(mutations).flatMap(([kind, list]) =>
    list.map((changes) => ({ kind, changes })),
  )
}

describe('all of them together', () => {
  test('differ from the library’s verdict exactly in the listed differences', () => {
    const unlisted = [...seen].filter(([difference]) => !listed.has(difference))
    expect(unlisted).toEqual([])
    expect([...listed].filter((difference) => !seen.has(difference))).toEqual([])
  })

  test('are more than 5,000, by night', () => {
    expect(compared).toBeGreaterThan(1_000 + often(4_000))
  })
})
