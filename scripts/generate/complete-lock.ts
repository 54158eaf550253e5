/** A package as `package-lock.json` describes it. */
interface Locked {
  readonly version?: string
  readonly dev?: boolean
  readonly optionalDependencies?: Readonly<Record<string, string>>
  readonly [member: string]: unknown
}

const own = (...words: readonly string[]) => words.map((word) => [word, word] as const)

/** The parts of package names that name a platform, and npm's values for them. */
const SYSTEMS = new Map([
  ...own('aix', 'android', 'darwin', 'freebsd', 'linux', 'netbsd', 'openbsd', 'openharmony'),
  ...own('sunos', 'win32'),
  ['windows', 'win32'],
])
const PROCESSORS = new Map([
  ...own('arm', 'arm64', 'ia32', 'loong64', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32'),
  ['64', 'x64'],
])
const LIBRARIES = new Map([
  ['gnu', 'glibc'],
  ['gnueabihf', 'glibc'],
  ['musl', 'musl'],
  ['musleabihf', 'musl'],
])

/**
 * A lock file with an entry for each package of another platform that npm has left out, as it does if its
 * registry or `node_modules` has none: `npm install` would never install them elsewhere, and say nothing.
 *
 * @param text of `package-lock.json`
 * @throws {Error} if the name of such a package does not say its platform, or its version is a range
 */
export function completeLock(text: string): string {
  const lock = JSON.parse(text) as { packages: Record<string, Locked> }
  const { packages } = lock
  // Packages at the top keep their dependencies there.
  const known = Object.entries(packages).sort(([one], [other]) => depth(one) - depth(other))
  for (const [path, { dev, optionalDependencies = {} }] of known) {
    for (const [name, version] of Object.entries(optionalDependencies)) {
      const found = places(path, name).find((place) => packages[place] !== undefined)
      const isExact = /^\d/.test(version)
      // npm has chosen the version for a range.
      if (found && (packages[found]?.version === version || !isExact)) continue
      if (!isExact) throw new Error(`package-lock.json lacks a version of ${name} in ${version}.`)
      const top = `node_modules/${name}`
      const place = packages[top] === undefined ? top : `${path}/${top}`
      packages[place] = { version, ...(dev ? { dev } : {}), optional: true, ...platformOf(name) }
    }
  }
  // The order in which npm writes them.
  const paths = Object.keys(packages).sort((one, other) => one.localeCompare(other, 'en'))
  const ordered = Object.fromEntries(paths.map((path) => [path, packages[path]]))
  return `${JSON.stringify({ ...lock, packages: ordered }, null, 2)}\n`
}

function depth(path: string): number {
  return path.split('node_modules/').length
}

/** The places where Node looks for a package's dependency, the nearest first. */
function places(path: string, name: string): readonly string[] {
  const above = path.lastIndexOf('/node_modules/')
  const own = `${path === '' ? '' : `${path}/`}node_modules/${name}`
  if (path === '') return [own]
  return [own, ...places(above < 0 ? '' : path.slice(0, above), name)]
}

/** What npm has to know of a package that it does not ask for: `@biomejs/cli-linux-x64-musl`, say. */
function platformOf(name: string) {
  const words = name.split('/').pop()?.split('-') ?? []
  const read = (meanings: ReadonlyMap<string, string>) =>
    words.flatMap((word) => meanings.get(word) ?? [])
  const [os, cpu, libc] = [SYSTEMS, PROCESSORS, LIBRARIES].map(read)
  // WebAssembly runs on every system that asks for it.
  if (cpu?.[0] === 'wasm32') return { cpu }
  if (os?.length !== 1 || cpu?.length !== 1) {
    throw new Error(
      `package-lock.json lacks ${name}, which has no platform in its name: install it by hand.`,
    )
  }
  return { os, cpu, ...(os[0] === 'linux' && libc?.length ? { libc } : {}) }
}
