import { createWriteStream, openSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { OldAccount } from './accounts.js'
import { quotedName } from './rows.js'
import { ImportStopped } from './target.js'

/** The meaning of each reason, and the remedy. */
const REASONS: Readonly<Record<string, string>> = {
  unreadable: 'their rows have no person, provider or id, or one that is not UTF-8',
  password: 'are passwords: --credentials <id of your provider> takes them, see docs/import.md',
  'unknown-provider': 'are of providers that the service does not have: see below',
  'bad-id': 'have a person’s id that is empty, too long, or has control characters',
  'id-of-ours':
    'have a person’s id of 22 letters, as those that are made here: let `subject` give it',
  'id-taken': 'have a person’s id that `subject` has given to another account',
  'bad-account':
    'have an id that the provider cannot have, have another issuer than the provider, or lack it where there are several',
  taken: 'are somebody else’s here, or of somebody who has signed in here already',
  removed: 'were removed here by their person',
  gone: 'are of somebody who became another person here, or is being deleted',
  'too-many-ways': 'are more than the twenty that a person may have',
  damaged: 'meet a document of the ledger that cannot be read',
}

/** Counts the results of the accounts, and writes the accounts that are left out. */
export class Report {
  read = 0
  added = 0
  known = 0
  readonly providers = new Map<string, number>()
  readonly #left = new Map<string, number>()
  readonly #unknown = new Map<string, number>()
  readonly #showsAddresses: boolean
  readonly #file: ReturnType<typeof createWriteStream> | undefined

  /**
   * @param path of a file for the accounts that are left out, one line of JSON for each account
   * @throws {ImportStopped} it cannot be written
   */
  constructor(path: string | undefined, showsAddresses: boolean) {
    this.#showsAddresses = showsAddresses
    this.#file = path === undefined ? undefined : createWriteStream(path, { fd: opened(path) })
    // Reported where it is closed.
    this.#file?.on('error', () => {})
  }

  get left(): number {
    return [...this.#left.values()].reduce((sum, count) => sum + count, 0)
  }

  leave(account: Partial<OldAccount>, why: string): void {
    count(this.#left, why)
    const { provider = '' } = account
    if (why === 'unknown-provider') count(this.#unknown, provider)
    const shown = Object.entries(account).map(([name, value]) => [name, this.#shown(value)])
    this.#file?.write(`${JSON.stringify({ why, ...Object.fromEntries(shown) })}\n`)
  }

  /** @throws {ImportStopped} the file cannot be written */
  async close(): Promise<void> {
    if (!this.#file) return
    this.#file.end()
    await finished(this.#file).catch((error: unknown) => {
      throw unwritable(error)
    })
  }

  /** The end of the command's output. */
  summary(isTrial: boolean): string {
    const lines = [
      `${amount(this.read, ['account', 'accounts'])} read${listed(this.providers)}`,
      isTrial
        ? '  nothing was sent: --dry-run'
        : `  ${number(this.added)} taken over, ${number(this.known)} were there before`,
    ]
    if (this.left > 0) lines.push(`  ${number(this.left)} left out:`)
    for (const [why, times] of largestFirst(this.#left)) {
      lines.push(`    ${number(times)} ${why}: ${REASONS[why] ?? 'the service says so'}`)
    }
    if (this.#unknown.size > 0) {
      const [first = ''] = largestFirst(this.#unknown).map(([id]) => id)
      lines.push(
        `  The service has no provider ${largestFirst(this.#unknown)
          .map(([id, times]) => `${shownId(id)} (${number(times)})`)
          .join(', ')}.`,
        `  Configure it there first, or say what it is called: --provider ${shownId(first)}=<id>`,
      )
    }
    return `${lines.join('\n')}\n`
  }

  /** An address is hidden but for its first letter and its domain. */
  #shown(value: string | undefined): string | undefined {
    if (this.#showsAddresses || !value?.includes('@')) return value
    return `${[...value][0]}***${value.slice(value.lastIndexOf('@'))}`
  }
}

function opened(path: string): number {
  try {
    return openSync(path, 'w', 0o600)
  } catch (error) {
    throw unwritable(error)
  }
}

function unwritable(error: unknown): ImportStopped {
  return new ImportStopped(
    `The report cannot be written (${(error as { code?: string }).code ?? 'unknown'}).`,
  )
}

function listed(providers: ReadonlyMap<string, number>): string {
  const most = largestFirst(providers).map(([id, times]) => `${shownId(id)} ${number(times)}`)
  return most.length > 0 ? `: ${most.slice(0, 12).join(', ')}` : ''
}

function shownId(id: string): string {
  return shown(id, /^[\w-]{1,64}$/)
}

/** The name of a table, which has a schema perhaps. */
export function shownName(name: string): string {
  return shown(name, /^[\w.$-]{1,128}$/)
}

/** An export may contain any text, and a terminal shows it. */
function shown(text: string, plain: RegExp): string {
  if (plain.test(text)) return text
  return quotedName(text)
}

function count(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1)
}

function largestFirst(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return [...counts].toSorted(([, one], [, other]) => other - one)
}

export function amount(count: number, [one, several]: readonly [string, string]): string {
  return count === 1 ? `1 ${one}` : `${number(count)} ${several}`
}

export function number(value: number): string {
  return value.toLocaleString('en-US')
}
