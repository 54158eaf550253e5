import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { each } from './omissions.ts'

/** The kinds of words, as `latchkey explain` names them. */
export const KINDS = [
  'error',
  'code',
  'event',
  'warning',
  'operator',
  'fault',
  'import',
  'finding',
] as const
export type Kind = (typeof KINDS)[number]

/** A place in the code that has words of one kind. */
interface Source {
  readonly kind: Kind
  /** Globs below the root; tests and what they share are left out. */
  readonly files: string
  /** The part of a file that has them, in its first group. Default: the whole file, as often as there are words. */
  readonly part?: RegExp
  /** A word, in its first group. */
  readonly word?: RegExp
}

const QUOTED = /'([A-Za-z][\w-]*)'/g
const TABLE_KEY = /^ {2}'?([\w-]+)'?:/gm
/** `error: 'SignedOut'` of an answer, or `new Failed('Unreachable', …)` of the command. */
const CAPITALIZED = /(?:\berror: |\brefusal\(|new Failed\(\s*)'([A-Z]\w+)'/g
const OAUTH = /'([a-z]+(?:_[a-z]+)+)'/g

/** The literals of a union, up to the next empty line. */
function union(name: string): RegExp {
  return new RegExp(`\\btype ${name} =([\\s\\S]*?)(?:\\n\\n|$)`)
}

/** The manifests of capabilities, and a list in one. */
const MANIFESTS = 'worker/src/features/*/manifest.ts'

function members(name: string): RegExp {
  return new RegExp(`\\b${name}: \\[([^\\]]*)\\]`)
}

const SOURCES: readonly Source[] = [
  // Errors: types, words of answers, and those of OAuth.
  { kind: 'error', files: 'worker/src/errors.ts', part: union('PublicError'), word: QUOTED },
  { kind: 'error', files: 'worker/src/errors.ts', part: union('ErrorType'), word: QUOTED },
  { kind: 'error', files: '{session,host,client,adapters/*}/src/**/*.ts', word: CAPITALIZED },
  { kind: 'error', files: 'worker/src/!(features)/**/*.ts', word: CAPITALIZED },
  { kind: 'error', files: 'worker/src/features/!(operate)/**/*.ts', word: CAPITALIZED },
  {
    kind: 'error',
    files: 'session/src/{token,verifier}/*.ts',
    word: /(?:override name|const NAME) = '(\w+)'/g,
  },
  {
    kind: 'error',
    files: 'worker/src/features/operate/audit-lost.ts',
    word: /override readonly name = '([\w-]+)'/g,
  },
  {
    kind: 'error',
    files: 'worker/src/features/authorization-server/oauth-error.ts',
    part: union('OAuthErrorCode'),
    word: QUOTED,
  },
  {
    kind: 'error',
    files: 'worker/src/features/authorization-server/authorization-request.ts',
    word: /\bsay\('(\w+)'/g,
  },
  {
    kind: 'error',
    files: 'worker/src/features/authorization-server/{oauth-answer,user-info}.ts',
    word: OAUTH,
  },
  {
    kind: 'error',
    files: 'session/src/verifier/token-refusal.ts',
    part: /readonly error:([\s\S]*?)\n {2}\/\*\*/,
    word: QUOTED,
  },
  // Codes: of errors, of texts for them, of the browser's own, and of a token that is not there.
  { kind: 'code', files: 'worker/src/types/denial-code.ts', part: union('DenialCode') },
  { kind: 'code', files: MANIFESTS, part: members('denials') },
  {
    kind: 'code',
    files: 'worker/src/features/*/*.ts',
    word: /\bprops\.code === '(\w+)'/g,
  },
  { kind: 'code', files: 'worker/src/errors.ts', word: /\bcode\?: '(\w+)'/g },
  { kind: 'code', files: 'worker/src/errors.ts', word: /\bcode\?: '\w+' \| '(\w+)'/g },
  {
    kind: 'code',
    files: '{worker,session}/src/**/*.ts',
    word: /\bcode(?:: | = )'([a-z]+(?:_[a-z]+)*)'/g,
  },
  { kind: 'code', files: 'worker/src/features/*/index.ts', word: /'[A-Z]\w+ (\w+)': '/g },
  { kind: 'code', files: 'client/src/passkey.ts', word: /(?:Error', |\?\? )'([a-z_]+)'/g },
  {
    kind: 'code',
    files: 'worker/src/types/account.ts',
    part: /readonly reason:((?:\s*\|?\s*'[\w-]+')+)/,
    word: QUOTED,
  },
  // The log.
  {
    kind: 'event',
    files: 'worker/src/config/core-events.ts',
    part: /CORE_EVENTS = \[([\s\S]*?)\]/,
    word: QUOTED,
  },
  { kind: 'event', files: MANIFESTS, part: members('events') },
  {
    kind: 'event',
    files: 'worker/src/features/operate/event-names.ts',
    part: /const ALL[^=]*=([^\n]*)/,
  },
  { kind: 'warning', files: 'host/src/shared/warning-code.ts' },
  { kind: 'warning', files: MANIFESTS, part: members('warnings') },
  // The operator's.
  {
    kind: 'operator',
    files: '{cli/src,migrate/src,worker/src/features/operate}/**/*.ts',
    word: CAPITALIZED,
  },
  {
    kind: 'operator',
    files: 'worker/src/http/send-once.ts',
    part: /type Failure =([^\n]*)/,
    word: QUOTED,
  },
  {
    kind: 'fault',
    files: 'worker/src/features/operate/log/verify-chain.ts',
    part: union('AuditFault'),
    word: QUOTED,
  },
  // The command's.
  {
    kind: 'import',
    files: 'migrate/src/import/report.ts',
    part: tableOf('REASONS'),
    word: TABLE_KEY,
  },
  {
    kind: 'import',
    files: 'migrate/src/import/service.ts',
    part: tableOf('REASONS'),
    word: TABLE_KEY,
  },
  {
    kind: 'import',
    files: 'worker/src/features/account-import/claim-accounts.ts',
    part: union('LeftOut'),
    word: QUOTED,
  },
  {
    kind: 'import',
    files: 'worker/src/features/account-import/signed-request.ts',
    part: union('ImportFault'),
    word: QUOTED,
  },
  {
    kind: 'finding',
    files: 'cli/src/doctor/finding.ts',
    part: tableOf('LEVELS'),
    word: TABLE_KEY,
  },
]

function tableOf(name: string): RegExp {
  return new RegExp(`\\bconst ${name}[^=]*=([\\s\\S]*?)\\n}`)
}

/**
 * Every word that a user, an app, a log or an operator can meet, with its kinds, as the code has it.
 *
 * @throws {OmissionError} a source has no words: it was moved, and this list must follow
 */
export function wordsOfCode(root: string): Map<string, readonly Kind[]> {
  const found = new Map<string, Set<Kind>>()
  const all = each(SOURCES, (source) => {
    const words = wordsIn(root, source)
    if (words.length > 0) return { words, kind: source.kind }
    throw new Error(`${source.files} has no words of the kind ${source.kind} any more.`)
  })
  for (const { words, kind } of all) {
    for (const word of words) found.set(word, (found.get(word) ?? new Set()).add(kind))
  }
  return new Map([...found].map(([word, kinds]) => [word, KINDS.filter((kind) => kinds.has(kind))]))
}

function wordsIn(root: string, { files, part, word = QUOTED }: Source): string[] {
  const paths = globSync(files, { cwd: root, exclude: (path) => path === 'node_modules' })
  return paths
    .filter((path) => !/\.test\.ts$|test-support|\/testing\/|stores\/contract/.test(path))
    .flatMap((path) => {
      const text = readFileSync(join(root, path), 'utf8')
      const searched = part ? (part.exec(text)?.[1] ?? '') : text
      return [...searched.matchAll(word)].map(([, said = '']) => said)
    })
}
