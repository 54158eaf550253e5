import NextAuth from '@latchkey/next'
import github from '@latchkey/next/providers/github'

export const { handlers, auth } = NextAuth({
  providers: [github()],
  callbacks: {
    authorized: ({ request, auth }) => !request.nextUrl.pathname.startsWith('/admin') || !!auth,
  },
})
