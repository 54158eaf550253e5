import { getServerSession } from 'next-auth/next'
import { signOut, useSession } from 'next-auth/react'
import authOptions from '../lib/auth-options'

export async function getServerSideProps({ req, res }) {
  const session = await getServerSession(req, res, authOptions)
  return session ? { props: { session } } : { redirect: { destination: '/', permanent: false } }
}

export default function Old() {
  const { data } = useSession()
  return <button onClick={() => signOut()}>{data?.user?.name}</button>
}
