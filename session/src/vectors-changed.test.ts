import { describe, expect, test } from 'vitest'
import { answererOf, disagreements, inGo, inPython } from '../../test/support/verifiers.js'
import { ours } from './test-support/our-answers.js'

const programs = [
  ['the Python verifier', await inPython()],
  ['the Go verifier', await inGo()],
] as const

const seed = Number(process.env.PROPERTY_SEED ?? Date.now())

/** Both at the same time, if both are here: ours answers once for them. */
const here = programs.filter(([, program]) => !('why' in program))

describe.each(programs)('%s', (name, program) => {
  test.skipIf('why' in program)('is one of the verifiers here', () => {
    expect(here.map(([one]) => one)).toContain(name)
  })
})

test.skipIf(here.length === 0)(
  'no verifier judges one of 100,000 changed tokens as no other does',
  async () => {
    const verifiers = [ours, ...here.map(([, program]) => answererOf(program))]
    expect(await disagreements(verifiers, 100_000, seed)).toEqual([])
  },
)
