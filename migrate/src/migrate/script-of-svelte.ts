import { parse } from 'svelte/compiler'

/**
 * The TypeScript of a Svelte component, at the places where it stands: its scripts, and each expression of
 * its markup in parentheses. Everything else is blank.
 *
 * @returns `undefined` if Svelte cannot read the component
 */
export function scriptOfSvelte(text: string): string | undefined {
  let root: ReturnType<typeof parseModern>
  try {
    root = parseModern(text)
  } catch {
    return undefined
  }
  const blank = text.replaceAll(/[^\r\n]/g, ' ').split('')
  const keep = (start: number, end: number) => {
    for (let at = start; at < end; at++) blank[at] = text[at] ?? ' '
  }
  for (const script of [root.module, root.instance]) {
    if (!script) continue
    const { start, end } = script.content as unknown as Span
    keep(start, end)
    blank[end] = ';'
  }
  for (const { start, end } of expressionsBelow(root.fragment)) {
    keep(start, end)
    blank[start - 1] = '('
    blank[end] = ')'
    if (blank[start - 2] === ' ') blank[start - 2] = ';'
  }
  return blank.join('')
}

function parseModern(text: string) {
  return parse(text, { modern: true })
}

interface Span {
  readonly start: number
  readonly end: number
}

/** The outermost expressions of the markup. */
function expressionsBelow(fragment: unknown): Span[] {
  const spans: Span[] = []
  const waiting: unknown[] = [fragment]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    for (const [name, value] of Object.entries(next)) {
      if ((name === 'expression' || name === 'test') && isSpan(value)) spans.push(value)
      else waiting.push(value)
    }
  }
  return spans
}

function isSpan(value: unknown): value is Span {
  return typeof value === 'object' && value !== null && 'start' in value && 'end' in value
}
