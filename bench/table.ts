/** The measured values beside those of the alternatives, and whether each reaches its goal. */
interface Row {
  readonly what: string
  readonly ours: string
  readonly others?: string
  readonly target?: string
  readonly met?: boolean
}

const rows: Row[] = []

export function row(what: string, ours: string, others = '', target = '', met?: boolean): void {
  rows.push({ what, ours, others, target, ...(met === undefined ? {} : { met }) })
}

export function printTable(): void {
  const head = ['', 'Latchkey', 'others', 'target', '']
  const lines = rows.map(({ what, ours, others = '', target = '', met }) => {
    return [what, ours, others, target, met === undefined ? '' : met ? 'met' : 'missed']
  })
  printColumns(head, lines)
}

/** Prints columns that are as wide as their longest cell. */
export function printColumns(head: readonly string[], lines: readonly (readonly string[])[]): void {
  const all = [head, ...lines]
  const widths = head.map((_, column) => Math.max(...all.map((line) => line[column]?.length ?? 0)))
  for (const line of all) {
    console.log(
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
  }
}
