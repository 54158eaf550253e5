import { execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { AUDIENCE, ISSUER, jwks, type Question } from '../../scripts/generate/verifier-vectors.ts'
import { cacheDir } from './database-programs.ts'
import { findGo, findVerifierPython } from './language-programs.ts'
import { mutated, randomFrom } from './mutated-tokens.ts'

/** Answers each question. The answer about an access token is the reason and the challenge. */
export type Answerer = (questions: readonly Question[]) => Promise<unknown[]>

const folder = (name: string) => join(import.meta.dirname, '../../verifiers', name)

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
      return JSON.parse((await lines.next()).value ?? 'null')
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
