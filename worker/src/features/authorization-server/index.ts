import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import type { Feature } from '../../service/feature.js'
import { ways } from '../ways/index.js'
import type { AuthorizationServerOptions } from './options.js'
import { checkOptions, resolveServer } from './resolve-server.js'
import { type Server, serverOf } from './settings.js'
import { styles } from './styles.js'
import { texts } from './texts.js'

export type {
  AppOptions,
  AuthorizationServerOptions,
  KeysOptions,
  ResourceOptions,
} from './options.js'

type Handler = (request: AuthRequest, id: string) => Outcome | Promise<Outcome>

/** A handler whose code is loaded at its first request, so that a service pays for none of it at its start. */
function lazy(load: () => Promise<Handler>): Handler {
  return async (request, id) => (await load())(request, id)
}

/** One value, so that a process unpacks them once. */
const translations = () => import('./translations.js')

const listed = () => import('./list-apps.js')

const metadata = lazy(async () => (await import('./metadata.js')).showMetadata)
const authorize = lazy(async () => (await import('./authorize.js')).authorize)
const userInfo = lazy(async () => (await import('./user-info.js')).userInfo)
const endSession = lazy(async () => (await import('./end-session.js')).endSession)

const hasDevices = (request: AuthRequest) => serverOf(request).hasDevices
const hasKeys = (request: AuthRequest) => serverOf(request).keys !== undefined

/** What scripts of every origin read. */
const open = { isData: true, crossOrigin: true } as const

const routes: NonNullable<Feature['routes']> = {
  '/.well-known/openid-configuration': { GET: metadata, ...open },
  '/oauth/jwks.json': {
    GET: lazy(async () => (await import('./jwks-route.js')).showJwks),
    ...open,
  },
  '/oauth/authorize': { GET: authorize, POST: authorize },
  '/oauth/consent': { POST: lazy(async () => (await import('./consent.js')).decide) },
  '/oauth/token': { POST: lazy(async () => (await import('./token-route.js')).token), ...open },
  '/oauth/revoke': {
    POST: lazy(async () => (await import('./revoke-route.js')).revokeToken),
    ...open,
  },
  '/oauth/device': {
    POST: lazy(async () => (await import('./devices/start.js')).startDevice),
    isThere: hasDevices,
    ...open,
  },
  '/oauth/userinfo': { GET: userInfo, POST: userInfo, ...open },
  '/oauth/end-session': { GET: endSession, POST: endSession },
  '/device': {
    GET: lazy(async () => (await import('./devices/page.js')).showDevice),
    POST: lazy(async () => (await import('./devices/page.js')).enterUserCode),
    isThere: hasDevices,
  },
  '/apps': { GET: lazy(async () => (await import('./apps.js')).apps), isData: true },
  '/apps/remove': { POST: lazy(async () => (await import('./apps.js')).removeApp) },
  '/keys': {
    GET: lazy(async () => (await import('./api-keys/route.js')).keys),
    isThere: hasKeys,
    isData: true,
  },
  '/keys/create': {
    POST: lazy(async () => (await import('./api-keys/route.js')).createKey),
    isThere: hasKeys,
  },
  '/keys/remove': {
    POST: lazy(async () => (await import('./api-keys/route.js')).removeKey),
    isThere: hasKeys,
  },
}

/**
 * The service as the authorization server of your apps, APIs and MCP servers: OAuth 2.1 and OpenID Connect
 * (docs/authorization-server.md). It is on if an app, an open resource or a prefix of keys is configured, by these options or
 * by variables (`AUTH_APP_<ID>_…`, `AUTH_RESOURCE_<ID>_…`, `AUTH_KEYS_PREFIX`).
 *
 * @throws {TypeError} options that cannot be used, all of them by name
 * @example
 * features: [
 *   authorizationServer({ apps: { spa: { redirectUris: ['https://spa.example.com/callback'] } } }),
 * ]
 */
export function authorizationServer(options: AuthorizationServerOptions = {}): Feature<Server> {
  checkOptions(options)
  return {
    name: 'authorization-server',
    texts,
    translations,
    styles,
    needs: [ways],
    variables: ['AUTH_KEYS_PREFIX'],
    configure: (_config, { env }) => resolveServer(options, env),
    gone: async (request, sub) => (await listed()).endAllApps(request, sub),
    exported: async (request, sub) => ({ apps: await (await listed()).listApps(request, sub) }),
    operations: {
      listApps: async (request, sub: string) => (await listed()).listApps(request, sub),
      endApp: async (request, sub: string, app: string) =>
        (await listed()).endApp(request, sub, app),
    },
    routes,
    wellKnown: {
      // RFC 8414, section 3.1, and OpenID Connect Discovery 1.0, section 4.
      '/.well-known/openid-configuration/:base': { GET: metadata, ...open },
      '/.well-known/oauth-authorization-server/:base': { GET: metadata, ...open },
    },
    account: [
      {
        name: 'apps',
        title: ({ texts }) => texts.account.apps,
        show: async (...about) => (await import('./apps-section.js')).showApps(...about),
      },
      {
        name: 'keys',
        title: () => 'API keys',
        isThere: hasKeys,
        show: async (...about) => (await import('./api-keys/section.js')).showKeys(...about),
      },
    ],
  }
}
