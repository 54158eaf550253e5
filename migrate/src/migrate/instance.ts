import type ts from 'typescript'
import type { Code } from './code.js'

/** An instance that a file exports, and the name of the configuration that is put beside it. */
export interface Instance {
  readonly code: Code
  readonly statement: ts.VariableStatement
  readonly name: ts.Identifier
  readonly options: ts.ObjectLiteralExpression
  readonly config: string
}
