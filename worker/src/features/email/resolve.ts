import { bindingOf, textOf } from '@latchkey/host/shared'
import { optionOrVariable, variablePrefix } from '../../config/variable-prefix.js'
import { ProviderMisconfigured } from '../../errors.js'
import type { Kind, ResolvedProvider } from '../../http/kind.js'
import { customFetch } from '../../lib/symbols.js'
import type { EmailConfig, Environment, MailService, VerificationRequest } from '../../types.js'
import { normalizeAddress } from './address.js'
import { RESEND } from './resend.js'
import { bindingSender, parseSender, serviceSender } from './senders.js'

/** An email provider with everything that its flow needs. */
export interface ResolvedEmailProvider extends ResolvedProvider {
  /** `undefined`: the app's own function sends, and chooses the sender. */
  readonly from: string | undefined
  /** Seconds. */
  readonly maxAge: number
  /** Normalizes an address; `undefined` for a text that is not an address, or is refused. */
  readonly normalize: (value: unknown) => string | undefined
  readonly makeToken: EmailConfig['generateVerificationToken']
  readonly send: (request: VerificationRequest) => Promise<void>
  /** The configuration, completed from the environment. */
  readonly config: EmailConfig
}

/** Seconds. Mails are slow at times, and a stolen one is worth less the sooner it ends (ASVS 6.5.5). */
const MAX_AGE = 10 * 60
const LEAST_AGE = 60
const MOST_AGE = 24 * 60 * 60

/** @throws {ProviderMisconfigured} */
export function resolveEmail(
  kind: Kind,
  config: EmailConfig,
  env: Environment,
): ResolvedEmailProvider {
  const { id, name = id, type, maxAge = MAX_AGE, normalizeIdentifier } = config
  const isAge = Number.isSafeInteger(maxAge) && maxAge >= LEAST_AGE && maxAge <= MOST_AGE
  if (!isAge) {
    throw new ProviderMisconfigured(
      `maxAge of provider "${id}" must be whole seconds from ${LEAST_AGE} to ${MOST_AGE}.`,
    )
  }
  const variable = `${variablePrefix(id)}_FROM`
  const from = config.from ?? textOf(env, variable) ?? sharedSender(config, env)
  if (from !== undefined && !parseSender(from)) {
    const name = config.from === undefined ? variable : '`from`'
    throw new ProviderMisconfigured(
      `${name}, the sender of provider "${id}", must be an address, or a name and an address: Example <sign-in@example.com>.`,
    )
  }
  return Object.freeze({
    kind,
    id,
    name,
    type,
    from,
    maxAge,
    normalize: (value: unknown) => {
      const address = normalizeAddress(value)
      if (address === undefined || !normalizeIdentifier) return address
      try {
        const own: unknown = normalizeIdentifier(address)
        // The address is refused; but an unhandled rejection would end a Node process, and any client
        // could cause it.
        if (own instanceof Promise) own.catch(() => {})
        return normalizeAddress(own)
      } catch {
        return undefined
      }
    },
    makeToken: config.generateVerificationToken,
    send: senderOf(config, from, env),
    config: { ...config, maxAge, ...(from === undefined ? {} : { from }) },
  })
}

function senderOf(
  config: EmailConfig,
  from: string | undefined,
  env: Environment,
): ResolvedEmailProvider['send'] {
  const { id, sendVerificationRequest } = config
  if (sendVerificationRequest) {
    return async (request) => {
      await sendVerificationRequest(request)
    }
  }
  if (from === undefined) {
    throw new ProviderMisconfigured(
      `Provider "${id}" has no sender: set \`from\` or ${variablePrefix(id)}_FROM.`,
    )
  }
  const own = config[customFetch] ?? fetch
  if (config.service) {
    const send = serviceSender(config.service, settingsOf(config.service, id, env), own)
    return ({ mail, url, code }) => send(mail, { url, code })
  }
  const resendKey = textOf(env, 'AUTH_RESEND_KEY')
  const binding = bindingOf<SendEmail>(env, 'EMAIL', 'send')
  const send =
    resendKey === undefined
      ? binding && bindingSender(binding)
      : serviceSender(RESEND, { KEY: resendKey }, own)
  if (!send) {
    throw new ProviderMisconfigured(
      `Provider "${id}" has nothing to send with: give it sendVerificationRequest, set AUTH_RESEND_KEY, or, in a Worker, bind EMAIL (send_email).`,
    )
  }
  return ({ mail }) => send(mail)
}

/** A service's provider has an id of its own, and the sender that others have. */
function sharedSender({ service }: EmailConfig, env: Environment): string | undefined {
  return service && textOf(env, 'AUTH_EMAIL_FROM')
}

/** @throws {ProviderMisconfigured} naming the variable */
function settingsOf(
  { settings }: MailService,
  id: string,
  env: Environment,
): Readonly<Record<string, string>> {
  const setting = optionOrVariable(env, variablePrefix(id))
  const entries = Object.entries(settings).map(([end, given]) => {
    const variable = `${variablePrefix(id)}_${end}`
    const value = setting(end, given)
    if (value) return [end, value] as const
    throw new ProviderMisconfigured(
      `Provider "${id}" cannot send: set it up in its options or by ${variable}.`,
    )
  })
  return Object.fromEntries(entries)
}
