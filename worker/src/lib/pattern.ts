/**
 * A regular expression that is made when it is first used. V8 reads the literals of a script when it
 * loads it, and `\p{…}` takes it a millisecond: time of every isolate's start. So does a literal or a
 * raw text that holds other letters than ASCII: bundlers leave them, and V8 then reads the whole
 * script in characters of two bytes. In plain quotes they are escaped.
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
