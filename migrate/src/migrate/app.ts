import ts from 'typescript'
import { type Code, readCode } from './code.js'
import { dependenciesIn } from './manifest.js'
import { ownModules } from './own-modules.js'

/** A decision for the developer, at a line of a file. */
export interface Decision {
  readonly path: string
  /** From 1; left out if the whole file is meant. */
  readonly line?: number
  readonly text: string
}

/** The code of one package, to read and to change. */
export interface App {
  readonly codes: ReadonlyMap<string, Code>
  readonly decisions: Decision[]
  /** Packages that the changed code needs. */
  readonly needed: Set<string>
  /** The day on which it is changed. */
  readonly now: Date
  /** The variables that its files of variables name. */
  readonly variables: ReadonlySet<string>
  /** Set if the app has no secret of its own for the new sessions. */
  needsSecret: boolean
  decide(code: Code, node: ts.Node, text: string): void
  symbolOf(identifier: ts.Identifier): ts.Symbol | undefined
  /** Every use of a declared name, except the declaration itself. */
  usesOf(name: ts.Identifier): readonly ts.Identifier[]
  /** The packages that the manifest names, with their versions. */
  readonly dependencies: Readonly<Record<string, unknown>>
  /** The code of the app that an import names. */
  imported(code: Code, specifier: string): Code | undefined
}

/**
 * Reads the code of a package. It leaves unreadable files alone, and lists them among the
 * decisions.
 *
 * @param files texts by their paths below one folder
 */
export function readApp(
  files: ReadonlyMap<string, string>,
  now: Date,
  variables: ReadonlySet<string> = new Set(),
): App {
  const decisions: Decision[] = []
  const codes = new Map<string, Code>()
  for (const [path, text] of files) {
    const code = readCode(path, text)
    if (code) codes.set(path, code)
    else if (code === null) {
      decisions.push({ path, text: 'It cannot be read, and is left as it is.' })
    }
  }
  const checker = checkerOf([...codes.values()])
  const findModule = ownModules(files, (path) => codes.has(path))
  const uses = new Map<ts.Symbol, ts.Identifier[]>()

  function symbolOf(identifier: ts.Identifier): ts.Symbol | undefined {
    const { parent } = identifier
    if (ts.isShorthandPropertyAssignment(parent)) {
      return checker.getShorthandAssignmentValueSymbol(parent)
    }
    if (ts.isExportSpecifier(parent)) return checker.getExportSpecifierLocalTargetSymbol(parent)
    return checker.getSymbolAtLocation(identifier)
  }

  for (const code of codes.values()) {
    for (const identifier of code.identifiers) {
      const symbol = symbolOf(identifier)
      if (!symbol) continue
      const identifiers = uses.get(symbol)
      if (identifiers) identifiers.push(identifier)
      else uses.set(symbol, [identifier])
    }
  }
  return {
    codes,
    decisions,
    needed: new Set(),
    now,
    variables,
    needsSecret: false,
    dependencies: dependenciesIn(files.get('package.json')),
    symbolOf,
    decide: (code, node, text) =>
      decisions.push({ path: code.path, line: code.lineOf(node), text }),
    usesOf(name) {
      const symbol = checker.getSymbolAtLocation(name)
      return (symbol && uses.get(symbol)?.filter((one) => one !== name)) ?? []
    },
    imported(code, specifier) {
      const path = findModule(code.path, specifier)
      return path === undefined ? undefined : codes.get(path)
    },
  }
}

/** Knows which name is which, in these files alone: no import is followed. */
function checkerOf(codes: readonly Code[]): ts.TypeChecker {
  const trees = new Map(codes.map(({ tree }) => [tree.fileName, tree]))
  const host: ts.CompilerHost = {
    getSourceFile: (name) => trees.get(name),
    getDefaultLibFileName: () => '',
    writeFile() {},
    getCurrentDirectory: () => '/',
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => '\n',
    fileExists: (name) => trees.has(name),
    readFile: () => undefined,
  }
  const options: ts.CompilerOptions = {
    allowJs: true,
    jsx: ts.JsxEmit.Preserve,
    module: ts.ModuleKind.ESNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    noLib: true,
    noResolve: true,
    target: ts.ScriptTarget.ESNext,
    types: [],
  }
  return ts.createProgram({ rootNames: [...trees.keys()], options, host }).getTypeChecker()
}
