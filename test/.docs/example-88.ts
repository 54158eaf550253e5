import { customFetch } from '@latchkey/worker'
import reddit from '@latchkey/worker/providers/reddit'

const named: typeof fetch = (input, init) => {
  const headers = new Headers(init?.headers as HeadersInit)
  headers.set('user-agent', 'web:com.example.app:v1 (by /u/example)')
  return fetch(input, { ...init, headers })
}

export const provider = reddit({ [customFetch]: named })
