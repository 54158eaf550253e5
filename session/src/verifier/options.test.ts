import { expect, test, vi } from 'vitest'
import { throttled } from './options.js'

test('each error is reported once a minute', () => {
  const clock = { now: 0 }
  const tell = vi.fn()
  const report = throttled(tell, () => clock.now)
  for (let second = 0; second < 120; second++) {
    clock.now = second * 1_000
    report(new Error('one'))
    if (second % 2) report(new Error('other'))
  }
  const messages = tell.mock.calls.map(([error]) => error.message)
  expect(messages.sort()).toEqual(['one', 'one', 'other', 'other'])
})

test('a log that fails and a thrown value that is not an error do no harm', () => {
  const report = throttled(
    () => {
      throw new Error('disk full')
    },
    () => 0,
  )
  report(new Error('one'))
  report('a text')
})

test('without a log of the app the console gets the error with our name', () => {
  const log = vi.spyOn(console, 'error').mockReturnValue()
  throttled(undefined, () => 0)(new TypeError('one'))
  expect(log.mock.calls).toEqual([['TypeError: one']])
  log.mockRestore()
})

test('many different messages do not fill the memory', () => {
  const tell = vi.fn()
  const report = throttled(tell, () => 0)
  for (let n = 0; n < 1_000; n++) report(new Error(`fault ${n}`))
  expect(tell).toHaveBeenCalledTimes(1_000)
})
