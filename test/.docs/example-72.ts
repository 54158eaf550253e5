import NextAuth from '@latchkey/next/forward'

export const { handlers, auth, requireSession, signIn, signOut } = NextAuth({
  worker: 'https://auth.example.com/auth',
})
