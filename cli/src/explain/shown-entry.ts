import type { Terminal } from '../command.js'
import { styleOf } from '../style.js'
import type { Entry } from './explain.js'

const WIDTH = 80
const INDENT = '  '

/** What a kind is, for people. */
const KINDS: Readonly<Record<string, string>> = {
  error: 'an error',
  code: 'a code beside an error',
  event: 'an event of the log',
  warning: 'a warning of the log',
  operator: 'an answer to an operator',
  fault: 'a fault of the audit log',
  import: 'a reason of latchkey import',
  finding: 'a finding of latchkey doctor',
}

/** An entry in 80 columns, or less on a narrow terminal. */
export function shownEntry(
  { word, kinds, happened, owner, todo }: Entry,
  { columns = WIDTH, hasColor }: Pick<Terminal, 'columns' | 'hasColor'>,
): string {
  const width = Math.max(20, Math.min(columns, WIDTH))
  const style = styleOf({ hasColor })
  const parts = [
    `${style('bold', word)}: ${kinds.map((kind) => KINDS[kind] ?? kind).join(', ')}\n`,
    ...[
      ['What happened', happened],
      ['Whose it is', owner],
      ['What to do', todo],
    ].map(
      ([title = '', text = '']) => `${style('bold', title)}\n${paragraph(text, width, hasColor)}`,
    ),
  ]
  return parts.join('\n')
}

/** A paragraph of the page, without the marks of Markdown, in lines. */
function paragraph(text: string, width: number, hasColor: boolean): string {
  const plain = text
    // A link says where it leads: there is nothing to click.
    .replaceAll(/\(\[([^\]]*)\]\(([\w./-]+)(?:#[\w-]+)?\)\)/g, '($1: docs/$2)')
    .replaceAll(/\[([^\]]*)\]\(([\w./-]+)(?:#[\w-]+)?\)/g, '$1 (docs/$2)')
    // Code is not broken in two, unless it is longer than a line.
    .replaceAll(/`[^`]*`/g, (code) =>
      code.length > width - INDENT.length ? code : code.replaceAll(' ', '\u00a0'),
    )
  const style = styleOf({ hasColor })
  const lines: string[] = []
  let line = ''
  for (const word of plain.split(' ')) {
    if (line !== '' && INDENT.length + line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  lines.push(line)
  const shown = lines
    .map((each) => `${INDENT}${each}\n`)
    .join('')
    .replaceAll('\u00a0', ' ')
  return hasColor
    ? shown.replaceAll(/`([^`\n]*)`/g, (_, code: string) => style('cyan', code))
    : shown
}
