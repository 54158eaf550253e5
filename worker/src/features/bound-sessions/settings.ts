import { isPublicSuffix, textOf } from '@latchkey/host/shared'
import { isRecord } from '@latchkey/session/internal'
import { InvalidConfiguration } from '../../errors.js'
import type { AuthRequest } from '../../http/request.js'
import type { FeatureSurroundings } from '../../service/feature.js'
import type { StoreWarning } from '../../stores/ports.js'
import type { AuthConfig } from '../../types.js'
import type { BoundSessionsConfig } from './types.js'

/** How sessions are bound. There while the feature is: a session that was bound is let go of when it is off. */
export interface BoundSettings {
  readonly isOn: boolean
  readonly required: NonNullable<BoundSessionsConfig['required']>
  readonly site: boolean
  /** The domain of the session cookie, as a host has it. */
  readonly domain: string | undefined
  /** The life of a token, or more where the configuration does not say it. Seconds. */
  readonly tokenMaxAge: number
}

const OFF = { isOn: false, required: false, site: false } as const

/** @throws {InvalidConfiguration} naming the option or the variable */
export function resolveBound(config: AuthConfig, { env }: FeatureSurroundings): BoundSettings {
  const { boundSessions } = config
  const set = boundSessions === undefined ? ofVariable(textOf(env, NAME)) : ofOption(boundSessions)
  const domain = (
    config.cookies?.sessionToken?.options?.domain ?? textOf(env, 'AUTH_COOKIE_DOMAIN')
  )
    ?.toLowerCase()
    .replace(/^\./, '')
  if (set.site && domain !== undefined && !isRegistrable(domain)) {
    throw new InvalidConfiguration(
      `boundSessions.site needs a cookie domain that can be registered, such as example.com: "${domain}" is not one.`,
    )
  }
  // A short session has short tokens by itself.
  const { maxAge = Number.MAX_VALUE, tokenMaxAge = maxAge / 2 } = config.session ?? {}
  return { ...set, domain, tokenMaxAge }
}

const NAME = 'AUTH_BOUND_SESSIONS'

type Set = Pick<BoundSettings, 'isOn' | 'required' | 'site'>

function ofVariable(text = ''): Set {
  const words = text.split(',').map((word) => word.trim())
  if (words.length === 1 && ['', 'false', '0'].includes(words[0] ?? '')) return OFF
  if (!words.every((word) => ['true', 'required', 'site'].includes(word))) {
    throw new InvalidConfiguration(
      `${NAME} must be of the words true, required and site, with commas between them; or empty.`,
    )
  }
  return { isOn: true, required: words.includes('required'), site: words.includes('site') }
}

function ofOption(value: unknown): Set {
  if (value === false) return OFF
  if (value === true) return { ...OFF, isOn: true }
  const { required = false, site = false } = isRecord(value) ? value : { required: '' }
  const isRequired = typeof required === 'boolean' || typeof required === 'function'
  if (!isRequired || typeof site !== 'boolean') {
    throw new InvalidConfiguration('boundSessions must be true, or { required, site }.')
  }
  return { isOn: true, required: required as BoundSettings['required'], site }
}

/** May somebody have registered this very domain? The list of suffixes has none of one label, such as `com`. */
function isRegistrable(domain: string): boolean {
  const above = domain.slice(domain.indexOf('.') + 1)
  return !isPublicSuffix(domain) && (!above.includes('.') || isPublicSuffix(above))
}

/** Chromium renews when two minutes are left, and signs six times in nine minutes for all hosts of a site. Seconds. */
const SHORT_LIFE = 240

export function boundWarnings({
  isOn,
  site,
  domain,
  tokenMaxAge,
}: BoundSettings): readonly StoreWarning[] {
  if (!isOn) return []
  const warnings: StoreWarning[] = []
  if (domain !== undefined && !site) {
    warnings.push([
      'bound-sessions-domain',
      `No session is bound, since the session cookie is for all hosts of ${domain}: set boundSessions.site, or remove AUTH_COOKIE_DOMAIN.`,
    ])
  }
  if (tokenMaxAge < SHORT_LIFE) {
    warnings.push([
      'bound-token-life',
      `session.tokenMaxAge is below ${SHORT_LIFE} s, and browsers sign only six proofs in nine minutes.`,
    ])
  }
  return warnings
}

export function settingsOf({ features }: AuthRequest): BoundSettings {
  return features.settings<BoundSettings>('bound-sessions') as BoundSettings
}

export function isOn(request: AuthRequest): boolean {
  return settingsOf(request).isOn
}

/** Can a browser bind sessions of this origin? DBSC is for https, and for cookies that no site embeds. */
export function canBind(request: AuthRequest): boolean {
  const { isOn, site, domain } = settingsOf(request)
  const { isEmbedded } = request.config.cookies
  return isOn && request.secure && !isEmbedded && (domain === undefined || site)
}
