import { type SignInOptions, signIn } from '../client.js'

/** Signs in with a passkey by the fields of a form, in the place of its action. */
export async function signInHere(form: FormData): Promise<void> {
  const { providerId, redirect, link, ...fields } = Object.fromEntries(form) as Fields
  await signIn('passkey', {
    ...(fields as SignInOptions),
    link: link === 'true',
    redirect: redirect !== 'false',
  })
}

type Fields = Readonly<Record<string, string>>
