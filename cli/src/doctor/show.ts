import type { Terminal } from '../command.js'
import { printable, printableLines } from '../printable.js'
import { type Style, styleOf } from '../style.js'
import type { Finding } from './finding.js'

const WIDTH = 80
const INDENT = '  '

/** Texts for a person beside the findings. */
export interface Notes {
  /** The files that were read. */
  readonly files: readonly string[]
  /** Sentences about the providers whose answers say nothing. */
  readonly untold: readonly string[]
}

/** The findings for people: errors first, in 80 columns, or less on a narrow terminal. */
export function shown(
  findings: readonly Finding[],
  { files, untold }: Notes,
  { columns = WIDTH, hasColor }: Pick<Terminal, 'columns' | 'hasColor'>,
): string {
  const width = Math.max(20, Math.min(columns, WIDTH))
  const wrap = (text: string, indent?: string) => wrapped(text, width, indent)
  const errors = findings.filter(({ level }) => level === 'error')
  const warnings = findings.filter(({ level }) => level === 'warning')
  const parts = [...errors, ...warnings].map((one) =>
    shownFinding(one, wrap, styleOf({ hasColor })),
  )
  const looked = files.length === 0 ? 'No file was there to be read.' : `Read: ${files.join(', ')}.`
  return [
    ...parts,
    ...untold.map((sentence) => wrap(sentence)),
    `${wrap(`${looked} ${counted(errors.length, warnings.length)}`)}`,
  ].join('\n')
}

function shownFinding(
  { code, level, where, what, why, fix }: Finding,
  wrap: (text: string, indent: string) => string,
  style: Style,
): string {
  const title = `${style(level === 'error' ? 'red' : 'yellow', level)} ${style('bold', code)}`
  // A command is not broken into lines, so that it can be copied.
  const lines = printableLines(fix).split('\n')
  const mend = lines.map((line) => `${INDENT}${INDENT}${style('cyan', line)}\n`).join('')
  return `${title}  ${printable(where)}\n${wrap(what, INDENT)}${wrap(why, INDENT)}${mend}`
}

function counted(errors: number, warnings: number): string {
  if (errors + warnings === 0) return 'Nothing was found.'
  const count = (many: number, one: string) => `${many} ${one}${many === 1 ? '' : 's'}`
  return `${count(errors, 'error')}, ${count(warnings, 'warning')}. latchkey explain <code> says more.`
}

function wrapped(text: string, width: number, indent = ''): string {
  const lines: string[] = []
  let line = ''
  for (const word of printable(text).split(' ')) {
    if (line !== '' && indent.length + line.length + 1 + word.length > width) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each) => `${indent}${each}\n`).join('')
}
