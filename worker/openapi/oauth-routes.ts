import { answer, FAILURES, ownList, type Responses, response } from './responses.ts'
import type { Operation, Operations } from './routes.ts'
import { closed, described, list, number, object, ref, type Schema, text, url } from './schema.ts'

const FORM = 'application/x-www-form-urlencoded'

/** What an endpoint for programs answers besides its own. */
const PROGRAM_FAILURES: Responses = {
  '400': response('OAuthRefused'),
  '401': response('OAuthUnproved'),
  '404': response('NotFound'),
  '429': response('OAuthTooMany'),
  '500': response('Misconfigured'),
  '503': response('OAuthUnavailable'),
}

/** The client in the body, which may be in the header `Authorization` instead. */
const client = {
  'client_id?': text,
  'client_secret?': text,
  'client_assertion?': described(
    text,
    'RFC 7523, section 3: of an app that has `jwks` or `jwksUri`.',
  ),
  'client_assertion_type?': text,
}

function program(summary: string, fields: Schema, ok: object): Operation {
  return {
    summary,
    security: 'client',
    body: { schema: fields, types: [FORM] },
    responses: { '200': ok, ...PROGRAM_FAILURES },
  }
}

const userInfo: Operation = {
  summary: 'Claims about the user of an access token (OpenID Connect Core, section 5.3)',
  security: 'accessToken',
  responses: {
    '200': answer(
      'The claims.',
      object({
        sub: text,
        'name?': text,
        'picture?': text,
        'email?': text,
        'email_verified?': { type: 'boolean' },
      }),
    ),
    ...PROGRAM_FAILURES,
    '403': answer('The token lacks the scope `openid`.', ref('OAuthError'), {
      'WWW-Authenticate': 'RFC 6750, section 3.',
    }),
  },
}

const texts = list(text)

const metadata: Operation = {
  summary: 'The metadata of the authorization server (RFC 8414; OpenID Connect Discovery)',
  responses: {
    '200': answer(
      'The metadata.',
      object({
        issuer: url,
        authorization_endpoint: url,
        token_endpoint: url,
        userinfo_endpoint: url,
        jwks_uri: url,
        revocation_endpoint: url,
        end_session_endpoint: url,
        'device_authorization_endpoint?': url,
        scopes_supported: texts,
        response_types_supported: texts,
        response_modes_supported: texts,
        grant_types_supported: texts,
        subject_types_supported: texts,
        id_token_signing_alg_values_supported: texts,
        token_endpoint_auth_methods_supported: texts,
        revocation_endpoint_auth_methods_supported: texts,
        code_challenge_methods_supported: texts,
        authorization_response_iss_parameter_supported: { type: 'boolean' },
        acr_values_supported: texts,
        claims_supported: texts,
        claims_parameter_supported: { type: 'boolean' },
        request_parameter_supported: { type: 'boolean' },
        request_uri_parameter_supported: { type: 'boolean' },
        ui_locales_supported: texts,
        'backchannel_logout_supported?': { type: 'boolean' },
        'backchannel_logout_session_supported?': { type: 'boolean' },
        'client_id_metadata_document_supported?': { type: 'boolean' },
        'authorization_grant_profiles_supported?': texts,
        'token_endpoint_auth_signing_alg_values_supported?': texts,
        'revocation_endpoint_auth_signing_alg_values_supported?': texts,
      }),
    ),
    '404': response('NotFound'),
    ...FAILURES,
  },
}

/** The routes of the authorization server, as `DATA_ROUTES` has the others. */
export const OAUTH_ROUTES: Readonly<Record<string, Operations>> = {
  '/.well-known/openid-configuration': { GET: metadata },
  '/oauth/jwks.json': {
    GET: {
      summary: 'The public keys of access and ID tokens',
      responses: {
        '200': answer('The keys.', ref('Jwks')),
        '404': response('NotFound'),
        ...FAILURES,
      },
    },
  },
  '/oauth/token': {
    POST: program(
      'Tokens for a code, a refresh token, a device code, an API key, a machine or an assertion',
      {
        ...object({
          grant_type: text,
          ...client,
          'code?': text,
          'redirect_uri?': text,
          'code_verifier?': text,
          'refresh_token?': text,
          'scope?': text,
          'resource?': text,
          'device_code?': text,
          'assertion?': described(text, 'RFC 7523, section 2: an ID-JAG, or the token of a job.'),
          'subject_token?': text,
          'subject_token_type?': text,
          'requested_token_type?': text,
        }),
        additionalProperties: text,
      },
      answer('The tokens.', ref('Tokens')),
    ),
  },
  '/oauth/revoke': {
    POST: program(
      'End the grant of a token, or an API key (RFC 7009)',
      {
        ...object({ token: text, 'token_type_hint?': text, ...client }),
        additionalProperties: text,
      },
      answer('It has ended, or was unknown.', closed({})),
    ),
  },
  '/oauth/device': {
    POST: program(
      'The codes of a device (RFC 8628)',
      { ...object({ ...client, 'scope?': text, 'resource?': text }), additionalProperties: text },
      answer(
        'The codes.',
        object({
          device_code: text,
          user_code: text,
          verification_uri: url,
          verification_uri_complete: url,
          expires_in: described(number, 'Seconds.'),
          interval: described(number, 'Seconds.'),
        }),
      ),
    ),
  },
  '/oauth/userinfo': { GET: userInfo, POST: userInfo },
  '/apps': { GET: ownList('The apps that the user has let in', 'apps', 'ListedApp') },
  '/keys': { GET: ownList('The API keys of the user', 'keys', 'ListedKey') },
}
