import { hashPassword, verifyPassword } from '@latchkey/worker/passwords'

/** Says of each posted pair whether the password is that of the hash, or why it cannot be said. */
export default {
  async fetch(request: Request): Promise<Response> {
    const pairs = (await request.json()) as readonly (readonly [hash: string, password: string])[]
    const answers: unknown[] = []
    for (const [hash, password] of pairs) {
      const made = hash === 'new' ? await hashPassword(password).catch(String) : hash
      answers.push(await verifyPassword(made, password).catch(String))
    }
    return Response.json(answers)
  },
}
