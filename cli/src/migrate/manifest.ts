/** The dependencies of a package, in the text of its `package.json`. */
interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/**
 * Changes the dependencies of a `package.json`, in the way in which npm writes it.
 *
 * @param unused packages that nothing imports any more
 * @param needed packages that something imports now
 * @returns `undefined` where it cannot be read
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
  const without = (group: Readonly<Record<string, string>>) =>
    Object.entries(group).filter(([name]) => !unused.has(name))
  const dependencies = [
    ...without(read.dependencies ?? {}),
    ...missing.map((name): [string, string] => [name, `^${version}`]),
  ].sort(([a], [b]) => (a < b ? -1 : 1))
  const { devDependencies } = read
  const changed = {
    ...read,
    dependencies: Object.fromEntries(dependencies),
    ...(devDependencies && { devDependencies: Object.fromEntries(without(devDependencies)) }),
  }
  const indent = /^([ \t]+)"/m.exec(text)?.[1] ?? '  '
  return JSON.stringify(changed, null, indent) + (text.endsWith('\n') ? '\n' : '')
}

function parsed(text: string): Manifest | undefined {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null ? read : undefined
  } catch {
    return undefined
  }
}
