/** SQL with its values: `?1` is the first. */
export type Statement = readonly [sql: string, ...values: readonly (string | number)[]]

/** What this example needs of D1, or of SQLite. */
export interface Database {
  rows<Row>(...statement: Statement): Promise<readonly Row[]>
  /** All of them or none. @returns how many rows each has changed */
  change(...statements: readonly Statement[]): Promise<readonly number[]>
}
