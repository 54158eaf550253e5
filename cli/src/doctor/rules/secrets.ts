import { checkedSecret } from '@latchkey/session/internal'
import { shellWord } from '../../shell-word.js'
import { type Finding, finding } from '../finding.js'
import { type Deployment, isApp, placeOf, type Rule, textIn, type Variables } from '../read.js'

/** The variables that may hold a secret, the one that signs first. */
const SECRETS = ['AUTH_SECRET_3', 'AUTH_SECRET_2', 'AUTH_SECRET_1', 'AUTH_SECRET']

/** The service takes no shorter one. Characters. */
const MIN_LENGTH = 32
/** 64 random hexadecimal digits have all 16, or nearly. */
const MIN_DIFFERENT = 10

const NEW_SECRET = 'npx latchkey secret'

/** The secrets that are set, the one that signs first. */
export function secretsIn(variables: Variables): readonly { name: string; value: string }[] {
  return SECRETS.flatMap((name) => {
    const value = textIn(variables, name)
    return value === undefined ? [] : { name, value }
  })
}

/** An app may have no secret at all. */
export const missingSecret: Rule = (deployment) => {
  const { variables, file, isWhole } = deployment
  if (!file || !isWhole || isApp(deployment) || secretsIn(variables).length > 0) return []
  return [
    finding('secret-missing', {
      where: `${file.path} AUTH_SECRET`,
      what: 'No AUTH_SECRET is set.',
      why: 'Nobody can sign in: the service refuses every request.',
      fix: `echo "AUTH_SECRET=$(${NEW_SECRET})" >> ${shellWord(file.path)}`,
    }),
  ]
}

const short: Rule = (deployment) =>
  secretsIn(deployment.variables)
    .filter(({ value }) => value.length < MIN_LENGTH)
    .map(({ name }) =>
      finding('secret-short', {
        where: placeOf(deployment, name),
        what: `${name} has fewer than ${MIN_LENGTH} characters.`,
        why: 'The service refuses it, because a short secret can be guessed.',
        fix: `${NEW_SECRET}   # the new value of ${name}`,
      }),
    )

const weak: Rule = (deployment) =>
  secretsIn(deployment.variables)
    .filter(({ value }) => value.length >= MIN_LENGTH && isWeak(value))
    .map(({ name }) =>
      finding('secret-weak', {
        where: placeOf(deployment, name),
        what: `${name} can be guessed: it is an example's, or has fewer than ${MIN_DIFFERENT} different characters.`,
        why: 'A person who guesses it can sign in as anybody.',
        fix: `${NEW_SECRET}   # the new value of ${name}`,
      }),
    )

function isWeak(secret: string): boolean {
  if (new Set(secret.replace(/\s/g, '')).size < MIN_DIFFERENT) return true
  try {
    checkedSecret('It', secret)
    return false
  } catch {
    return true
  }
}

const twice: Rule = (deployment) => {
  const seen = new Map<string, string>()
  const found: Finding[] = []
  for (const { name, value } of secretsIn(deployment.variables).toReversed()) {
    const other = seen.get(value)
    if (other === undefined) seen.set(value, name)
    else {
      found.push(
        finding('secret-twice', {
          where: placeOf(deployment, name),
          what: `${name} is the same as ${other}.`,
          why: 'A rotation to the same secret changes nothing: a leaked one stays in use.',
          fix: `${NEW_SECRET}   # the new value of ${name}`,
        }),
      )
    }
  }
  return found
}

const NUMBERED = /^AUTH_SECRET_(\d+)$/

/** A secret whose number is higher than the service reads. */
export function isUnreadSecret(name: string): boolean {
  return Number(NUMBERED.exec(name)?.[1] ?? 0) > 3
}

const unread: Rule = ({ variables }) =>
  [...variables]
    .filter(([name]) => isUnreadSecret(name))
    .map(([name, { where }]) =>
      finding('secret-unread', {
        where,
        what: `${name} is not read: the numbers are 1 to 3.`,
        why: 'An older secret signs, although you have replaced it.',
        fix: 'rename it to AUTH_SECRET_3, or begin again with AUTH_SECRET',
      }),
    )

/** The keys of Turnstile that Cloudflare documents for tests: everybody knows them. */
export const TURNSTILE_TEST_KEY = /^[123]x0{20,31}(?:A[AB]|BB|FF)$/

const SECRET_NAME =
  /^AUTH_(?:SECRET(?:_\d+)?|\w+_SECRET|(?!TURNSTILE_SITE_)\w+_KEY|APP_KEYS|OPERATOR_KEY)$/

/** Is the value of this variable a secret or a key? */
export function isSecret(name: string, value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || TURNSTILE_TEST_KEY.test(value)) return false
  if (name === 'AUTH_STORE') return !!(URL.canParse(value) && new URL(value).password)
  return SECRET_NAME.test(name)
}

const inVars: Rule = ({ variables, wrangler }) =>
  [...variables]
    .filter(([name, { value, isInWrangler }]) => isInWrangler && isSecret(name, value))
    .map(([name, { where }]) =>
      finding('secret-in-vars', {
        where,
        what: `${name} stands in the wrangler file.`,
        why: 'That file is committed, and anybody with access to the Worker reads its variables.',
        fix: `npx wrangler secret put ${name}${wrangler?.environment === undefined ? '' : ` --env ${wrangler.environment}`}`,
      }),
    )

const inGit: Rule = ({ variables, file }: Deployment) => {
  if (file?.inGit !== 'open' && file?.inGit !== 'tracked') return []
  const hasSecret = [...variables].some(
    ([name, { value, isInWrangler }]) => !isInWrangler && isSecret(name, value),
  )
  if (!hasSecret) return []
  const { path, inGit } = file
  const name = path.split('/').at(-1) ?? path
  return [
    finding('secret-in-git', {
      where: path,
      what:
        inGit === 'tracked'
          ? `${path} is in the git repository.`
          : `${path} is in a git repository, which does not ignore it.`,
      why:
        inGit === 'tracked'
          ? 'Everybody who has the repository has its secrets, from its history too.'
          : 'The next commit may take its secrets along.',
      fix:
        inGit === 'tracked'
          ? `git rm --cached ${shellWord(path)} && echo ${shellWord(name)} >> .gitignore`
          : `echo ${shellWord(name)} >> .gitignore`,
    }),
  ]
}

export const secrets: readonly Rule[] = [short, weak, twice, unread, inVars, inGit]
