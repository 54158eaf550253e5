import { join } from 'node:path'
import typescript from 'typescript'
import { variablesOf } from './capability-tables.ts'
import type { Options, Variables } from './configuration-tables.ts'
import type { Capability } from './read-capabilities.ts'

/** A row of docs/configuration.md: an option, a variable or a binding. */
export interface Row {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly isFunction: boolean
  /** The variable that its docstring calls its default. */
  readonly variable: string
  /** Its default beside that; empty if the docstring says nothing. */
  readonly fallback: string
  /** The first sentence of its docstring, beside the default. */
  readonly summary: string
}

/** A table with its heading, and the text below that. */
export interface Table {
  readonly heading: keyof Options | keyof Variables
  readonly intro: string
  readonly rows: readonly Row[]
}

/** The tables of options, and those of variables and bindings. */
export type Configuration = Record<'options' | 'variables', Table[]>

const SOURCE = 'scripts/generate/configuration-tables.ts'

/**
 * The tables of {@link Options} and {@link Variables}, with the docstrings of the types that these name, and the variables
 * of capabilities.
 */
export function readConfiguration(
  root: string,
  capabilities: readonly Capability[],
): Configuration {
  const file = join(root, SOURCE)
  const { config } = typescript.readConfigFile(join(root, 'tsconfig.tools.json'), (path) =>
    typescript.sys.readFile(path),
  )
  const json = { ...config, include: [], files: [file] }
  const { options } = typescript.parseJsonConfigFileContent(json, typescript.sys, root)
  const program = typescript.createProgram([file], options)
  const checker = program.getTypeChecker()

  function tablesOf(name: string): Table[] {
    const statements = program.getSourceFile(file)?.statements ?? []
    const node = statements.find(
      (one) => typescript.isInterfaceDeclaration(one) && one.name.text === name,
    )
    if (!node) throw new Error(`${SOURCE} has no interface ${name}.`)
    const tables = checker.getTypeAtLocation(node).getProperties()
    return tables.map((table) => ({
      heading: table.name as Table['heading'],
      intro: textOf(table),
      rows: membersOf(table).map(rowOf),
    }))
  }

  /** The members that have a name, and can be set at all. */
  function membersOf(table: typescript.Symbol): typescript.Symbol[] {
    const type = checker.getTypeOfSymbol(table)
    const members = (type.isUnion() ? type.types : [type]).flatMap((one) =>
      checker.getPropertiesOfType(one),
    )
    const byName = new Map(members.toReversed().map((one) => [one.name, one]))
    return [...byName.values()]
      .toReversed()
      .filter((one) => !one.name.startsWith('__@') && !isNever(typeOf(one)))
  }

  function rowOf(symbol: typescript.Symbol): Row {
    const text = textOf(symbol)
    return {
      name: symbol.name,
      type: typeText(symbol.declarations?.[0]),
      isRequired: (symbol.flags & typescript.SymbolFlags.Optional) === 0,
      isFunction: typeOf(symbol).getCallSignatures().length > 0,
      ...defaultIn(text),
      summary: summaryOf(text.replace(DEFAULT, '')),
    }
  }

  function typeOf(symbol: typescript.Symbol): typescript.Type {
    return checker.getNonNullableType(checker.getTypeOfSymbol(symbol))
  }

  function textOf(symbol: typescript.Symbol): string {
    const parts = symbol.getDocumentationComment(checker)
    const text = typescript.displayPartsToString(parts)
    return text.replaceAll(/\{@link (\w+) ?\}/g, '`$1`').replaceAll(/\s+/g, ' ')
  }

  const further = variablesOf(capabilities, rowOfVariable)
  const variables = tablesOf('Variables').map((table) =>
    table.heading === OF_SERVICE ? { ...table, rows: [...table.rows, ...further] } : table,
  )
  return { options: tablesOf('Options'), variables }
}

/** The table of a capability's variables. */
const OF_SERVICE = 'Variables of the service'

function rowOfVariable(name: string, text: string): Row {
  return {
    name,
    type: 'string',
    isRequired: false,
    isFunction: false,
    ...defaultIn(text),
    summary: summaryOf(text.replace(DEFAULT, '')),
  }
}

function isNever(type: typescript.Type): boolean {
  return (type.flags & typescript.TypeFlags.Never) !== 0
}

/** "Default `auth.flow`.", "Default: `AUTH_PASSKEY_RP_ID`, else the host." */
const DEFAULT = /\bDefault:? (.+?)(?:\.(?=\s|$)|$)/
const VARIABLE = /^`(AUTH_[\w<>]+)`(?:, else )?/

function defaultIn(text: string): Pick<Row, 'variable' | 'fallback'> {
  const [, given = ''] = DEFAULT.exec(text) ?? []
  return { variable: VARIABLE.exec(given)?.[1] ?? '', fallback: given.replace(VARIABLE, '') }
}
/** Between two sentences. */
const BETWEEN = /(?<=[.?])\s+(?=[A-Z`'])/

/** The first sentence; a question with its answer. */
function summaryOf(text: string): string {
  const [first = '', second = ''] = text.split(BETWEEN).filter((one) => /\w/.test(one))
  const sentence = first.endsWith('?') && second ? `${first} ${second}` : first
  return sentence
    .trim()
    .replace(/[;,]$/, '')
    .replace(/(?<=[^.?])$/, '.')
}

/** As the source has it, in one line, and without what a table has no room for. */
function typeText(node: typescript.Declaration | undefined): string {
  if (!node || !('type' in node)) return ''
  if (typescript.isMethodSignature(node)) return `${parametersOf(node)} => ${text(node.type)}`
  return text(node.type as typescript.TypeNode)
}

function text(node: typescript.Node | undefined): string {
  if (!node) return ''
  if (typescript.isFunctionTypeNode(node)) return `${parametersOf(node)} => ${text(node.type)}`
  if (typescript.isTypeLiteralNode(node)) return '{ … }'
  if (typescript.isIntersectionTypeNode(node)) return node.types.map(text).join(' & ')
  if (typescript.isUnionTypeNode(node)) {
    const parts = node.types.map(text).filter((part) => part !== 'undefined')
    return [...new Set(parts)].join(' | ')
  }
  if (typescript.isParenthesizedTypeNode(node)) return `(${text(node.type)})`
  const source = node.getText().replaceAll(/\s+/g, ' ')
  return source.replaceAll(/\breadonly /g, '').replaceAll(/\{[^{}]*\}/g, '{ … }')
}

function parametersOf(node: typescript.SignatureDeclaration): string {
  return `(${node.parameters.map(({ name }) => name.getText()).join(', ')})`
}
