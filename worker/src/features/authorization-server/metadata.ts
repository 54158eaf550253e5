import type { Outcome } from '../../http/outcome.js'
import type { AuthRequest } from '../../http/request.js'
import { ASSERTION_ALGS } from './key-set.js'
import { lookSometimes } from './logout/deliver.js'
import { OPENID_SCOPES } from './read-resource.js'
import { JWT_BEARER, serverOf, takesAssertions } from './settings.js'

/** How clients prove themselves: public ones, and those with a secret (RFC 6749, section 2.3.1). */
const CLIENT_AUTHENTICATION = ['none', 'client_secret_basic', 'client_secret_post']

/** ID-JAG, 7.2. */
const ID_JAG = 'urn:ietf:params:oauth:grant-profile:id-jag'

/** The claims of ID tokens and of `/oauth/userinfo`. */
const CLAIMS = [
  ...['iss', 'sub', 'aud', 'iat', 'exp', 'auth_time', 'acr', 'amr', 'sid', 'nonce'],
  ...['name', 'picture', 'email', 'email_verified'],
]

/** OpenID Connect Back-Channel Logout 1.0, 2.1. */
const LOGOUT = { backchannel_logout_supported: true, backchannel_logout_session_supported: true }

/** GET `/.well-known/openid-configuration` and its addresses at the root: what this server has, and nothing that is off. */
export function showMetadata(request: AuthRequest): Outcome {
  lookSometimes(request)
  return { kind: 'json', body: metadataOf(request), cacheFor: 300 }
}

/** RFC 8414, section 2; OpenID Connect Discovery 1.0, section 3; RFC 9207, section 3. */
function metadataOf(request: AuthRequest): object {
  const { issuer, config } = request
  const server = serverOf(request)
  const { resources, keys, hasDevices, hasMachines, hasAppKeys, isOpen, algs } = server
  const authentication = [...CLIENT_AUTHENTICATION, ...(hasAppKeys ? ['private_key_jwt'] : [])]
  const scopes = [...resources.values()].flatMap((one) => [...one.scopes.keys()])
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    jwks_uri: `${issuer}/oauth/jwks.json`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    end_session_endpoint: `${issuer}/oauth/end-session`,
    ...(hasDevices ? { device_authorization_endpoint: `${issuer}/oauth/device` } : {}),
    scopes_supported: [...new Set([...OPENID_SCOPES, ...scopes])],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [
      ...['authorization_code', 'refresh_token'],
      ...(hasDevices ? ['urn:ietf:params:oauth:grant-type:device_code'] : []),
      ...(keys ? ['urn:ietf:params:oauth:grant-type:token-exchange'] : []),
      ...(hasMachines ? ['client_credentials'] : []),
      ...(takesAssertions(server) ? [JWT_BEARER] : []),
    ],
    ...(server.trustedIssuers ? { authorization_grant_profiles_supported: [ID_JAG] } : {}),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: algs.idTokens,
    token_endpoint_auth_methods_supported: authentication,
    revocation_endpoint_auth_methods_supported: authentication,
    ...(hasAppKeys
      ? {
          token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGS,
          revocation_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGS,
        }
      : {}),
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    acr_values_supported: ['1', '2'],
    ...(server.hearsLogout ? LOGOUT : {}),
    claims_supported: CLAIMS,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    ui_locales_supported: ['en', ...config.languages.keys()],
    ...(isOpen ? { client_id_metadata_document_supported: true } : {}),
  }
}
