/**
 * What the commands of `@latchkey/migrate` share with those of this package. It is not a public API: any name may change
 * with any release.
 */
export { answer, refuse } from './answer.js'
export { parsed } from './arguments.js'
export { type Command, type ExitCode, type Terminal, WrongUse } from './command.js'
export { OF_MIGRATE } from './main.js'
export { printable, printableLines } from './printable.js'
export { run } from './run.js'
export { isOfVariables, showChanges } from './show-changes.js'
