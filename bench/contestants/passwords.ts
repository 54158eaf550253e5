import { hashPassword, verifyPassword } from '@latchkey/worker/passwords'
import bcrypt from 'bcryptjs'
import {
  hashPassword as hashByBetterAuth,
  verifyPassword as verifyByBetterAuth,
} from 'better-auth/crypto'

const PASSWORD = 'a long enough phrase'
const known = new Map<string, string>()

/** Verifies a password by its name, as often as the request says: one request, since the clock of a Worker stands still. */
const ways: Readonly<Record<string, () => Promise<unknown>>> = {
  none: async () => {},
  latchkey: async () =>
    verifyPassword(await hashOf('latchkey', () => hashPassword(PASSWORD)), PASSWORD),
  bcrypt: async () =>
    bcrypt.compare(PASSWORD, await hashOf('bcrypt', () => bcrypt.hash(PASSWORD, 10))),
  'better-auth': async () => {
    const hash = await hashOf('better-auth', () => hashByBetterAuth(PASSWORD))
    return verifyByBetterAuth({ hash, password: PASSWORD })
  },
}

async function hashOf(name: string, make: () => Promise<string>): Promise<string> {
  const hash = known.get(name) ?? (await make())
  known.set(name, hash)
  return hash
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const verify = ways[pathname.slice(1)]
    if (!verify) return new Response(null, { status: 404 })
    const answers: unknown[] = []
    for (let at = 0; at < Number(searchParams.get('times')); at++) answers.push(await verify())
    return Response.json(answers.every((answer) => answer === true || answer === undefined))
  },
}
