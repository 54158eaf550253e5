'use server'

import { unstable_update } from '@/auth'

export async function rename(form: FormData) {
  await unstable_update({ user: { name: String(form.get('name')) } })
}
