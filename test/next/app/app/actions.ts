'use server'

import { CredentialsSignin } from '@latchkey/next'
import { redirect } from 'next/navigation'
import { auth, requireSession, signIn, signOut, update } from '../auth'

const ANSWER = 'swordfish'

export async function enter(form: FormData) {
  try {
    await signIn('credentials', form)
  } catch (error) {
    if (error instanceof CredentialsSignin) redirect(`/unproxied?code=${error.code}`)
    throw error
  }
}

export async function leave() {
  await signOut({ redirectTo: '/unproxied' })
}

/** Signs in without leaving the page, and says what holds in the same request then. */
export async function enterHere(name: string) {
  const before = (await auth())?.user?.name ?? null
  await signIn('credentials', { username: name, password: 'right', redirect: false })
  return [before, (await auth())?.user?.name ?? null]
}

export async function leaveHere() {
  const url = await signOut({ redirect: false })
  return [url, await auth()]
}

export async function rename(name: string) {
  return (await update({ name }))?.user?.name ?? null
}

/** The page does not guard the action, so the action asks for the session too. */
export async function askTheAction() {
  const { user } = await requireSession()
  return `${ANSWER} for ${user?.name}`
}
