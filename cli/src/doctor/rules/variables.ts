import { namedStoreIn, trustHostOf } from '@latchkey/host/shared'
import {
  auditDays,
  importUntil,
  ledgerJurisdiction,
  ledgerShards,
  PRESETS,
  passwordIn,
  VARIABLE_FORMS,
} from '@latchkey/worker/migrate'
import { nearest } from '../../nearest.js'
import { finding } from '../finding.js'
import type { Rule, Variables } from '../read.js'
import { VARIABLE_NAMES } from '../variable-names.js'
import { isUnreadSecret } from './secrets.js'

/** The service never reads the operator's own key; the command does. */
const KNOWN = new Set([...VARIABLE_NAMES, 'AUTH_OPERATOR_KEY'])

/** The ends that a provider of any preset may have. */
const OF_PROVIDER = ['ID', 'SECRET', 'ISSUER']
for (const [prefix] of PRESETS) for (const end of OF_PROVIDER) KNOWN.add(`${prefix}_${end}`)

const PREFIXES: readonly string[] = PRESETS.map(([prefix]) => prefix)
const FORMS = Object.values(VARIABLE_FORMS).map(({ form }) => form)

const OWN = /^(AUTH_\w+?)_(?:ID|SECRET|ISSUER|NAME|FROM|KEY)$/

/** Does something read a variable of this name? */
function isKnown(name: string, variables: Variables): boolean {
  if (KNOWN.has(name) || isUnreadSecret(name)) return true
  if (FORMS.some((form) => form.test(name))) return true
  const prefix = OWN.exec(name)?.[1]
  return prefix !== undefined && isOwnProvider(prefix, variables)
}

/**
 * Code may have a provider of another id, whose client is `AUTH_<ID>_ID` and `AUTH_<ID>_SECRET`. One that looks like a
 * preset's is misspelt.
 */
function isOwnProvider(prefix: string, variables: Variables): boolean {
  if (!variables.has(`${prefix}_ID`) || !variables.has(`${prefix}_SECRET`)) return false
  const { length } = prefix.slice('AUTH_'.length)
  const mistakes = length < 4 ? 0 : length < 7 ? 1 : 2
  return nearest(prefix, PREFIXES, { most: mistakes }).length === 0
}

const unknown: Rule = ({ variables }) =>
  [...variables]
    .filter(([name]) => name.startsWith('AUTH_') && !isKnown(name, variables))
    .map(([name, { where }]) => {
      const [meant] = nearest(name, KNOWN)
      return finding('variable-unknown', {
        where,
        what: `Nothing reads ${name}.`,
        why: 'It changes nothing, whatever its value is. It may be misspelt.',
        fix: meant === undefined ? `remove ${name}` : `rename it to ${meant}`,
      })
    })

/** What a variable may be, and the check of the service; it throws for a value that the service refuses. */
interface Check {
  readonly may: string
  readonly check: (env: Readonly<Record<string, unknown>>, now: number) => unknown
}

function oneOf(name: string, words: readonly string[]): Check {
  return { may: words.join(', '), check: (env) => demand(words.includes(String(env[name]))) }
}

function demand(isRight: boolean): void {
  if (!isRight) throw new TypeError('The value is not allowed.')
}

const CHECKS: Readonly<Record<string, Check>> = {
  AUTH_TRUST_HOST: { may: 'true, 1, false, 0', check: trustHostOf },
  AUTH_LEDGER_SHARDS: {
    may: 'whole numbers from 1, such as 4, or 1,4',
    check: (env) => ledgerShards({ providers: [] }, env),
  },
  AUTH_LEDGER_JURISDICTION: {
    may: 'eu, us, fedramp or fedramp-high',
    check: (env) => ledgerJurisdiction({ providers: [] }, env),
  },
  AUTH_IMPORT_UNTIL: { may: 'a date at most seven days ahead', check: importUntil },
  AUTH_AUDIT_DAYS: {
    may: 'a whole number from 1 to 3650',
    check: auditDays,
  },
  AUTH_LOG: oneOf('AUTH_LOG', ['json', 'text']),
  AUTH_PASSWORD: { may: 'true', check: passwordIn },
  AUTH_PASSWORD_BREACHED: { may: 'true', check: passwordIn },
  AUTH_PASSWORD_MIN_LENGTH: { may: 'a whole number from 8 to 64', check: passwordIn },
  AUTH_THEME_COLOR_SCHEME: oneOf('AUTH_THEME_COLOR_SCHEME', ['auto', 'light', 'dark']),
  AUTH_STORE: {
    may: 'file:<path>, or a URL that begins with postgres:// or redis://',
    check: namedStoreIn,
  },
}

const invalid: Rule = ({ variables }, now) =>
  [...variables].flatMap(([name, { value, where }]) => {
    const known = Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined
    if (value === '' || !name.startsWith('AUTH_')) return []
    // The one variable that the service reads without quotes too.
    if (typeof value !== 'string' && name !== 'AUTH_TRUST_HOST') {
      return finding('variable-invalid', {
        where,
        what: `${name} is not a text.`,
        why: 'The service reads only texts, and ignores it.',
        fix: `put the value of ${name} in quotes`,
      })
    }
    if (!known || isAccepted(known, { [name]: value }, now)) return []
    return finding('variable-invalid', {
      where,
      what: `${name} has an invalid value. It may be ${known.may}.`,
      why: 'The service refuses to start with it, or ignores it.',
      fix: `${name}=<${known.may}>`,
    })
  })

function isAccepted({ check }: Check, env: Readonly<Record<string, unknown>>, now: number) {
  try {
    check(env, now)
    return true
  } catch {
    return false
  }
}

export const variables: readonly Rule[] = [unknown, invalid]
