import { allowedHeaders } from '@latchkey/session/internal'
import { ACCESS_TOKEN_LIFE } from '@latchkey/session/issue'
import { VARIABLE_FORMS } from '../../config/manifests.js'
import type { AuthRequest } from '../../http/request.js'
import type { Feature, Pages } from '../../service/feature.js'
import type { Environment } from '../../types.js'
import { ways } from '../ways/index.js'
import { createKeyOf, endKeyOf, listedKeys, listKeysOf } from './api-keys/operations.js'
import { endKeysOf } from './api-keys/own-keys.js'
import { createKey, keys, removeKey } from './api-keys/route.js'
import { showKeys } from './api-keys/section.js'
import { apps, removeApp } from './apps.js'
import { showApps } from './apps-section.js'
import { authorize } from './authorize.js'
import { documentsOf } from './client-documents/open-app.js'
import { decide } from './consent.js'
import { enterUserCode, showDevice } from './devices/page.js'
import { startDevice } from './devices/start.js'
import { endSession } from './end-session.js'
import { showJwks } from './jwks-route.js'
import { endAllApps, endAppOf, endByCompany, endOutliving, listApps } from './list-apps.js'
import { translations } from './load-translations.js'
import { noteEnding } from './logout/note-ending.js'
import { showMetadata } from './metadata.js'
import type { AuthorizationServerOptions } from './options.js'
import { checkOptions, resolveServer, unlistedApps } from './resolve-server.js'
import { revokeToken } from './revoke-route.js'
import { type Server, serverOf } from './settings.js'
import { styles } from './styles.js'
import { texts } from './texts.js'
import { token } from './token-route.js'
import { userInfo } from './user-info.js'

export type {
  AppOptions,
  AuthorizationServerOptions,
  FindTrustedIssuer,
  KeysOptions,
  ResourceOptions,
  TrustedIssuerOptions,
  WorkloadOptions,
} from './options.js'

const hasDevices = (request: AuthRequest) => serverOf(request).hasDevices
const hasKeys = (request: AuthRequest) => serverOf(request).keys !== undefined

/** Scripts of every origin ask with what they have themselves, and never with cookies. */
const crossOrigin = (asked: string | null) => ({
  'access-control-allow-origin': '*',
  'access-control-allow-headers': allowedHeaders(HEADERS, asked),
  'access-control-expose-headers': 'WWW-Authenticate',
})

const HEADERS = 'Authorization, Content-Type, MCP-Protocol-Version'

const open = { isData: true, crossOrigin } as const

const routes: NonNullable<Pages['routes']> = {
  '/.well-known/openid-configuration': { GET: showMetadata, ...open },
  '/oauth/jwks.json': {
    GET: showJwks,
    ...open,
  },
  '/oauth/authorize': { GET: authorize, POST: authorize },
  '/oauth/consent': { POST: decide },
  '/oauth/token': { POST: token, ...open },
  '/oauth/revoke': {
    POST: revokeToken,
    ...open,
  },
  '/oauth/device': {
    POST: startDevice,
    isThere: hasDevices,
    ...open,
  },
  '/oauth/userinfo': { GET: userInfo, POST: userInfo, ...open },
  '/oauth/end-session': { GET: endSession, POST: endSession },
  '/device': {
    GET: showDevice,
    POST: enterUserCode,
    isThere: hasDevices,
  },
  '/apps': { GET: apps, isData: true },
  '/apps/remove': { POST: removeApp },
  '/keys': {
    GET: keys,
    isThere: hasKeys,
    isData: true,
  },
  '/keys/create': {
    POST: createKey,
    isThere: hasKeys,
  },
  '/keys/remove': {
    POST: removeKey,
    isThere: hasKeys,
  },
}

/** Does a variable name an app, a resource, a trusted issuer or a prefix of keys? */
function isNamedIn(env: Environment): boolean {
  if (env.AUTH_KEYS_PREFIX) return true
  const forms = Object.values(VARIABLE_FORMS).filter(
    ({ feature }) => feature === 'authorization-server',
  )
  return Object.keys(env).some((name) => forms.some(({ form }) => form.test(name)))
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
export function authorizationServer(options?: AuthorizationServerOptions): Feature<Server> {
  if (options !== undefined) checkOptions(options)
  return {
    name: 'authorization-server',
    needs: [ways],
    configure(_config, { env }) {
      // The shipped Worker runs none of its code unless a variable asks for it.
      if (options === undefined && !isNamedIn(env)) return undefined
      return resolveServer(options ?? {}, env)
    },
    warn: (server) => unlistedApps(server).map((line) => ['app-resources', line]),
    pages: {
      texts,
      translations,
      codes: { 'AccessDenied too_many_keys': 'tooManyKeys' },
      styles,
      routes,
      returnsTo: ['/oauth/authorize', '/device'],
      wellKnown: {
        // RFC 8414, section 3.1, and OpenID Connect Discovery 1.0, section 4.
        '/.well-known/openid-configuration/:base': { GET: showMetadata, ...open },
        '/.well-known/oauth-authorization-server/:base': { GET: showMetadata, ...open },
      },
      account: [
        {
          name: 'apps',
          title: ({ texts }) => texts.account.apps,
          show: showApps,
        },
        {
          name: 'keys',
          title: ({ texts }) => texts.keys.title,
          isThere: hasKeys,
          show: showKeys,
        },
      ],
    },
    session: { tokenLife: ACCESS_TOKEN_LIFE, ending: noteEnding },
    person: {
      async gone(request, sub) {
        await endAllApps(request, sub)
        await endKeysOf(request, sub)
      },
      async blocked(request, sub) {
        // Grants end with the sessions, but for those that a clock has made that is ahead. Keys end with nothing but themselves.
        await endOutliving(request, sub)
        await endKeysOf(request, sub)
      },
      loggedOut: (request, sub, { company }) => endByCompany(request, sub, company),
      async endedAll(request, { sub, until }) {
        await endOutliving(request, sub, until)
      },
      countedAs: documentsOf,
      exported: async (request, sub) => ({
        apps: await listApps(request, sub),
        keys: hasKeys(request) ? await listedKeys(request, sub) : [],
      }),
    },
    operator: {
      operations: {
        listApps,
        endApp: endAppOf,
        createKey: createKeyOf,
        listKeys: listKeysOf,
        endKey: endKeyOf,
      },
    },
  }
}
