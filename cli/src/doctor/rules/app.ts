import {
  appKeysOf,
  isListedOrigin,
  isTrustedOrigin,
  parseOriginPattern,
  trustedOriginsOf,
  trustHostOf,
} from '@latchkey/host/shared'
import { deriveSessionKeys, importVerifyKeys, type VerifyKeys } from '@latchkey/session/issue'
import { type Finding, finding } from '../finding.js'
import { type Deployment, environmentOf, mayBeSet, placeOf, textIn } from '../read.js'
import { addressOf, basePathOf, ownUrl } from './addresses.js'
import { secretsIn } from './secrets.js'

/** The service that an app has to agree with. */
export interface Service {
  readonly deployment: Deployment
  /** Each `AUTH_URL`: of this machine, of the deployed Worker, of its environments. An app belongs to one of them. */
  readonly issuers: readonly URL[]
  /** The keys that the service verifies with, the one that signs first; `undefined`: they are not known. */
  readonly keys: VerifyKeys | undefined
}

/** A rule looks at an app beside its service. */
type AppRule = (
  app: Deployment,
  service: Service,
) => readonly Finding[] | Promise<readonly Finding[]>

/** The keys that follow from the secrets of a deployment; `undefined`: it has none here. */
export async function keysOf({ variables }: Deployment): Promise<VerifyKeys | undefined> {
  const values = secretsIn(variables).map(({ value }) => value)
  return values.length === 0 ? undefined : (await deriveSessionKeys(values)).verify
}

const issuer: AppRule = (app, service) => {
  const name = textIn(app.variables, 'AUTH_WORKER_URL') ? 'AUTH_WORKER_URL' : 'AUTH_URL'
  const own = addressOf(textIn(app.variables, name))
  const [url] = service.issuers
  if (!own || !url || service.issuers.some((one) => isSameIssuer(own, one))) return []
  return [
    finding('app-issuer', {
      where: placeOf(app, name),
      what: `${name} of the app names another issuer than AUTH_URL of the service.`,
      why: 'The app refuses every session, because another service seems to have given it.',
      fix: `${name}=${url.origin}${basePathOf(url) ?? '/auth'}`,
    }),
  ]
}

/** The base path if none is named: that of the shipped Worker and of apps, and that of `createAuth`. */
const DEFAULTS = ['/auth', '/api/auth']

function isSameIssuer(one: URL, other: URL): boolean {
  const [path, its] = [basePathOf(one), basePathOf(other)]
  if (one.origin !== other.origin || path === its) return one.origin === other.origin
  // Only one of the two has a path.
  return path === undefined || its === undefined ? DEFAULTS.includes(path ?? its ?? '') : false
}

const secret: AppRule = async (app, { keys }) => {
  const [name] = secretsIn(app.variables).map((one) => one.name)
  const own = await keysOf(app)
  const signing = signingIn(keys)
  if (name === undefined || !own || signing === undefined || own.has(signing)) return []
  return [
    finding('app-secret', {
      where: placeOf(app, name),
      what: 'The app has a secret, and not the one that signs at the service.',
      why: 'The app refuses every new session.',
      fix: `copy the AUTH_SECRET… with the highest number from the service to ${fileOf(app)}`,
    }),
  ]
}

function signingIn(keys: VerifyKeys | undefined): string | undefined {
  return keys?.keys().next().value
}

function fileOf({ file, wrangler }: Deployment): string {
  return file?.path ?? wrangler?.path ?? '.env'
}

const PUBLIC_KEYS = 'AUTH_PUBLIC_KEYS'
const NEW_LIST = `${PUBLIC_KEYS}=<the answer of /jwks.json of the service>`

/** The app's public keys; `undefined`: it has no such variable; `null`: the variable is not a JWKS. */
async function publicKeysOf({ variables }: Deployment): Promise<VerifyKeys | null | undefined> {
  const text = textIn(variables, PUBLIC_KEYS)
  return text === undefined ? undefined : importVerifyKeys(text).catch(() => null)
}

