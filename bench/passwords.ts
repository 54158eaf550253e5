import { createAuth } from '@latchkey/worker'
import { passwords } from '@latchkey/worker/features/passwords'
import { hashPassword, verifyPassword } from '@latchkey/worker/passwords'
import email from '@latchkey/worker/providers/email'
import password from '@latchkey/worker/providers/password'
import { memoryStore } from '@latchkey/worker/stores/memory'
import bcrypt from 'bcryptjs'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import {
  hashPassword as hashByBetterAuth,
  verifyPassword as verifyByBetterAuth,
} from 'better-auth/crypto'
import { bundle } from './bundle.ts'
import { median, processorTime } from './processor-time.ts'
import { start } from './runtime.ts'
import { printColumns } from './table.ts'

/** Each round is so short that neighbors see the same machine. */
const ROUNDS = 15
/** Not counted: code is compiled. */
const WARM_UP = 3
const TIMES = 5

const ORIGIN = 'http://localhost:3000'
const SECRET = 'a-secret-of-the-bench-0123456789abcdef'
const PASSWORD = 'a long enough phrase'
const ADDRESS = 'ada@mail.example'

/** Does something a number of times. @returns milliseconds of processor time for one */
type Measured = () => Promise<number>

/**
 * `npm run bench -- passwords`: the processor time of a password's hash, and of a whole sign-in by it, beside bcrypt with cost 10 and
 * better-auth, in Node and in workerd.
 */
export async function benchPasswords(): Promise<void> {
  const lines: string[][] = []
  const add = async (what: string, contestants: Readonly<Record<string, Measured>>) => {
    const rounds = await inRounds(contestants)
    const [first = []] = rounds.values()
    for (const [name, times] of rounds) {
      const ratio = median(times.map((time, at) => time / (first[at] ?? Number.NaN)))
      const time = median(times)
      lines.push([what, name, ratio.toFixed(2), `${time.toFixed(1)} ms`, (1000 / time).toFixed(1)])
    }
  }
  await add('a hash, Node', await inNode())
  await using stack = new AsyncDisposableStack()
  await add('a hash, workerd', await inWorkerd(stack))
  await add('a sign-in, Node', await signIns())
  printColumns(['', '', 'time', 'processor time', 'a second and core'], lines)
}

async function inRounds(
  contestants: Readonly<Record<string, Measured>>,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const rounds = new Map<string, number[]>(Object.keys(contestants).map((name) => [name, []]))
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    for (const [name, measure] of Object.entries(contestants)) {
      const time = await measure()
      if (round >= 0) rounds.get(name)?.push(time)
    }
  }
  return rounds
}

/** Measures this process with its threads, in which Node computes scrypt. */
function here(run: () => Promise<boolean>): Measured {
  return async () => {
    const began = processorTime(process.pid)
    for (let at = 0; at < TIMES; at++) if (!(await run())) throw new Error('It was refused.')
    return (processorTime(process.pid) - began) / TIMES
  }
}

async function inNode(): Promise<Readonly<Record<string, Measured>>> {
  const [ours, byBcrypt, theirs] = [
    await hashPassword(PASSWORD),
    await bcrypt.hash(PASSWORD, 10),
    await hashByBetterAuth(PASSWORD),
  ]
  return {
    'Latchkey: argon2id, 19 MiB': here(() => verifyPassword(ours, PASSWORD)),
    'bcryptjs, cost 10': here(() => bcrypt.compare(PASSWORD, byBcrypt)),
    'better-auth: scrypt': here(() => verifyByBetterAuth({ hash: theirs, password: PASSWORD })),
  }
}

async function inWorkerd(stack: AsyncDisposableStack): Promise<Readonly<Record<string, Measured>>> {
  const code = await bundle('passwords', 'passwords.ts')
  const settings = { compatibilityFlags: ['nodejs_compat'] }
  const runtime = stack.use(await start([{ name: 'passwords', bundle: code, settings }]))
  const url = await runtime.url('passwords')
  const ask = async (path: string) => {
    const began = processorTime(runtime.pid)
    const answer = await fetch(new URL(`/${path}?times=${TIMES}`, url))
    if ((await answer.json()) !== true) throw new Error(`${path} was refused.`)
    return processorTime(runtime.pid) - began
  }
  const by =
    (path: string): Measured =>
    async () =>
      ((await ask(path)) - (await ask('none'))) / TIMES
  return {
    'Latchkey: argon2id, 19 MiB': by('latchkey'),
    'bcryptjs, cost 10': by('bcrypt'),
    'better-auth: scrypt in JavaScript': by('better-auth'),
  }
}

/** The cookies of an answer, as a browser sends them. */
function cookiesOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .flatMap((cookie) => cookie.split(';', 1))
    .join('; ')
}

/** Whole sign-ins of a person who has signed up, with stores in memory. */
async function signIns(): Promise<Readonly<Record<string, Measured>>> {
  let link = ''
  const auth = createAuth({
    ...{ basePath: '/auth', secret: SECRET, store: memoryStore(), features: [passwords] },
    logger: { info: () => {}, warn: () => {}, error: () => {} },
    providers: [
      email({
        from: 'bench@example.com',
        sendVerificationRequest: ({ url }) => {
          link = url
        },
      }),
      password(),
    ],
  })
  const csrf = await auth.fetch(new Request(`${ORIGIN}/auth/csrf`))
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const jar = cookiesOf(csrf)
  const post = (path: string, fields: object, cookie = jar) =>
    auth.fetch(
      new Request(`${ORIGIN}/auth${path}`, {
        method: 'POST',
        headers: { origin: ORIGIN, cookie },
        body: new URLSearchParams({ csrfToken, ...fields }),
      }),
    )
  const asked = await post('/signin/password', { email: ADDRESS })
  const cookie = [jar, cookiesOf(asked)].join('; ')
  const entered = await auth.fetch(new Request(link, { headers: { cookie } }))
  await post('/password/set', { password: PASSWORD }, [jar, cookiesOf(entered)].join('; '))
  const ours = async () => {
    const answer = await post('/callback/password', { email: ADDRESS, password: PASSWORD })
    return cookiesOf(answer).includes('session-token')
  }
  const theirs = betterAuth({
    baseURL: ORIGIN,
    secret: SECRET,
    database: memoryAdapter({ user: [], session: [], account: [], verification: [] }),
    emailAndPassword: { enabled: true },
    rateLimit: { enabled: false },
  })
  const person = { email: ADDRESS, password: PASSWORD }
  await theirs.api.signUpEmail({ body: { ...person, name: 'Ada' } })
  const byTheirs = async () => {
    const headers = { 'content-type': 'application/json', origin: ORIGIN }
    const request = { method: 'POST', headers, body: JSON.stringify(person) }
    const answer = await theirs.handler(new Request(`${ORIGIN}/api/auth/sign-in/email`, request))
    return answer.status === 200
  }
  return { Latchkey: here(ours), 'better-auth': here(byTheirs) }
}
