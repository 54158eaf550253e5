import { InvalidConfiguration, ProviderMisconfigured } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import { customFetch } from '../../lib/symbols.js'
import type { FeatureSurroundings } from '../../service/feature.js'
import type { AuthConfig, EmailConfig, PasswordConfig } from '../../types.js'
import { email as mail } from '../email/kind.js'
import type { ResolvedEmailProvider } from '../email/resolve.js'

/** `password()` of the configuration. */
export interface PasswordSettings {
  /** The id of the provider `email()` whose addresses count; `undefined`: there is no `password()`, and nobody signs in by one. */
  readonly email: string | undefined
  readonly minLength: number
  readonly isBreachChecked: boolean
  /** Words that are easy to guess here, in lower case. */
  readonly context: readonly string[]
  readonly fetch: typeof fetch | undefined
}

/** The least length of a password that is the only factor (NIST SP 800-63B-4, section 3.1.1.2). Characters. */
const MIN_LENGTH = 15
const LEAST = 8
const MOST = 64
const NOTHING = { minLength: MIN_LENGTH, isBreachChecked: false, context: [], fetch: undefined }
const OWN = ['id', 'name', 'type', 'kind', 'email', 'minLength', 'breached', 'context']

/** @throws {InvalidConfiguration} naming the option */
export function resolvePasswords(
  { providers }: AuthConfig,
  surroundings: FeatureSurroundings,
): PasswordSettings {
  const all = providers.map((one) => (typeof one === 'function' ? one() : one))
  const [own, second] = all.filter((one): one is PasswordConfig => one.type === 'password')
  if (!own) return { ...NOTHING, email: undefined }
  if (second) throw wrong('stands twice among the providers')
  const mails = all.filter((one): one is EmailConfig => one.type === 'email')
  const unknown = Object.keys(own).find((name) => !OWN.includes(name))
  if (unknown !== undefined) throw wrong(`has no option ${JSON.stringify(unknown.slice(0, 50))}`)
  const { minLength = MIN_LENGTH, breached = false, context = [] } = own
  const isWhole = Number.isSafeInteger(minLength) && minLength >= LEAST && minLength <= MOST
  if (!isWhole) throw wrong(`\`minLength\` must be a whole number from ${LEAST} to ${MOST}`)
  if (typeof breached !== 'boolean') throw wrong('`breached` must be true, or left out')
  const name: unknown = own.name
  if (typeof name !== 'string' || name === '') throw wrong('`name` must be a text')
  const asked: unknown = own[customFetch]
  if (asked !== undefined && typeof asked !== 'function') {
    throw wrong('`[customFetch]` must be a function')
  }
  return {
    email: mailOf(own, mails, surroundings),
    minLength,
    isBreachChecked: breached,
    context: wordsIn(context),
    fetch: own[customFetch],
  }
}

/** The id of the provider whose addresses count. */
function mailOf(
  { email }: PasswordConfig,
  mails: readonly EmailConfig[],
  { env }: FeatureSurroundings,
): string {
  if (mails.length === 0) throw wrong('needs the provider email()')
  if (email !== undefined && !mails.some(({ id }) => id === email)) {
    throw wrong('`email` must be the id of a provider email()')
  }
  if (email === undefined && mails.length > 1) {
    throw wrong('`email` must name one of the providers email(), since there are several')
  }
  const [one] = email === undefined ? mails : mails.filter(({ id }) => id === email)
  try {
    mail.resolve(one as EmailConfig, env)
  } catch (error) {
    if (!(error instanceof ProviderMisconfigured)) throw error
    throw wrong('needs a provider email() with a sender', error)
  }
  return (one as EmailConfig).id
}

function wordsIn(context: unknown): readonly string[] {
  const isWord = (one: unknown): one is string => {
    const { length } = typeof one === 'string' ? [...one] : ''
    return length >= 3 && length <= 64
  }
  if (Array.isArray(context) && context.every(isWord)) return context
  throw wrong('`context` must be an array of texts, each of 3 to 64 characters')
}

function wrong(rule: string, cause?: unknown): InvalidConfiguration {
  return new InvalidConfiguration(`The provider password() ${rule}.`, { cause })
}

export function passwordSettings({ features }: Pick<AuthRequest, 'features'>): PasswordSettings {
  return features.settings<PasswordSettings>('passwords') ?? { ...NOTHING, email: undefined }
}

/** Is there `password()`, so that its routes are there? */
export function isOn(request: AuthRequest): boolean {
  return passwordSettings(request).email !== undefined
}

/** The provider whose addresses count. @throws {ProviderMisconfigured} it cannot send any more */
export function mailProvider(request: AuthRequest): ResolvedEmailProvider {
  const { email = '' } = passwordSettings(request)
  const provider = request.providers.usable.get(email)
  if (provider) return provider as ResolvedEmailProvider
  throw new ProviderMisconfigured('The provider of the addresses of passwords cannot be used.')
}
