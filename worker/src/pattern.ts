/**
 * A regular expression that is made when it is first used. V8 reads the literals of a script when it
 * loads it, and `\p{…}` takes it a millisecond: time of every isolate's start.
 *
 * @example const letters = pattern(String.raw`\p{L}+`, 'gu')
 */
export function pattern(source: string, flags: string): () => RegExp {
  let made: RegExp | undefined
  return () => {
    made ??= new RegExp(source, flags)
    return made
  }
}
