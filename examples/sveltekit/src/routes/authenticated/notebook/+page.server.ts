import { fail } from '@sveltejs/kit'
import type { Actions, PageServerLoad } from './$types'

/** In this process only, and the last five: a real app has a database. */
const notebooks = new Map<string, string[]>()

// The hook lets only signed-in people through to here.
export const load: PageServerLoad = async ({ locals }) => {
  const id = (await locals.auth())?.user?.id
  return { title: 'Notebook', notes: (id && notebooks.get(id)) || [] }
}

export const actions: Actions = {
  add: async ({ locals, request }) => {
    const id = (await locals.auth())?.user?.id
    const note = (await request.formData()).get('note')
    if (!id || typeof note !== 'string' || note.length > 200) return fail(400)
    notebooks.set(id, [...(notebooks.get(id) ?? []), note].slice(-5))
  },
}
