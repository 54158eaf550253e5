import { Hono } from 'hono'

const app = new Hono()
const session = {
  user: { name: 'Ada Lovelace', email: 'ada@example.com', image: 'https://example.com/ada.png' },
  expires: '2030-01-01T00:00:00.000Z',
}

app.get('/auth/session', (c) => c.json(session))

export default app
