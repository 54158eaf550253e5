import { AuthError, CredentialsSignin } from '@latchkey/next'
import { signIn, signOut, update } from '@/auth'

export async function enter(_before: string, form: FormData): Promise<string> {
  'use server'
  try {
    await signIn('credentials', form)
  } catch (error) {
    if (error instanceof CredentialsSignin) return `Not signed in: ${error.code}`
    if (error instanceof AuthError) return 'Please try again.'
    throw error
  }
  return ''
}

export async function leave() {
  'use server'
  await signOut({ redirectTo: '/' })
}

export async function chooseTheme(form: FormData) {
  'use server'
  await update({ theme: String(form.get('theme')) })
}
