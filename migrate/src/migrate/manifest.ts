import MagicString from 'magic-string'
import ts from 'typescript'

/** The dependencies of a package, in the text of its `package.json`. */
interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/**
 * Changes the dependencies of a `package.json`, and nothing else of its text.
 *
 * @param unused packages that nothing imports any more
 * @param needed packages that something imports now
 * @returns `undefined` if it cannot be read
 */
export function changeManifest(
  text: string,
  unused: ReadonlySet<string>,
  needed: ReadonlySet<string>,
  version: string,
): string | undefined {
  const read = parsed(text)
  if (!read) return undefined
  const known = { ...read.devDependencies, ...read.dependencies }
  const missing = [...needed].filter((name) => known[name] === undefined)
  const gone = Object.keys(known).filter((name) => unused.has(name))
  if (missing.length === 0 && gone.length === 0) return text
  const without = (group: Readonly<Record<string, string>> = {}) =>
    Object.entries(group).filter(([name]) => !unused.has(name))
  const added = missing.map((name): [string, string] => [name, `^${version}`])
  const dependencies = [...without(read.dependencies), ...added]
  const edit = new MagicString(text)
  const file = ts.parseJsonText('package.json', text)
  // The text is that of a JSON object, as was found before.
  const root = file.statements[0]?.expression as ts.ObjectLiteralExpression
  const write = (name: string, group: [string, string][]) => {
    const sorted = Object.fromEntries(group.sort(([a], [b]) => (a < b ? -1 : 1)))
    const members = root.properties.filter(ts.isPropertyAssignment)
    const own = members.findLast((member) => isNamed(member, name))?.initializer
    const last = members.at(-1)
    if (own) edit.overwrite(own.getStart(file), own.end, asIn(file, own, sorted))
    else if (last) edit.appendLeft(last.end, memberAfter(file, last, name, sorted))
    else edit.overwrite(root.getStart(file), root.end, JSON.stringify({ [name]: sorted }, null, 2))
  }
  if (added.length > 0 || gone.some((name) => read.dependencies?.[name] !== undefined))
    write('dependencies', dependencies)
  if (gone.some((name) => read.devDependencies?.[name] !== undefined))
    write('devDependencies', without(read.devDependencies))
  return edit.toString()
}

/** All packages that a `package.json` names, with their versions; none if it cannot be read. */
export function dependenciesIn(text = ''): Readonly<Record<string, unknown>> {
  const read = parsed(text)
  return { ...read?.devDependencies, ...read?.dependencies }
}

function isNamed({ name }: ts.PropertyAssignment, wanted: string): boolean {
  return ts.isStringLiteral(name) && name.text === wanted
}

/** An object in the layout of the object that it replaces: on one line or several, with its spaces. */
function asIn(file: ts.JsonSourceFile, own: ts.Node, value: object): string {
  const before = own.getText(file)
  const isEmpty = /^\{\s*\}$/.test(before)
  // An empty one shows no layout, but the file does.
  return isEmpty || before.includes('\n')
    ? laidOut(file.text, value, marginAt(file.text, own.getStart(file)))
    : inline(before, value)
}

/** A member behind the last one, in the layout of the object that has it. */
function memberAfter(file: ts.JsonSourceFile, last: ts.Node, name: string, value: object): string {
  const { text } = file
  const lead = text.slice(last.getFullStart(), last.getStart(file))
  const key = JSON.stringify(name) + (/"\s*:\s/.test(text) ? ': ' : ':')
  return `,${lead}${key}${laidOut(text, value, marginAt(text, last.getStart(file)))}`
}

/** On several lines if the file is. */
function laidOut(text: string, value: object, margin: string): string {
  const newline = /\r?\n(?=[ \t]*")/.exec(text)?.[0]
  if (newline === undefined) return inline(text, value)
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  return JSON.stringify(value, null, indent).replaceAll('\n', newline + margin)
}

/** On one line, with the spaces of such a text. */
function inline(like: string, value: object): string {
  const colon = /"\s*:\s/.test(like) ? ': ' : ':'
  // One member alone shows no comma.
  const isSpaced = like.includes(',') ? /,\s/.test(like) : colon === ': '
  const pad = /^\s*\{\s/.test(like) ? ' ' : ''
  const members = Object.entries(value).map((pair) =>
    pair.map((part) => JSON.stringify(part)).join(colon),
  )
  return members.length === 0 ? '{}' : `{${pad}${members.join(isSpaced ? ', ' : ',')}${pad}}`
}

/** The text before the line of a place. */
function marginAt(text: string, place: number): string {
  const line = text.slice(text.lastIndexOf('\n', place - 1) + 1, place)
  return /^[ \t]*/.exec(line)?.[0] ?? ''
}

function parsed(text: string): Manifest | undefined {
  try {
    const read: unknown = JSON.parse(text)
    const isObject = typeof read === 'object' && read !== null && !Array.isArray(read)
    return isObject ? read : undefined
  } catch {
    return undefined
  }
}
