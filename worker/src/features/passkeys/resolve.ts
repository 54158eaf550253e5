import { textOf } from '@latchkey/host/shared'
import { ProviderMisconfigured } from '../../errors.js'
import type { Kind, ResolvedProvider } from '../../http/kind.js'
import type { AuthRequest } from '../../http/request.js'
import type { Environment, PasskeyConfig } from '../../types.js'

/** The passkey provider, completed from the environment. */
export interface ResolvedPasskeyProvider extends ResolvedProvider {
  readonly rpName: string
  /** `undefined`: the host that people sign in at. */
  readonly rpId: string | undefined
  /** Other origins that may use the same passkeys. */
  readonly origins: readonly string[]
}

const RP_ID = 'rpId (AUTH_PASSKEY_RP_ID)'

/** @throws {ProviderMisconfigured} */
export function resolvePasskey(
  kind: Kind<ResolvedPasskeyProvider>,
  config: PasskeyConfig,
  env: Environment,
  site?: string,
): ResolvedPasskeyProvider {
  const { id, name, type } = config
  const rpName = config.rpName ?? textOf(env, 'AUTH_PASSKEY_NAME') ?? site
  const rpId = config.rpId ?? textOf(env, 'AUTH_PASSKEY_RP_ID')
  const listed = textOf(env, 'AUTH_PASSKEY_ORIGINS')?.split(',').filter(Boolean)
  const origins = config.origins ?? listed?.map((one) => one.trim()) ?? []
  if (!rpName?.trim()) {
    throw new ProviderMisconfigured('Passkeys need rpName (AUTH_PASSKEY_NAME), or theme.name.')
  }
  if (rpId !== undefined && !isDomain(rpId)) {
    throw new ProviderMisconfigured(
      `${RP_ID} must be a domain such as example.com: "${rpId}" is not one.`,
    )
  }
  return Object.freeze({ id, name, type, kind, rpName, rpId, origins: origins.map(originOf) })
}

/** @throws {ProviderMisconfigured} */
function originOf(value: string): string {
  const url = URL.parse(value)
  const isWeb = url?.protocol === 'https:' || url?.protocol === 'http:'
  if (url && isWeb && url.href === `${url.origin}/`) return url.origin
  throw new ProviderMisconfigured(
    `AUTH_PASSKEY_ORIGINS must be origins such as https://example.com: "${value}" is not one.`,
  )
}

/**
 * The domain that passkeys of this request belong to: the host, or a domain above it (WebAuthn Level 3,
 * sections 5.1.2 and 5.11). Browsers refuse anything else, and addresses in numbers.
 *
 * @throws {ProviderMisconfigured} pages of this origin cannot use it
 */
export function rpIdOf(
  { origin }: AuthRequest,
  { rpId, origins }: Pick<ResolvedPasskeyProvider, 'rpId' | 'origins'>,
): string {
  const { hostname } = new URL(origin)
  const wanted = rpId ?? hostname
  const isItsOwn = hostname === wanted && !isAddress(wanted)
  const isAbove = hostname.endsWith(`.${wanted}`) && isDomain(wanted) && wanted.includes('.')
  if (isItsOwn || isAbove || (rpId !== undefined && origins.includes(origin))) return wanted
  throw new ProviderMisconfigured(
    `Pages of ${origin} cannot use passkeys of "${wanted}": ${RP_ID} must be the host, no address in numbers, or a domain above it, or AUTH_PASSKEY_ORIGINS has the origin.`,
  )
}

/** With `localhost`, and at least one dot otherwise; in the one spelling that browsers have. */
function isDomain(text: string): boolean {
  if (text === 'localhost') return true
  const isName = /^[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(text) && !isAddress(text)
  return isName && URL.parse(`https://${text}`)?.hostname === text
}

function isAddress(host: string): boolean {
  return host.startsWith('[') || /(?:^|\.)\d+$/.test(host)
}
