import { describe, expect, test } from 'vitest'
import { forge, ISSUER, verifierAt } from '../test-support/keys.js'
import { SeenTokens } from './session-token-verifier.js'

const good = await forge()

describe('a token other than the cached one', () => {
  test.each([
    ['has its signature under other content', good.replace(/\.[\w-]+\./, '.e30.')],
    ['has its signature and nothing else', good.slice(-86)],
    ['has the end of its signature', `a.b.${'A'.repeat(54)}${good.slice(-32)}`],
    ['is that end', good.slice(-32)],
    ['has something before it', `x${good}`],
    ['has something behind it', `${good}x`],
    ['is in another case', good.toLowerCase()],
    ['is empty', ''],
  ])('and %s is unknown', async (_, token) => {
    const seen = new SeenTokens<string>(10)
    seen.set(good, 'Ann')
    expect(seen.get(token)).toBeUndefined()
    seen.delete(token)
    expect(seen.get(good)).toBe('Ann')
    const verifier = verifierAt()
    await verifier.verify(good, ISSUER)
    expect(verifier.recall(token, ISSUER)).toBeUndefined()
    expect(await verifier.verify(token, ISSUER)).toMatch(
      /^(?:not-a-jws|not-canonical|bad-signature|header)$/,
    )
  })
})

test('two tokens with the same end do not get each other’s result', () => {
  const seen = new SeenTokens<string>(10)
  const [ann, bob] = [`ann.${'s'.repeat(40)}`, `bob.${'s'.repeat(40)}`]
  seen.set(ann, 'Ann')
  seen.set(bob, 'Bob')
  expect([seen.get(ann), seen.get(bob)]).toEqual([undefined, 'Bob'])
  seen.delete(ann)
  expect(seen.get(bob)).toBe('Bob')
})

describe('the room for tokens', () => {
  const tokens = (count: number, length: number) =>
    Array.from({ length: count }, (_, at) => `${at}`.padStart(length, 'x'))

  test('is for so many of a kilobyte, at least', () => {
    const seen = new SeenTokens<string>(10)
    const all = tokens(10, 1_024)
    for (const token of all) seen.set(token, token)
    expect(all.map((token) => seen.get(token))).toEqual(all)
  })

  test('is for fewer that are longer: an attacker with long names chooses no size in bytes', () => {
    const seen = new SeenTokens<string>(10)
    const all = tokens(9, 4_096)
    for (const token of all) seen.set(token, token)
    expect(all.filter((token) => seen.get(token)).length).toBeLessThanOrEqual(6)
  })

  test('is for none of more than four kilobytes', () => {
    const seen = new SeenTokens<string>(10)
    for (const [length, kept] of [
      [4_096, true],
      [4_097, false],
    ] as const) {
      const [token = ''] = tokens(1, length)
      seen.set(token, 'Ann')
      expect(seen.get(token) === 'Ann').toBe(kept)
    }
  })

  test('is left by one that is deleted', () => {
    const seen = new SeenTokens<string>(10)
    seen.set(good, 'Ann')
    seen.delete(good)
    expect(seen.get(good)).toBeUndefined()
  })
})
