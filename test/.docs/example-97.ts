import { CredentialsSignin } from '@latchkey/worker'
import credentials from '@latchkey/worker/providers/credentials'

class TryLater extends CredentialsSignin {
  override code = 'try-later'
}

export const provider = credentials({
  credentials: {
    username: { label: 'User name', required: true },
    password: { label: 'Password', type: 'password', required: true },
  },
  async authorize({ username, password }, request) {
    if (request.headers.get('x-maintenance')) throw new TryLater()
    return username === 'ada' && password === 'example' ? { id: 'user-1', name: 'Ada' } : null
  },
})
