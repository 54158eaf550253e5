import { describe } from 'vitest'

// Its cryptography, its encoders and its URLs are other ones than Node's, on which these files are tested otherwise.
const files = {
  'session tokens are signed': () => import('../../session/src/token/signed.test.ts'),
  'session tokens are verified': () => import('../../session/src/token/verify.test.ts'),
  'keys are derived': () => import('../../session/src/token/keys.test.ts'),
  'access tokens': () => import('../../session/src/token/access-token.test.ts'),
  'API keys': () => import('../../session/src/token/api-key.test.ts'),
  'cookies are read': () => import('../../session/src/token/cookie.test.ts'),
  'content is sealed': () => import('../../worker/src/lib/seal.test.ts'),
  'keys are kept': () => import('../../worker/src/lib/key-ring.test.ts'),
  pseudonyms: () => import('../../worker/src/lib/pseudonyms.test.ts'),
  'requests to AWS are signed': () => import('../../worker/src/lib/sign-aws.test.ts'),
  'forms have a csrf token': () => import('../../worker/src/http/csrf.test.ts'),
  'ceremonies of passkeys': () => import('../../worker/src/features/passkeys/ceremonies.test.ts'),
}

for (const [name, load] of Object.entries(files)) describe(name, async () => void (await load()))
