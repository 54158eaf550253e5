import { describe, expect, test } from 'vitest'
import { type Answerer, disagreements, inGo, inPython, ours } from '../support/verifiers.ts'

const others = [
  ['the Python verifier', await inPython()],
  ['the Go verifier', await inGo()],
] as const

const seed = Number(process.env.PROPERTY_SEED ?? Date.now())

/** Both at the same time, if both are here: ours answers once for them. */
const here = others.flatMap(([, answer]) => ('why' in answer ? [] : [answer as Answerer]))

describe.each(others)('%s', (_, answer) => {
  test.skipIf('why' in answer)('is one of the verifiers here', () => {
    expect(here).toContain(answer)
  })
})

test.skipIf(here.length === 0)('no verifier judges one of 100,000 changed tokens as no other does', async () => {
  expect(await disagreements([ours, ...here], 100_000, seed)).toEqual([])
})
