import type { Prose } from './prose.ts'

const FENCE = /^\s*(`{3,}|~{3,})/
const ROW = /^\s*\|(.*)\|\s*$/
const RULE = /^[\s|:-]+$/
/** Begins a block of its own: a heading, or an entry of a list. */
const START = /^\s*(?:#{1,6}|[-*+]|\d+\.) +/
/** The labels of an entry of docs/errors.md, which are no sentences. */
const LABEL = /^\*\*(?:What happened|Whose it is|What to do)\.\*\* /
/** The header of a column that shows how not to write. */
const COUNTEREXAMPLES = 'instead of'

/**
 * Reads what a page says in English: paragraphs, entries of lists, headings and cells of tables, but
 * no code, no target of a link and no quoted title, which is read where it is written.
 */
export function markdownProseOf(source: string): Prose[] {
  const found: Prose[] = []
  let paragraph: { line: number; lines: string[] } | undefined
  let fence: string | undefined
  let isComment = false
  let header: readonly string[] | undefined
  const close = () => {
    if (paragraph) found.push({ kind: 'text', ...paragraph, lines: wordsOf(paragraph.lines) })
    paragraph = undefined
  }
  source.split('\n').forEach((text, index) => {
    const line = index + 1
    const [, mark] = FENCE.exec(text) ?? []
    if (fence !== undefined) {
      if (mark?.startsWith(fence)) fence = undefined
      return
    }
    if (mark !== undefined) {
      close()
      fence = mark
      return
    }
    if (isComment || text.trimStart().startsWith('<!--')) {
      close()
      isComment = !text.includes('-->')
      return
    }
    const [, row] = ROW.exec(text) ?? []
    if (row === undefined) header = undefined
    else {
      close()
      if (RULE.test(row)) return
      const cells = row.split(/(?<!\\)\|/).map((cell) => cell.trim())
      header ??= cells
      cells.forEach((cell, at) => {
        if (header?.[at] === COUNTEREXAMPLES || cell === '') return
        found.push({ kind: 'text', line, lines: wordsOf([cell]) })
      })
      return
    }
    if (text.trim() === '') close()
    else if (START.test(text) || paragraph === undefined) {
      close()
      paragraph = { line, lines: [text.replace(START, '').replace(LABEL, '')] }
    } else paragraph.lines.push(text)
    if (/^\s*#/.test(text)) close()
  })
  close()
  return found
}

/** The words without markup, on as many lines. */
function wordsOf(lines: readonly string[]): string[] {
  const replaced = (by: string) => (part: string) => by + '\n'.repeat(part.split('\n').length - 1)
  return lines
    .join('\n')
    .replaceAll(/`[^`]*`/g, replaced('x'))
    .replaceAll(/“[^”]*”/g, replaced('“x”'))
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replaceAll(/<[^>]*>/g, replaced(''))
    .replaceAll(/\*\*|^> ?/gm, '')
    .split('\n')
}
