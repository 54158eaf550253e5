/** The columns of a line. */
const WIDTH = 100

/** A member of an object, by its name and the text of its value. */
export type Entry = readonly [name: string, value: string]

export function table(what: string, name: string, entries: readonly Entry[]): string[] {
  return [
    '',
    `/** ${what}. */`,
    `export const ${name}: Readonly<Record<string, string>> = ${object(entries, '')}`,
  ]
}

export function names(what: string, name: string, all: readonly string[]): string[] {
  return ['', `/** ${what}. */`, ...listed(`export const ${name} = `, all, ' as const')]
}

/** As the formatter has it: in one line if there is room. */
export function listed(before: string, all: readonly string[], after = ''): string[] {
  const line = before + list(all) + after
  if (line.length <= WIDTH) return [line]
  return [`${before}[`, ...all.map((one) => `  ${quoted(one)},`), `]${after}`]
}

export function object(entries: readonly Entry[], indent: string): string {
  const lines = entries.map(([name, value]) => {
    const line = `${indent}  ${keyOf(name)}: ${value},\n`
    const isLong = line.length > WIDTH + 1 && value.startsWith("'")
    return isLong ? line.replace(': ', `:\n${indent}    `) : line
  })
  return `{\n${lines.join('')}${indent}}`
}

export function list(all: readonly string[]): string {
  return `[${all.map(quoted).join(', ')}]`
}

export function imported(types: readonly string[], from: string): string[] {
  const line = `import type { ${types.join(', ')} } from '${from}'`
  if (line.length <= WIDTH) return [line]
  return ['import type {', ...types.map((one) => `  ${one},`), `} from '${from}'`]
}

export function intersection(name: string, all: readonly string[]): string {
  const line = `export type ${name} = ${all.join(' & ')}`
  return line.length <= WIDTH ? line : line.replaceAll(' & ', ' &\n  ')
}

export function union(name: string, all: readonly string[]): string {
  const line = `export type ${name} = ${all.map(quoted).join(' | ') || 'never'}`
  if (line.length <= WIDTH) return line
  return [`export type ${name} =`, ...all.map((one) => `  | ${quoted(one)}`)].join('\n')
}

function keyOf(name: string): string {
  return /^\w+$/.test(name) ? name : quoted(name)
}

export function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}
