import { getServerSession } from 'next-auth'
import authOptions from '../../lib/auth-options'

export default async function Page() {
  const session = await getServerSession(authOptions)
  return <p>{session?.user?.name}</p>
}
