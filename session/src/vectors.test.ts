import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Vector } from '../../scripts/generate/verifier-vectors.js'
import {
  type Answerer,
  answererOf,
  disagreements,
  inGo,
  inPython,
} from '../../test/support/verifiers.js'
import { ours } from './test-support/our-answers.js'

const read = (path: string) => readFileSync(join(import.meta.dirname, '../..', path), 'utf8')
const { vectors } = JSON.parse(read('verifiers/vectors.json')) as { vectors: Vector[] }

/** What the vectors say, in the form in which verifiers answer. */
const expected = ({ asked, is }: Vector, given: unknown): unknown => {
  if (asked.kind !== 'access' && asked.kind !== 'read-token') return is
  if (is === 'unavailable') return is
  const [, challenge] = given as [string, string]
  const { reason, ...more } = typeof is === 'string' ? { reason: is } : (is as { reason: string })
  return [reason, 'challenge' in more ? more.challenge : challenge]
}

async function wrongOf(answer: Answerer, asked: readonly Vector[]): Promise<unknown[]> {
  const answers = await answer(asked.map((vector) => vector.asked))
  expect(answers).toHaveLength(asked.length)
  return asked.flatMap((vector, at) => {
    const is = expected(vector, answers[at])
    if (JSON.stringify(answers[at]) === JSON.stringify(is)) return []
    return [{ clause: vector.clause, name: vector.name, is, answered: answers[at] }]
  })
}

test.each([
  ['python', 'verifiers/python/examples/fastapi_app.py'],
  ['go', 'verifiers/go/example/main.go'],
])('the page of other languages shows what the example in %s has', (language, example) => {
  const page = read('docs/other-languages.md')
  const blocks = [...page.matchAll(new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``, 'g'))]
  expect(blocks).toHaveLength(2)
  for (const [, code = ''] of blocks) expect(read(example)).toContain(code)
})

test('each vector has a name of its own', () => {
  const names = vectors.map(({ clause, name, asked }) =>
    [clause, name, JSON.stringify(asked)].join(),
  )
  expect(new Set(names).size).toBe(vectors.length)
})

test('our verifier answers each vector as it says', async () => {
  expect(await wrongOf(ours, vectors)).toEqual([])
})

const [python, go] = [await inPython(), await inGo()]

describe.each([
  ['the Python verifier', python],
  ['the Go verifier', go],
] as const)('%s', (_, program) => {
  const answer = answererOf(program)

  test.skipIf('why' in program)('answers each vector as it says', async () => {
    expect(await wrongOf(answer, vectors)).toEqual([])
  })

  test.skipIf('why' in program)('judges a thousand changed tokens as ours does', async () => {
    const seed = Number(process.env.PROPERTY_SEED ?? Date.now())
    expect(await disagreements([ours, answer], 1_000, seed)).toEqual([])
  })
})
