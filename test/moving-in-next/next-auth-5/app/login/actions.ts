'use server'

import { AuthError } from 'next-auth'
import { signIn } from '@/auth'

export async function authenticate(_: string | undefined, form: FormData) {
  try {
    await signIn('credentials', form)
  } catch (error) {
    if (error instanceof AuthError) {
      return error.type === 'CredentialsSignin' ? 'Wrong name or password.' : 'Something failed.'
    }
    throw error
  }
}
