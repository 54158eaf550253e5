import MagicString from 'magic-string'
import ts from 'typescript'
import { scriptOfSvelte } from './script-of-svelte.js'

/** One file of code: its text, its syntax tree, and its changes so far. */
export interface Code {
  readonly path: string
  readonly text: string
  /** Its places are those of `text`, in a Svelte component too. */
  readonly tree: ts.SourceFile
  readonly identifiers: readonly ts.Identifier[]
  readonly edit: MagicString
  /** Statements that are left out. */
  readonly removed: Set<ts.Node>
  /** The places that have another text: nothing in them is changed any more. */
  readonly replaced: { readonly start: number; readonly end: number }[]
  /** How its author writes. */
  readonly style: { readonly quote: string; readonly end: string; readonly newline: string }
  lineOf(node: ts.Node): number
}

const KINDS: Readonly<Record<string, ts.ScriptKind>> = {
  ts: ts.ScriptKind.TS,
  mts: ts.ScriptKind.TS,
  cts: ts.ScriptKind.TS,
  tsx: ts.ScriptKind.TSX,
  js: ts.ScriptKind.JSX,
  mjs: ts.ScriptKind.JSX,
  cjs: ts.ScriptKind.JSX,
  jsx: ts.ScriptKind.JSX,
  svelte: ts.ScriptKind.TS,
}

/** @returns `undefined` if the file is not code, `null` for code that cannot be read */
export function readCode(path: string, text: string): Code | null | undefined {
  const ending = path.slice(path.lastIndexOf('.') + 1)
  const kind = KINDS[ending]
  if (kind === undefined) return undefined
  const script = ending === 'svelte' ? scriptOfSvelte(text) : text
  if (script === undefined) return null
  const name = ending === 'svelte' ? `/${path}.ts` : `/${path}`
  const tree = parsed(name, script, kind)
  if (!tree) return null
  // The code between the parts of a component is made up, so its mistakes are not the author's.
  if (ending !== 'svelte' && hasMistakes(tree)) return null
  const identifiers = [...below(tree)].filter(ts.isIdentifier).filter(isNoMember)
  return {
    path,
    text,
    tree,
    identifiers,
    edit: new MagicString(text),
    removed: new Set(),
    replaced: [],
    style: styleOf(tree, text),
    lineOf: (node) => tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + 1,
  }
}

/** Compilers go down by calls of themselves; no person nests code so deeply. */
const MAX_DEPTH = 1_000

/** @returns `undefined` for code that is nested too deeply to be read */
function parsed(name: string, text: string, kind: ts.ScriptKind): ts.SourceFile | undefined {
  let tree: ts.SourceFile
  try {
    tree = ts.createSourceFile(name, text, ts.ScriptTarget.ESNext, true, kind)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
  const waiting: [node: ts.Node, depth: number][] = [[tree, 0]]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const [node, depth] = next
    if (depth > MAX_DEPTH) return undefined
    ts.forEachChild(node, (child) => void waiting.push([child, depth + 1]))
  }
  return tree
}

/** A member is named by its object, which has an unknown type here. */
function isNoMember(name: ts.Identifier): boolean {
  const { parent } = name
  if (ts.isPropertyAccessExpression(parent)) return parent.name !== name
  return !ts.isPropertyAssignment(parent) || parent.name !== name
}

function hasMistakes(tree: ts.SourceFile): boolean {
  const diagnostics: unknown = Reflect.get(tree, 'parseDiagnostics')
  return Array.isArray(diagnostics) && diagnostics.length > 0
}

/** Every node below one, outer ones first. */
export function* below(node: ts.Node): Generator<ts.Node> {
  const waiting = [node]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next
    const children: ts.Node[] = []
    ts.forEachChild(next, (child) => void children.push(child))
    waiting.push(...children.reverse())
  }
}

function styleOf(tree: ts.SourceFile, text: string): Code['style'] {
  const isImport = (one: ts.Statement) => ts.isImportDeclaration(one) || isReExport(one)
  const first = tree.statements.find(isImport) ?? tree.statements[0]
  const own = first ? text.slice(first.getStart(tree), first.end) : ''
  const [, quote = "'"] = /(["'])[^"']*["'];?$/.exec(own) ?? /(["'])/.exec(own) ?? []
  return {
    quote,
    end: own.endsWith(';') ? ';' : '',
    newline: text.includes('\r\n') ? '\r\n' : '\n',
  }
}

function isReExport(one: ts.Statement): boolean {
  return ts.isExportDeclaration(one) && one.moduleSpecifier !== undefined
}
