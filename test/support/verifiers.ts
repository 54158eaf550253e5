import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { createTokenVerifier, createVerifier, WorkerUnavailable } from '@latchkey/session'
import { AUDIENCE, ISSUER, jwks, type Question } from '../../scripts/generate/verifier-vectors.ts'
import { parseApiKey } from '../../session/src/token/api-key.js'
import { isLive } from '../../session/src/token/claims.js'
import { sessionTokens } from '../../session/src/token/cookie.js'
import { acrOf } from '../../session/src/token/is-enough.js'
import { importVerifyKeys, KeyError } from '../../session/src/token/keys.js'
import { readRevocationFeed } from '../../session/src/verifier/revocations.js'
import { importTokenKeys } from '../../session/src/verifier/token-keys.js'
import { TokenVerifier } from '../../session/src/verifier/token-verifier.js'
import { cacheDir } from './database-programs.ts'
import { findGo, findVerifierPython } from './language-programs.ts'
import { mutated, randomFrom } from './mutated-tokens.ts'

/** Answers each question. The answer about an access token is the reason and the challenge. */
export type Answerer = (questions: readonly Question[]) => Promise<unknown[]>

const folder = (name: string) => join(import.meta.dirname, '../../verifiers', name)

/** Our own verifier. */
export const ours: Answerer = (questions) => Promise.all(questions.map(answer))

/** A verifier of another language: a program that reads questions, and prints answers. */
export interface Program {
  readonly path: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

/** The verifier for Python; or why there is none here. */
export async function inPython(): Promise<Program | { readonly why: string }> {
  const found = await findVerifierPython()
  if ('why' in found) return found
  return { ...found, args: [folder('python/tests/conform.py')] }
}

/** The verifier for Go, compiled once for each of its states; or why there is none here. */
export async function inGo(): Promise<Program | { readonly why: string }> {
  const found = await findGo()
  if ('why' in found) return found
  const sources = globSync('*.go', { cwd: folder('go') }).toSorted()
  const state = createHash('sha256')
  for (const name of sources) state.update(readFileSync(join(folder('go'), name)))
  const program = join(cacheDir, `go-verifier-${state.digest('hex').slice(0, 16)}`)
  if (!existsSync(program)) {
    const made = `${program}-${process.pid}`
    const options = { cwd: folder('go'), env: found.env }
    await promisify(execFile)(found.path, ['test', '-c', '-o', made, '.'], options)
    renameSync(made, program)
  }
  return { path: program, args: [], env: { ...found.env, LATCHKEY_CONFORM: '1' } }
}

/** The answers of a program; none without one. */
export function answererOf(program: Program | { readonly why: string }): Answerer {
  if ('why' in program) return async () => []
  return async (questions) => {
    const child = started(program)
    child.stdin.end(questions.map((question) => `${JSON.stringify(question)}\n`).join(''))
    const answers = (await text(child.stdout)).trim().split('\n')
    return answers.map((line) => JSON.parse(line))
  }
}

/** A program that answers one question at a time, and remembers. */
export function conversationWith(program: Program): {
  readonly ask: (question: object) => Promise<unknown>
  readonly end: () => void
} {
  const child = started(program)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    async ask(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`)
      return JSON.parse((await lines.next()).value)
    },
    end: () => void child.kill(),
  }
}

function started({ path, args, env }: Program) {
  const child = spawn(path, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  child.stdin.write(`${JSON.stringify({ issuer: ISSUER, audience: AUDIENCE, jwks })}\n`)
  return child
}

/**
 * Changed tokens and feeds that verifiers judge differently, ten at most, with the seed that makes them again.
 *
 * @param seed of all that is made up
 */
export async function disagreements(
  verifiers: readonly Answerer[],
  count: number,
  seed: number,
): Promise<unknown[]> {
  const random = randomFrom(seed)
  const found: unknown[] = []
  for (let left = count; left > 0 && found.length < 10; left -= AT_ONCE) {
    const asked = Array.from({ length: Math.min(left, AT_ONCE) }, () => mutated(random))
    const answers = await Promise.all(verifiers.map((answer) => answer(asked)))
    for (const [at, question] of asked.entries()) {
      const each = answers.map((list) => list[at])
      if (new Set(each.map((one) => JSON.stringify(one))).size === 1) continue
      found.push({ seed, question, answers: each })
    }
  }
  return found.slice(0, 10)
}

/** A question is a kilobyte, and a verifier gets this many of them in one process. */
const AT_ONCE = 10_000

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
      const tokens = new TokenVerifier({ keys, now: () => asked.now * 1000 })
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
