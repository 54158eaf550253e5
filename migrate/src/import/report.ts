import { createWriteStream, openSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { OldAccount } from './accounts.js'
import { quotedName } from './rows.js'
import { ImportStopped } from './target.js'

/** The meaning of each reason, and the remedy. */
const REASONS: Readonly<Record<string, string>> = {
  unreadable: 'the row has no person, provider or id, or is not valid UTF-8',
  password: 'the account is a password: add --credentials <id of your provider> (docs/import.md)',
  'unknown-provider': 'the service does not have this provider: see below',
  'bad-id': 'the person’s id is empty, too long, or has control characters',
  'id-of-ours': 'the person’s id has 22 letters, like ids of the service: return it from `subject`',
  'id-taken': '`subject` has given the person’s id to another account',
  'bad-account':
    'the id or the issuer is invalid for the provider, or the provider has several issuers and none is named',
  taken: 'the account belongs to another person here, or its owner has already signed in here',
  removed: 'the person has removed the account here',
  gone: 'the person has become another person here, or is being deleted',
  'too-many-ways': 'the person would have more than twenty accounts',
  damaged: 'a document in the ledger cannot be read',
  unverified: 'nobody has proved the address of the password: its person resets it by mail',
  'bad-hash':
    'the hash of the password is in no format that is known, or costs too much: its person resets it',
  'has-password': 'the person has another password here, which stays',
  'two-factor':
    'the person signed in with a second factor, which does not come along: they sign in by mail',
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
    // `close` reports it.
    this.#file?.on('error', () => {})
  }

  get left(): number {
    return [...this.#left.values()].reduce((sum, count) => sum + count, 0)
  }

  /** Writes the person, the provider and the id of an account, and no more. */
  leave(account: Partial<OldAccount>, why: string): void {
    count(this.#left, why)
    const { user, provider = '', account: id } = account
    if (why === 'unknown-provider') count(this.#unknown, provider)
    const shown = Object.entries({ user, provider, account: id }).map(([name, value]) => [
      name,
      this.#shown(value),
    ])
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

  /** The counts, for programs. */
  totals() {
    return {
      read: this.read,
      added: this.added,
      known: this.known,
      left: this.left,
      providers: Object.fromEntries(this.providers),
      reasons: Object.fromEntries(this.#left),
    }
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
      lines.push(
        `    ${number(times)} ${why}: ${REASONS[why] ?? 'the service refused the account'}`,
      )
    }
    if (this.#unknown.size > 0) {
      const [first = ''] = largestFirst(this.#unknown).map(([id]) => id)
      lines.push(
        `  The service has no provider ${largestFirst(this.#unknown)
          .map(([id, times]) => `${shownId(id)} (${number(times)})`)
          .join(', ')}.`,
        `  Configure it there first, or name it by its id there: --provider ${shownId(first)}=<id>`,
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
