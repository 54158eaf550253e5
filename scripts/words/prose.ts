/** A comment, a title or a message of a source file, with the line on which it begins. */
export interface Prose {
  readonly kind: 'comment' | 'text'
  readonly line: number
  /** One entry for each line of the file. */
  readonly lines: readonly string[]
}

const LINE_COMMENT = /^(\s*(?:[^'"`/]|'[^']*'|"[^"]*"|`[^`]*`)*?\s*)\/\/ ?(.*)$/
const BLOCK_START = /^\s*(?:\/\*\*?|<!--) ?(.*)$/
const BLOCK_END = /\s*(?:\*\/|-->).*$/
const STRING = /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g

/**
 * Reads what a source file says in English: its comments, and its texts of at least four words, such
 * as titles of tests and messages. It reads line by line, because biome keeps comments and texts on
 * lines of their own, and a parser would take ten times as long.
 */
export function proseOf(source: string): Prose[] {
  const found: Prose[] = []
  let comment: { line: number; lines: string[]; block: boolean } | undefined
  const close = () => {
    if (comment) found.push({ kind: 'comment', line: comment.line, lines: comment.lines })
    comment = undefined
  }
  source.split('\n').forEach((text, index) => {
    const line = index + 1
    if (comment?.block) {
      comment.lines.push(text.replace(BLOCK_END, '').replace(/^\s*\* ?/, ''))
      if (BLOCK_END.test(text)) close()
      return
    }
    const block = BLOCK_START.exec(text)
    if (block) {
      close()
      comment = { line, lines: [(block[1] ?? '').replace(BLOCK_END, '')], block: true }
      if (BLOCK_END.test(text)) close()
      return
    }
    const [, code = text, said] = LINE_COMMENT.exec(text) ?? []
    if (said !== undefined && code.trim() === '' && comment) comment.lines.push(said)
    else {
      close()
      if (said !== undefined) comment = { line, lines: [said], block: false }
    }
    if (said !== undefined && code.trim() !== '') close()
    for (const [quoted] of code.matchAll(STRING)) {
      const inside = quoted.slice(1, -1)
      if (inside.trim().split(/\s+/).length > 3) found.push({ kind: 'text', line, lines: [inside] })
    }
  })
  close()
  return found
}
