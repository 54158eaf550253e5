import { Hono } from 'hono'
import { Webhook } from 'standardwebhooks'

interface Message {
  type: string
  timestamp: string
  data: { id: string; event: string; chain: string; seq: number; person?: string }
}

const webhook = new Webhook(process.env.WEBHOOK_SECRET ?? '')

/** In your database: the ids of the last two days are enough. */
const known = new Set<string>()

/** What this receiver is for. If it throws, the message comes again. */
export const handled: Message[] = []
async function handle(message: Message) {
  handled.push(message)
}

const app = new Hono()
app.post('/hooks', async (c) => {
  let message: Message
  try {
    message = webhook.verify(await c.req.text(), c.req.header()) as Message
  } catch {
    return c.text('The signature is missing, wrong or too old.', 401)
  }
  if (!known.has(message.data.id)) {
    await handle(message)
    known.add(message.data.id)
  }
  return c.body(null, 204)
})

export default app
