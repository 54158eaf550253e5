import {
  AUDIENCE,
  ISSUER,
  jwks,
  type Question,
} from '../../../scripts/generate/verifier-vectors.js'
import type { Answerer } from '../../../test/support/verifiers.js'
import { parseApiKey } from '../token/api-key.js'
import { isLive } from '../token/claims.js'
import { sessionTokens } from '../token/cookie.js'
import { acrOf } from '../token/is-enough.js'
import { importVerifyKeys, KeyError } from '../token/keys.js'
import { createTokenVerifier } from '../verifier/create-token-verifier.js'
import { createVerifier } from '../verifier/create-verifier.js'
import { readRevocationFeed } from '../verifier/revocations.js'
import { SessionTokenVerifier } from '../verifier/session-token-verifier.js'
import { importTokenKeys } from '../verifier/token-keys.js'
import { WorkerUnavailable } from '../verifier/worker-client.js'

/** Our own verifier. */
export const ours: Answerer = (questions) => Promise.all(questions.map(answer))

async function answer(asked: Question): Promise<unknown> {
  try {
    return await judged(asked)
  } catch (error) {
    if (error instanceof WorkerUnavailable) return 'unavailable'
    if (error instanceof KeyError) return 'invalid'
    throw error
  }
}

async function judged(asked: Question): Promise<unknown> {
  switch (asked.kind) {
    case 'cookie':
      return sessionTokens(asked.header, asked.name)
    case 'acr':
      return acrOf(asked.amr)
    case 'api-key':
      return parseApiKey(asked.text) !== undefined
    case 'jwks': {
      const keys = await (asked.access ? importTokenKeys : importVerifyKeys)(asked.text)
      return [...keys.keys()].sort()
    }
    case 'feed': {
      const found = await readRevocationFeed(asked.text, await keysOf(asked.keys), asked.of)
      return typeof found === 'string' ? found : 'good'
    }
    case 'session': {
      const keys = await keysOf(asked.keys)
      const tokens = new SessionTokenVerifier({ keys, now: () => asked.now * 1000 })
      const found = await tokens.verify(asked.token, asked.issuer ?? ISSUER)
      if (typeof found === 'string') return found
      return isLive(found.claims, asked.now * 1000) ? 'live' : 'expired'
    }
    case 'read-session':
      return readSession(asked)
    default:
      return readToken(asked)
  }
}

async function readSession(asked: Extract<Question, { kind: 'read-session' }>): Promise<unknown> {
  let asksIf: 'near its end' | 'it counts' | undefined
  const verifier = createVerifier({
    worker: asked.issuer ?? ISSUER,
    now: () => asked.now * 1000,
    onError: () => {},
    fetch: async (url) => {
      const [, online] = /\/session(\?online=1)?$/.exec(String(url)) ?? []
      if (String(url).includes('/session')) asksIf = online ? 'it counts' : 'near its end'
      return answerOf(asked.service, String(url))
    },
  })
  const reading = await Promise.resolve(verifier.read(asked.cookie)).catch((error: Error) => {
    if (!asksIf) throw error
  })
  verifier.close()
  const sub = reading?.claims?.sub
  // Ours renews by itself, also before the end; the others leave that to the browser.
  if (asksIf === 'it counts' || (asksIf && sub === undefined)) return 'expired'
  if (sub === undefined) return 'nobody'
  return `${sub} ${reading?.session?.user?.id ?? 'none'}`
}

async function readToken(
  asked: Extract<Question, { kind: 'access' | 'read-token' }>,
): Promise<unknown> {
  const service = 'service' in asked ? asked.service : undefined
  const verifier = createTokenVerifier({
    ...(service
      ? { worker: ISSUER, fetch: async (url) => answerOf(service, String(url)) }
      : { issuer: ISSUER, publicKeys: jwks.access }),
    audience: asked.audience ?? AUDIENCE,
    now: () => asked.now * 1000,
    onError: () => {},
    ...(asked.machine === undefined ? {} : { machine: asked.machine }),
  })
  const needs = {
    ...(asked.scope === undefined ? {} : { scope: asked.scope }),
    ...(asked.maxAge === undefined ? {} : { maxAge: asked.maxAge }),
    ...(asked.acr === undefined ? {} : { acr: asked.acr as '1' }),
  }
  try {
    const { refusal } = await verifier.read(asked.authorization, needs)
    return refusal ? [refusal.reason, refusal.challenge] : ['live', '']
  } finally {
    verifier.close()
  }
}

function answerOf(service: Readonly<Record<string, string | null>>, url: string): Response {
  const all = { '/jwks.json': jwks.session, '/oauth/jwks.json': jwks.access, ...service }
  const answer = (all as Record<string, string | null>)[url.slice(ISSUER.length)]
  return new Response(answer ?? '', { status: answer === undefined || answer === null ? 404 : 200 })
}

const imported = new Map<string, ReturnType<typeof importVerifyKeys>>()

function keysOf(name: string): ReturnType<typeof importVerifyKeys> {
  const keys = imported.get(name) ?? importVerifyKeys(jwks[name])
  imported.set(name, keys)
  return keys
}
