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
    './adapter',
    './internal',
    './package.json',
  ])
})

test('reading sessions takes only these 15 names', () => {
  expect(namesOf('index')).toEqual([
    'AuthError',
    'CredentialsSignin',
    'DefaultSession',
    'KeyError',
    'ReadOptions',
    'Reading',
    'SecretError',
    'Session',
    'SessionClaims',
    'User',
    'Verifier',
    'VerifierOptions',
    'WorkerAddress',
    'WorkerUnavailable',
    'createVerifier',
  ])
})

test('signing takes these', () => {
  expect(namesOf('issue')).toEqual([
    'EndedSession',
    'NamelessCutoff',
    'PublicJwk',
    'RevocationFeed',
    'Revocations',
    'SESSION_COOKIE',
    'SessionKeys',
    'SigningKey',
    'UserCutoff',
    'VerifyKey',
    'VerifyKeys',
    'cookieName',
    'deriveBytes',
    'deriveSessionKeys',
    'exportJwks',
    'importVerifyKeys',
    'ownCookieNames',
    'readSecrets',
    'sessionClaim',
    'sessionTokens',
    'signRevocationFeed',
    'signSessionToken',
    'splitCookie',
    'toSession',
  ])
})

test('tests of an app take these', () => {
  expect(namesOf('testing')).toEqual([
    'AssertionResponse',
    'Authenticator',
    'AuthenticatorOptions',
    'CreationOptions',
    'CredentialJson',
    'MintOptions',
    'MintedSession',
    'RegistrationResponse',
    'RequestOptions',
    'createAuthenticator',
    'mintSession',
  ])
})

test('adapters for frameworks take these', () => {
  expect(namesOf('adapter')).toEqual([
    'ActionForm',
    'ActionOptions',
    'FetchRequest',
    'ForwardedConfigOf',
    'Host',
    'HostConfigOf',
    'HostMessage',
    'HostRequest',
    'InProcessConfigOf',
    'Refusal',
    'RequestSession',
    'RequireSessionOptions',
    'SessionGate',
    'createHost',
    'detourOf',
    'finishNewest',
    'formOf',
    'inProcess',
    'logErrorOf',
    'logMistake',
    'mergeCookies',
    'ofProcess',
    'parseCookieLine',
    'processEnv',
    'replaceCookies',
    'sessionGate',
    'submitForm',
    'submitUpdate',
    'targetOf',
    'warnBy',
  ])
})

test('our own packages share these', () => {
  expect(namesOf('internal')).toEqual([
    'ADVICE',
    'APP_HEADER',
    'Advice',
    'AppKey',
    'CLOCK_SKEW',
    'Environment',
    'IMPORT_HEADER',
    'ImportRow',
    'InTime',
    'InvalidConfiguration',
    'MAX_IMPORT',
    'MAX_NAMES',
    'MAX_TOKEN_LIFE',
    'NAME_LENGTH',
    'OLD_SESSIONS_HEADER',
    'OPTIONS',
    'OTHER_KEY',
    'OriginPattern',
    'PROOF_HEADER',
    'ProofKey',
    'ROUTES',
    'RevocationList',
    'ServiceRoute',
    'SessionBeginning',
    'SessionNeeds',
    'SessionReading',
    'Standing',
    'TokenVerifier',
    'acrOf',
    'answerWithin',
    'anyBase',
    'appKeysOf',
    'beganAt',
    'bindingOf',
    'checkNeeds',
    'checkedSecret',
    'configurationFailure',
    'cookieNames',
    'cookiePairs',
    'cookieValues',
    'customFetch',
    'elapsed',
    'firstOf',
    'importInput',
    'isBasePath',
    'isCookieName',
    'isCutOff',
    'isEnough',
    'isFresh',
    'isListedOrigin',
    'isLive',
    'isNamedOrigin',
    'isNearEnd',
    'isPublicSuffix',
    'isRecord',
    'isSeen',
    'isServiceRoute',
    'isTrustedOrigin',
    'isWorkerd',
    'namedStoreIn',
    'openNamedStore',
    'parseAuthUrl',
    'parseBasePath',
    'parseClaimedOrigin',
    'parseOriginPattern',
    'proofInput',
    'proofKeyOf',
    'readLimited',
    'readRequestBody',
    'requireSecrets',
    'signCompact',
    'signImport',
    'standing',
    'statedTwice',
    'textOf',
    'timeLimit',
    'trustHostOf',
    'trustedOriginsOf',
    'unknownOfAdapter',
    'unknownOptions',
    'within',
  ])
})
