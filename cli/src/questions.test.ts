import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { Failed } from './command.js'
import { questions } from './questions.js'

/** Asks at a terminal at which these keys are pressed when the question is there. */
async function asking<T>(keys: string[], ask: (of: ReturnType<typeof questions>) => Promise<T>) {
  const input = new PassThrough()
  const output = new PassThrough()
  let shown = ''
  output.on('data', (part) => {
    shown += part
    const key = keys.shift()
    if (key !== undefined) setImmediate(() => input.write(key))
  })
  const said = await ask(questions(input, output)).catch((error: unknown) => error)
  return { said, shown }
}

test.each([
  ['y', true],
  ['n', false],
  ['\r', false],
])('the key %j answers a question with %j', async (key, answer) => {
  const { said, shown } = await asking([key], (ask) => ask.confirm('Erase it?'))
  expect(said).toBe(answer)
  expect(shown).toContain('Erase it?')
})

test('Ctrl+C ends a question, and nothing is changed', async () => {
  const { said } = await asking(['\u0003'], (ask) => ask.confirm('Erase it?'))
  expect(said).toEqual(new Failed('Stopped', 'Stopped: nothing was changed.'))
})

const choices = [
  { value: 'worker', label: 'A Worker' },
  { value: 'express', label: 'Express', hint: 'on Node' },
]

test('one of several answers is chosen', async () => {
  const { said } = await asking(['\u001b[B', '\r'], (ask) => ask.choose('Which?', choices))
  expect(said).toBe('express')
})

test('several of them are chosen', async () => {
  const { said } = await asking(['a', '\r'], (ask) => ask.chooseSeveral('Which?', choices))
  expect(said).toEqual(['worker', 'express'])
})
