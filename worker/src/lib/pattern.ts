/**
 * A regular expression that is made when it is first used. V8 parses the regular expression
 * literals of a script when it loads it, and `\p{…}` takes a millisecond of every isolate's start.
 * A literal or a raw template with non-ASCII letters also costs time: bundlers keep the letters,
 * and V8 then stores the whole script in two-byte characters. In plain quotes bundlers escape them.
 *
 * @param source a function where the text itself has to be made
 * @example const letters = pattern(String.raw`\p{L}+`, 'gu')
 */
export function pattern(source: string | (() => string), flags: string): () => RegExp {
  let made: RegExp | undefined
  return () => {
    made ??= new RegExp(typeof source === 'string' ? source : source(), flags)
    return made
  }
}
