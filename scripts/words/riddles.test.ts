import { describe, expect, it } from 'vitest'
import { proseOf } from './prose.ts'
import { riddlesOf } from './riddles.ts'

function namesIn(source: string): string[] {
  return proseOf(source)
    .flatMap(riddlesOf)
    .map(({ line, pattern }) => `${line} ${pattern.name}`)
}

describe('riddlesOf', () => {
  it.each([
    ['// Who is no more has no session.', 'a person without a name'],
    ['// It is kept. Those that end are not.', 'a person without a name'],
    ['// The ledger knows whose it is.', 'a person without a name'],
    ['/** What is kept ends. */', 'a thing without a name'],
    ['/** It fails. What the client sends is lost. */', 'a thing without a name'],
    ['// Of a deleted person nothing is counted.', 'the subject last'],
    ['// It is shown to whoever asks.', 'a person without a name'],
    ['// A way that is nobody’s ends.', 'a person without a name'],
    ['// It is sent to who asks.', 'a person without a name'],
    ['// The session of before ends.', 'a noun that is negated'],
    ['// A URL that is none is refused.', 'a noun that is negated'],
    ['// A text that is no address is refused.', 'a noun that is negated'],
    ['// The first fails, as does the next.', 'the subject last'],
    ['// It has no key, nor does it need one.', 'the subject last'],
    ['// The failure is told in the log.', 'a thing without a name'],
    ['// The app is told that it failed.', 'a thing without a name'],
    ['// The log has nothing of the request.', 'a noun that is negated'],
    ['// Where KV fails, the answer is 503.', 'the subject last'],
    ['// It reads what is given.', 'a thing without a name'],
    ['// It compares with the asked.', 'a thing without a name'],
    ['// It removes what stands before the name.', 'a thing without a name'],
    ['// The colour of the page.', 'British spelling'],
    ["it('of a deleted person there is no row', () => {})", 'the subject last'],
    ["throw new Error('the key is no text')", 'a noun that is negated'],
  ])('reads %s', (source, name) => {
    expect(namesIn(source)).toEqual([`1 ${name}`])
  })

  it.each([
    '// Who may read this?',
    '/** What browsers send with a form. */',
    '// Of course it is there.',
    '// There is no other key, and the session is no longer valid.',
    '// A user who signs out has no session.',
    '// The user is told to try again.',
    "const words = 'who is'",
  ])('has nothing to say about %s', (source) => {
    expect(namesIn(source)).toEqual([])
  })

  it('names the line on which a sentence begins, once for each line', () => {
    const source =
      '\n/**\n * Reads a row. The key is made\n * again. What fails is told in the log.\n */'
    expect(namesIn(source)).toEqual(['4 a thing without a name'])
  })

  it('reads a sentence that goes over two lines', () => {
    expect(namesIn('// The row.\n// It is read from a text that is\n// no key.')).toEqual([
      '2 a noun that is negated',
    ])
  })
})

describe('proseOf', () => {
  it('finds comments, and texts of four words and more', () => {
    const source = `
// One.
// Two.
const a = 'no' // Three.
/** Four. */
throw new Error(\`five six seven eight\`)
`
    expect(proseOf(source)).toEqual([
      { kind: 'comment', line: 2, lines: ['One.', 'Two.'] },
      { kind: 'comment', line: 4, lines: ['Three.'] },
      { kind: 'comment', line: 5, lines: ['Four.'] },
      { kind: 'text', line: 6, lines: ['five six seven eight'] },
    ])
  })

  it('takes an address in a text for no comment', () => {
    expect(proseOf("const url = 'https://app.example'")).toEqual([])
  })
})
