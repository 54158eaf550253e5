import { getRequestEvent, query } from '$app/server'

export const whoami = query(async () => {
  const { locals } = getRequestEvent()
  const session = await locals.auth()
  return `It is ${session?.user?.name ?? 'nobody'}`
})
