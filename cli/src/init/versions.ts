import { readFileSync } from 'node:fs'

/** The version of this command, which all packages of a release have. */
const { version } = JSON.parse(
  readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
) as { version: string }

/** What a new app depends on besides our packages. A test holds them against the versions that the tests run with. */
const OTHERS = {
  '@hono/node-server': '^2.1.8',
  express: '^5.3.0',
  hono: '^4.13.19',
  wrangler: '^4.164.0',
} as const

/** The ranges of some packages, for a `package.json`. */
export function rangesOf(
  ...names: readonly (keyof typeof OTHERS | `@latchkey/${string}`)[]
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names
      .toSorted()
      .map((name) => [name, name in OTHERS ? OTHERS[name as keyof typeof OTHERS] : `^${version}`]),
  )
}
