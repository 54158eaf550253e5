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
    ['// Who is no more has no session.', 'who as a subject'],
    ['// It is kept. Those that end are not.', 'who as a subject'],
    ['// The ledger knows whose it is.', 'whose it is'],
    ['/** What is kept ends. */', 'what as a subject'],
    ['/** It fails. What the client sends is lost. */', 'what as a subject'],
    ['// Of a deleted person nothing is counted.', 'of at the start'],
    ['// It is shown to whoever asks.', 'whoever, nobody’s, whom'],
    ['// A way that is nobody’s ends.', 'whoever, nobody’s, whom'],
    ['// It is sent to who asks.', 'who after a preposition'],
    ['// The session of before ends.', 'is none, is no more, of before'],
    ['// A URL that is none is refused.', 'is none, is no more, of before'],
    ['// A text that is no address is refused.', 'is no …'],
    ['// The first fails, as does the next.', 'inverted verb'],
    ['// It has no key, nor does it need one.', 'inverted verb'],
    ['// The failure is told in the log.', 'told'],
    ['// The app is told that it failed.', 'told'],
    ['// The log has nothing of the request.', 'nothing of, of elsewhere'],
    ['// So many requests run at once.', 'so many, no more'],
    ['// The session counts no more.', 'so many, no more'],
    ['// Where KV fails, the answer is 503.', 'where as a condition'],
    ['// The rows are of another person.', 'is of'],
    ['// It reads what is given.', 'participle as a noun'],
    ['// It compares with the asked.', 'participle as a noun'],
    ['// It removes what stands before the name.', 'what with a verb'],
    ['// The key is made anew.', 'anew'],
    ['// The colour of the page.', 'British spelling'],
    ["it('of a deleted person there is no row', () => {})", 'of at the start'],
    ["throw new Error('the key is no text')", 'is no …'],
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
      '\n/**\n * Reads a row. The key is made\n * anew. What fails is told in the log.\n */'
    expect(namesIn(source)).toEqual(['4 what as a subject'])
  })

  it('reads a sentence that goes over two lines', () => {
    expect(namesIn('// The row.\n// It is read from a text that is\n// no key.')).toEqual([
      '2 is no …',
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
