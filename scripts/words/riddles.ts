import type { Prose } from './prose.ts'

/** Ways to write that make a reader read twice for one reason. */
interface Pattern {
  readonly name: string
  readonly found: readonly RegExp[]
  /** What to write instead. */
  readonly why: string
}

/** The start of a sentence: of the text, or after a full stop, or of what a tag describes. */
const START = String.raw`(?<=^["“(]?|[.!?]["”)]? +|@(?:returns|throws \{\w+\}) )`
const is = '(?:is|are|was|were)'

/**
 * The constructions that made one line in ten a riddle. Each expression is narrow: it may miss a
 * riddle, but what it finds is almost always one. CONTRIBUTING.md has the style.
 */
const PATTERNS: readonly Pattern[] = [
  {
    name: 'a person without a name',
    found: [
      new RegExp(`${START}(?:who|whose|whom|whatever|those)\\b(?![^.!]*\\?)`, 'gi'),
      /\b(?:whoever|nobody[’']s|anybody[’']s|whom)\b/gi,
      /\b(?:of|to|for|from|by|with|as) who\b|\bof those\b/gi,
      /\bwhose (?:it|they|he|she|that|this|the|an?) /gi,
    ],
    why: 'Name the person: "a user who", "the owner of", "of the sessions that".',
  },
  {
    name: 'a thing without a name',
    found: [
      new RegExp(
        `${START}What (?:is|was|are|were|has|had|can|cannot|may|does|do|must|else|no|\\w+ed|fails|comes|came|goes|went|begins|began|stands|waits|breaks)\\b(?![^.!]*\\?)|(?<=[.!] )What\\b(?![^.!]*\\?)|^what\\b(?![^.!]*\\?)`,
        'g',
      ),
      new RegExp(
        `\\bthe (?:given|asked|proved|kept|wanted|told|forgotten|ended)(?=[,.;:)]|$| (?:is|are|and|or)\\b)|\\bwhat(?:ever)? ${is} (?:\\w+ed|found|kept|given|known|told|left|sent|meant|read|written|there|said|made|shown|put)\\b`,
        'gi',
      ),
      /\bwhat (?:stands|stood|is over|ended|ends|has ended|failed|has failed|was before|another|somebody|nobody|follows (?!every|from)|is not(?! right)|goes on|is there|may be|can be|has what)\b/gi,
      /\btold\b(?! (?:apart|to|not to)\b)|\btell(?:s|ing)? (?:nothing )?of\b/gi,
    ],
    why: 'Name the thing, or its place: "the rows that it read", "records that end", "the log has".',
  },
  {
    name: 'the subject last',
    found: [
      new RegExp(`${START}of (?!course)`, 'gi'),
      /\b(?:neither|nor) (?:is|are|does|do|has|can|was)\b|\bas (?:is|are|does|do|was|has|did) (?:an?|the|its|his|every|one|another|what|any|each|that|those|all)\b|(?<=^|[.!;] )so (?:is|are|does|do|has|can|was) (?!called|that|long|many|not)/gi,
      /(?<=^|[.!?;:] )Where\b[^.!?]*, (?!in|by|with|so|and|or|for|as|from|to|which|such)/g,
    ],
    why: 'Begin with the subject: "a deleted user has no rows". A condition begins with "if" or "when".',
  },
  {
    name: 'a noun that is negated',
    found: [
      new RegExp(
        `\\b${is} no more\\b|\\bof before\\b|(?<!there )\\b${is} (?:none|nobody|no other)\\b`,
        'gi',
      ),
      new RegExp(
        `(?<!there )\\b${is} no (?!longer|more|other|such|need|reason|room|sign|way)\\w`,
        'gi',
      ),
      /\bnothing of\b|\bof elsewhere\b/gi,
    ],
    why: 'Say what it is not: "is not an address", "no longer exists", "has no part of".',
  },
  {
    name: 'British spelling',
    found: [
      // A claim, tables and a page have the name `organisation`.
      /\b(?:colour|behaviour|honour|favour|neighbour|centre|spelt|learnt|(?<![`]|, )cancelled|labelled|travell|signall|licence|judgement|organis(?!ations?\b)|recognis|catalogue|grey|towards|defence)\w*/gi,
    ],
    why: 'American, one way: color, behavior, spelled, canceled.',
  },
]

/** A line that somebody has to read twice. */
export interface Riddle {
  readonly line: number
  readonly pattern: Pattern
  /** The line as it is written. */
  readonly text: string
}

/** The riddles of a text, at most one for each of its lines. */
export function riddlesOf({ line, lines }: Prose): Riddle[] {
  const starts: number[] = []
  let text = ''
  for (const part of lines) {
    starts.push(text.length)
    text += `${part.trim()} `
  }
  const found = new Map<number, Riddle>()
  for (const pattern of PATTERNS) {
    const places = pattern.found.flatMap((one) => [...text.trimEnd().matchAll(one)])
    for (const { index } of places) {
      const nth = starts.findLastIndex((start) => start <= index)
      if (!found.has(nth))
        found.set(nth, { line: line + nth, pattern, text: lines[nth]?.trim() ?? '' })
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line)
}
