import { requireSession } from '../../auth'

export default async function Members() {
  const { user } = await requireSession()
  return <h1>Members, {user?.name}: swordfish</h1>
}
