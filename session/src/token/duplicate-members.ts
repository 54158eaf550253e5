const QUOTE = 34
const COLON = 58
const BACKSLASH = 92

/**
 * Does JSON text name a member of an object twice, at any depth and in any spelling, such as
 * `{"sub":1,"s\u0075b":2}`? Readers differ in which one counts, so a check of one reader
 * does not hold for another (RFC 8725, 2.4 and 3.10).
 *
 * `JSON.parse` keeps one of the two, so the value then has fewer members than its text has colons.
 * Takes time that grows with the length of the text, and no stack.
 *
 * @param value what `JSON.parse` made of the text
 */
export function hasDuplicateMembers(text: string, value: unknown): boolean {
  return colonsIn(text) !== membersIn(value)
}

/** Colons outside strings, of which each member has one. */
function colonsIn(json: string): number {
  let count = 0
  let isString = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) isString = !isString
    else if (code === BACKSLASH) at++
    else if (code === COLON && !isString) count++
  }
  return count
}

function membersIn(value: unknown): number {
  let count = 0
  const reached: object[] = isObject(value) ? [value] : []
  for (const item of reached) {
    const values: unknown[] = Array.isArray(item) ? item : Object.values(item)
    if (!Array.isArray(item)) count += values.length
    for (const member of values) {
      if (isObject(member)) reached.push(member)
    }
  }
  return count
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
