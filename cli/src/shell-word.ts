/**
 * A text as one word of a shell command that a person copies. A shell would run parts of an address or of a file's name, such as
 * `$(…)` or a word after a semicolon.
 *
 * @example shellWord('https://a.example/;b') // "'https://a.example/;b'"
 */
export function shellWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
