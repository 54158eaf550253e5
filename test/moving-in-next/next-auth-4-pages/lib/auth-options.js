import GoogleProvider from 'next-auth/providers/google'

/** @type {import('next-auth').NextAuthOptions} */
const authOptions = {
  providers: [
    GoogleProvider({
      clientId: process.env.GOOGLE_CLIENT_ID,
      clientSecret: process.env.GOOGLE_CLIENT_SECRET,
    }),
  ],
}

export default authOptions
