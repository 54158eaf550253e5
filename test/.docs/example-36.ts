import { customFetch } from '@latchkey/worker'
import videoapp from '@latchkey/worker/providers/videoapp'

const PROXY = 'https://egress.example.com/forward'

/** Hands every request to a proxy of your own, which passes it on to the address in `to`. */
const proxied: typeof fetch = (input, init) => {
  return fetch(`${PROXY}?${new URLSearchParams({ to: String(input) })}`, init)
}

export const provider = videoapp({ [customFetch]: proxied })
