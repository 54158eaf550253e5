import { DurableObject } from 'cloudflare:workers'
import { type Context, Hono } from 'hono'
import { setCookie } from 'hono/cookie'

// The requests of a sign-in by OAuth, and the calls that it cannot be without, with nothing else: its least cost.

/** The calls of a sign-in. The binding `STEPS` has the letter of each one that this Worker makes. */
const STEPS = { exchange: 'x', signatures: 's', ledger: 'l', kv: 'k' } as const

interface Env {
  readonly AUTH_VIDEO_TOKEN_URL: string
  readonly AUTH_VIDEO_USERINFO_URL: string
  readonly STEPS: string
  readonly SESSIONS: KVNamespace
  readonly LEDGER: DurableObjectNamespace<Ledger>
}

/** One row with an index, as a flow that is used up. */
export class Ledger extends DurableObject {
  constructor(state: DurableObjectState, env: Env) {
    super(state, env)
    const { sql } = state.storage
    sql.exec('CREATE TABLE IF NOT EXISTS used (name TEXT PRIMARY KEY, ends INTEGER) WITHOUT ROWID')
    sql.exec('CREATE INDEX IF NOT EXISTS used_end ON used (ends)')
  }

  async enter(name: string): Promise<boolean> {
    const { sql } = this.ctx.storage
    sql.exec('INSERT INTO used (name, ends) VALUES (?, ?)', name, Date.now())
    return true
  }
}

const app = new Hono<{ Bindings: Env }>()
const session = { user: { name: 'Nobody' }, expires: '2030-01-01T00:00:00.000Z' }
let key: Promise<CryptoKeyPair> | undefined

app.get('/auth/csrf', (c) => {
  setCookie(c, 'csrf', 'x'.repeat(90), { path: '/', httpOnly: true })
  return c.json({ csrfToken: 'bench' })
})
app.post('/auth/signin/videoapp', async (c) => {
  await c.req.parseBody()
  setCookie(c, 'flow', 'x'.repeat(400), { path: '/', httpOnly: true })
  return c.redirect(`https://example.com/?state=${crypto.randomUUID()}`)
})
app.get('/auth/callback/videoapp', async (c) => {
  const { STEPS: asked, LEDGER, SESSIONS } = c.env
  const name = c.req.query('state') ?? ''
  if (asked.includes(STEPS.exchange)) await exchange(c)
  if (asked.includes(STEPS.ledger)) await LEDGER.get(LEDGER.idFromName('ledger')).enter(name)
  if (asked.includes(STEPS.kv)) {
    await SESSIONS.put(`session:${name}`, 'x'.repeat(700), { expirationTtl: 2_592_000 })
  }
  if (asked.includes(STEPS.signatures)) await sign()
  setCookie(c, 'session', 'x'.repeat(600), { path: '/', httpOnly: true })
  return c.redirect('/inbox')
})
app.get('/auth/session', (c) => c.json(session))

async function exchange({ env }: Context<{ Bindings: Env }>): Promise<void> {
  const body = new URLSearchParams({ code: 'bench' })
  const answer = await fetch(env.AUTH_VIDEO_TOKEN_URL, { method: 'POST', body })
  const { access_token } = await answer.json<{ access_token: string }>()
  const headers = { authorization: `Bearer ${access_token}` }
  await (await fetch(env.AUTH_VIDEO_USERINFO_URL, { headers })).json()
}

async function sign(): Promise<void> {
  key ??= crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']) as Promise<CryptoKeyPair>
  const { privateKey } = await key
  await crypto.subtle.sign('Ed25519', privateKey, new Uint8Array(500))
}

export default app
