import { customFetch } from '@latchkey/worker'
import videoapp from '@latchkey/worker/providers/videoapp'

/** Logs the address, status and duration of each request, and no secret. */
const logged: typeof fetch = async (input, init) => {
  const { host, pathname } = new URL(String(input))
  const start = Date.now()
  const response = await fetch(input, init)
  const took = Date.now() - start
  console.log(`${init?.method ?? 'GET'} ${host}${pathname} ${response.status} ${took} ms`)
  return response
}

export const provider = videoapp({ [customFetch]: logged })
