import { describe, expect, it } from 'vitest'
import { markdownProseOf } from './markdown.ts'
import { riddlesOf } from './riddles.ts'

function read(source: string): [number, string][] {
  return markdownProseOf(source).map(({ line, lines }) => [line, lines.join('\n')])
}

describe('markdownProseOf', () => {
  it('reads headings, paragraphs and entries of lists, each with its first line', () => {
    const page = '# One\nTwo\nthree.\n\n- Four\n  five\n- Six\n\n1. Seven\n\n> **Eight.**'
    expect(read(page)).toEqual([
      [1, 'One'],
      [2, 'Two\nthree.'],
      [5, 'Four\n  five'],
      [7, 'Six'],
      [9, 'Seven'],
      [11, 'Eight.'],
    ])
  })

  it('reads each cell of a table', () => {
    expect(read('| a | b |\n|---|:-:|\n| c \\| d | |\n| `e` | f |')).toEqual([
      [1, 'a'],
      [1, 'b'],
      [3, 'c \\| d'],
      [4, 'x'],
      [4, 'f'],
    ])
  })

  it('does not read how not to write', () => {
    const table = '| instead of | write |\n|---|---|\n| Whoever asks. | A user who asks. |'
    expect(read(`${table}\n\n| a |\n|---|\n| b |`).map(([, text]) => text)).toEqual([
      'write',
      'A user who asks.',
      'a',
      'b',
    ])
  })

  it('reads no code, no comment, no target of a link, no tag and no quoted title', () => {
    const page =
      'It runs `nobody’s\ncode`, [a link](whoever.md), ![a picture](whose.png), <b title="who">bold</b>\nand “of who asks”.\n```js\n// whoever\n```\n<!-- Whoever\nreads it. -->\n````md\n```\nwhoever\n```\n````\nEnd.'
    expect(read(page)).toEqual([
      [1, 'It runs x\n, a link, a picture, bold\nand “x”.'],
      [14, 'End.'],
    ])
  })

  it('does not read the labels of an entry of docs/errors.md', () => {
    const page = '### `x`\n\n**What happened.** A.\n\n**Whose it is.** B.\n\n**What to do.** C.'
    expect(read(page).map(([, text]) => text)).toEqual(['x', 'A.', 'B.', 'C.'])
  })

  it('gives riddles the line on which they are', () => {
    const page = '# A page\n\nThe key is kept.\nIt is made\nanew. Whoever `asks`\nis refused.'
    const found = markdownProseOf(page).flatMap(riddlesOf)
    expect(found.map(({ line, pattern }) => [line, pattern.name])).toEqual([
      [5, 'a person without a name'],
    ])
  })
})
