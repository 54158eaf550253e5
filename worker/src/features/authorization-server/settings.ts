import type { AuthRequest } from '../../http/request.js'
import type { AllowedResources } from './allowed-resources.js'
import type { TrustedIssuers } from './assertions/read-trusted-issuers.js'
import type { AppKeys } from './key-set.js'
import type { Workload } from './machines/read-workloads.js'

/** What signs tokens, by its name in JOSE. */
export type SigningAlg = 'EdDSA' | 'ES256' | 'RS256'

/** The authorization server as options and variables make it. Frozen by convention; made once for each configuration. */
export interface Server {
  /** By `client_id`. */
  readonly apps: ReadonlyMap<string, App>
  /** By URI. */
  readonly resources: ReadonlyMap<string, Resource>
  /** `undefined`: there are no API keys. */
  readonly keys: { readonly prefix: string } | undefined
  /** What fetches metadata documents; `undefined`: the platform's. */
  readonly fetch: typeof fetch | undefined
  /** May an app use the device grant? */
  readonly hasDevices: boolean
  /** Is an app a machine? */
  readonly hasMachines?: boolean
  /** Does an app prove itself by a key? */
  readonly hasAppKeys?: boolean
  /** The issuers of assertions about people that apps may bring; `undefined`: there are none. */
  readonly trustedIssuers?: TrustedIssuers | undefined
  /** Does an app hear when sessions end that it knows by an ID token? */
  readonly hearsLogout?: boolean
  /** Is a resource open to apps that are not registered? */
  readonly isOpen: boolean
  /** The algorithms that sign, of ID tokens and of access tokens. */
  readonly algs: {
    readonly idTokens: readonly IdTokenAlg[]
    readonly accessTokens: readonly SigningAlg[]
  }
}

export type IdTokenAlg = 'ES256' | 'RS256'

/** An app that is configured, or that a metadata document describes. */
export interface App {
  /** Its `client_id`. */
  readonly id: string
  /** What people see. */
  readonly name: string
  readonly redirectUris: readonly string[]
  /** Empty: it has {@link keys} or {@link workloads}, or is a public app. */
  readonly secrets: readonly string[]
  /** By which it proves itself, in the place of secrets. */
  readonly keys?: AppKeys | undefined
  /** It acts for itself, and for no person. */
  readonly isMachine?: boolean
  /** The jobs elsewhere that get its tokens. */
  readonly workloads?: readonly Workload[] | undefined
  readonly isFirstParty: boolean
  /** What it may ask for; `undefined`: a first-party app and a machine no resource, any other app all of them. */
  readonly resources?: AllowedResources | undefined
  readonly isDevice: boolean
  /** Where it hears that a session has ended (OpenID Connect Back-Channel Logout 1.0). */
  readonly backchannelLogoutUri?: string | undefined
  /** The algorithm of its ID tokens. */
  readonly alg: IdTokenAlg
  /** The host of its `client_id`, if a metadata document describes it. */
  readonly host?: string
}

/** RFC 7523, 2.1. */
export const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Are there assertions that get tokens: about people, or of jobs? */
export function takesAssertions({ apps, trustedIssuers }: Server): boolean {
  return trustedIssuers !== undefined || [...apps.values()].some(({ workloads }) => workloads)
}

/** May everybody use the `client_id` of an app, since it proves nothing? */
export function isPublic({ secrets, keys, isMachine }: App): boolean {
  return secrets.length === 0 && !keys && !isMachine
}

/** An API that takes access tokens. */
export interface Resource {
  readonly uri: string
  readonly name: string
  /** What each scope allows, in the words that people read. */
  readonly scopes: ReadonlyMap<string, string>
  /** May apps ask for it that are not registered? */
  readonly isOpen: boolean
  /** The algorithm of its access tokens. */
  readonly alg: SigningAlg
}

/** The settings of a request's authorization server, which is on. */
export function serverOf({ features }: AuthRequest): Server {
  const server = features.settings<Server>('authorization-server')
  if (!server) throw new TypeError('The authorization server is off.')
  return server
}
