/** The parts of the Worker in which a profile's time is counted, each by the beginnings of its files. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  'sealing of flow and record': ['worker/lib/seal'],
  'tokens: signed and verified': ['session/token/', 'session/verifier/', 'worker/session/issue'],
  'names and digests': [
    'worker/lib/pseudonyms',
    'worker/lib/key-ring',
    'worker/lib/base64url',
    'worker/session/subject',
    'jose/',
  ],
  'forms: body and csrf token': [
    'worker/http/csrf',
    'worker/http/post',
    'worker/http/body',
    'session/internal/read-limited',
  ],
  "the provider's documents and answers": [
    'worker/sign-in/oauth/',
    'worker/features/openid/',
    'worker/providers/',
    'worker/http/limited-fetch',
    'oauth4webapi/',
    'session/internal/deadline',
  ],
  'calls of the ledger and of KV, and the ledger itself': ['worker/stores/', 'worker/ledger'],
  'the log': ['worker/config/log', 'worker/http/log-event'],
  'counts by network and person': ['worker/http/network', 'worker/http/limits'],
  'responses and cookies': [
    'worker/service/respond',
    'worker/service/security-headers',
    'worker/http/cookies',
    'session/token/cookie',
  ],
  'pages that are shown': ['worker/pages/', 'worker/service/html-response', 'worker/languages/'],
}

const ENGINE = 'the engine: garbage, entries from outside'
const REST = 'the rest of the service'

export const ALL_PARTS: readonly string[] = [...Object.keys(PARTS), REST, ENGINE]

/** @param file of a bundle, such as `worker/dist/lib/seal.js`; `undefined`: code of the engine */
export function partOf(file: string | undefined): string {
  if (file === undefined) return ENGINE
  const name = file
    .replace(/^.*node_modules\/(?:@latchkey\/)?/, '')
    .replace(/\/(?:dist|src)\//, '/')
  // The longest beginning counts, since a part may be inside another one.
  const found = Object.entries(PARTS).flatMap(([part, beginnings]) =>
    beginnings.filter((one) => name.startsWith(one)).map((one) => ({ part, length: one.length })),
  )
  return found.sort((one, other) => other.length - one.length)[0]?.part ?? REST
}
