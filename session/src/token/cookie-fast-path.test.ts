import { describe, expect, test } from 'vitest'
import { seeded } from '../test-support/keys.js'
import { onlyToken, SESSION_COOKIE, sessionTokens } from './cookie.js'

const name = `__Host-${SESSION_COOKIE}`

/** The reference: splits the header pair by pair, slowly and completely. */
function takenApart(header: string): string[] {
  const whole = new Set<string>()
  const chunks = new Map<string, string>()
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=')
    const found = at > 0 ? bare(pair.slice(0, at)) : ''
    const trimmed = bare(pair.slice(at + 1))
    const value = /^".*"$/s.test(trimmed) ? trimmed.slice(1, -1) : trimmed
    if (found === name) whole.add(value)
    else if (!chunks.has(found)) chunks.set(found, value)
  }
  let chunked = ''
  for (let index = 0; index < 100 && chunks.has(`${name}.${index}`); index++) {
    chunked += chunks.get(`${name}.${index}`)
  }
  const tokens = [...whole].filter((token) => token !== '').slice(0, 7)
  return chunked === '' ? tokens : [...tokens, chunked]
}

const bare = (text: string) => text.replace(/^[ \t]+|[ \t]+$/g, '')

describe('the fast path', () => {
  test.each([
    ['alone', `${name}=a.b.c`, 'a.b.c'],
    ['first', `${name}=a.b.c; x=1`, 'a.b.c'],
    ['last', `x=1; y=2; ${name}=a.b.c`, 'a.b.c'],
    ['without a space', `x=1;${name}=a.b.c;y=2`, 'a.b.c'],
    ['with an equals sign in it', `${name}=a=b`, 'a=b'],
    ['empty', `x=1; ${name}=; y=2`, ''],
    ['not there', 'x=1; y=2', ''],
    ['not there, nor any other', '', ''],
  ])('is taken if the token is %s', (_, header, token) => {
    expect(onlyToken(header, name)).toBe(token)
  })

  test.each([
    ['twice', `${name}=a; ${name}=b`],
    ['twice, the second time empty', `${name}=a; ${name}=`],
    ['beside a chunk', `${name}=a; ${name}.0=b`],
    ['in chunks', `${name}.0=a; ${name}.1=b`],
    ['in quotes', `${name}="a"`],
    ['with a quote behind it', `${name}=a"`],
    ['with blanks', `${name}= a; x=1`],
    ['with a blank behind it', `${name}=a ; x=1`],
    ['with a tab before it', `x=1;\t${name}=a`],
    ['with two spaces before it', `x=1;  ${name}=a`],
    ['with a blank behind its name', `${name} =a`],
    ['under a longer name', `x${name}=a`],
    ['under a name of Unicode blanks', `\u2000${name}=a`],
    ['in the value of another cookie', `x=${name}=a`],
    ['in the value of another cookie, behind a space', `x= ${name}=a`],
    ['in the value of a later cookie', `${name}=a; x=${name}`],
    ['as a name alone', name],
    ['as a name alone, then another', `${name}; x=1`],
  ])('is not taken if the token is %s', (_, header) => {
    expect(onlyToken(header, name)).toBeUndefined()
    expect(sessionTokens(header, name)).toEqual(takenApart(header))
  })

  test('always agrees with a search through every cookie', () => {
    const random = seeded(3)
    const pieces = [
      name,
      `${name}=`,
      'a',
      '.0',
      '.1',
      '=',
      ';',
      '; ',
      ' ',
      '\t',
      '"',
      'x=1',
      '\u2000',
    ]
    let fast = 0
    for (let round = 0; round < 60_000; round++) {
      let header = ''
      for (let length = random(9); length >= 0; length--) header += pieces[random(pieces.length)]
      const tokens = takenApart(header)
      expect(sessionTokens(header, name), JSON.stringify(header)).toEqual(tokens)
      const only = onlyToken(header, name)
      if (only === undefined) continue
      fast++
      expect(only === '' ? [] : [only], JSON.stringify(header)).toEqual(tokens)
    }
    expect(fast).toBeGreaterThan(6_000)
  })
})
