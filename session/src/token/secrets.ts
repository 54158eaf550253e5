/** The shortest secret that is accepted, in characters: 32 hex digits hold 128 bits. */
const MIN_SECRET_LENGTH = 32

/** Blanks do not count. A held-down key makes one character; a random text has a dozen. */
const MIN_DIFFERENT_CHARACTERS = 4

/**
 * The placeholders for a secret, in our examples (`.dev.vars.example`, the test vector of
 * `docs/session-token.md`) and in most others.
 */
const EXAMPLES =
  /openssl.rand|at.least.32|change.?me|replace.?(?:me|this|with)|your.?secret|^known-answer-secret-/i

/** Thrown when a secret is missing, too short or no secret. The message names the variable, never its value. */
export class SecretError extends Error {
  override name = 'SecretError'
}

/** The variables that may hold a secret, the one that signs first. */
const SECRET_NAMES = ['AUTH_SECRET_3', 'AUTH_SECRET_2', 'AUTH_SECRET_1', 'AUTH_SECRET'] as const

/**
 * The secrets of an environment, in the order in which they are used: the highest number present
 * signs, all verify. Rotation is therefore: add `AUTH_SECRET_1`, later remove the older one.
 *
 * @throws {SecretError} when none is set, or one is shorter than 32 characters or no secret: up
 *   to three characters again and again, blanks, the text of an example.
 * @example readSecrets({ AUTH_SECRET: '…old…', AUTH_SECRET_1: '…new…' }) // ['…new…', '…old…']
 */
export function readSecrets(env: Readonly<Record<string, unknown>>): readonly string[] {
  const present = SECRET_NAMES.flatMap((name) => {
    const value = env[name]
    return typeof value === 'string' && value !== '' ? [{ name, value }] : []
  })
  return checkSecrets(present)
}

/**
 * The secrets of a configuration: one, or an array of which the first signs and all verify.
 *
 * @throws {SecretError} as {@link readSecrets}
 */
export function configuredSecrets(secret: string | readonly string[]): readonly string[] {
  const values = typeof secret === 'string' ? [secret] : secret
  return checkSecrets(values.map((value) => ({ name: 'secret', value })))
}

function checkSecrets(secrets: readonly { name: string; value: string }[]): readonly string[] {
  if (secrets.length === 0) {
    throw new SecretError(
      'AUTH_SECRET is not set. Generate one with `openssl rand -hex 32`, and set it in the environment (`node --env-file=.env`), or as a secret of the Worker (`wrangler secret put AUTH_SECRET`, locally .dev.vars).',
    )
  }
  return secrets.map(({ name, value }) =>
    checkedSecret(name === 'secret' ? 'The configured secret' : name, value),
  )
}

/**
 * One secret.
 *
 * @param subject the name of the secret in messages
 * @throws {SecretError} when it is too short, or no secret
 */
export function checkedSecret(subject: string, value: string): string {
  if (typeof value !== 'string' || value.length < MIN_SECRET_LENGTH) {
    throw new SecretError(
      `${subject} must have at least ${MIN_SECRET_LENGTH} characters. Generate one with \`openssl rand -hex 32\`.`,
    )
  }
  if (isGuessable(value)) {
    throw new SecretError(
      `${subject} can be guessed: it is the text of an example, or up to three characters again and again. Generate one with \`openssl rand -hex 32\`.`,
    )
  }
  return value
}

function isGuessable(secret: string): boolean {
  return new Set(secret.replace(/\s/g, '')).size < MIN_DIFFERENT_CHARACTERS || EXAMPLES.test(secret)
}
