/** The shortest secret that is accepted, in characters: 32 hex digits hold 128 bits. */
const MIN_SECRET_LENGTH = 32

/** Thrown when a secret is missing or too short. The message names the variable, never its value. */
export class SecretError extends Error {
  override name = 'SecretError'
}

/** The variables that may hold a secret, the one that signs first. */
const SECRET_NAMES = ['AUTH_SECRET_3', 'AUTH_SECRET_2', 'AUTH_SECRET_1', 'AUTH_SECRET'] as const

/**
 * The secrets of an environment, in the order in which they are used: the highest number present
 * signs, all verify. Rotation is therefore: add `AUTH_SECRET_1`, later remove the older one.
 *
 * @throws {SecretError} when none is set or one is shorter than 32 characters.
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
 * @throws {SecretError} when there is none or one is shorter than 32 characters.
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
  for (const { name, value } of secrets) {
    if (typeof value !== 'string' || value.length < MIN_SECRET_LENGTH) {
      throw new SecretError(
        `${name === 'secret' ? 'The configured secret' : name} must have at least ${MIN_SECRET_LENGTH} characters. Generate one with \`openssl rand -hex 32\`.`,
      )
    }
  }
  return secrets.map(({ value }) => value)
}
