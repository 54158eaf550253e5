import { passwords } from '@latchkey/worker/features/passwords'
import email from '@latchkey/worker/providers/email'
import password from '@latchkey/worker/providers/password'
import { expect, test } from 'vitest'
import NextAuth, { CredentialsSignin } from './index.js'
import { Browser, inProcess } from './test-app.js'

test('an action signs in by a password that is kept here, and asks for a mail with the address alone', async () => {
  const mails: string[] = []
  const from = 'sign-in@mail.example'
  const { signIn } = NextAuth(
    inProcess({
      features: [passwords],
      providers: [
        email({ from, sendVerificationRequest: ({ identifier }) => void mails.push(identifier) }),
        password(),
      ],
    }),
  )
  const browser = new Browser()
  const wrong = browser.act(() => signIn('password', { email: 'ada@mail.example', password: 'x' }))
  await expect(wrong).rejects.toBeInstanceOf(CredentialsSignin)
  expect(mails).toEqual([])
  const { location } = await browser.act(() => signIn('password', { email: 'ada@mail.example' }))
  expect(new URL(location ?? '').pathname).toBe('/api/auth/verify-request')
  expect(mails).toEqual(['ada@mail.example'])
})