const publicKeys: AppRule = async (app, { keys }) => {
  const own = await publicKeysOf(app)
  const signing = signingIn(keys)
  const isWhole = own === undefined || (own && (signing === undefined || own.has(signing)))
  if (isWhole) return []
  return [
    finding('app-keys', {
      where: placeOf(app, PUBLIC_KEYS),
      what: own
        ? `${PUBLIC_KEYS} of the app lacks the key that signs at the service.`
        : `${PUBLIC_KEYS} of the app is not a JWKS with a public key for sessions.`,
      why: 'The app refuses every new session.',
      fix: NEW_LIST,
    }),
  ]
}

const oldKeys: AppRule = async (app, { keys }) => {
  const own = await publicKeysOf(app)
  const isOld = own && keys && [...own.keys()].some((kid) => !keys.has(kid))
  if (!isOld) return []
  return [
    finding('app-keys-old', {
      where: placeOf(app, PUBLIC_KEYS),
      what: `${PUBLIC_KEYS} of the app has a key that the service no longer verifies with.`,
      why: 'A person who has an old secret can still sign in to the app.',
      fix: NEW_LIST,
    }),
  ]
}

const untrusted: AppRule = (app, { deployment, issuers }) => {
  const { variables } = app
  const origin = ownUrl(variables)?.origin
  const isProven = secretsIn(variables).length > 0 || mayBeSet(app, 'AUTH_APP_KEY')
  if (textIn(variables, 'AUTH_WORKER_URL') === undefined || isProven) return []
  const isOwn = issuers.some((one) => one.origin === origin)
  if (origin === undefined || isOwn || isTrusted(origin, deployment)) return []
  return [
    finding('app-untrusted', {
      where: placeOf(app, 'AUTH_URL'),
      what: 'The app has no secret and no AUTH_APP_KEY, and its origin is not in AUTH_TRUSTED_ORIGINS of the service.',
      why: 'If the app forwards the auth routes, nobody can sign in there.',
      fix: `AUTH_TRUSTED_ORIGINS=${origin}   # at the service, with a comma behind the others`,
    }),
  ]
}

/** Does the service take an app at this origin for one of its own, or may it do so? */
function isTrusted(origin: string, service: Deployment): boolean {
  const env = environmentOf(service.variables)
  if (textIn(service.variables, 'AUTH_TRUSTED_ORIGINS') === undefined && !service.isWhole)
    return true
  try {
    const patterns = trustedOriginsOf(env).map((text) => parseOriginPattern(text, () => false))
    // If AUTH_URL is the only origin, people are only redirected back, and a wildcard suffices.
    const isOne = textIn(service.variables, 'AUTH_URL') !== undefined
    return (
      trustHostOf(env) === true ||
      (isOne ? isTrustedOrigin(origin, patterns) : isListedOrigin(origin, patterns))
    )
  } catch {
    // The service refuses to start, for a reason that is a finding of its own.
    return true
  }
}

const key: AppRule = (app, { deployment }) => {
  const own = textIn(app.variables, 'AUTH_APP_KEY')
  const origin = ownUrl(app.variables)?.origin
  const isUnknown =
    textIn(deployment.variables, 'AUTH_APP_KEYS') === undefined && !deployment.isWhole
  if (own === undefined || isUnknown || hasKey(deployment, own, origin)) return []
  return [
    finding('app-key', {
      where: placeOf(app, 'AUTH_APP_KEY'),
      what: 'AUTH_APP_KEY of the app is not one that AUTH_APP_KEYS of the service has for its origin.',
      why: 'The service takes the app for a stranger: nobody can sign in there, unless its origin is trusted.',
      fix: `AUTH_APP_KEYS=${origin ?? '<origin of the app>'}=<AUTH_APP_KEY of the app>   # at the service`,
    }),
  ]
}

/** @param origin `undefined`: the app does not name its own, so that any counts */
function hasKey({ variables }: Deployment, own: string, origin: string | undefined): boolean {
  try {
    return appKeysOf(environmentOf(variables)).some(
      (one) => one.key === own && (origin === undefined || one.origin === origin),
    )
  } catch {
    return false
  }
}

export const app: readonly AppRule[] = [issuer, secret, publicKeys, oldKeys, untrusted, key]
