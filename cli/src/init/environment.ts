import { newSecret } from '../secret/new-secrets.js'
import type { ChosenProvider, Planned } from './planned.js'

/**
 * The file of variables, which people alone may read who may read the app. One that is there keeps each variable that it names.
 *
 * @param callback the address of a provider's callback without its id
 */
export function environmentFile(
  path: '.dev.vars' | '.env',
  providers: readonly ChosenProvider[],
  callback: string,
  more: readonly (readonly [name: string, value: string])[] = [],
): Planned {
  const secret = ['AUTH_SECRET', newSecret()] as const
  const parts = [
    {
      comment: '# Signs and seals: keep it secret, and use another one in production.',
      lines: [secret],
    },
    ...(more.length > 0 ? [{ comment: undefined, lines: more }] : []),
    ...providers.map((one) => ({ comment: commentOf(one, callback), lines: one.variables })),
  ]
  const text = parts
    .map(({ comment, lines }) =>
      [comment ?? [], lines.map(([name, value]) => lineOf(name, value))].flat(2).join('\n'),
    )
    .join('\n\n')
  return {
    path,
    text: `${text}\n`,
    mode: 0o600,
    merged(present) {
      const named = new Set(
        present.match(/(?<=^[ \t]*(?:export[ \t]+)?)[A-Z][A-Z0-9_]*(?=[ \t]*=)/gm),
      )
      const hasSecret = [...named].some((name) => /^AUTH_SECRET(?:_[1-3])?$/.test(name))
      const missing = parts
        .flatMap(({ lines }) => lines)
        .filter(([name]) => (name === 'AUTH_SECRET' ? !hasSecret : !named.has(name)))
      if (missing.length === 0) return present
      const before = present === '' || present.endsWith('\n') ? present : `${present}\n`
      return `${before}${missing.map(([name, value]) => `${lineOf(name, value)}\n`).join('')}`
    },
  }
}

function commentOf({ id, variables }: ChosenProvider, callback: string): string {
  if (id === 'videoapp') return '# The sandbox on this machine, in the place of the video app.'
  if (variables.every(([, value]) => value !== '')) return `# ${id}`
  return `# ${id} is off until these have values. Register the redirect URI ${callback}/${id}`
}

function lineOf(name: string, value: string): string {
  return /^[\w:/.-]*$/.test(value) ? `${name}=${value}` : `${name}="${value}"`
}

/** Lists what no commit may have. One that is there keeps its lines. */
export function ignoreFile(
  entries: readonly string[],
  isIgnored: (entry: string) => Promise<boolean>,
): Planned {
  return {
    path: '.gitignore',
    text: entries.map((entry) => `${entry}\n`).join(''),
    async merged(present) {
      const lines = new Set(
        present.split(/\r?\n/).map((line) => line.trim().replace(/^\/|\/$/g, '')),
      )
      const missing: string[] = []
      for (const entry of entries) {
        const isListed = lines.has(entry) || lines.has(`${entry}*`)
        if (!isListed && !(await isIgnored(entry))) missing.push(entry)
      }
      if (missing.length === 0) return present
      const before = present === '' || present.endsWith('\n') ? present : `${present}\n`
      return `${before}${missing.map((entry) => `${entry}\n`).join('')}`
    },
  }
}
