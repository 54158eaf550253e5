/** Any method. `wait`: first something else happens. */
export async function fallback({ locals, url }) {
  const wait = Number(url.searchParams.get('wait') ?? 0)
  if (wait) await new Promise((resolve) => setTimeout(resolve, wait))
  const session = await locals.auth()
  return Response.json({ name: session?.user?.name ?? null, id: session?.user?.id ?? null })
}
