import type { Prose } from './prose.ts'

/** A way to write that makes a reader read twice, and why. */
interface Pattern {
  readonly name: string
  readonly found: RegExp
  /** What is wrong with it, and what to write instead. */
  readonly why: string
}

/** The start of a sentence: of the text, or after a full stop, or of what a tag describes. */
const START = String.raw`(?<=^["“(]?|[.!?]["”)]? +|@(?:returns|throws \{\w+\}) )`
const is = '(?:is|are|was|were)'

/**
 * The constructions that made one line in ten a riddle. Each pattern is narrow: it may miss a
 * riddle, but what it finds is almost always one. CONTRIBUTING.md has the style.
 */
const PATTERNS: readonly Pattern[] = [
  {
    name: 'who as a subject',
    found: new RegExp(`${START}(?:who|whose|whom|whatever|those)\\b(?![^.!]*\\?)`, 'gi'),
    why: 'Name the person or thing: "a user who", "a session that".',
  },
  {
    name: 'what as a subject',
    found: new RegExp(
      `${START}What (?:is|was|are|were|has|had|can|cannot|may|does|do|must|else|no|\\w+ed|fails|comes|came|goes|went|begins|began|stands|waits|breaks)\\b(?![^.!]*\\?)|(?<=[.!] )What\\b(?![^.!]*\\?)|^what\\b(?![^.!]*\\?)`,
      'g',
    ),
    why: 'Name it: "records that end are kept", not "what ends is kept".',
  },
  {
    name: 'of at the start',
    found: new RegExp(`${START}of (?!course)`, 'gi'),
    why: 'Begin with the subject: "a deleted user has no rows", not "of who is gone no row is left".',
  },
  {
    name: 'whoever, nobody’s, whom',
    found: /\b(?:whoever|nobody[’']s|anybody[’']s|whom)\b/gi,
    why: 'Name the person: "the caller", "a user"; or say that there is no owner.',
  },
  {
    name: 'who after a preposition',
    found: /\b(?:of|to|for|from|by|with|as) who\b|\bof those\b/gi,
    why: 'Name the person: "to a user who", "of the sessions that".',
  },
  {
    name: 'whose it is',
    found: /\bwhose (?:it|they|he|she|that|this|the|an?) /gi,
    why: 'Write "the owner of" or "the user that it belongs to".',
  },
  {
    name: 'is none, is no more, of before',
    found: new RegExp(
      `\\b${is} no more\\b|\\bof before\\b|(?<!there )\\b${is} (?:none|nobody|no other)\\b`,
      'gi',
    ),
    why: 'Say what it is not: "is not an address", "no longer exists", "the previous version".',
  },
  {
    name: 'is no …',
    found: new RegExp(
      `(?<!there )\\b${is} no (?!longer|more|other|such|need|reason|room|sign|way)\\w`,
      'gi',
    ),
    why: 'Write "is not a".',
  },
  {
    name: 'inverted verb',
    found:
      /\b(?:neither|nor) (?:is|are|does|do|has|can|was)\b|\bas (?:is|are|does|do|was|has|did) (?:an?|the|its|his|every|one|another|what|any|each|that|those|all)\b|(?<=^|[.!;] )so (?:is|are|does|do|has|can|was) (?!called|that|long|many|not)/gi,
    why: 'Subject first: "the other one does too", "and not the cookie".',
  },
  {
    name: 'told',
    found: /\btold\b(?! (?:apart|to|not to)\b)|\btell(?:s|ing)? (?:nothing )?of\b/gi,
    why: 'Say how: "logged", "announced", "the page says", "the answer has".',
  },
  {
    name: 'nothing of, of elsewhere',
    found: /\bnothing of\b|\bof elsewhere\b/gi,
    why: 'Name what there is none of: "no part of", "no trace of"; or the other place.',
  },
  {
    name: 'so many, no more',
    found: new RegExp(
      `${START}(?:In |After )?so (?:many|much|long|often|few)\\b|(?<!and )\\bno more\\b(?! (?:than|\\w+s)\\b)|\\bfor ever\\b`,
      'gi',
    ),
    why: 'Write "how many", "this long", "no longer", "forever".',
  },
  {
    name: 'where as a condition',
    found: /(?<=^|[.!?;:] )Where\b[^.!?]*, (?!in|by|with|so|and|or|for|as|from|to|which|such)/g,
    why: 'A condition begins with "if" or "when".',
  },
  {
    name: 'is of',
    found: new RegExp(`\\b${is} of (?:an?|the|its|another|one|no|our|this|that)\\b`, 'gi'),
    why: 'Write "belongs to", "comes from" or "has".',
  },
  {
    name: 'participle as a noun',
    found: new RegExp(
      `\\bthe (?:given|asked|proved|kept|wanted|told|forgotten|ended)(?=[,.;:)]|$| (?:is|are|and|or)\\b)|\\bwhat(?:ever)? ${is} (?:\\w+ed|found|kept|given|known|told|left|sent|meant|read|written|there|said|made|shown|put)\\b`,
      'gi',
    ),
    why: 'Name the thing: "the rows that it read", not "what was read".',
  },
  {
    name: 'what with a verb',
    found:
      /\bwhat (?:stands|stood|is over|ended|ends|has ended|failed|has failed|was before|another|somebody|nobody|follows (?!every|from)|is not(?! right)|goes on|is there|may be|can be|has what)\b/gi,
    why: 'Name it: "the ended sessions", "the text before the name".',
  },
  {
    name: 'anew',
    found: /\banew\b/gi,
    why: 'Write "again", "a new one" or "rewritten".',
  },
  {
    name: 'British spelling',
    found:
      /\b(?:colour|behaviour|honour|favour|neighbour|centre|spelt|learnt|(?<![`]|, )cancelled|labelled|travell|signall|licence|judgement|organis|recognis|catalogue|grey|towards|defence)\w*/gi,
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
    for (const { index } of text.trimEnd().matchAll(pattern.found)) {
      const nth = starts.findLastIndex((start) => start <= index)
      if (!found.has(nth))
        found.set(nth, { line: line + nth, pattern, text: lines[nth]?.trim() ?? '' })
    }
  }
  return [...found.values()].sort((a, b) => a.line - b.line)
}
