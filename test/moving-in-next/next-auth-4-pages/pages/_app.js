import { SessionProvider } from 'next-auth/react'

export default function App({ Component, pageProps: { session, ...pageProps } }) {
  return (
    <SessionProvider session={session} refetchInterval={300}>
      <Component {...pageProps} />
    </SessionProvider>
  )
}
