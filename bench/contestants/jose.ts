import { deriveSessionKeys } from '@latchkey/session/issue'
import { Hono } from 'hono'
import { getCookie } from 'hono/cookie'
import { jwtVerify } from 'jose'

interface Bindings {
  readonly AUTH_SECRET: string
}

const app = new Hono<{ Bindings: Bindings }>()
let publicKey: CryptoKey | undefined

/** What an app would write by itself: the key is kept, the signature is verified on every request. */
app.get('/auth/session', async (c) => {
  publicKey ??= await publicKeyOf(c.env.AUTH_SECRET)
  const name = 'auth.session-token'
  const token = getCookie(c, name) ?? getCookie(c, name, 'host') ?? ''
  const { payload } = await jwtVerify(token, publicKey, {
    algorithms: ['EdDSA'],
    typ: 'session+jwt',
  })
  return c.json(payload.session)
})

async function publicKeyOf(secret: string): Promise<CryptoKey> {
  const [key] = (await deriveSessionKeys([secret])).verify.values()
  if (!key) throw new Error('No key.')
  return key.publicKey
}

export default app
