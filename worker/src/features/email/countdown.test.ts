import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { inEnglish } from '../../test-support/english.js'
import { Countdown, hasCountdown } from './countdown.js'
import { COUNTDOWN_SCRIPT } from './countdown-script.js'

const FORMS = {
  one: 'Za {count} sekundę.',
  few: 'Za {count} sekundy.',
  many: 'Za {count} sekund.',
  other: 'Za {count} sekundy.',
}

/** What the script makes of a sentence, by seconds. */
function run(seconds: string, forms: object, lang: string) {
  let now = 0
  let tick: (() => void) | undefined
  const label = { textContent: 'as it was' }
  const said = { dataset: { seconds, forms: JSON.stringify(forms) }, querySelector: () => label }
  const document = { documentElement: { lang }, querySelectorAll: () => [said] }
  const setInterval = (work: () => void) => {
    tick = work
    return 1
  }
  const clearInterval = () => {
    tick = undefined
  }
  const names = ['document', 'performance', 'setInterval', 'clearInterval']
  new Function(...names, COUNTDOWN_SCRIPT)(document, { now: () => now }, setInterval, clearInterval)
  return {
    label,
    isOver: () => tick === undefined,
    pass(passed: number) {
      now += passed * 1_000
      tick?.()
    },
  }
}

describe('the script of a pause', () => {
  it('counts in the forms of the language, and stops at its end', () => {
    const { label, pass, isOver } = run('6', FORMS, 'pl')
    expect(label.textContent).toBe('as it was')
    const said = [1, 1, 1, 1, 1].map((seconds) => {
      pass(seconds)
      return label.textContent
    })
    expect(said).toEqual([
      'Za 5 sekund.',
      'Za 4 sekundy.',
      'Za 3 sekundy.',
      'Za 2 sekundy.',
      'Za 1 sekundę.',
    ])
    pass(1)
    expect([label.textContent, isOver()]).toEqual(['Za 1 sekundę.', true])
  })

  it('goes by the clock, if a tab in the background was not called', () => {
    const { label, pass } = run('20', { other: '{count}' }, 'ja')
    pass(12.4)
    expect(label.textContent).toBe('8')
  })

  it('is small, and has nothing that a strict policy refuses', () => {
    expect(gzipSync(COUNTDOWN_SCRIPT).length).toBeLessThan(360)
    expect(COUNTDOWN_SCRIPT).not.toMatch(/<\/?script|<!--|innerHTML|outerHTML|\beval\b/i)
  })
})

it('the sentence is whole without script, and its forms are escaped', () => {
  const text = { one: '<b>{count}</b>', other: '"{count}"' }
  const page = Countdown(inEnglish, text, 20)
  expect(String(page)).toContain('<span>&quot;20&quot;</span>')
  expect(String(page)).not.toContain('<b>')
  expect(hasCountdown(page)).toBe(true)
})
