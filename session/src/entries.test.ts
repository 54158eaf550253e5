import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

/** The names that an entry exports, types included: entries list them by hand. */
function namesOf(entry: string): string[] {
  const source = readFileSync(new URL(`./${entry}.ts`, import.meta.url), 'utf8')
  const lists = [...source.matchAll(/^export (?:type )?\{([^}]*)\}/gm)]
  const listed = lists.flatMap(([, names = '']) => names.split(','))
  const declared = [...source.matchAll(/^export [a-z ]+ (\w+)/gm)].map(([, name = '']) => name)
  return [...listed, ...declared].flatMap((name) => name.replace('type ', '').trim() || []).sort()
}

test('the package has these entries', () => {
  expect(Object.keys(manifest.exports)).toEqual([
    '.',
    './issue',
    './testing',
    './internal',
    './package.json',
  ])
})

test('reading sessions and access tokens takes only these 21 names', () => {
  expect(namesOf('index')).toEqual([
    'AccessToken',
    'AuthError',
    'CredentialsSignin',
    'DefaultSession',
    'KeyError',
    'ReadOptions',
    'Reading',
    'SecretError',
    'Session',
    'SessionClaims',
    'SessionNeeds',
    'TokenReading',
    'TokenVerifier',
    'User',
    'Verifier',
    'VerifierOptions',
    'WorkerAddress',
    'WorkerUnavailable',
    'createTokenVerifier',
    'createVerifier',
    'protectMcp',
  ])
})

test('signing takes these', () => {
  expect(namesOf('issue')).toEqual([
    'ACCESS_TOKEN_LIFE',
    'API_KEY_BYTES',
    'AccessClaims',
    'AccessTokenFault',
    'ApiKey',
    'CLOCK_SKEW',
    'EndedSession',
    'FEED_NAME_LENGTH',
    'MAX_FEED_NAMES',
    'MAX_TOKEN_LIFE',
    'MachineClaims',
    'NamelessCutoff',
    'PublicJwk',
    'PublicTokenJwk',
    'RevocationFeed',
    'Revocations',
    'SESSION_COOKIE',
    'SessionKeys',
    'SessionLack',
    'SigningKey',
    'StaleClaims',
    'TokenAlg',
    'TokenKeyPair',
    'TokenSigningKey',
    'TokenVerifyKey',
    'TokenVerifyKeys',
    'UserCutoff',
    'VerifyKey',
    'VerifyKeys',
    'accessTokenStanding',
    'acrOf',
    'beganAt',
    'configuredSecrets',
    'cookieName',
    'deriveAccessKeys',
    'deriveBytes',
    'deriveSessionKeys',
    'exportJwks',
    'exportTokenJwks',
    'formatApiKey',
    'importVerifyKeys',
    'isCookieName',
    'isCutOff',
    'isEnough',
    'isLive',
    'isNearEnd',
    'lackOf',
    'machineSub',
    'ownCookieNames',
    'parseApiKey',
    'publishTokenKey',
    'readIdToken',
    'readRevocationFeed',
    'readSecrets',
    'sessionClaim',
    'sessionTokens',
    'signAccessToken',
    'signIdToken',
    'signLogoutToken',
    'signRevocationFeed',
    'signSessionToken',
    'splitCookie',
    'toSession',
    'verifyAccessToken',
  ])
})

test('tests of an app take these', () => {
  expect(namesOf('testing')).toEqual([
    'AssertionResponse',
    'Authenticator',
    'AuthenticatorOptions',
    'CreationOptions',
    'CredentialJson',
    'MintAccessTokenOptions',
    'MintOptions',
    'MintedAccessToken',
    'MintedSession',
    'RegistrationResponse',
    'RequestOptions',
    'createAuthenticator',
    'mintAccessToken',
    'mintSession',
  ])
})

test('our own packages share these 25 names', () => {
  expect(namesOf('internal')).toEqual([
    'BoundedCache',
    'FOREIGN',
    'McpResource',
    'NOBODY',
    'RevocationList',
    'SessionTokenVerifier',
    'allowedHeaders',
    'answerWithin',
    'checkedSecret',
    'cookiePairs',
    'cookieValues',
    'createReader',
    'createTokenReader',
    'elapsed',
    'hasDuplicateMembers',
    'isRecord',
    'isRemoval',
    'isSkipped',
    'isWorkerd',
    'parseAddress',
    'readGuard',
    'readLimited',
    'refusalResponse',
    'signCompact',
    'within',
  ])
})
