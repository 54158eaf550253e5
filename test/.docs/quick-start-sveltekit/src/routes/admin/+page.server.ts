// src/routes/admin/+page.server.ts
import { error, redirect, type ServerLoad } from '@sveltejs/kit'

export const load: ServerLoad = async ({ locals }) => {
  const session = await locals.auth()
  if (!session) redirect(303, '/auth/signin?callbackUrl=/admin')
  if (session.role !== 'admin') error(403, 'This page is for admins.')
}
