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
  expect(Object.keys(manifest.exports)).toEqual(['.', './shared', './package.json'])
})

test('adapters for frameworks take these', () => {
  expect(namesOf('index')).toEqual([
    'ActionForm',
    'ActionOptions',
    'FetchRequest',
    'ForwardedConfigOf',
    'Host',
    'HostConfigOf',
    'HostMessage',
    'HostRequest',
    'InProcessConfigOf',
    'InvalidConfiguration',
    'McpGate',
    'McpOptions',
    'Refusal',
    'RequestSession',
    'RequireSessionOptions',
    'RequireTokenOptions',
    'SessionGate',
    'TokenGate',
    'TokenServiceConfig',
    'answerToFault',
    'checkNeeds',
    'configurationFailure',
    'createHost',
    'customFetch',
    'detourOf',
    'finishNewest',
    'finishPersonal',
    'formOf',
    'inProcess',
    'isEnough',
    'isWorkerd',
    'logErrorOf',
    'logMistake',
    'mergeCookies',
    'ofProcess',
    'parseCookieLine',
    'privateHeader',
    'processEnv',
    'readRequestBody',
    'refusalResponse',
    'replaceCookies',
    'sessionGate',
    'submitForm',
    'submitUpdate',
    'targetOf',
    'warnBy',
    'withPrefix',
  ])
})

test('the service and the command line take these, which apps read too', () => {
  expect(namesOf('shared')).toEqual([
    'ADVICE',
    'APP_HEADER',
    'Advice',
    'AppKey',
    'CoreRoute',
    'Environment',
    'IMPORT_HEADER',
    'ImportRow',
    'InvalidConfiguration',
    'MAX_IMPORT',
    'OLD_SESSIONS_HEADER',
    'OPTIONS',
    'OTHER_KEY',
    'OriginPattern',
    'PROOF_HEADER',
    'ProofKey',
    'ROUTES',
    'Standing',
    'WarningCode',
    'anyBase',
    'appKeysOf',
    'bindingOf',
    'checkNeeds',
    'configurationFailure',
    'customFetch',
    'firstOf',
    'importInput',
    'isBasePath',
    'isFirstTime',
    'isListedOrigin',
    'isNamedOrigin',
    'isPublicSuffix',
    'isSeen',
    'isServiceRoute',
    'isSharedMailHost',
    'isTrustedOrigin',
    'namedStoreIn',
    'openNamedStore',
    'parseAuthUrl',
    'parseBasePath',
    'parseClaimedOrigin',
    'parseOriginPattern',
    'proofInput',
    'proofKeyOf',
    'readRequestBody',
    'requireSecrets',
    'signImport',
    'standing',
    'statedTwice',
    'textOf',
    'trustHostOf',
    'trustedOriginsOf',
    'unknownOfAdapter',
    'unknownOptions',
  ])
})
