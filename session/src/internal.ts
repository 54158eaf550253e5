/**
 * Functions and types that Latchkey's own packages share. It is not public: any name here may
 * change or disappear with any release.
 */
export { parseAddress } from './lib/address.js'
export { BoundedCache } from './lib/bounded-cache.js'
export { answerWithin, elapsed, isWorkerd, within } from './lib/deadline.js'
export { isRecord } from './lib/is-record.js'
export { readLimited } from './lib/read-limited.js'
export { cookiePairs, cookieValues } from './token/cookie.js'
export { hasDuplicateMembers } from './token/duplicate-members.js'
export { checkedSecret } from './token/secrets.js'
export { isRemoval } from './token/set-cookie.js'
export { signCompact } from './token/signed.js'
export { isSkipped } from './token/skipped.js'
export { allowedHeaders } from './verifier/allowed-headers.js'
export { createTokenReader } from './verifier/create-token-verifier.js'
export { createReader } from './verifier/create-verifier.js'
export { McpResource } from './verifier/mcp-resource.js'
export { readGuard } from './verifier/read-guard.js'
export { FOREIGN, NOBODY } from './verifier/reading.js'
export { refusalResponse } from './verifier/refusal-response.js'
export { RevocationList } from './verifier/revocations.js'
export { SessionTokenVerifier } from './verifier/session-token-verifier.js'
