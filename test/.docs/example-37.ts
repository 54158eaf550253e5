import { createAuth, customFetch } from '@latchkey/worker'
import videoapp from '@latchkey/worker/providers/videoapp'
import { memoryStore } from '@latchkey/worker/stores/memory'

const ada = { open_id: 'ada', display_name: 'Ada', username: 'ada.films' }

const mock: typeof fetch = async (input) => {
  const { pathname } = new URL(String(input))
  if (pathname.endsWith('/token/')) {
    return Response.json({ access_token: 'any', token_type: 'Bearer', open_id: ada.open_id })
  }
  if (pathname.endsWith('/user/info/')) {
    return Response.json({ data: { user: ada }, error: { code: 'ok' } })
  }
  throw new Error(`Nobody answers ${pathname}`)
}

export const auth = createAuth({
  basePath: '/auth',
  secret: 'a-secret-of-the-tests-0123456789abcdef',
  store: memoryStore(),
  providers: [videoapp({ clientId: 'any', clientSecret: 'any', [customFetch]: mock })],
})

/** Signs Ada in, as her browser would. @returns the Cookie header of her session */
export async function signIn(): Promise<string> {
  const csrf = await auth.request('/auth/csrf')
  const { csrfToken } = (await csrf.json()) as { csrfToken: string }
  const started = await auth.request('/auth/signin/videoapp', {
    method: 'POST',
    headers: { cookie: cookiesOf(csrf) },
    body: new URLSearchParams({ csrfToken }),
  })
  const state = new URL(started.headers.get('location') ?? '').searchParams.get('state') ?? ''
  const back = new URLSearchParams({ code: 'any', state })
  const headers = { cookie: cookiesOf(started) }
  return cookiesOf(await auth.request(`/auth/callback/videoapp?${back}`, { headers }))
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
}
